#pragma once
/// What instantiate_domain.cu.in compiles of device_laws.hpp.

#include <memory>

#include "gpu/device_domain.cuh"
#include "gpu/device_laws.hpp"
#include "gpu/device_solver_impl.cuh"
#include "physics/collision/laws.hpp"

namespace mpcflow {

template <class Line, class Real>
std::unique_ptr<Solver> make_device_domain_of(const System& system, const SolverOptions& options,
                                              const Cut& cut, Exchange& exchange, int device) {
    return visit_law_of_line<Line, Real>(
        system,
        [&]<class Law>(const Law& law) -> std::unique_ptr<Solver> {
            using Fluid = DeviceDomain<Law, ParticleOf<Real, Law::masses>>;
            return std::make_unique<DeviceSolver<Fluid>>(options, law, system, options, cut, exchange,
                                                         device);
        });
}

}  // namespace mpcflow
