#pragma once
/// The programs of gpu/block/grouped_sums.hpp.

#include <string>

#include <gtest/gtest.h>

#include "gpu/block/grouped_sums.hpp"
#include "tests/block/block_programs.hpp"

namespace mpcflow::test {

/// Sums by key, twice, with the scratch used again at once. Each item whose number leaves 1 when divided by
/// Gap is left out; none, if Gap is 1.
template <block::TableKey Key, int K, int Threads, int PerThread, int Gap>
struct AddGrouped {
    using Scratch = block::GroupScratch<Key, Threads, PerThread>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static constexpr unsigned most = Scratch::items;
    static std::string name() {
        return "add_grouped_" + std::to_string(K) + "_in_" + std::to_string(Threads) + "_by_" +
               std::to_string(PerThread) + "_gaps_" + std::to_string(Gap) + "_keys_of_" +
               std::to_string(8 * sizeof(Key)) + "_bits";
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

    /// Of 64 bits neither half tells the key alone, as where pairs are grouped.
    static MPCFLOW_HD Key long_key(std::int32_t key) {
        const auto whole = static_cast<Key>(key);
        if constexpr (sizeof(Key) == 8) return whole / 8 << 32 | whole % 8;
        return whole;
    }
    static MPCFLOW_HD std::int32_t key_of(Key long_key) {
        if constexpr (sizeof(Key) == 8)
            return static_cast<std::int32_t>((long_key >> 32) * 8 + (long_key & 0xffffffffU));
        return static_cast<std::int32_t>(long_key);
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        for (int factor = 1; factor < 3; ++factor) {
            block::add_grouped<K>(
                block, atomics, scratch,
                [&](unsigned item) {
                    return is_valid(item, items.count) ? long_key(items.keys[item]) : block::no_key<Key>;
                },
                [&](Key key, unsigned item) {
                    if (key == long_key(items.keys[item])) atomics.add(&report.reads[item], 1U);
                    return item;
                },
                [&](unsigned item, double(&values)[K]) {
                    MPCFLOW_UNROLL
                    for (int k = 0; k < K; ++k) values[k] = factor * items.values[item][k % item_values];
                },
                [&](Key key, int component, double sum) {
                    const std::uint32_t place = first_with(items, key_of(key));
                    atomics.add(&report.sums[place][component], sum);
                    atomics.add(&report.adds[place][component], 1U);
                });
        }
    }

    static void check(const BlockCase& input, const Report& report) {
        Report expected{};
        unsigned items_at[most]{};  // of the key that has its place there
        for (std::uint32_t item = 0; item < input.count(); ++item) {
            if (!is_valid(item, input.count())) continue;
            expected.reads[item] = 2;
            const std::uint32_t place = first_with(input.items(), input.keys[item]);
            ++items_at[place];
            for (int k = 0; k < K; ++k)
                expected.sums[place][k] += 3 * input.values[item].values[k % item_values];
        }
        for (int k = 0; k < K; ++k) {
            unsigned more_parts = 0;  // than one a group
            for (std::uint32_t place = 0; place < input.count(); ++place) {
                SCOPED_TRACE("place " + std::to_string(place) + " component " + std::to_string(k));
                const unsigned adds = report.adds[place][k];
                EXPECT_EQ(report.sums[place][k], expected.sums[place][k]);
                if (items_at[place] <= block::most_alone) {
                    EXPECT_EQ(adds, 2 * items_at[place]);  // in both rounds each alone
                } else {
                    ASSERT_GE(adds, 2U);
                    more_parts += adds - 2;
                }
            }
            // One more where a warp's share ends within a group.
            EXPECT_LE(more_parts, 2 * (Threads / warp::warp_size - 1)) << "component " << k;
        }
        for (std::uint32_t item = 0; item < input.count(); ++item)
            EXPECT_EQ(report.reads[item], expected.reads[item]) << "item " << item;
    }
};

using GroupedPrograms =
    testing::Types<AddGrouped<std::uint32_t, 1, 32, 1, 1>, AddGrouped<std::uint32_t, 5, 64, 8, 1>,
                   AddGrouped<unsigned long long, 10, 128, 2, 37>,
                   AddGrouped<unsigned long long, 24, 32, 8, 1>,
                   AddGrouped<unsigned long long, 32, 32, 2, 1>>;

}  // namespace mpcflow::test
