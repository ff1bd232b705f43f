#pragma once
/// Prefix sums among peers (peers.hpp): any number of disjoint groups of lanes at once.

#include "gpu/warp/operations.hpp"
#include "gpu/warp/peers.hpp"

namespace mpcflow::warp {

/// Combines `values`, component by component, over the caller's peers from the leader up to the caller
/// itself, in the order of their lanes. `peers` and `combine` as in reduce_peers.
///
/// By pointer jumping (W. D. Hillis, G. L. Steele, "Data parallel algorithms", CACM 29, 1986): a lane takes
/// in what the peer that it points to holds, first the next lower one, and then points to where that one
/// points. So the number of lanes that each has taken in doubles each round, and the pointers of all have run
/// out after ceil(log2 n) rounds for the largest group of n lanes. Costs a vote, K shuffles of a value and
/// one of the pointer a round, and a last vote.
template <int K, IsWarp Warp, LaneValue T, class Combine = Add>
MPCFLOW_WARP void scan_peers(Warp warp, unsigned mask, unsigned peers, T (&values)[K], Combine combine = {}) {
    const unsigned lane = warp.lane();
    const unsigned below = peers & lanes_below(lane);
    unsigned pointer = below != 0 ? highest_lane(below) : warp_size;  // warp_size: to none
    while (warp.any(mask, pointer != warp_size)) {
        const bool takes = pointer != warp_size;
        const unsigned source = takes ? pointer : lane;
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            const T taken = warp.shfl(mask, values[k], source);
            if (takes) values[k] = combine(taken, values[k]);
        }
        pointer = warp.shfl(mask, pointer, source);
    }
}

/// The same for one value.
template <IsWarp Warp, LaneValue T, class Combine = Add>
[[nodiscard]] MPCFLOW_WARP T scan_peers(Warp warp, unsigned mask, unsigned peers, T value,
                                        Combine combine = {}) {
    T values[1] = {value};
    scan_peers(warp, mask, peers, values, combine);
    return values[0];
}

}  // namespace mpcflow::warp
