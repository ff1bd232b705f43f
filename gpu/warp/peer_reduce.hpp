#pragma once
/// Reduction among peers (peers.hpp): any number of disjoint groups of lanes at once, by a traversal of
/// sub-trees along the lanes' relative positions.
///
/// After E. Westphal, "Voting and Shuffling to Optimize Atomic Operations", NVIDIA developer blog, 2015.

#include "gpu/warp/operations.hpp"
#include "gpu/warp/peers.hpp"

namespace mpcflow::warp {

/// Combines `values` over each group of peers, component by component; the leader's array then holds the
/// result, the other lanes' arrays hold parts of it.
///
/// `peers` is the caller's own group, a part of `mask` that holds the caller; the groups of two lanes are
/// the same or have no lane in common. `combine` must be associative; it need not be commutative, for it
/// gets the operands in the order of the lanes.
///
/// Why this is right. Call a lane's place among those of its peers that are still in play its position.
/// One round: each lane of even position takes in the value of the next one, which is odd; then the odd
/// ones leave, and the position of those that stay is halved. Whoever stays with position p holds what
/// positions 2p and 2p+1 held, each lane's value is counted in just one of those that stay, and positions
/// run from 0 without a gap again. So after r rounds the lane of position p holds the sub-tree of the
/// lanes [p 2^r, (p+1) 2^r), and when one is left it is the leader and holds all.
/// What is next is the lowest of the peers above that are in play, found with ffs; who has left all learn
/// from one ballot of the odd. A group has an odd lane just as long as it has two lanes, so the same ballot,
/// when it is empty, ends the loop for the whole mask at once: after ceil(log2 n) rounds for the largest
/// group of n lanes, each of K shuffles and a ballot. (A lane that has left votes on, with the same position
/// as the one that took it in, and so changes nothing.) A shuffle reads the next peer's value before anyone
/// has changed his own.
template <int K, IsWarp Warp, LaneValue T, class Combine = Add>
MPCFLOW_WARP void reduce_peers(Warp warp, unsigned mask, unsigned peers, T (&values)[K],
                               Combine combine = {}) {
    const unsigned lane = warp.lane();
    unsigned position = rank_in(peers, lane);
    unsigned above = peers & lanes_above(lane);  // empty for a lane that has left: it takes in nothing
    while (true) {
        const bool is_odd = (position & 1u) != 0;
        const unsigned odd = warp.ballot(mask, is_odd);
        if (odd == 0) return;
        const bool takes = above != 0 && !is_odd;
        const unsigned next = takes ? lowest_lane(above) : lane;
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            const T taken = warp.shfl(mask, values[k], next);
            if (takes) values[k] = combine(values[k], taken);
        }
        position >>= 1;
        above = is_odd ? 0 : above & ~odd;
    }
}

/// The same for one value, of any 4- or 8-byte number; the result is the leader's return value.
template <IsWarp Warp, LaneValue T, class Combine = Add>
[[nodiscard]] MPCFLOW_WARP T reduce_peers(Warp warp, unsigned mask, unsigned peers, T value,
                                          Combine combine = {}) {
    T values[1] = {value};
    reduce_peers(warp, mask, peers, values, combine);
    return values[0];
}

/// The same with the result in all lanes of each group. Costs K shuffles more.
template <int K, IsWarp Warp, LaneValue T, class Combine = Add>
MPCFLOW_WARP void reduce_peers_to_all(Warp warp, unsigned mask, unsigned peers, T (&values)[K],
                                      Combine combine = {}) {
    reduce_peers(warp, mask, peers, values, combine);
    MPCFLOW_UNROLL
    for (int k = 0; k < K; ++k) values[k] = warp.shfl(mask, values[k], leader_of(peers));
}

template <IsWarp Warp, LaneValue T, class Combine = Add>
[[nodiscard]] MPCFLOW_WARP T reduce_peers_to_all(Warp warp, unsigned mask, unsigned peers, T value,
                                                 Combine combine = {}) {
    T values[1] = {value};
    reduce_peers_to_all(warp, mask, peers, values, combine);
    return values[0];
}

}  // namespace mpcflow::warp
