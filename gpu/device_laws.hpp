#pragma once
/// The device solver of one law and precision, seen from the file that chooses among them.

#include <memory>

#include "physics/solver.hpp"

namespace mpcflow {

/// Defined for each law in a file of its own (instantiate_*.cu), so that the laws compile side by side.
template <class Law>
std::unique_ptr<Solver> make_device_solver_of(const Law& law, const System& system, const SolverOptions& options,
                                              int device);

}  // namespace mpcflow
