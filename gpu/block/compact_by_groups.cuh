#pragma once
/// Compaction by warps (compact.hpp) with CUDA's cooperative groups, to be measured against
/// warp::place_selected.

#include <cooperative_groups.h>

namespace mpcflow::block {

/// Gives a selected thread a slot behind the counter, with one atomic for the threads of a warp that are
/// here together; what the others get means nothing. `fetch_add` as in compact.hpp.
template <class FetchAdd>
[[nodiscard]] __device__ __forceinline__ auto place_by_coalesced_group(bool is_selected,
                                                                       FetchAdd&& fetch_add) {
    decltype(fetch_add(0u)) slot = 0;
    if (is_selected) {
        const auto group = cooperative_groups::coalesced_threads();
        if (group.thread_rank() == 0) slot = fetch_add(static_cast<unsigned>(group.size()));
        slot = group.shfl(slot, 0) + static_cast<decltype(slot)>(group.thread_rank());
    }
    return slot;
}

}  // namespace mpcflow::block
