/// In place of domain_solver.cpp in a build without the solvers of domains (MPCFLOW_DOMAINS).

#include <memory>
#include <stdexcept>

#include "physics/domain/domain_solver.hpp"

namespace mpcflow {

DomainNeeds domain_solver_needs(const System& /*system*/, const SolverOptions& /*options*/,
                                const Cut& /*cut*/, int /*number*/) {
    throw std::logic_error("domain_solver_needs: this build has no solvers of domains");
}

std::unique_ptr<Solver> make_domain_solver(const System& /*system*/, const SolverOptions& /*options*/,
                                           const Cut& /*cut*/, Exchange& /*exchange*/) {
    throw std::logic_error("make_domain_solver: this build has no solvers of domains");
}

}  // namespace mpcflow
