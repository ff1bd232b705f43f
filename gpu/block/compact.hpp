#pragma once
/// Compaction: those items of an array for which a predicate holds are written next to each other, in no
/// particular order.
///
/// The ways differ in who asks the one counter in global memory for slots: each thread (place_alone), each
/// warp (warp::place_selected, and place_by_coalesced_group in compact_by_groups.cuh), or each block
/// (place_by_block). In all of them `fetch_add(count)` adds `count` to that counter and returns its old
/// value, an unsigned or 64-bit integer.

#include "gpu/block/grid_items.hpp"
#include "gpu/warp/atomics.hpp"
#include "gpu/warp/compact.hpp"

namespace mpcflow::block {

/// Gives a selected thread a slot behind the counter by an atomic of its own; what the others get means
/// nothing. Not a collective.
template <class FetchAdd>
[[nodiscard]] MPCFLOW_WARP auto place_alone(bool is_selected, FetchAdd&& fetch_add) {
    decltype(fetch_add(0u)) slot = 0;
    if (is_selected) slot = fetch_add(1u);
    return slot;
}

/// A block's piece of shared memory for place_by_block; `Count` is what its fetch_add returns.
template <class Count>
struct PlaceScratch {
    Count start;
    std::uint32_t count;
};

/// The same for all threads of a block together: they count in shared memory, and thread 0 asks for all
/// slots at once, not at all where no thread is selected.
///
/// Nothing is asked of `scratch` before. It may be handed to the next call at once, but used for something
/// else only after a sync: that one is left to the caller, since this is called in loops.
template <IsBlock Block, warp::IsAtomics Atomics, class Count, class FetchAdd>
[[nodiscard]] MPCFLOW_WARP Count place_by_block(Block block, Atomics atomics, bool is_selected,
                                                PlaceScratch<Count>& scratch, FetchAdd&& fetch_add) {
    if (block.thread() == 0) scratch.count = 0;
    block.sync();
    std::uint32_t slot = 0;
    if (is_selected) slot = atomics.add(&scratch.count, std::uint32_t{1});
    block.sync();
    if (block.thread() == 0 && scratch.count != 0) scratch.start = fetch_add(scratch.count);
    block.sync();
    return scratch.start + slot;
}

/// Calls `write(item, slot)` for each item with `is_selected(item)`. `place_of(is_selected)` is one of the
/// ways above, bound to its counter; it is called by all threads of the block together.
template <IsBlock Block, class IsSelected, class PlaceOf, class Write>
MPCFLOW_WARP void compact(Block block, GridItems items, IsSelected&& is_selected, PlaceOf&& place_of,
                          Write&& write) {
    visit_together(
        block, items,
        [&](std::int64_t item, bool is_item) {
            const bool is_wanted = is_item && is_selected(item);
            const auto slot = place_of(is_wanted);
            if (is_wanted) write(item, slot);
        });
}

}  // namespace mpcflow::block
