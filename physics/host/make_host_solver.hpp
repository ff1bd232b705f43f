#pragma once
/// What instantiate_law.cpp.in compiles of host_laws.hpp, for each law in a file of its own or several in
/// one.

#include <memory>

#include "physics/collision/laws.hpp"
#include "physics/host/host_laws.hpp"
#include "physics/host/host_solver.hpp"

namespace mpcflow {

template <class Line, class Real>
std::unique_ptr<Solver> make_host_solver_of(const System& system, const SolverOptions& options) {
    return visit_law_of_line<Line, Real>(
        system,
        [&]<class Law>(const Law& law) -> std::unique_ptr<Solver> {
            return std::make_unique<HostSolver<Law, ParticleOf<Real, Law::masses>>>(law, system, options);
        });
}

template <class Line, class Real>
HostNeeds host_solver_needs_of(const System& system, const SolverOptions& options) {
    return visit_law_of_line<Line, Real>(
        system,
        [&]<class Law>(const Law&) {
            return HostSolver<Law, ParticleOf<Real, Law::masses>>::needs(system, options);
        });
}

}  // namespace mpcflow
