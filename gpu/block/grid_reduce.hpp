#pragma once
/// Reduction over an array by a grid of blocks, in four levels: a thread over its items, a warp by shuffles,
/// a block through shared memory, the grid by atomics; or in three, without the block.
///
/// `value_of(item)` is the value of an item, a T. `combine` is as in reduce (reduce.hpp). `finish(value)`
/// takes in a part of the whole result, in general by an atomic on one word; it is called by one thread of
/// each block, or of each warp, also where that had no items and the value is the neutral one.

#include "gpu/block/grid_items.hpp"
#include "gpu/block/reduce.hpp"

namespace mpcflow::block {

/// What the caller's own items give: the first level. Four items are fetched at a time, so that their ways
/// to memory overlap.
template <warp::LaneValue T, IsBlock Block, class ValueOf, class Combine>
[[nodiscard]] MPCFLOW_WARP T reduce_own_items(Block block, GridItems items, ValueOf&& value_of,
                                              Combine combine) {
    constexpr int at_a_time = 4;
    const std::int64_t stride = grid_stride(block, items);
    std::int64_t item = first_item(block, items);
    T parts[at_a_time];
    MPCFLOW_UNROLL
    for (int i = 0; i < at_a_time; ++i) parts[i] = Combine::template neutral<T>;
    for (; item + (at_a_time - 1) * stride < items.count; item += at_a_time * stride) {
        T values[at_a_time];
        MPCFLOW_UNROLL
        for (int i = 0; i < at_a_time; ++i) values[i] = value_of(item + i * stride);
        MPCFLOW_UNROLL
        for (int i = 0; i < at_a_time; ++i) parts[i] = combine(parts[i], values[i]);
    }
    for (; item < items.count; item += stride) parts[0] = combine(parts[0], static_cast<T>(value_of(item)));
    return combine(combine(parts[0], parts[1]), combine(parts[2], parts[3]));
}

/// The four-level reduction: `finish` is called by thread 0 of each block. Called by all threads of all
/// blocks; `scratch` as in reduce.
template <warp::LaneValue T, IsBlock Block, class ValueOf, class Combine, class Finish>
MPCFLOW_WARP void reduce_grid(Block block, GridItems items, ValueOf&& value_of, Combine combine,
                              ReduceScratch<1, T>& scratch, Finish&& finish) {
    const T own = reduce_own_items<T>(block, items, value_of, combine);
    const T of_block = reduce(block, own, scratch, combine);
    if (block.thread() == 0) finish(of_block);
}

/// The reduction that skips the block, for which it needs neither shared memory nor a sync: `finish` is
/// called by the first lane of each warp.
template <warp::LaneValue T, IsBlock Block, class ValueOf, class Combine, class Finish>
MPCFLOW_WARP void reduce_grid_by_warps(Block block, GridItems items, ValueOf&& value_of, Combine combine,
                                       Finish&& finish) {
    const T own = reduce_own_items<T>(block, items, value_of, combine);
    const T of_warp = warp::reduce_down(block.warp(), warp::full_mask, own, combine);
    if (block.warp().lane() == 0) finish(of_warp);
}

}  // namespace mpcflow::block
