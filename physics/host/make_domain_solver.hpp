#pragma once
/// What instantiate_domain.cpp.in compiles of domain_laws.hpp, for each law in a file of its own or several
/// in one.

#include <memory>

#include "physics/collision/laws.hpp"
#include "physics/domain/planned.hpp"
#include "physics/host/domain_laws.hpp"
#include "physics/host/host_solver.hpp"

namespace mpcflow {

template <class Line, class Real>
std::unique_ptr<Solver> make_domain_solver_of(const System& system, const SolverOptions& options,
                                              const Cut& cut, Exchange& exchange) {
    return visit_law_of_line<Line, Real>(
        system,
        [&]<class Law>(const Law& law) -> std::unique_ptr<Solver> {
            return std::make_unique<HostSolver<Law, ParticleOf<Real, Law::masses>, Border<Real>>>(
                law, system, options, Border<Real>(system, cut, exchange.number(), exchange));
        });
}

template <class Line, class Real>
DomainNeeds domain_solver_needs_of(const System& system, const SolverOptions& options, const Cut& cut,
                                   int number) {
    return visit_law_of_line<Line, Real>(
        system,
        [&]<class Law>(const Law&) {
            Planned nobody(cut.count(), number);
            const Border<Real> border(system, cut, number, nobody);
            const HostNeeds needs =
                HostSolver<Law, ParticleOf<Real, Law::masses>, Border<Real>>::needs(system, options, border);
            return DomainNeeds{needs, static_cast<int>(border.neighbours().size()),
                               border.bytes_of_sums(sizeof(typename Law::Sums)),
                               border.most_bytes_of_sums(sizeof(typename Law::Sums))};
        });
}

}  // namespace mpcflow
