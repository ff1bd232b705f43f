#pragma once
/// The programs of gpu/block/segmented_scan.hpp and grid_segmented_scan.hpp.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/block/grid_segmented_scan.hpp"
#include "tests/block/block_programs.hpp"

namespace mpcflow::test {

/// The last value that is not 0: associative, but not commutative.
struct LastSet {
    MPCFLOW_WARP std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return b != 0 ? b : a; }
    template <class T>
    static constexpr T neutral{0};
};

/// Items with another key than the one before them begin a segment.
MPCFLOW_HD bool is_head_at(Items items, std::int64_t item) {
    return item == 0 || items.keys[item] != items.keys[item - 1];
}

/// Of any size, and 0 for about half of the items.
MPCFLOW_HD std::uint32_t scanned_value(Items items, std::int64_t item) {
    const std::uint32_t mixed =
        (static_cast<std::uint32_t>(items.keys[item]) + static_cast<std::uint32_t>(item)) * 0x9e3779b9u;
    return (mixed >> 20 & 1u) != 0 ? mixed : 0;
}

/// The scans of all items by plain loops.
struct PlainScans {
    std::vector<std::uint32_t> sums;
    std::vector<std::uint32_t> last_set;

    explicit PlainScans(Items items) : sums(items.count), last_set(items.count) {
        std::uint32_t sum = 0;
        std::uint32_t last = 0;
        for (std::uint32_t item = 0; item < items.count; ++item) {
            const std::uint32_t value = scanned_value(items, item);
            if (is_head_at(items, item)) sum = last = 0;
            sum += value;
            if (value != 0) last = value;
            sums[item] = sum;
            last_set[item] = last;
        }
    }

    void expect(const std::uint32_t* found_sums, const std::uint32_t* found_last) const {
        for (std::size_t item = 0; item < sums.size(); ++item) {
            EXPECT_EQ(found_sums[item], sums[item]) << "item " << item;
            EXPECT_EQ(found_last[item], last_set[item]) << "item " << item;
        }
    }
};

/// Each thread an item: both operations, one after the other with the scratch used again at once; and the
/// tails of what is before each thread, and of the block.
template <int Threads>
struct ScanBlock {
    using Scratch = block::TailScratch<std::uint32_t>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static std::string name() { return "scan_in_" + std::to_string(Threads); }
    static std::vector<std::uint32_t> counts() { return some_counts_up_to(threads); }

    struct Report {
        std::uint32_t sums[Threads];
        std::uint32_t last_set[Threads];
        std::uint32_t before[Threads];
        std::uint32_t have_heads_before[Threads];
        std::uint32_t of_block[Threads];
        std::uint32_t block_has_head[Threads];
    };

    /// Not that of the first item, so that some blocks have no head at all.
    static MPCFLOW_HD bool is_later_head(Items items, std::uint32_t item) {
        return item < items.count && item != 0 && is_head_at(items, item);
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        const unsigned thread = block.thread();
        const bool is_head = is_later_head(items, thread);
        const std::uint32_t value = thread < items.count ? scanned_value(items, thread) : 0;
        report.sums[thread] = block::scan_segments(block, is_head, value, scratch);
        report.last_set[thread] = block::scan_segments(block, is_head, value, scratch, LastSet{});
        const auto tails =
            block::scan_tails(block, block::Tail<std::uint32_t>{value, is_head}, scratch, LastSet{});
        report.before[thread] = tails.before.sum;
        report.have_heads_before[thread] = tails.before.has_head ? 1 : 0;
        report.of_block[thread] = tails.of_block.sum;
        report.block_has_head[thread] = tails.of_block.has_head ? 1 : 0;
    }

    static void check(const BlockCase& input, const Report& report) {
        const PlainScans plain(input.items());
        plain.expect(report.sums, report.last_set);
        std::uint32_t last = 0;
        std::uint32_t has_head = 0;
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            EXPECT_EQ(report.before[thread], last) << "thread " << thread;
            EXPECT_EQ(report.have_heads_before[thread], has_head) << "thread " << thread;
            if (is_later_head(input.items(), thread)) has_head = 1;
            if (thread < input.count()) last = plain.last_set[thread];
        }
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            EXPECT_EQ(report.of_block[thread], last) << "thread " << thread;
            EXPECT_EQ(report.block_has_head[thread], has_head) << "thread " << thread;
        }
    }
};

/// The whole array, by both operations. The emulator's blocks come one after the other: tiles that wait for
/// others are those of LookBack, of GridScan (block_test.cpp), and of the card.
template <int N, int Threads, int Blocks>
struct ScanGrid {
    using Scratch = block::GridScanScratch<std::uint32_t>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = Blocks;
    static constexpr unsigned tiles = (most_items + N * threads - 1) / (N * threads);
    static std::string name() {
        return "scan_grid_" + std::to_string(Threads) + "_by_" + std::to_string(Blocks) + "_with_" +
               std::to_string(N);
    }
    static std::vector<std::uint32_t> counts() { return counts_of_grid(threads); }

    struct Report {
        std::uint32_t sums[most_items];
        std::uint32_t last_set[most_items];
        unsigned long long words[2][tiles];
        std::uint32_t taken[2];
        std::uint32_t stored;  ///< how often a sum was stored
    };

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        const auto load = [=](std::int64_t first) {
            block::OwnItems<N, std::uint32_t> own{};
            for (int i = 0; i < N && first + i < items.count; ++i) {
                own.values[i] = scanned_value(items, first + i);
                if (first + i > 0 && is_head_at(items, first + i)) own.heads |= 1u << i;
            }
            return own;
        };
        const auto store_in = [&](std::uint32_t* to) {
            return [=, &report](std::int64_t first, const std::uint32_t(&values)[N]) {
                for (int i = 0; i < N && first + i < items.count; ++i) {
                    to[first + i] = values[i];
                    atomics.add(&report.stored, 1u);
                }
            };
        };
        block::scan_segments_of_grid<N, std::uint32_t>(block, atomics, items.count,
                                                       {report.words[0], &report.taken[0]}, scratch, load,
                                                       store_in(report.sums));
        block.sync();
        block::scan_segments_of_grid<N, std::uint32_t>(block, atomics, items.count,
                                                       {report.words[1], &report.taken[1]}, scratch, load,
                                                       store_in(report.last_set), LastSet{});
    }

    static void check(const BlockCase& input, const Report& report) {
        PlainScans(input.items()).expect(report.sums, report.last_set);
        EXPECT_EQ(report.stored, 2 * input.count());
    }
};

/// Each item a tile, of which some are final: what is before each of them and behind the last, while other
/// warps are still saying what is before that.
template <int Threads>
struct LookBack {
    struct Scratch {};
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static std::string name() { return "look_back_" + std::to_string(Threads); }
    static std::vector<std::uint32_t> counts() { return {0, 1, 31, 32, 33, 200}; }

    struct Report {
        unsigned long long words[200];
        std::uint32_t last_set[201];
    };

    static MPCFLOW_HD bool is_final(Items items, std::uint32_t tile) {
        return tile == 0 || (is_head_at(items, tile) && tile % 3 != 0);
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace, Items items, Report& report,
                                 Scratch&) {
        using block::TileWord;
        if (block::warp_number(block) == 0) {
            for (std::uint32_t tile = 0; tile <= items.count; ++tile) {
                report.last_set[tile] =
                    block::look_back<std::uint32_t>(block.warp(), atomics, tile, report.words, LastSet{});
            }
            return;
        }
        for (std::uint32_t tile = block.thread() - warp::warp_size; tile < items.count;
             tile += block.size() - warp::warp_size) {
            const auto kind = is_final(items, tile) ? TileWord::is_final : TileWord::is_partial;
            atomics.exchange(report.words + tile, TileWord::make(kind, scanned_value(items, tile)));
        }
    }

    static void check(const BlockCase& input, const Report& report) {
        std::uint32_t last = 0;
        for (std::uint32_t tile = 0; tile < input.count(); ++tile) {
            EXPECT_EQ(report.last_set[tile], last) << "before tile " << tile;
            const std::uint32_t value = scanned_value(input.items(), tile);
            if (is_final(input.items(), tile) || value != 0) last = value;
        }
        EXPECT_EQ(report.last_set[input.count()], last);
    }
};

using ScanPrograms = testing::Types<ScanBlock<32>, ScanBlock<64>, ScanBlock<128>, ScanBlock<1024>,
                                    ScanGrid<1, 32, 3>, ScanGrid<4, 64, 5>, ScanGrid<8, 128, 20>>;

/// Warps that wait for each other through memory, not at collectives.
using WaitingPrograms = testing::Types<LookBack<64>, LookBack<128>>;

}  // namespace mpcflow::test
