#pragma once
/// The programs of gpu/block/reduce.hpp, grid_reduce.hpp and maximum.hpp.

#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "gpu/block/grid_reduce.hpp"
#include "gpu/block/maximum.hpp"
#include "tests/block/block_programs.hpp"

namespace mpcflow::test {

/// A power of two for each key, so that products are exact: those of 512 stay within 2^512.
MPCFLOW_HD double factor_of(std::int32_t key) { return key % 3 == 0 ? 0.5 : key % 3 == 1 ? 1.0 : 2.0; }

MPCFLOW_HD std::uint32_t bits_of(std::int32_t key) { return static_cast<std::uint32_t>(key) * 0x9e3779b9u; }

/// All operations, one after the other with the scratch used again at once.
template <int Threads>
struct ReduceBlock {
    struct Scratch {
        union {  // the same memory for all
            block::ReduceScratch<3, double> doubles;
            block::ReduceScratch<1, double> one_double;
            block::ReduceScratch<1, std::uint32_t> bits;
            block::ReduceScratch<1, std::int32_t> integer;
        };
    };
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static std::string name() { return "reduce_in_" + std::to_string(Threads); }
    static std::vector<std::uint32_t> counts() { return counts_up_to(threads); }

    struct Report {
        double sums[3];
        double product;
        double least;
        std::int32_t largest;
        std::uint32_t in_all;
        std::uint32_t in_any;
    };

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        const bool has_item = block.thread() < items.count;
        const std::uint32_t item = has_item ? block.thread() : 0;
        double values[3] = {};
        if (has_item) {
            MPCFLOW_UNROLL
            for (int k = 0; k < 3; ++k) values[k] = items.values[item][k];
        }
        const double least_value = has_item ? items.values[item][3] : warp::Minimum::neutral<double>;
        const std::int32_t key = has_item ? items.keys[item] : warp::Maximum::neutral<std::int32_t>;
        block::reduce(block, values, scratch.doubles);
        const double product =
            block::reduce(block, has_item ? factor_of(key) : 1.0, scratch.one_double, warp::Multiply{});
        const double least = block::reduce(block, least_value, scratch.one_double, warp::Minimum{});
        const std::int32_t largest = block::reduce(block, key, scratch.integer, warp::Maximum{});
        const std::uint32_t in_all =
            block::reduce(block, has_item ? bits_of(key) : ~0u, scratch.bits, warp::BitAnd{});
        const std::uint32_t in_any =
            block::reduce(block, has_item ? bits_of(key) : 0u, scratch.bits, warp::BitOr{});
        if (block.thread() == 0) {
            MPCFLOW_UNROLL
            for (int k = 0; k < 3; ++k) report.sums[k] = values[k];
            report.product = product;
            report.least = least;
            report.largest = largest;
            report.in_all = in_all;
            report.in_any = in_any;
        }
    }

    static void check(const BlockCase& input, const Report& report) {
        Report expected{
            {}, 1, std::numeric_limits<double>::infinity(), std::numeric_limits<std::int32_t>::min(), ~0u, 0};
        for (std::uint32_t item = 0; item < input.count(); ++item) {
            for (int k = 0; k < 3; ++k) expected.sums[k] += input.values[item].values[k];
            expected.product *= factor_of(input.keys[item]);
            expected.least = std::min(expected.least, input.values[item].values[3]);
            expected.largest = std::max(expected.largest, input.keys[item]);
            expected.in_all &= bits_of(input.keys[item]);
            expected.in_any |= bits_of(input.keys[item]);
        }
        for (int k = 0; k < 3; ++k) EXPECT_EQ(report.sums[k], expected.sums[k]) << "component " << k;
        EXPECT_EQ(report.product, expected.product);
        EXPECT_EQ(report.least, expected.least);
        EXPECT_EQ(report.largest, expected.largest);
        EXPECT_EQ(report.in_all, expected.in_all);
        EXPECT_EQ(report.in_any, expected.in_any);
    }
};

/// Sums and maxima over an array, with the block and without it.
template <int Threads, int Blocks>
struct ReduceGrid {
    struct Scratch {
        union {
            block::ReduceScratch<1, double> sum;
            block::ReduceScratch<1, std::int32_t> largest;
        };
    };
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = Blocks;
    static std::string name() {
        return "reduce_grid_" + std::to_string(Threads) + "_by_" + std::to_string(Blocks);
    }
    static std::vector<std::uint32_t> counts() { return counts_of_grid(threads); }

    struct Report {
        double sum;
        double sum_by_warps;
        std::int32_t largest;  // keys are not negative
        std::int32_t largest_by_warps;
        unsigned finishes;
        unsigned finishes_by_warps;
    };

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace place, Items items, Report& report,
                                 Scratch& scratch) {
        const block::GridItems share = place.share(items.count);
        const auto value_of = [=](std::int64_t item) { return items.values[item][0]; };
        const auto key_of = [=](std::int64_t item) { return items.keys[item]; };
        block::reduce_grid<double>(
            block, share, value_of, warp::Add{}, scratch.sum,
            [&](double sum) {
                atomics.add(&report.sum, sum);
                atomics.add(&report.finishes, 1u);
            });
        block::reduce_grid<std::int32_t>(block, share, key_of, warp::Maximum{}, scratch.largest,
                                         [&](std::int32_t key) { atomics.maximum(&report.largest, key); });
        block::reduce_grid_by_warps<double>(
            block, share, value_of, warp::Add{},
            [&](double sum) {
                atomics.add(&report.sum_by_warps, sum);
                atomics.add(&report.finishes_by_warps, 1u);
            });
        block::reduce_grid_by_warps<std::int32_t>(
            block, share, key_of, warp::Maximum{},
            [&](std::int32_t key) { atomics.maximum(&report.largest_by_warps, key); });
    }

    static void check(const BlockCase& input, const Report& report) {
        double sum = 0;
        std::int32_t largest = 0;
        for (std::uint32_t item = 0; item < input.count(); ++item) {
            sum += input.values[item].values[0];
            largest = std::max(largest, input.keys[item]);
        }
        EXPECT_EQ(report.sum, sum);
        EXPECT_EQ(report.sum_by_warps, sum);
        EXPECT_EQ(report.largest, largest);
        EXPECT_EQ(report.largest_by_warps, largest);
        EXPECT_EQ(report.finishes, blocks);
        EXPECT_EQ(report.finishes_by_warps, blocks * threads / warp::warp_size);
    }
};

/// The maximum by each of the three ways, of numbers of either sign and, in every other case, of negative
/// ones.
template <class T, int Threads, int Blocks, int Regions>
struct FindMaximum {
    using Scratch = block::ReduceScratch<1, T>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = Blocks;
    static std::string name() {
        return "maximum_" + std::to_string(8 * sizeof(T)) + "_" + std::to_string(Threads) + "_by_" +
               std::to_string(Blocks) + "_regions_" + std::to_string(Regions);
    }
    static std::vector<std::uint32_t> counts() { return counts_of_grid(threads); }

    struct Report {  // zero, of which all images are at least: that of minus infinity too
        block::Image<T> one_word;
        block::Image<T> regions[Regions];
        block::Image<T> regions_of_one[Regions];
        block::Image<T> one_by_regions;
        block::Image<T> by_reduction;
    };

    static MPCFLOW_HD T value_of(Items items, std::int64_t item) {
        const auto value = static_cast<T>(items.values[item][1]);
        return items.count % 2 == 0 && value > 0 ? -value : value;
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace place, Items items, Report& report,
                                 Scratch& scratch) {
        const block::GridItems share = place.share(items.count);
        const auto value = [=](std::int64_t item) { return value_of(items, item); };
        block::raise_one_word<T>(block, atomics, share, value, &report.one_word);
        block::raise_regions<T>(block, atomics, share, value, block::RegionWords<T>{report.regions, Regions});
        block::raise_regions_then_one<T>(block, atomics, share, value,
                                         block::RegionWords<T>{report.regions_of_one, Regions},
                                         &report.one_by_regions);
        block::raise_by_reduction<T>(block, atomics, share, value, scratch, &report.by_reduction);
    }

    static void check(const BlockCase& input, const Report& report) {
        T largest = -std::numeric_limits<T>::infinity();
        T of_regions[Regions];
        std::fill_n(of_regions, Regions, largest);
        for (std::uint32_t item = 0; item < input.count(); ++item) {
            const T value = value_of(input.items(), item);
            largest = std::max(largest, value);
            T& of_region = of_regions[item % (threads * blocks) % Regions];
            of_region = std::max(of_region, value);
        }
        const block::Image<T> image = block::image_of(largest);
        EXPECT_EQ(report.by_reduction, image);
        EXPECT_EQ(report.one_word, input.count() == 0 ? 0 : image);
        EXPECT_EQ(report.one_by_regions, report.one_word);
        for (int region = 0; region < Regions; ++region) {
            const bool has_items = of_regions[region] != -std::numeric_limits<T>::infinity();
            EXPECT_EQ(report.regions[region], has_items ? block::image_of(of_regions[region]) : 0) << region;
            EXPECT_EQ(report.regions_of_one[region], report.regions[region]) << region;
        }
    }
};

/// The words of regions, joined by one block.
template <class T, int Threads>
struct JoinRegions {
    using Scratch = block::ReduceScratch<1, block::Image<T>>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static std::string name() {
        return "join_regions_" + std::to_string(8 * sizeof(T)) + "_in_" + std::to_string(Threads);
    }
    static std::vector<std::uint32_t> counts() { return {1, 31, 32, 33, threads + 1, 700}; }

    struct Report {
        block::Image<T> words[most_items];
        T largest;
    };

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        for (unsigned item = block.thread(); item < items.count; item += block.size())
            report.words[item] = block::image_of(static_cast<T>(items.values[item][2] - 65));
        block.sync();
        const block::RegionWords<T> regions{report.words, static_cast<int>(items.count)};
        const T largest = block::join_regions<T>(block, regions, scratch);
        if (block.thread() == 0) report.largest = largest;
    }

    static void check(const BlockCase& input, const Report& report) {
        T largest = -std::numeric_limits<T>::infinity();
        for (const ItemValues& item : input.values)
            largest = std::max(largest, static_cast<T>(item.values[2] - 65));
        EXPECT_EQ(report.largest, largest);
    }
};

using ReducePrograms =
    testing::Types<ReduceBlock<32>, ReduceBlock<64>, ReduceBlock<512>, ReduceGrid<32, 1>, ReduceGrid<64, 3>,
                   ReduceGrid<256, 1>, FindMaximum<double, 64, 3, 5>, FindMaximum<float, 128, 1, 32>,
                   FindMaximum<double, 32, 2, 1>, JoinRegions<double, 64>, JoinRegions<float, 128>>;

}  // namespace mpcflow::test
