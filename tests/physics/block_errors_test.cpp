/// Standard errors of averages over blocks of time, against processes whose averages have known variances.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/block_averages.hpp"
#include "physics/observables/block_errors.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

/// From their mean.
std::vector<double> deviations(std::vector<double> numbers) {
    double mean = 0.0;
    for (const double number : numbers) mean += number / static_cast<double>(numbers.size());
    for (double& number : numbers) number -= mean;
    return numbers;
}

/// variance_of_sum() of blocks that are taken as independent.
double scatter(const std::vector<double>& deviations) {
    const auto n = static_cast<double>(deviations.size());
    double squares = 0.0;
    for (const double deviation : deviations) squares += deviation * deviation;
    return n / (n - 1.0) * squares;
}

TEST(BlockErrors, are_the_scatter_of_few_or_equal_blocks) {
    std::vector<double> none;
    EXPECT_TRUE(std::isnan(variance_of_sum(none)));
    std::vector<double> one{0.0};
    EXPECT_TRUE(std::isnan(variance_of_sum(one)));
    std::vector<double> two{-3.0, 3.0};
    EXPECT_EQ(variance_of_sum(two), 2.0 * 18.0);
    // So few say nothing of their correlation.
    std::vector<double> seven{-3, -2, -1, 0, 1, 2, 3};
    EXPECT_DOUBLE_EQ(variance_of_sum(seven), 7.0 / 6.0 * 28.0);
    std::vector<double> equal(64, 0.0);
    EXPECT_EQ(variance_of_sum(equal), 0.0);
    std::vector<double> broken(64, std::nan(""));
    EXPECT_TRUE(std::isnan(variance_of_sum(broken)));
}

TEST(BlockErrors, take_neighbours_together_that_are_alike) {
    // Eight that rise: pairs are -12, -4, 4, 12. Of nine the last three.
    std::vector<double> eight{-7, -5, -3, -1, 1, 3, 5, 7};
    EXPECT_DOUBLE_EQ(variance_of_sum(eight), 4.0 / 3.0 * 2.0 * (144.0 + 16.0));
    std::vector<double> nine{-4, -3, -2, -1, 0, 1, 2, 3, 4};
    EXPECT_DOUBLE_EQ(variance_of_sum(nine), 4.0 / 3.0 * (49.0 + 9.0 + 1.0 + 81.0));
}

TEST(BlockErrors, of_independent_blocks_are_right) {
    for (const int blocks : {8, 16, 33, 63, 64}) {
        std::mt19937_64 generator(static_cast<unsigned>(blocks));
        std::normal_distribution<double> gauss;
        Moments ratios;
        constexpr int trials = 4000;
        int beyond_three = 0;
        for (int trial = 0; trial < trials; ++trial) {
            std::vector<double> numbers(static_cast<std::size_t>(blocks));
            double sum = 0.0;
            for (double& number : numbers) sum += number = gauss(generator);
            std::vector<double> around = deviations(numbers);
            const double variance = variance_of_sum(around);
            ratios.add(variance / blocks);
            beyond_three += std::abs(sum) > 3.0 * std::sqrt(variance) ? 1 : 0;
        }
        // Of Student's distribution of n - 1 freedoms: 2.0 % for eight, 0.9 % for 16, 0.4 % for 64. Where
        // blocks were taken together by chance there are fewer, and some more are beyond.
        const double student = blocks == 8 ? 0.020 : (blocks == 16 ? 0.009 : 0.005);
        EXPECT_LT(beyond_three, trials * (student + 0.005) + sigmas * std::sqrt(trials * student)) << blocks;
        // To have chosen by the correlation changes the mean by a few per cent at most.
        EXPECT_NEAR(ratios.mean(), 1.0, sigmas * ratios.standard_error() + 0.05) << blocks;
    }
}

// Of x' = c x + noise, whose blocks have the length of a run of 2048 over 64. With c = 0.95 these are 1.6
// times its memory, 1 / (1 - c), with 0.99 a third.
TEST(BlockErrors, of_short_runs_know_what_these_remember) {
    constexpr std::int64_t samples = 2048;
    const auto expect = [](double c, double least, double least_by_scatter, double most_by_scatter) {
        double variance = 0.0;
        for (std::int64_t lag = -samples + 1; lag < samples; ++lag)
            variance += static_cast<double>(samples - std::abs(lag)) *
                        std::pow(c, static_cast<double>(std::abs(lag))) /
                        static_cast<double>(samples * samples);
        std::mt19937_64 generator(11);
        std::normal_distribution<double> gauss;
        Moments ratios, by_scatter;
        for (int trial = 0; trial < 400; ++trial) {
            BlockAverages averages(1);
            double x = gauss(generator);
            std::vector<double> blocks(64);
            for (std::int64_t i = 0; i < samples; ++i) {
                averages.add({&x, 1});
                blocks[static_cast<std::size_t>(i / 32)] += x;
                x = c * x + std::sqrt(1.0 - c * c) * gauss(generator);
            }
            const double error = averages.estimates().error[0];
            ratios.add(error * error / variance);
            by_scatter.add(scatter(deviations(blocks)) / (samples * samples) / variance);
        }
        EXPECT_GT(ratios.mean(), least) << c;
        EXPECT_LT(ratios.mean(), 1.1) << c;
        EXPECT_GT(by_scatter.mean(), least_by_scatter) << c;
        EXPECT_LT(by_scatter.mean(), most_by_scatter) << c;
    };
    expect(0.95, 0.8, 0.45, 0.55);
    expect(0.99, 0.6, 0.1, 0.2);
}

// What a wall takes in a step it gives back in the next one: the blocks of a short run are against each
// other.
TEST(BlockErrors, of_what_cancels_are_small) {
    constexpr int samples = 64;
    std::mt19937_64 generator(12);
    std::normal_distribution<double> gauss;
    Moments ratios, by_scatter;
    for (int trial = 0; trial < 1000; ++trial) {
        std::vector<double> numbers(samples);
        double last = gauss(generator);
        for (double& number : numbers) {
            const double now = gauss(generator);
            number = now - 0.8 * last;
            last = now;
        }
        std::vector<double> around = deviations(numbers);
        // Of the sum of many: 0.2^2 for each.
        constexpr double variance = samples * 0.04;
        by_scatter.add(scatter(around) / variance);
        ratios.add(variance_of_sum(around) / variance);
    }
    EXPECT_GT(by_scatter.mean(), 35.0);
    EXPECT_LT(ratios.mean(), 18.0);
    EXPECT_GT(ratios.mean(), 1.0);
}

}  // namespace
}  // namespace mpcflow::test
