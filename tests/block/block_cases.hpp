#pragma once
/// Inputs for the block algorithms: how many items, their keys and values. Plain data, so that the same
/// cases run in the emulator and on the card.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gpu/block/hash_table.hpp"
#include "physics/host_device.hpp"

namespace mpcflow::test {

inline constexpr int item_values = 16;

/// Items in memory that the block can read.
struct Items {
    std::uint32_t count;
    const std::int32_t* keys;             ///< count, at least 0
    const double (*values)[item_values];  ///< count; multiples of 2^-36 below 64: their sums are exact
};

/// The place of the first item that has `key`, which some item has.
MPCFLOW_HD std::uint32_t first_with(Items items, std::int32_t key) {
    std::uint32_t item = 0;
    while (items.keys[item] != key) ++item;
    return item;
}

struct ItemValues {
    double values[item_values];
};

struct BlockCase {
    std::string name;
    std::vector<std::int32_t> keys;
    std::vector<ItemValues> values;

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(keys.size()); }
    [[nodiscard]] Items items() const {
        return {count(), keys.data(), values.empty() ? nullptr : &values.data()->values};
    }
};

/// For each count: keys all equal, all different (ascending, descending, strided by 32 and 512, and as far
/// apart as can be), runs of 1 to 40 equal keys in order, every fifth key equal, random keys of ranges from
/// 2 to all there are, random ones of 200; and
/// keys of 32 bits that all begin their search at the last slot of a hash table (gpu/block/hash_table.hpp),
/// whatever its size.
inline std::vector<BlockCase> make_block_cases(std::uint64_t seed, const std::vector<std::uint32_t>& counts) {
    std::mt19937_64 random{seed};
    constexpr std::int64_t largest_key = 0x7fffffff;
    std::vector<BlockCase> cases;
    for (const std::uint32_t count : counts) {
        const auto add = [&](const std::string& name, auto key_of) {
            BlockCase input{name + " of " + std::to_string(count), {}, std::vector<ItemValues>(count)};
            for (std::int64_t item = 0; item < count; ++item) {
                input.keys.push_back(static_cast<std::int32_t>(key_of(item)));
                for (double& value : input.values[static_cast<std::size_t>(item)].values) {
                    const auto multiple = static_cast<std::int64_t>(random() >> 21) - (std::int64_t{1} << 42);
                    value = static_cast<double>(multiple) * 0x1p-36;
                }
            }
            cases.push_back(std::move(input));
        };
        const auto below = [&](std::int64_t range) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range));
        };
        const std::int64_t offset = below(largest_key - 512 * 4096);
        add(
            "zero", [](std::int64_t) { return 0; });
        add(
            "the largest", [](std::int64_t) { return largest_key; });
        add(
            "ascending", [&](std::int64_t item) { return offset + item; });
        add(
            "descending", [](std::int64_t item) { return largest_key - item; });
        add(
            "strided by 32", [](std::int64_t item) { return 32 * item; });
        add(
            "strided by 512", [&](std::int64_t item) { return offset + 512 * item; });
        add(
            "far apart", [&](std::int64_t item) { return largest_key / (count + 1) * item; });
        add("every fifth", [](std::int64_t item) { return item % 5; });
        std::int64_t run = 0;
        std::int64_t run_end = 0;
        add("runs", [&](std::int64_t item) {
            if (item == run_end) {
                run_end += 1 + below(40);
                run += 1 + below(2);
            }
            return run;
        });
        for (const std::int64_t range : {std::int64_t{2}, std::int64_t{20}, std::int64_t{150}, largest_key})
            add("random below " + std::to_string(range), [&](std::int64_t) { return below(range); });
        // Unlike small numbers these collide in a hash table, and each comes several times.
        std::vector<std::int64_t> pool(200);
        for (std::int64_t& key : pool) key = below(largest_key);
        add("random of 200", [&](std::int64_t) { return pool[static_cast<std::size_t>(below(200))]; });
        std::int64_t colliding = 0;
        add("of one slot", [&](std::int64_t) {
            do {
                ++colliding;
            } while (block::first_slot<1024>(static_cast<std::uint32_t>(colliding)) != 1023);
            return colliding;
        });
    }
    return cases;
}

}  // namespace mpcflow::test
