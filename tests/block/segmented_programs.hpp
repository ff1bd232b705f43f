#pragma once
/// The programs of gpu/block/segmented_sums.hpp.

#include <string>

#include <gtest/gtest.h>

#include "gpu/block/segmented_sums.hpp"
#include "tests/block/block_programs.hpp"

namespace mpcflow::test {

/// Sums over runs, twice, with the scratch used again at once. Each item whose number leaves 1 when divided
/// by Gap is left out; none, if Gap is 1.
template <int K, int Threads, int Gap>
struct AddSegmented {
    using Scratch = block::SegmentScratch<K, Threads>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static std::string name() {
        return "add_segmented_" + std::to_string(K) + "_in_" + std::to_string(Threads) + "_gaps_" +
               std::to_string(Gap);
    }
    static std::vector<std::uint32_t> counts() { return counts_up_to(threads); }

    struct Report {  // at the place of the first item of a key
        double sums[Threads][K];
        unsigned adds[Threads][K];
    };

    static MPCFLOW_HD bool is_valid(std::uint32_t item, std::uint32_t count) {
        return item < count && item % Gap != 1;
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        const bool has_item = is_valid(block.thread(), items.count);
        const std::int32_t key = block.thread() < items.count ? items.keys[block.thread()] : 0;
        double values[K];
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) values[k] = has_item ? items.values[block.thread()][k] : 1e9;
        const auto add = [&](std::int32_t run_key, int component, double sum) {
            const std::uint32_t place = first_with(items, run_key);
            atomics.add(&report.sums[place][component], sum);
            atomics.add(&report.adds[place][component], 1u);
        };
        block::add_segmented(block, has_item, key, values, scratch, add);
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) values[k] *= 2;
        block::add_segmented(block, has_item, key, values, scratch, add);
    }

    static void check(const BlockCase& input, const Report& report) {
        Report expected{};
        for (std::uint32_t item = 0; item < input.count(); ++item) {
            if (!is_valid(item, input.count())) continue;
            const std::uint32_t place = first_with(input.items(), input.keys[item]);
            const bool ends_run =
                !is_valid(item + 1, input.count()) || input.keys[item + 1] != input.keys[item];
            for (int k = 0; k < K; ++k) {
                expected.sums[place][k] += 3 * input.values[item].values[k];
                expected.adds[place][k] += ends_run ? 2 : 0;
            }
        }
        for (std::uint32_t place = 0; place < input.count(); ++place) {
            for (int k = 0; k < K; ++k) {
                EXPECT_EQ(report.sums[place][k], expected.sums[place][k])
                    << "place " << place << " component " << k;
                EXPECT_EQ(report.adds[place][k], expected.adds[place][k])
                    << "place " << place << " component " << k;
            }
        }
    }
};

using SegmentedPrograms =
    testing::Types<AddSegmented<1, 32, 1>, AddSegmented<4, 64, 1>, AddSegmented<9, 128, 1>,
                   AddSegmented<9, 256, 37>, AddSegmented<16, 256, 1>, AddSegmented<4, 512, 1>,
                   AddSegmented<4, 512, 97>>;

}  // namespace mpcflow::test
