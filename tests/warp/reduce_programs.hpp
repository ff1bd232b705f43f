#pragma once
/// Programs (warp_programs.hpp) over the whole warp or sub-warps of it: reductions, scans, shuffles.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/warp/reduce.hpp"
#include "gpu/warp/scan.hpp"
#include "gpu/warp/shuffles.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {

/// The lanes of a case in their order, each with the number of its sub-warp.
struct OrderedLane {
    unsigned lane;
    unsigned sub_warp;
};

inline std::vector<OrderedLane> lanes_in_order(unsigned mask, unsigned width) {
    std::vector<OrderedLane> lanes;
    for (unsigned lane = 0; lane < warp::warp_size; ++lane)
        if ((mask >> lane & 1u) != 0) lanes.push_back({lane, static_cast<unsigned>(lanes.size()) / width});
    return lanes;
}

/// One operation, reduced down and by butterfly and scanned both ways, on sub-warps of one width.
template <class T, class Operation>
struct OperationReport {
    T down[warp::warp_size];
    T butterfly[warp::warp_size];
    T inclusive[warp::warp_size];
    T exclusive[warp::warp_size];

    template <unsigned Width, class Warp>
    MPCFLOW_WARP void fill(Warp warp, unsigned mask, T value) {
        const unsigned lane = warp.lane();
        down[lane] = warp::reduce_down<Width>(warp, mask, value, Operation{});
        butterfly[lane] = warp::reduce_butterfly<Width>(warp, mask, value, Operation{});
        inclusive[lane] = warp::scan_inclusive<Width>(warp, mask, value, Operation{});
        exclusive[lane] = warp::scan_exclusive<Width>(warp, mask, value, Operation{});
    }

    /// `combine` is the plain operation, `neutral` its neutral element, written out once more.
    template <class ValueOf, class Combine>
    void check(unsigned mask, unsigned width, T neutral, ValueOf value_of, Combine combine) const {
        const auto lanes = lanes_in_order(mask, width);
        std::vector<T> results(warp::warp_size, neutral);
        for (const auto [lane, sub_warp] : lanes) {
            EXPECT_EQ(exclusive[lane], results[sub_warp]) << "lane " << lane;
            results[sub_warp] = combine(results[sub_warp], value_of(lane));
            EXPECT_EQ(inclusive[lane], results[sub_warp]) << "lane " << lane;
        }
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const auto [lane, sub_warp] = lanes[i];
            EXPECT_EQ(butterfly[lane], results[sub_warp]) << "lane " << lane;
            if (i % width == 0) EXPECT_EQ(down[lane], results[sub_warp]) << "lane " << lane;
        }
    }
};

/// All operations, on numbers for which they are exact.
template <unsigned Width>
struct ReduceAndScan {
    using Scratch = NoScratch;
    static constexpr int key_bits = 64;
    static std::string name() { return "reduce_and_scan_" + std::to_string(Width); }
    struct Report {
        OperationReport<double, warp::Add> sum;
        OperationReport<double, warp::Minimum> minimum;
        OperationReport<double, warp::Maximum> maximum;
        OperationReport<std::uint32_t, warp::Add> number_sum;
        OperationReport<std::uint32_t, warp::Multiply> product;
        OperationReport<std::int32_t, warp::Minimum> signed_minimum;
        OperationReport<std::int64_t, warp::Maximum> long_maximum;
        OperationReport<std::uint32_t, warp::BitAnd> bit_and;
        OperationReport<std::uint64_t, warp::BitOr> bit_or;
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Atomics) {
        const unsigned lane = warp.lane();
        const unsigned mask = input.mask;
        const double value = input.values[lane][0];
        const std::uint32_t number = input.numbers[lane];
        report.sum.template fill<Width>(warp, mask, value);
        report.minimum.template fill<Width>(warp, mask, value);
        report.maximum.template fill<Width>(warp, mask, value);
        report.number_sum.template fill<Width>(warp, mask, number);
        report.product.template fill<Width>(warp, mask, number | 1u);
        report.signed_minimum.template fill<Width>(warp, mask, static_cast<std::int32_t>(number));
        report.long_maximum.template fill<Width>(warp, mask, static_cast<std::int64_t>(input.keys[lane]));
        report.bit_and.template fill<Width>(warp, mask, number | 0xf0000000u);
        report.bit_or.template fill<Width>(warp, mask, input.keys[lane] & 0x8000000000000421u);
    }

    static void check(const WarpCase& input, const Report& report) {
        const unsigned mask = input.mask;
        const auto value = [&](unsigned lane) { return input.values[lane][0]; };
        const auto number = [&](unsigned lane) { return input.numbers[lane]; };
        const auto plus = [](auto a, auto b) { return a + b; };
        const auto smaller = [](auto a, auto b) { return a < b ? a : b; };
        const auto larger = [](auto a, auto b) { return a > b ? a : b; };
        report.sum.check(mask, Width, 0.0, value, plus);
        report.minimum.check(mask, Width, HUGE_VAL, value, smaller);
        report.maximum.check(mask, Width, -HUGE_VAL, value, larger);
        report.number_sum.check(mask, Width, 0, number, plus);
        report.product.check(
            mask, Width, 1, [&](unsigned lane) { return number(lane) | 1u; },
            [](auto a, auto b) { return a * b; });
        report.signed_minimum.check(
            mask, Width, INT32_MAX, [&](unsigned lane) { return static_cast<std::int32_t>(number(lane)); },
            smaller);
        report.long_maximum.check(
            mask, Width, INT64_MIN,
            [&](unsigned lane) { return static_cast<std::int64_t>(input.keys[lane]); }, larger);
        report.bit_and.check(
            mask, Width, 0xffffffffu, [&](unsigned lane) { return number(lane) | 0xf0000000u; },
            [](auto a, auto b) { return a & b; });
        report.bit_or.check(
            mask, Width, 0, [&](unsigned lane) { return input.keys[lane] & 0x8000000000000421u; },
            [](auto a, auto b) { return a | b; });
    }
};

/// Several values at once, which in the butterfly have the same bits in all lanes also where sums round.
struct ReduceSeveral {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "reduce_several"; }
    static constexpr int count = 3;
    struct Report {
        double down[warp::warp_size][count];
        double butterfly[warp::warp_size][count];
        float rounded[warp::warp_size];
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Atomics) {
        const unsigned lane = warp.lane();
        double down[count];
        double butterfly[count];
        MPCFLOW_UNROLL
        for (int k = 0; k < count; ++k) down[k] = butterfly[k] = input.values[lane][k];
        warp::reduce_down(warp, input.mask, down);
        warp::reduce_butterfly(warp, input.mask, butterfly);
        MPCFLOW_UNROLL
        for (int k = 0; k < count; ++k) {
            report.down[lane][k] = down[k];
            report.butterfly[lane][k] = butterfly[k];
        }
        report.rounded[lane] =
            warp::reduce_butterfly(warp, input.mask, static_cast<float>(input.values[lane][0]));
    }

    static void check(const WarpCase& input, const Report& report) {
        const auto lanes = lanes_in_order(input.mask, warp::warp_size);
        double sums[count] = {};
        for (const auto& ordered : lanes)
            for (int k = 0; k < count; ++k) sums[k] += input.values[ordered.lane][k];
        for (const auto& ordered : lanes) {
            EXPECT_EQ(report.rounded[ordered.lane], report.rounded[lanes[0].lane]) << "lane " << ordered.lane;
            EXPECT_NEAR(report.rounded[ordered.lane], sums[0], 1e-3) << "lane " << ordered.lane;
            for (int k = 0; k < count; ++k) {
                EXPECT_EQ(report.butterfly[ordered.lane][k], sums[k]) << "lane " << ordered.lane;
                EXPECT_EQ(report.down[lanes[0].lane][k], sums[k]);
            }
        }
    }
};

/// Several values at once, each of which goes to one lane, of whole warps.
template <int K>
struct ReduceScatter {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "reduce_scatter_" + std::to_string(K); }
    struct Report {
        int component[warp::warp_size];
        double sum[warp::warp_size];
        std::uint32_t largest[warp::warp_size];
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Atomics) {
        if (input.mask != warp::full_mask) return;
        const unsigned lane = warp.lane();
        double sums[K];
        std::uint32_t numbers[K];
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            sums[k] = (k + 1) * input.values[lane][0];
            numbers[k] = input.numbers[lane] ^ static_cast<std::uint32_t>(k);
        }
        report.component[lane] = warp::reduce_scatter(warp, sums);
        report.sum[lane] = sums[0];
        static_cast<void>(warp::reduce_scatter(warp, numbers, warp::Maximum{}));
        report.largest[lane] = numbers[0];
    }

    static void check(const WarpCase& input, const Report& report) {
        if (input.mask != warp::full_mask) return;
        double sum = 0;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) sum += input.values[lane][0];
        int next = 0;  // components are in the order of lanes
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            const int k = report.component[lane];
            if (k == K) continue;
            ASSERT_EQ(k, next++) << "lane " << lane;
            EXPECT_EQ(report.sum[lane], (k + 1) * sum) << "lane " << lane;
            std::uint32_t largest = 0;
            for (const std::uint32_t number : input.numbers)
                largest = std::max(largest, number ^ static_cast<std::uint32_t>(k));
            EXPECT_EQ(report.largest[lane], largest) << "lane " << lane;
        }
        EXPECT_EQ(next, K);
    }
};

/// The broadcast for any mask; the shuffles within sub-warps in whole warps, since their sources must be
/// there.
template <unsigned Width>
struct Shuffles {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "shuffles_" + std::to_string(Width); }
    struct Report {
        std::uint32_t broadcast[warp::warp_size];
        std::uint32_t within[warp::warp_size];
        std::uint32_t up[warp::warp_size];
        double down[warp::warp_size];
    };
    static constexpr unsigned delta = 3 * Width / 4;

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Atomics) {
        const unsigned lane = warp.lane();
        report.broadcast[lane] = warp::broadcast(warp, input.mask, input.numbers[lane]);
        if (input.mask != warp::full_mask) return;
        report.within[lane] =
            warp::shfl_within<Width>(warp, input.mask, input.numbers[lane], lane / 5 % Width);
        report.up[lane] = warp::shfl_up_within<Width>(warp, input.mask, input.numbers[lane], delta);
        report.down[lane] = warp::shfl_down_within<Width>(warp, input.mask, input.values[lane][0], delta);
    }

    static void check(const WarpCase& input, const Report& report) {
        for (const auto& ordered : lanes_in_order(input.mask, Width)) {
            const unsigned lane = ordered.lane;
            EXPECT_EQ(report.broadcast[lane], input.numbers[warp::lowest_lane(input.mask)]);
            if (input.mask == warp::full_mask) {
                const unsigned start = lane / Width * Width;
                const unsigned below = lane - start >= delta ? lane - delta : lane;
                const unsigned above = lane - start + delta < Width ? lane + delta : lane;
                EXPECT_EQ(report.within[lane], input.numbers[start + lane / 5 % Width]) << "lane " << lane;
                EXPECT_EQ(report.up[lane], input.numbers[below]) << "lane " << lane;
                EXPECT_EQ(report.down[lane], input.values[above][0]) << "lane " << lane;
            }
        }
    }
};

}  // namespace mpcflow::test
