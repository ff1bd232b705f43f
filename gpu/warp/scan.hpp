#pragma once
/// Prefix sums over a warp or its sub-warps, which are as in reduce.hpp.
///
/// After W. D. Hillis, G. L. Steele, "Data parallel algorithms", CACM 29, 1986.

#include "gpu/warp/operations.hpp"
#include "gpu/warp/shuffles.hpp"

namespace mpcflow::warp {

/// Combines the values of the caller's sub-warp up to the caller itself, in the order of the lanes. `combine`
/// must be associative; it need not be commutative. Costs log2(Width) shuffles.
template <unsigned Width = warp_size, IsWarp Warp, LaneValue T, class Combine = Add>
requires SubWarpWidth<Width>
[[nodiscard]] MPCFLOW_WARP T scan_inclusive(Warp warp, unsigned mask, T value, Combine combine = {}) {
    const unsigned rank = rank_in(mask, warp.lane());
    if (are_first_lanes(mask)) {
        MPCFLOW_UNROLL
        for (unsigned distance = 1; distance < Width; distance *= 2) {
            const T taken = warp.shfl_up(mask, value, distance);
            if (rank % Width >= distance) value = combine(taken, value);
        }
        return value;
    }
    MPCFLOW_UNROLL
    for (unsigned distance = 1; distance < Width; distance *= 2) {
        const bool takes = rank % Width >= distance;
        const T taken = warp.shfl(mask, value, lane_of_rank(mask, takes ? rank - distance : rank));
        if (takes) value = combine(taken, value);
    }
    return value;
}

/// The same without the caller's own value: of those before it, and for the first lane of a sub-warp the
/// neutral element of the operation. Costs one shuffle more.
template <unsigned Width = warp_size, IsWarp Warp, LaneValue T, class Combine = Add>
requires SubWarpWidth<Width>
[[nodiscard]] MPCFLOW_WARP T scan_exclusive(Warp warp, unsigned mask, T value, Combine combine = {}) {
    const unsigned lane = warp.lane();
    const T inclusive = scan_inclusive<Width>(warp, mask, value, combine);
    const unsigned below = mask & lanes_below(lane);
    const T previous = warp.shfl(mask, inclusive, below != 0 ? highest_lane(below) : lane);
    return popc(below) % Width == 0 ? Combine::template neutral<T> : previous;
}

}  // namespace mpcflow::warp
