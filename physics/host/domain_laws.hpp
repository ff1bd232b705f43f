#pragma once
/// The solvers of domains of the table of laws, each compiled in a file of its own
/// (instantiate_domain.cpp.in).

#include <memory>

#include "physics/domain/domain_solver.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// make_domain_solver() and domain_solver_needs() for a line of the table, in arithmetic `Real`.
template <class Line, class Real>
std::unique_ptr<Solver> make_domain_solver_of(const System& system, const SolverOptions& options,
                                              const Cut& cut, Exchange& exchange);
template <class Line, class Real>
DomainNeeds domain_solver_needs_of(const System& system, const SolverOptions& options, const Cut& cut,
                                   int number);

}  // namespace mpcflow
