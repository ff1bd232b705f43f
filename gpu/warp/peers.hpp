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
        if (is_peer) peers = claimed;
        unclaimed &= ~claimed;
    }
    return peers;
}

/// The same peers, found by votes on the bits of the key.
///
/// Peers are the lanes that agree with the caller on every bit. One ballot a bit tells who has it; bits in
/// which no two lanes differ are passed over, and the neighbouring cells of ordered particles differ in few.
/// Costs one shuffle, one or-reduction and one ballot for each bit that varies: about twelve where a warp's
/// particles are in some twenty cells, which is where find_peers would take twenty rounds of a shuffle and
/// a ballot. Where there are one or two distinct keys find_peers is the better one.
template <IsWarp Warp, PeerKey Key>
requires(sizeof(Key) == 4) [[nodiscard]] MPCFLOW_WARP
    unsigned find_peers_by_votes(Warp warp, unsigned mask, Key key) {
    const auto bits = static_cast<std::uint32_t>(key);
    std::uint32_t varying = warp.reduce_or(mask, bits ^ warp.shfl(mask, bits, lowest_lane(mask)));
    unsigned peers = mask;
    while (varying != 0) {
        const std::uint32_t bit = varying & (0u - varying);
        varying ^= bit;
        const bool is_set = (bits & bit) != 0;
        const unsigned votes = warp.ballot(mask, is_set);
        peers &= is_set ? votes : ~votes;
    }
    return peers;
}

/// The same peers, found by the hardware's own instruction. Costs one match.
template <IsWarp Warp, PeerKey Key>
[[nodiscard]] MPCFLOW_WARP unsigned find_peers_by_match(Warp warp, unsigned mask, Key key) {
    return warp.match_any(mask, key);
}

/// The lane that acts for its peers: the lowest.
MPCFLOW_HD unsigned leader_of(unsigned peers) { return lowest_lane(peers); }

/// Whether `lane`, one of `peers`, is their leader.
MPCFLOW_HD bool is_leader(unsigned peers, unsigned lane) { return (peers & lanes_below(lane)) == 0; }

}  // namespace mpcflow::warp
