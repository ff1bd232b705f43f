#pragma once
/// Measuring self-diffusion by the mean square displacement of all particles.

#include <cstdint>

#include "physics/solver.hpp"
#include "physics/system.hpp"

namespace mpcflow::test {

/// D from the growth of the mean square displacement between the steps `first` and `last` after now, in each
/// of `windows` windows that follow each other: the mean of the windows.
///
/// The mean square displacement is 6 D t + constant once t is beyond the memory of the velocities.
[[nodiscard]] double measure_diffusion(Solver& solver, const System& system, std::int64_t first,
                                       std::int64_t last, int windows);

}  // namespace mpcflow::test
