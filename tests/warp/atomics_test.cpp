/// Memory that many lanes write, in the emulator: contention, and the error of two floats.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/warp/atomics.hpp"
#include "tests/support/emulated_atomics.hpp"
#include "tests/support/warp_emulator.hpp"

namespace mpcflow::test {
namespace {

using warp::full_mask;

TEST(Atomics, compare_and_swap_loops_meet_contention_and_lose_nothing) {
    bool has_ever_failed = false;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        double sum = 0;
        unsigned swaps = 0;
        struct Counting : EmulatedAtomics {
            unsigned* count;
            Counting(const EmulatedWarp& warp, unsigned* counter) : EmulatedAtomics{warp}, count{counter} {}
            unsigned long long compare_and_swap(unsigned long long* at, unsigned long long expected,
                                                unsigned long long desired) const {
                ++*count;
                return EmulatedAtomics::compare_and_swap(at, expected, desired);
            }
            using EmulatedAtomics::compare_and_swap;
        };
        run_warp(seed, full_mask, [&](EmulatedWarp& warp) {
            const double old = warp::add_by_compare_and_swap(Counting{warp, &swaps}, &sum, 1.0 + warp.lane());
            EXPECT_LT(old, sum);
        });
        EXPECT_EQ(sum, 32.0 * 33 / 2);
        has_ever_failed = has_ever_failed || swaps > 32;
    }
    EXPECT_TRUE(has_ever_failed);
}

TEST(Atomics, a_sum_that_is_not_a_number_does_not_hold_up_the_swap_loop) {
    double sum = std::nan("");
    run_warp(1, full_mask, [&](EmulatedWarp& warp) {
        static_cast<void>(warp::add_by_compare_and_swap(EmulatedAtomics{warp}, &sum, 1.0));
    });
    EXPECT_TRUE(std::isnan(sum));
}

TEST(TwoFloats, hold_48_bits) {
    std::mt19937_64 random{5};
    std::uniform_real_distribution<double> exponent{-102, 126};
    std::uniform_real_distribution<double> significand{1, 2};
    double largest = 0;
    for (int i = 0; i < 100000; ++i) {
        const double value =
            (i % 2 == 0 ? 1 : -1) * std::ldexp(significand(random), static_cast<int>(exponent(random)));
        const double error = std::abs(warp::TwoFloats::split(value).value() - value) / std::abs(value);
        ASSERT_LE(error, 0x1p-48) << value;
        largest = std::max(largest, error);
    }
    EXPECT_GT(largest, 0x1p-50);  // the bound is not far off
}

// Of many additions of `magnitude(i)`, in parts of what add_two_floats promises.
template <class Magnitude>
double error_in_bounds(std::uint64_t seed, int adds, Magnitude magnitude) {
    std::mt19937_64 random{seed};
    std::uniform_real_distribution<double> uniform{-1, 1};
    std::vector<double> values(static_cast<std::size_t>(32 * adds));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = magnitude(i) * (0.1 + uniform(random));
    warp::TwoFloats sum;
    double largest = 0;
    run_warp(seed, full_mask, [&](EmulatedWarp& warp) {
        for (int i = 0; i < adds; ++i) {
            const double value = values[static_cast<std::size_t>(i) * 32 + warp.lane()];
            warp::add_two_floats(EmulatedAtomics{warp}, &sum, value);
            largest = std::max({largest, std::abs(value), std::abs(static_cast<double>(sum.high))});
        }
    });
    long double exact = 0;
    for (const double value : values) exact += value;
    const double n = 32.0 * adds;
    const double bound = n * (n + 5) * 0x1p-48 * largest + n * 0x1p-123;
    const double error = static_cast<double>(std::abs(exact - sum.value()));
    // The bound says something: the first addition to one float can be off by more.
    EXPECT_TRUE(bound < 0x1p-25 * largest || largest < 1e-20);
    return error / bound;
}

TEST(TwoFloats, sums_stay_within_the_bound_in_any_order) {
    double largest = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        for (const int adds : {1, 4, 20}) {
            largest = std::max(largest, error_in_bounds(
                                            seed, adds, [](std::size_t) { return 1.0; }));
            largest = std::max(largest, error_in_bounds(seed, adds, [](std::size_t) { return 1e-30; }));
            // Very different magnitudes, large ones that cancel among them.
            largest =
                std::max(largest, error_in_bounds(seed, adds, [](std::size_t i) {
                             return std::ldexp(1.0, static_cast<int>(i * 7 % 40)) * (i % 3 == 0 ? -1 : 1);
                         }));
        }
    }
    EXPECT_LE(largest, 1.0);
    EXPECT_GT(largest, 0.0);
}

TEST(TwoFloats, what_the_large_float_rounds_off_is_kept) {
    // 2^24 + 1 is no float: of a thousand additions of 1 to 2^24 one float keeps none.
    warp::TwoFloats sum = warp::TwoFloats::split(0x1p24);
    run_warp(3, full_mask, [&](EmulatedWarp& warp) {
        for (int i = 0; i < 32; ++i) warp::add_two_floats(EmulatedAtomics{warp}, &sum, 1.0);
    });
    EXPECT_EQ(sum.value(), 0x1p24 + 1024);
}

}  // namespace
}  // namespace mpcflow::test
