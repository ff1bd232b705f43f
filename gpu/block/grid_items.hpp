#pragma once
/// The items of an array, shared out among the threads of a grid of blocks.

#include <cstdint>

#include "gpu/block/block.hpp"

namespace mpcflow::block {

/// `count` items for a grid of `blocks` blocks of one size, and the caller's place among them: blockIdx.x and
/// gridDim.x on the GPU.
struct GridItems {
    std::int64_t count;
    unsigned block;
    unsigned blocks;
};

/// From one item of a thread to its next: as many as the grid has threads, so that neighbouring threads
/// always have neighbouring items.
template <IsBlock Block>
[[nodiscard]] MPCFLOW_WARP std::int64_t grid_stride(Block block, GridItems items) {
    return std::int64_t{items.blocks} * block.size();
}

/// The number of the caller's first item, and of the caller itself in the grid.
template <IsBlock Block>
[[nodiscard]] MPCFLOW_WARP std::int64_t first_item(Block block, GridItems items) {
    return std::int64_t{items.block} * block.size() + block.thread();
}

/// Calls `visit(item, is_item)` for the caller's items, equally often in all threads of the block, so that
/// `visit` may use collectives; where `is_item` is false there is no such item.
template <IsBlock Block, class Visit>
MPCFLOW_WARP void visit_together(Block block, GridItems items, Visit&& visit) {
    const std::int64_t stride = grid_stride(block, items);
    const std::int64_t first = first_item(block, items);
    for (std::int64_t start = first - block.thread(); start < items.count; start += stride) {
        const std::int64_t item = start + block.thread();
        visit(item, item < items.count);
    }
}

/// Calls `visit(item)` for each of the caller's items.
template <IsBlock Block, class Visit>
MPCFLOW_WARP void visit_alone(Block block, GridItems items, Visit&& visit) {
    const std::int64_t stride = grid_stride(block, items);
    for (std::int64_t item = first_item(block, items); item < items.count; item += stride) visit(item);
}

}  // namespace mpcflow::block
