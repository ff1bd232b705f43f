#pragma once
/// Finding peers: the lanes of a warp that share a key, for example the cell of their particles.
///
/// After E. Westphal, "Voting and Shuffling to Optimize Atomic Operations", NVIDIA developer blog, 2015.

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

/// The lanes of `mask` that have the caller's key, the caller included.
///
/// The lowest lane that is not claimed yet shows its key to all; those that have the same key vote, and
/// the vote is their set of peers. All lanes stay until all are claimed, also those that know their peers
/// already, so that the shuffles see the whole mask; no lane can be claimed twice, since lanes of equal
/// keys are claimed together. Costs one shuffle and one ballot for each distinct key.
template <IsWarp Warp, PeerKey Key>
[[nodiscard]] MPCFLOW_WARP unsigned find_peers(Warp warp, unsigned mask, Key key) {
    unsigned peers = 0;
    unsigned unclaimed = mask;
    while (unclaimed != 0) {
        const bool is_peer = warp.shfl(mask, key, lowest_lane(unclaimed)) == key;
        const unsigned claimed = warp.ballot(mask, is_peer);
        if (is_peer) {
            peers = claimed;
        }
        unclaimed &= ~claimed;
    }
    return peers;
}

/// The lane that acts for its peers: the lowest.
MPCFLOW_HD unsigned leader_of(unsigned peers) { return lowest_lane(peers); }

/// Whether `lane`, one of `peers`, is their leader.
MPCFLOW_HD bool is_leader(unsigned peers, unsigned lane) { return (peers & lanes_below(lane)) == 0; }

}  // namespace mpcflow::warp
