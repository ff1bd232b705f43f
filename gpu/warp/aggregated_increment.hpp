#pragma once
/// One atomic for all peers that count on the same counter.

#include "gpu/warp/peers.hpp"

namespace mpcflow::warp {

/// Gives each lane a place of its own behind a counter that its peers share, as if each had added 1 to it
/// and got the old value, in the order of their lanes.
///
/// `fetch_add(count)` adds `count` to the peers' counter and returns its old value, an unsigned or 64-bit
/// integer; only the leader calls it, with the number of its peers. `peers` as in reduce_peers.
template <IsWarp Warp, class FetchAdd>
[[nodiscard]] MPCFLOW_WARP auto place_among_peers(Warp warp, unsigned mask, unsigned peers, FetchAdd&& fetch_add) {
    const unsigned lane = warp.lane();
    decltype(fetch_add(0u)) start = 0;
    if (is_leader(peers, lane)) {
        start = fetch_add(popc(peers));
    }
    return warp.shfl(mask, start, leader_of(peers)) + rank_in(peers, lane);
}

}  // namespace mpcflow::warp
