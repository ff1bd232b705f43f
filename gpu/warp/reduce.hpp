#pragma once
/// Reductions over a warp or its sub-warps: sum, product, minimum, maximum, and, or (operations.hpp).
///
/// The lanes of `mask` are taken in order: a sub-warp is `Width` of them, the last one perhaps fewer. Where
/// the mask is that of the first lanes these are `Width` neighbouring lanes. `combine` must be associative
/// and commutative. All costs are the same for K values, K times the shuffles.

#include "gpu/warp/operations.hpp"
#include "gpu/warp/shuffles.hpp"

namespace mpcflow::warp {

/// Combines the values of each sub-warp by shuffles down; the result is in its first lane, the others hold
/// parts of it. Costs log2(Width) shuffles.
template <unsigned Width = warp_size, int K, IsWarp Warp, LaneValue T, class Combine = Add>
requires SubWarpWidth<Width> MPCFLOW_WARP void reduce_down(Warp warp, unsigned mask, T (&values)[K],
                                                           Combine combine = {}) {
    // What a lane takes in from another sub-warp does not reach the first lane.
    if (mask == full_mask) {
        MPCFLOW_UNROLL
        for (unsigned distance = Width / 2; distance > 0; distance /= 2) {
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k)
                values[k] = combine(values[k], warp.shfl_down(mask, values[k], distance));
        }
        return;
    }
    const unsigned lane = warp.lane();
    const unsigned rank = rank_in(mask, lane);
    const unsigned lanes = popc(mask);
    MPCFLOW_UNROLL
    for (unsigned distance = Width / 2; distance > 0; distance /= 2) {
        const bool takes = rank + distance < lanes;
        const unsigned source = takes ? lane_of_rank(mask, rank + distance) : lane;
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            const T taken = warp.shfl(mask, values[k], source);
            if (takes) values[k] = combine(values[k], taken);
        }
    }
}

/// Combines the values of each sub-warp by a butterfly: each lane exchanges with the one whose place differs
/// in one bit, then in the next, so that the result is in all its lanes, with the same bits. Costs
/// log2(Width) shuffles.
///
/// Before the exchange over `distance` all lanes of a group of that many places hold the group's result. In a
/// group that is cut short a lane may miss the one it exchanges with; it then takes the last lane, which
/// holds the same, if that is in the other group, and if not, the other group has no lanes.
template <unsigned Width = warp_size, int K, IsWarp Warp, LaneValue T, class Combine = Add>
requires SubWarpWidth<Width> MPCFLOW_WARP void reduce_butterfly(Warp warp, unsigned mask, T (&values)[K],
                                                                Combine combine = {}) {
    if (mask == full_mask) {
        MPCFLOW_UNROLL
        for (unsigned distance = 1; distance < Width; distance *= 2) {
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k)
                values[k] = combine(values[k], warp.shfl_xor(mask, values[k], distance));
        }
        return;
    }
    const unsigned lane = warp.lane();
    const unsigned rank = rank_in(mask, lane);
    const unsigned last = popc(mask) - 1;
    MPCFLOW_UNROLL
    for (unsigned distance = 1; distance < Width; distance *= 2) {
        const unsigned partner = rank ^ distance;
        const unsigned first_of_group = partner & ~(distance - 1);
        const bool takes = first_of_group <= last;
        const unsigned source = takes ? lane_of_rank(mask, partner < last ? partner : last) : lane;
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            const T taken = warp.shfl(mask, values[k], source);
            if (takes) values[k] = combine(values[k], taken);
        }
    }
}

/// The same for one value; of reduce_down the result is the return value in the sub-warp's first lane.
template <unsigned Width = warp_size, IsWarp Warp, LaneValue T, class Combine = Add>
requires SubWarpWidth<Width>
[[nodiscard]] MPCFLOW_WARP T reduce_down(Warp warp, unsigned mask, T value, Combine combine = {}) {
    T values[1] = {value};
    reduce_down<Width>(warp, mask, values, combine);
    return values[0];
}

template <unsigned Width = warp_size, IsWarp Warp, LaneValue T, class Combine = Add>
requires SubWarpWidth<Width>
[[nodiscard]] MPCFLOW_WARP T reduce_butterfly(Warp warp, unsigned mask, T value, Combine combine = {}) {
    T values[1] = {value};
    reduce_butterfly<Width>(warp, mask, values, combine);
    return values[0];
}

}  // namespace mpcflow::warp
