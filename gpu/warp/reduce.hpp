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

namespace detail {

/// The steps of reduce_scatter from `distance` on, where the caller holds parts of the values [first, first +
/// held), and no lane more than `most`. Each step is a function of its own, so that the number of values is
/// known to the compiler, which keeps them in registers then.
template <unsigned distance, int most, int K, IsWarp Warp, LaneValue T, class Combine>
MPCFLOW_WARP void scatter_from(Warp warp, T (&values)[K], int& first, int& held, const Combine& combine) {
    const bool is_upper = (warp.lane() & distance) != 0;
    constexpr int half = (most + 1) / 2;
    if constexpr (most == 1) {
        values[0] = combine(values[0], warp.shfl_xor(full_mask, values[0], distance));
        held = is_upper ? 0 : held;
    } else {
        MPCFLOW_UNROLL
        for (int k = 0; k < half; ++k) {
            const T lower = values[k];
            const T upper = half + k < most ? values[half + k] : lower;  // one too many, which nobody keeps
            const T taken = warp.shfl_xor(full_mask, is_upper ? lower : upper, distance);
            values[k] = combine(is_upper ? upper : lower, taken);
        }
        first += is_upper ? half : 0;
        held = is_upper ? held - half : (held < half ? held : half);
    }
    if constexpr (distance > 1) scatter_from<distance / 2, half>(warp, values, first, held, combine);
}

}  // namespace detail

/// Combines K values over the whole warp, each into a lane of its own: returns the number of the one that the
/// caller's values[0] is then the result of, or K in a lane that has none.
///
/// A butterfly that halves what it carries: of the values that two lanes both hold parts of, one takes over
/// the first half and the other the second, until each has one. So it costs fewer than K + 5 shuffles of a
/// value, where reduce_down costs 5 K, and the results are where neighbouring lanes can write them.
template <int K, IsWarp Warp, LaneValue T, class Combine = Add>
requires(K <= static_cast<int>(warp_size)) [[nodiscard]] MPCFLOW_WARP
    int reduce_scatter(Warp warp, T (&values)[K], Combine combine = {}) {
    int first = 0;
    int held = K;
    detail::scatter_from<warp_size / 2, K>(warp, values, first, held, combine);
    return held > 0 ? first : K;
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
