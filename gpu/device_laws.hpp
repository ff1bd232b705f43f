#pragma once
/// The device solver of one law and arithmetic, seen from the file that chooses among them.

#include <memory>

#include "physics/domain/cut.hpp"
#include "physics/domain/exchange.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// `Line` is of the table of laws (physics/collision/laws.hpp). Each is defined in a file of its own, made of
/// instantiate_law.cu.in, so that the laws compile side by side.
template <class Line, class Real>
std::unique_ptr<Solver> make_device_solver_of(const System& system, const SolverOptions& options, int device);
/// The same of a domain: of instantiate_domain.cu.in.
template <class Line, class Real>
std::unique_ptr<Solver> make_device_domain_of(const System& system, const SolverOptions& options,
                                              const Cut& cut, Exchange& exchange, int device);

}  // namespace mpcflow
