#pragma once
/// One atomic for all peers that add to the same number, each of which gets an old value of its own.

#include "gpu/warp/peer_scan.hpp"
#include "gpu/warp/peers.hpp"

namespace mpcflow::warp {

/// Gives each lane a slot of its own behind a counter that its peers share, as if each had added 1 to it
/// and got the old value, in the order of their lanes.
///
/// `fetch_add(count)` adds `count` to the peers' counter and returns its old value, an unsigned or 64-bit
/// integer; only the leader calls it, with the number of its peers. `peers` as in reduce_peers. Costs one
/// shuffle.
template <IsWarp Warp, class FetchAdd>
[[nodiscard]] MPCFLOW_WARP auto place_among_peers(Warp warp, unsigned mask, unsigned peers,
                                                  FetchAdd&& fetch_add) {
    const unsigned lane = warp.lane();
    decltype(fetch_add(0u)) start = 0;
    if (is_leader(peers, lane)) start = fetch_add(popc(peers));
    return warp.shfl(mask, start, leader_of(peers)) + rank_in(peers, lane);
}

/// The same for any values: what each lane would have got as the old value, had the peers added their own
/// `value`s one after the other in the order of their lanes. Exact where the sums are: for integers, and for
/// floating-point numbers on a grid.
///
/// `fetch_add(sum)`, called by the leader alone with the sum of its peers, returns the old value as a T.
/// Costs a scan_peers of one value and three shuffles.
template <IsWarp Warp, LaneValue T, class FetchAdd>
[[nodiscard]] MPCFLOW_WARP T add_among_peers(Warp warp, unsigned mask, unsigned peers, T value,
                                             FetchAdd&& fetch_add) {
    const unsigned lane = warp.lane();
    const unsigned below = peers & lanes_below(lane);
    const T inclusive = scan_peers(warp, mask, peers, value);
    const T sum = warp.shfl(mask, inclusive, highest_lane(peers));
    const T of_those_below = warp.shfl(mask, inclusive, below != 0 ? highest_lane(below) : lane);
    T start = 0;
    if (below == 0) start = fetch_add(sum);
    start = warp.shfl(mask, start, leader_of(peers));
    return below != 0 ? start + of_those_below : start;
}

}  // namespace mpcflow::warp
