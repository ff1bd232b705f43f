#pragma once
/// Compaction: the few lanes for which a predicate holds write next to each other.

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

/// Gives each lane where `is_selected` is true a slot of its own behind a counter, the next ones in the
/// order of the lanes; what the other lanes get means nothing.
///
/// `fetch_add(count)` adds `count` to the counter and returns its old value, an unsigned or 64-bit integer;
/// it is called by one lane of those selected, with their number, and not at all where none is. Costs one
/// ballot, and one shuffle where any lane is selected.
template <IsWarp Warp, class FetchAdd>
[[nodiscard]] MPCFLOW_WARP auto place_selected(Warp warp, unsigned mask, bool is_selected,
                                               FetchAdd&& fetch_add) {
    const unsigned lane = warp.lane();
    const unsigned selected = warp.ballot(mask, is_selected);
    decltype(fetch_add(0u)) start = 0;
    if (selected == 0) return start;
    const unsigned leader = lowest_lane(selected);
    if (lane == leader) start = fetch_add(popc(selected));
    start = warp.shfl(mask, start, leader);
    return start + rank_in(selected, lane);
}

}  // namespace mpcflow::warp
