#pragma once
/// Which particles the step by tiles leaves over until a tile's box is done with (tile_kernels.cuh), and for
/// which systems it needs room to note them.

#include <cmath>

#include "physics/system.hpp"

namespace mpcflow {

/// Whether particles outside of their tile's box are left over, so that whole warps add them with their
/// peers. Where flights are short few are outside, and a block would wait for these few: they add at once.
[[nodiscard]] inline bool are_left_over_outside(const System& system) {
    // Cells that a particle flies along an axis, the standard deviation. At ten particles a cell both ways
    // are as fast on one card at 0.3, and lists are faster at 0.5 (docs/decisions/).
    constexpr double least_flight = 0.4;
    const double speed = std::sqrt(system.fluid.highest_temperature() / system.fluid.mass);
    return speed * system.collision.time_step >= least_flight;
}

/// Whether any particles are left over.
[[nodiscard]] inline bool are_left_over(const System& system) {
    return system.has_walls() || are_left_over_outside(system);
}

}  // namespace mpcflow
