#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace mpcflow {

/// Makes of blocks of time half as many, each of two neighbours: errors from their scatter so hold however
/// long a run remembers, and memory does not grow with it. merge(to, from) adds one block to another. Their
/// number is even.
template <class Block, class Merge>
void merge_neighbours(std::vector<Block>& blocks, const Merge& merge) {
    for (std::size_t i = 0; 2 * i < blocks.size(); ++i) {
        if (i > 0) std::swap(blocks[i], blocks[2 * i]);
        merge(blocks[i], blocks[2 * i + 1]);
    }
    blocks.resize(blocks.size() / 2);
}

}  // namespace mpcflow
