#pragma once
/// How many distinct keys a warp holds: the number of atomics that it issues for each of its sums.

#include "gpu/warp/peers.hpp"

namespace mpcflow::warp {

/// The number of groups of peers, in all lanes. `peers` as in reduce_peers. Costs one ballot.
template <IsWarp Warp>
[[nodiscard]] MPCFLOW_WARP unsigned count_groups(Warp warp, unsigned mask, unsigned peers) {
    return popc(warp.ballot(mask, is_leader(peers, warp.lane())));
}

/// The number of distinct keys, in all lanes. Costs one match and one ballot.
template <IsWarp Warp, PeerKey Key>
[[nodiscard]] MPCFLOW_WARP unsigned count_distinct(Warp warp, unsigned mask, Key key) {
    return count_groups(warp, mask, find_peers_by_match(warp, mask, key));
}

}  // namespace mpcflow::warp
