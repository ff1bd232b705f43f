#pragma once
/// Histograms of an array by a grid of blocks, with three ways to count: an atomic for each item; bins in
/// shared memory, for each block its own, that are added up at the end; an atomic for each distinct bin in a
/// warp.
///
/// In all of them `bin_of(item)` is the bin of an item, or `no_bin`, and `add(bin, count)` adds to a bin in
/// global memory. They are called by all threads of all blocks.

#include "gpu/block/grid_items.hpp"
#include "gpu/warp/atomics.hpp"
#include "gpu/warp/peers.hpp"

namespace mpcflow::block {

/// The bin of an item that is not to be counted.
inline constexpr std::int32_t no_bin = -1;

/// Each item adds 1 to its bin: as slow as the fullest bin is full.
template <IsBlock Block, class BinOf, class AddToBin>
MPCFLOW_WARP void count_in_bins(Block block, GridItems items, BinOf&& bin_of, AddToBin&& add) {
    visit_alone(
        block, items,
        [&](std::int64_t item) {
            const std::int32_t bin = bin_of(item);
            if (bin != no_bin) add(bin, 1u);
        });
}

/// Bins of a block in shared memory.
struct SharedBins {
    std::uint32_t* counts;  ///< count
    int count;
};

/// The block counts in `bins`; then `add` is called once for each of its bins that is not empty, by
/// consecutive threads for consecutive bins. A block counts up to 2^32 - 1 items a bin. Nothing is asked of
/// `bins` before, and nothing is left in them: the block may use them for something else at once.
template <IsBlock Block, warp::IsAtomics Atomics, class BinOf, class AddToBin>
MPCFLOW_WARP void count_in_shared_bins(Block block, Atomics atomics, GridItems items, BinOf&& bin_of,
                                       SharedBins bins, AddToBin&& add) {
    const int threads = static_cast<int>(block.size());
    for (int bin = static_cast<int>(block.thread()); bin < bins.count; bin += threads) bins.counts[bin] = 0;
    block.sync();
    count_in_bins(block, items, bin_of,
                  [&](std::int32_t bin, std::uint32_t count) { atomics.add(&bins.counts[bin], count); });
    block.sync();
    for (int bin = static_cast<int>(block.thread()); bin < bins.count; bin += threads)
        if (bins.counts[bin] != 0) add(bin, bins.counts[bin]);
    block.sync();  // before the bins are written again
}

/// The lanes of a warp that share a bin find each other, and their leader adds their number.
template <IsBlock Block, class BinOf, class AddToBin>
MPCFLOW_WARP void count_in_bins_by_peers(Block block, GridItems items, BinOf&& bin_of, AddToBin&& add) {
    const auto warp = block.warp();
    visit_together(block, items, [&](std::int64_t item, bool is_item) {
        const std::int32_t bin = is_item ? bin_of(item) : no_bin;
        const unsigned peers = warp::find_peers_by_match(warp, warp::full_mask, bin);
        if (bin != no_bin && warp::is_leader(peers, warp.lane())) add(bin, std::uint32_t{warp::popc(peers)});
    });
}

}  // namespace mpcflow::block
