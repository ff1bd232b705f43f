#pragma once
/// Programs (warp_programs.hpp) of lanes in order: sorts, and scans over segments.

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/warp/segmented_scan.hpp"
#include "gpu/warp/sort.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {

/// Keys alone, and pairs of a key and the lane that it comes from.
template <class Key>
struct Sort {
    using Scratch = NoScratch;
    static constexpr int key_bits = 8 * sizeof(Key);
    static std::string name() {
        return std::string{std::is_floating_point_v<Key> ? "sort_floating_"
                           : std::is_signed_v<Key>       ? "sort_signed_"
                                                         : "sort_"} +
               std::to_string(key_bits);
    }
    struct Report {
        Key sorted[warp::warp_size];
        Key keys[warp::warp_size];
        std::uint32_t lanes[warp::warp_size];
        double values[warp::warp_size];
    };

    /// Floating-point keys are numbers made of the key's low bits: no NaNs.
    static MPCFLOW_HD Key key_of(const WarpCase& input, unsigned lane) {
        if constexpr (std::is_floating_point_v<Key>)
            return static_cast<Key>(static_cast<std::int32_t>(input.keys[lane])) / 4;
        else return static_cast<Key>(input.keys[lane]);
    }

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Atomics) {
        const unsigned lane = warp.lane();
        const Key key = key_of(input, lane);
        report.sorted[lane] = warp::sort_keys(warp, input.mask, key);
        const auto pair = warp::sort_pairs(warp, input.mask, warp::KeyValue<Key, std::uint32_t>{key, lane});
        report.keys[lane] = pair.key;
        report.lanes[lane] = pair.value;
        report.values[lane] =
            warp::sort_pairs(warp, input.mask, warp::KeyValue<Key, double>{key, input.values[lane][0]}).value;
    }

    static void check(const WarpCase& input, const Report& report) {
        std::vector<Key> expected;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane)
            if ((input.mask >> lane & 1u) != 0) expected.push_back(key_of(input, lane));
        std::sort(expected.begin(), expected.end());
        unsigned lanes = 0;
        std::size_t rank = 0;
        std::vector<std::pair<Key, double>> values;
        std::vector<std::pair<Key, double>> expected_values;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) != 0) {
                EXPECT_EQ(report.sorted[lane], expected[rank]) << "lane " << lane;
                EXPECT_EQ(report.keys[lane], expected[rank]) << "lane " << lane;
                ++rank;
                ASSERT_LT(report.lanes[lane], warp::warp_size);
                EXPECT_EQ(key_of(input, report.lanes[lane]), report.keys[lane]) << "lane " << lane;
                lanes |= 1u << report.lanes[lane];
                values.emplace_back(report.keys[lane], report.values[lane]);
                expected_values.emplace_back(key_of(input, lane), input.values[lane][0]);
            }
        }
        EXPECT_EQ(lanes, input.mask);  // each lane's pair is there once
        std::sort(values.begin(), values.end());
        std::sort(expected_values.begin(), expected_values.end());
        EXPECT_EQ(values, expected_values);
    }
};

/// Sums of the runs of equal keys among neighbouring lanes, and other operations on segments at random.
template <int K>
struct ScanSegments {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "scan_segments_" + std::to_string(K); }
    struct Report {
        bool is_head[warp::warp_size];
        bool is_end[warp::warp_size];
        unsigned heads[warp::warp_size];
        double sums[warp::warp_size][K];
        std::uint32_t first[warp::warp_size];    ///< of segments at random, whose heads are odd numbers
        std::uint32_t largest[warp::warp_size];  ///< of the same
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Atomics) {
        const unsigned lane = warp.lane();
        const bool is_head = warp::is_run_head(warp, input.mask, static_cast<std::int32_t>(input.keys[lane]));
        const unsigned heads = warp::find_heads(warp, input.mask, is_head);
        report.is_head[lane] = is_head;
        report.heads[lane] = heads;
        report.is_end[lane] = warp::is_segment_end(input.mask, heads, lane);
        double values[K];
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) values[k] = input.values[lane][k];
        warp::scan_segments(warp, input.mask, heads, values);
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) report.sums[lane][k] = values[k];
        const std::uint32_t number = input.numbers[lane];
        const unsigned odd = warp::find_heads(warp, input.mask, number % 2 == 1);
        report.first[lane] = warp::scan_segments(warp, input.mask, odd, number, TakeLeft{});
        report.largest[lane] = warp::scan_segments(warp, input.mask, odd, number, warp::Maximum{});
    }

    static void check(const WarpCase& input, const Report& report) {
        double sums[K] = {};
        unsigned heads = 0;
        std::uint32_t first = 0;
        std::uint32_t largest = 0;
        int previous = -1;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) == 0) continue;
            const bool is_first = previous < 0;
            const bool is_head = is_first || input.keys[lane] != input.keys[previous];
            EXPECT_EQ(report.is_head[lane], is_head) << "lane " << lane;
            if (!is_first) EXPECT_EQ(report.is_end[previous], is_head) << "lane " << previous;
            heads |= is_head ? 1u << lane : 0u;
            for (int k = 0; k < K; ++k) {
                sums[k] = (is_head ? 0 : sums[k]) + input.values[lane][k];
                EXPECT_EQ(report.sums[lane][k], sums[k]) << "lane " << lane << " component " << k;
            }
            const std::uint32_t number = input.numbers[lane];
            const bool starts = is_first || number % 2 == 1;
            first = starts ? number : first;
            largest = starts ? number : std::max(largest, number);
            EXPECT_EQ(report.first[lane], first) << "lane " << lane;
            EXPECT_EQ(report.largest[lane], largest) << "lane " << lane;
            previous = static_cast<int>(lane);
        }
        for (unsigned lane = 0; lane < warp::warp_size; ++lane)
            EXPECT_EQ(report.heads[lane], (input.mask >> lane & 1u) != 0 ? heads : 0u) << "lane " << lane;
        EXPECT_TRUE(previous < 0 || report.is_end[previous]);
    }
};

}  // namespace mpcflow::test
