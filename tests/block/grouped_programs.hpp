#pragma once
/// The programs of gpu/block/grouped_sums.hpp.

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "gpu/block/grouped_sums.hpp"
#include "tests/block/block_programs.hpp"

namespace mpcflow::test {

/// Sums by key, twice, with the scratch used again at once. Each item whose number leaves 1 when divided by
/// Gap is left out; none, if Gap is 1.
template <int K, int Threads, int PerThread, int Gap>
struct AddGrouped {
    using Scratch = block::GroupScratch<Threads, PerThread>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static constexpr unsigned most = Scratch::items;
    static std::string name() {
        return "add_grouped_" + std::to_string(K) + "_in_" + std::to_string(Threads) + "_by_" +
               std::to_string(PerThread) + "_gaps_" + std::to_string(Gap);
    }
    static std::vector<std::uint32_t> counts() { return counts_up_to(most); }

    struct Report {  // at the place of the first item of a key
        double sums[most][K];
        unsigned adds[most][K];
        unsigned reads[most];  // of an item
    };

    static MPCFLOW_HD bool is_valid(std::uint32_t item, std::uint32_t count) {
        return item < count && item % Gap != 1;
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        for (int factor = 1; factor < 3; ++factor) {
            std::int32_t keys[PerThread];
            MPCFLOW_UNROLL
            for (int j = 0; j < PerThread; ++j) {
                const std::uint32_t item = j * Threads + block.thread();
                keys[j] = is_valid(item, items.count) ? items.keys[item] : block::no_group;
            }
            block::add_grouped<K>(
                block, atomics, keys, scratch,
                [&](unsigned item, double(&values)[K]) {
                    atomics.add(&report.reads[item], 1U);
                    MPCFLOW_UNROLL
                    for (int k = 0; k < K; ++k) values[k] = factor * items.values[item][k % item_values];
                },
                [&](std::int32_t key, int component, double sum) {
                    const std::uint32_t place = first_with(items, key);
                    atomics.add(&report.sums[place][component], sum);
                    atomics.add(&report.adds[place][component], 1U);
                });
        }
    }

    static void check(const BlockCase& input, const Report& report) {
        Report expected{};
        std::set<std::int32_t> keys;
        for (std::uint32_t item = 0; item < input.count(); ++item) {
            if (!is_valid(item, input.count())) continue;
            keys.insert(input.keys[item]);
            expected.reads[item] = 2;
            const std::uint32_t place = first_with(input.items(), input.keys[item]);
            for (int k = 0; k < K; ++k) {
                expected.sums[place][k] += 3 * input.values[item].values[k % item_values];
                expected.adds[place][k] = 1;
            }
        }
        for (int k = 0; k < K; ++k) {
            unsigned adds = 0;
            for (std::uint32_t place = 0; place < input.count(); ++place) {
                EXPECT_EQ(report.sums[place][k], expected.sums[place][k])
                    << "place " << place << " component " << k;
                EXPECT_EQ(report.adds[place][k] > 0, expected.adds[place][k] > 0)
                    << "place " << place << " component " << k;
                adds += report.adds[place][k];
            }
            // A part for each group, and one more where a warp's share ends within a group.
            EXPECT_LE(adds, 2 * (keys.size() + Threads / warp::warp_size)) << "component " << k;
        }
        for (std::uint32_t item = 0; item < input.count(); ++item)
            EXPECT_EQ(report.reads[item], expected.reads[item]) << "item " << item;
    }
};

using GroupedPrograms =
    testing::Types<AddGrouped<1, 32, 1, 1>, AddGrouped<5, 64, 2, 1>, AddGrouped<10, 128, 2, 37>,
                   AddGrouped<9, 32, 4, 1>, AddGrouped<32, 32, 2, 1>>;

}  // namespace mpcflow::test
