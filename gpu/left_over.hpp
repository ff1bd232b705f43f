#pragma once
/// Which particles a step leaves over until others are done with (tile_kernels.cuh, WallQueue), and for which
/// systems it needs room to note them.

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

/// Whether any particles are left over, at walls in all ways of summing, or outside of boxes, which tiles
/// have alone.
[[nodiscard]] inline bool are_left_over(const System& system, bool by_tiles) {
    return system.has_walls() || (by_tiles && are_left_over_outside(system));
}

}  // namespace mpcflow
