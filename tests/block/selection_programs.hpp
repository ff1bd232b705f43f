#pragma once
/// The programs of gpu/block/compact.hpp, histogram.hpp and unique_keys.hpp.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/block/compact.hpp"
#include "gpu/block/histogram.hpp"
#include "gpu/block/unique_keys.hpp"
#include "tests/block/block_programs.hpp"

namespace mpcflow::test {

/// How many parts of `size` items there are, the last one perhaps smaller.
inline unsigned parts_of(unsigned items, unsigned size) { return (items + size - 1) / size; }

/// Who asks for the places of selected items. The one by cooperative groups is on the card alone.
struct PlaceAlone {
    using Scratch = block::PlaceScratch<std::uint32_t>;
    static std::string name() { return "alone"; }
    static std::size_t most_asks(unsigned, unsigned, std::size_t selected) { return selected; }
    template <class Block, class Atomics, class FetchAdd>
    static MPCFLOW_WARP std::uint32_t place(Block, Atomics, bool is_selected, Scratch&,
                                            FetchAdd&& fetch_add) {
        return block::place_alone(is_selected, fetch_add);
    }
};

struct PlaceByWarp {
    using Scratch = block::PlaceScratch<std::uint32_t>;
    static std::string name() { return "by_warp"; }
    static std::size_t most_asks(unsigned, unsigned warps_of_items, std::size_t selected) {
        return std::min(selected, std::size_t{warps_of_items});
    }
    template <class Block, class Atomics, class FetchAdd>
    static MPCFLOW_WARP std::uint32_t place(Block block, Atomics, bool is_selected, Scratch&,
                                            FetchAdd&& fetch_add) {
        return warp::place_selected(block.warp(), warp::full_mask, is_selected, fetch_add);
    }
};

struct PlaceByBlock {
    using Scratch = block::PlaceScratch<std::uint32_t>;
    static std::string name() { return "by_block"; }
    static std::size_t most_asks(unsigned blocks_of_items, unsigned, std::size_t selected) {
        return std::min(selected, std::size_t{blocks_of_items});
    }
    template <class Block, class Atomics, class FetchAdd>
    static MPCFLOW_WARP std::uint32_t place(Block block, Atomics atomics, bool is_selected, Scratch& scratch,
                                            FetchAdd&& fetch_add) {
        return block::place_by_block(block, atomics, is_selected, scratch, fetch_add);
    }
};

/// Writes the numbers of the items whose mixed key is below `Eighths` / 8.
template <class Way, int Threads, int Blocks, int Eighths>
struct Compact {
    using Scratch = typename Way::Scratch;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = Blocks;
    static std::string name() {
        return "compact_" + Way::name() + "_" + std::to_string(Threads) + "_by_" + std::to_string(Blocks) +
               "_" + std::to_string(Eighths) + "_eighths";
    }
    static std::vector<std::uint32_t> counts() { return counts_of_grid(threads); }

    struct Report {
        std::uint32_t count;
        std::uint32_t asks;  ///< how often someone asked for places
        std::uint32_t items[most_items];
    };

    static MPCFLOW_HD bool is_selected(std::int32_t key, std::int64_t item) {
        const std::uint32_t mixed =
            (static_cast<std::uint32_t>(key) ^ static_cast<std::uint32_t>(item)) * 0x9e3779b9u;
        return static_cast<int>(mixed >> 29) < Eighths;
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace place, Items items, Report& report,
                                 Scratch& scratch) {
        block::compact(
            block, place.share(items.count),
            [=](std::int64_t item) { return is_selected(items.keys[item], item); },
            [&](bool is_wanted) {
                return Way::place(
                    block, atomics, is_wanted, scratch,
                    [&](std::uint32_t count) {
                        atomics.add(&report.asks, std::uint32_t{1});
                        return atomics.add(&report.count, count);
                    });
            },
            [&](std::int64_t item, std::uint32_t to) {
                report.items[to] = static_cast<std::uint32_t>(item);
            });
    }

    static void check(const BlockCase& input, const Report& report) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t item = 0; item < input.count(); ++item)
            if (is_selected(input.keys[item], item)) expected.push_back(item);
        ASSERT_EQ(report.count, expected.size());
        EXPECT_LE(report.asks, Way::most_asks(parts_of(input.count(), threads),
                                              parts_of(input.count(), warp::warp_size), expected.size()));
        std::vector<std::uint32_t> written(report.items, report.items + report.count);
        std::sort(written.begin(), written.end());
        EXPECT_EQ(written, expected);
    }
};

/// A histogram by each of the three ways; every seventh key is left out.
template <int Bins, int Threads, int Blocks>
struct CountInBins {
    struct Scratch {
        std::uint32_t bins[Bins];
    };
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = Blocks;
    static std::string name() {
        return "count_in_" + std::to_string(Bins) + "_bins_" + std::to_string(Threads) + "_by_" +
               std::to_string(Blocks);
    }
    static std::vector<std::uint32_t> counts() { return counts_of_grid(threads); }

    struct Report {
        unsigned long long alone[Bins];
        unsigned long long in_shared[2][Bins];  // twice, with the bins used again at once
        unsigned long long by_peers[Bins];
    };

    static MPCFLOW_HD std::int32_t bin_of(std::int32_t key) {
        return key % 7 == 3 ? block::no_bin : key % Bins;
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace place, Items items, Report& report,
                                 Scratch& scratch) {
        const block::GridItems share = place.share(items.count);
        const auto bin = [=](std::int64_t item) { return bin_of(items.keys[item]); };
        const auto add_to = [=](unsigned long long* bins) {
            return [=](std::int32_t to, std::uint32_t count) {
                atomics.add(bins + to, static_cast<unsigned long long>(count));
            };
        };
        const block::SharedBins shared{scratch.bins, Bins};
        block::count_in_bins(block, share, bin, add_to(report.alone));
        block::count_in_shared_bins(block, atomics, share, bin, shared, add_to(report.in_shared[0]));
        block::count_in_shared_bins(block, atomics, share, bin, shared, add_to(report.in_shared[1]));
        block::count_in_bins_by_peers(block, share, bin, add_to(report.by_peers));
    }

    static void check(const BlockCase& input, const Report& report) {
        std::vector<unsigned long long> expected(Bins);
        for (const std::int32_t key : input.keys)
            if (bin_of(key) != block::no_bin) ++expected[static_cast<std::size_t>(bin_of(key))];
        for (int bin = 0; bin < Bins; ++bin) {
            const auto count = expected[static_cast<std::size_t>(bin)];
            EXPECT_EQ(report.alone[bin], count) << "bin " << bin;
            EXPECT_EQ(report.in_shared[0][bin], count) << "bin " << bin;
            EXPECT_EQ(report.in_shared[1][bin], count) << "bin " << bin;
            EXPECT_EQ(report.by_peers[bin], count) << "bin " << bin;
        }
    }
};

/// Distinct keys of a block, twice, with the scratch used again at once. The largest key becomes the one that
/// marks unclaimed slots.
template <block::Hashes hashes, int Threads, unsigned Slots = block::slots_for(Threads)>
struct CountUnique {
    using Scratch = block::UniqueScratch<Threads, Slots>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static std::string name() {
        return "count_unique_in_" + std::to_string(Threads) + "_with_" + std::to_string(Slots) + "_slots" +
               (hashes == block::Hashes::one ? "_by_one_hash" : "_by_two_hashes");
    }
    static std::vector<std::uint32_t> counts() { return counts_up_to(threads); }

    struct Report {
        unsigned of_keys[Threads];
        unsigned of_halves[Threads];
    };

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        const unsigned thread = block.thread();
        const bool has_item = thread < items.count;
        std::uint32_t key = has_item ? static_cast<std::uint32_t>(items.keys[thread]) : 12345u;
        if (key == 0x7fffffffu) key = block::unclaimed<std::uint32_t>;
        report.of_keys[thread] = block::count_unique<hashes>(block, atomics, has_item, key, scratch);
        report.of_halves[thread] = block::count_unique<hashes>(block, atomics, has_item, key / 2, scratch);
    }

    static void check(const BlockCase& input, const Report& report) {
        std::set<std::uint32_t> keys;
        std::set<std::uint32_t> halves;
        for (const std::int32_t item_key : input.keys) {
            const auto key = item_key == 0x7fffffff ? block::unclaimed<std::uint32_t>
                                                    : static_cast<std::uint32_t>(item_key);
            keys.insert(key);
            halves.insert(key / 2);
        }
        for (unsigned thread = 0; thread < threads; ++thread) {
            EXPECT_EQ(report.of_keys[thread], keys.size()) << "thread " << thread;
            EXPECT_EQ(report.of_halves[thread], halves.size()) << "thread " << thread;
        }
    }
};

/// Without any collective, so that threads may stay away.
using LonePrograms = testing::Types<Compact<PlaceAlone, 64, 3, 4>>;

using SelectionPrograms = testing::Types<
    Compact<PlaceByWarp, 32, 1, 1>, Compact<PlaceByWarp, 128, 2, 4>, Compact<PlaceByWarp, 64, 1, 8>,
    Compact<PlaceByBlock, 32, 1, 4>, Compact<PlaceByBlock, 128, 2, 1>, Compact<PlaceByBlock, 64, 3, 0>,
    Compact<PlaceByBlock, 256, 1, 8>, CountInBins<1, 64, 2>, CountInBins<20, 32, 3>, CountInBins<300, 128, 2>,
    CountUnique<block::Hashes::one, 32>, CountUnique<block::Hashes::one, 512>,
    CountUnique<block::Hashes::two, 64>, CountUnique<block::Hashes::two, 512>,
    CountUnique<block::Hashes::one, 512, 512>, CountUnique<block::Hashes::two, 64, 64>>;

}  // namespace mpcflow::test
