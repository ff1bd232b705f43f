#pragma once
/// The host solvers of the table of laws, each compiled in a file of its own (instantiate_law.cpp.in).

#include <memory>

#include "physics/solver.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// make_host_solver() and host_solver_needs() for a line of the table, in arithmetic `Real`.
template <class Line, class Real>
std::unique_ptr<Solver> make_host_solver_of(const System& system, const SolverOptions& options);
template <class Line, class Real>
HostNeeds host_solver_needs_of(const System& system, const SolverOptions& options);

}  // namespace mpcflow
