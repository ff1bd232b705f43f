/// Correlators: against brute force, against processes whose correlation is known, over restarts and bursts.

#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tests/physics/multiple_tau_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

/// The square of the way of the first number, and the product of the first with the second.
void way_and_cross(std::span<const double> a, std::span<const double> b, std::span<double> products) {
    products[0] = (b[0] - a[0]) * (b[0] - a[0]);
    products[1] = a[0] * b[1];
}

/// x' = c x + noise, variance 1: the correlation at lag n is c^n.
std::vector<double> autoregressive(std::int64_t samples, double c, std::mt19937_64& generator) {
    std::normal_distribution<double> gauss;
    std::vector<double> signal{gauss(generator)};
    while (static_cast<std::int64_t>(signal.size()) < samples)
        signal.push_back(c * signal.back() + std::sqrt(1.0 - c * c) * gauss(generator));
    return signal;
}

/// What the header promises of level l, from the signal coarsened as a whole.
void expect_brute_force(const std::vector<std::vector<double>>& signal, const MultipleTauOptions& options,
                        const CorrelationFunction& correlation) {
    std::vector<std::vector<double>> level = signal;
    std::size_t next = 0;
    for (int l = 0; !level.empty() && l < options.most_levels; ++l) {
        for (int j = l == 0 ? 0 : options.points / 2; j < options.points; ++j) {
            std::vector<double> sum(2);
            std::int64_t pairs = 0;
            for (std::size_t t = j; t < level.size(); ++t, ++pairs) {
                std::vector<double> products(2);
                way_and_cross(level[t - j], level[t], products);
                for (int k = 0; k < 2; ++k) sum[k] += products[k];
            }
            if (pairs == 0) continue;
            ASSERT_LT(next, correlation.lag.size());
            EXPECT_EQ(correlation.lag[next], std::int64_t{j} << l);
            EXPECT_EQ(correlation.pairs[next], pairs);
            for (std::size_t k = 0; k < 2; ++k) {
                // Products of a walk of n steps are about n; so are the roundings of their sums, relatively.
                const double mean = sum[k] / static_cast<double>(pairs);
                const double rounding = 1e-13 * static_cast<double>(signal.size());
                EXPECT_NEAR(correlation.mean[2 * next + k], mean, rounding)
                    << "lag " << correlation.lag[next];
            }
            ++next;
        }
        std::vector<std::vector<double>> coarse;
        for (std::size_t t = 0; t + 1 < level.size(); t += 2) {
            std::vector<double> sample = level[t];
            if (options.coarsening == Coarsening::average)
                for (std::size_t k = 0; k < sample.size(); ++k)
                    sample[k] = 0.5 * (level[t][k] + level[t + 1][k]);
            coarse.push_back(sample);
        }
        level = coarse;
    }
    EXPECT_EQ(next, correlation.lag.size());
}

TEST(MultipleTau, agrees_with_brute_force) {
    for (const Coarsening coarsening : {Coarsening::average, Coarsening::decimate}) {
        for (const int points : {2, 4, 16}) {
            for (const int samples : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 1000}) {
                SCOPED_TRACE(testing::Message() << points << " points, " << samples << " samples");
                const MultipleTauOptions options = with_points(coarsening, points);
                MultipleTau correlator({2, 2}, options, way_and_cross);
                const auto signal = make_signal(samples, 2, 1);
                for (const auto& sample : signal) correlator.add(sample);
                EXPECT_EQ(correlator.samples(), samples);
                expect_brute_force(signal, options, correlator.correlation());
            }
        }
    }
}

TEST(MultipleTau, levels_end_where_they_are_told_to) {
    MultipleTauOptions options = with_points(Coarsening::decimate, 4);
    options.most_levels = 3;
    MultipleTau correlator({2, 2}, options, way_and_cross);
    const auto signal = make_signal(200, 2, 1);
    for (const auto& sample : signal) correlator.add(sample);
    EXPECT_EQ(correlator.correlation().lag, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 8, 12}));
    expect_brute_force(signal, options, correlator.correlation());
}

TEST(MultipleTau, bursts_are_pairs_of_their_own) {
    MultipleTau correlator({2, 2}, with_points(Coarsening::decimate, 4), way_and_cross);
    std::vector<double> sums(20), pairs(20);
    for (const int length : {5, 1, 0, 7, 3}) {
        correlator.begin_burst();
        const auto signal = make_signal(length, 2, 10U + static_cast<unsigned>(length));
        for (const auto& sample : signal) correlator.add(sample);
        for (int lag = 0; lag < 4; ++lag)
            for (int t = lag; t < length; ++t, ++pairs[lag]) sums[lag] += signal[t - lag][0] * signal[t][1];
        // Level 1 pairs every second sample; the last one of an odd burst stays alone.
        for (int t = 4; t + 1 < length; t += 2, ++pairs[4]) sums[4] += signal[t - 4][0] * signal[t][1];
    }
    const CorrelationFunction correlation = correlator.correlation();
    ASSERT_EQ(correlation.lag, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(static_cast<double>(correlation.pairs[i]), pairs[i]);
        EXPECT_NEAR(correlation.mean[2 * i + 1], sums[i] / pairs[i], 1e-12);
    }
}

TEST(MultipleTau, white_noise_is_uncorrelated) {
    constexpr std::int64_t samples = 1 << 16;
    for (const Coarsening coarsening : {Coarsening::average, Coarsening::decimate}) {
        MultipleTau correlator({1, 1}, with_points(coarsening, 16), multiply);
        std::mt19937_64 generator(3);
        std::normal_distribution<double> gauss;
        for (std::int64_t t = 0; t < samples; ++t) correlator.add(std::vector<double>{gauss(generator)});
        const CorrelationFunction correlation = correlator.correlation();
        // Products of independent numbers of variance s^2 have the variance s^4, at lag 0 twice that.
        EXPECT_TRUE(is_near(correlation.mean[0], 1.0, std::sqrt(2.0 / samples)));
        for (std::size_t i = 1; i < correlation.lag.size(); ++i) {
            const double level = i < 16 ? 1.0 : static_cast<double>(std::int64_t{1} << (i / 8 - 1));
            const double variance = coarsening == Coarsening::average ? 1.0 / level : 1.0;
            const double error = variance / std::sqrt(static_cast<double>(correlation.pairs[i]));
            EXPECT_TRUE(is_near(correlation.mean[i], 0.0, error)) << "lag " << correlation.lag[i];
        }
    }
}

// Over many trials: the mean is that of theory, and the mean of error^2 is the mean of the squared deviation.
void expect_autoregressive(Coarsening coarsening) {
    constexpr double c = 0.9;
    constexpr int trials = 400;
    constexpr std::int64_t samples = 4096;
    std::mt19937_64 generator(4);
    std::vector<Moments> means(40), errors_squared(40), deviations_squared(40);
    std::vector<std::int64_t> lags;
    // A lag n at level l means, averaged: sums over the pairs of 2^l x 2^l samples around.
    const auto theory = [&](std::size_t i) {
        const std::int64_t width =
            i < 16 || coarsening == Coarsening::decimate ? 1 : std::int64_t{1} << (i / 8 - 1);
        double sum = 0.0;
        for (std::int64_t a = 0; a < width; ++a)
            for (std::int64_t b = 0; b < width; ++b) sum += std::pow(c, std::abs(lags[i] + a - b));
        return sum / static_cast<double>(width * width);
    };
    for (int trial = 0; trial < trials; ++trial) {
        MultipleTau correlator({1, 1}, with_points(coarsening, 16), multiply);
        for (const double x : autoregressive(samples, c, generator)) correlator.add(std::span(&x, 1));
        const CorrelationFunction correlation = correlator.correlation();
        lags = correlation.lag;
        for (std::size_t i = 0; i < 40; ++i) {
            const double deviation = correlation.mean[i] - theory(i);
            means[i].add(correlation.mean[i]);
            errors_squared[i].add(correlation.error[i] * correlation.error[i]);
            deviations_squared[i].add(deviation * deviation);
        }
    }
    for (std::size_t i = 0; i < 40; ++i) {
        SCOPED_TRACE(testing::Message() << "lag " << lags[i]);
        EXPECT_TRUE(has_mean(means[i], theory(i)));
        // Neighbouring blocks share a little memory, 10 samples of at least 128: errors up to 10 % too small.
        const double expected = deviations_squared[i].mean();
        const double noise =
            std::hypot(deviations_squared[i].standard_error(), errors_squared[i].standard_error());
        EXPECT_NEAR(errors_squared[i].mean(), expected, sigmas * noise + 0.2 * expected);
    }
}

TEST(MultipleTau, correlation_and_errors_of_a_process_with_memory) {
    expect_autoregressive(Coarsening::average);
}
TEST(MultipleTau, correlation_and_errors_of_one_decimated) { expect_autoregressive(Coarsening::decimate); }

TEST(MultipleTau, the_error_of_a_running_integral) {
    // White noise: the sum of the means of lags 1 ... 15 has the variance 15 / samples, each lag of its own.
    constexpr int trials = 300;
    constexpr std::int64_t samples = 2000;
    std::mt19937_64 generator(5);
    std::normal_distribution<double> gauss;
    Moments values, errors_squared;
    for (int trial = 0; trial < trials; ++trial) {
        MultipleTau correlator({1, 1}, {}, multiply);
        for (std::int64_t t = 0; t < samples; ++t) correlator.add(std::vector<double>{gauss(generator)});
        const auto integral = [](std::span<const double> means) {
            double sum = 0.0;
            for (std::size_t i = 1; i < 16; ++i) sum += means[i];
            return std::vector<double>{sum, means[0]};
        };
        const Estimates estimates = correlator.jackknife(integral, 15);
        values.add(estimates.value[0]);
        errors_squared.add(estimates.error[0] * estimates.error[0]);
        EXPECT_EQ(estimates.value[1], correlator.correlation().mean[0]);
    }
    EXPECT_TRUE(has_mean(values, 0.0));
    const double expected = 15.0 / samples;
    EXPECT_NEAR(values.variance(), expected, sigmas * expected * std::sqrt(2.0 / trials));
    // The jackknife of a ratio is biased upwards by the order of 1 / blocks.
    EXPECT_NEAR(errors_squared.mean(), expected, sigmas * errors_squared.standard_error() + expected / 30.0);
}

TEST(MultipleTau, the_jackknife_of_a_mean_is_its_error) {
    MultipleTau correlator({2, 2}, {}, multiply);
    for (const auto& sample : make_signal(64 * 16, 2, 6)) correlator.add(sample);
    const CorrelationFunction correlation = correlator.correlation();
    const auto same = [](std::span<const double> means) {
        return std::vector<double>(means.begin(), means.end());
    };
    const Estimates estimates = correlator.jackknife(same, 0);
    // Lag 0 has equal numbers of pairs in all blocks, where both formulas are one.
    EXPECT_NEAR(estimates.error[1], correlation.error[1], 1e-12 * correlation.error[1]);
    EXPECT_EQ(estimates.value, correlation.mean);
    for (std::size_t i = 2; i < estimates.error.size(); ++i)
        EXPECT_TRUE(std::isnan(estimates.error[i])) << i << " is not of lag 0";
}

// Blocks of 32 samples, which is 1.6 times the memory: both take some together.
TEST(MultipleTau, the_jackknife_knows_of_memory) {
    std::mt19937_64 generator(9);
    MultipleTau correlator(
        {1, 1}, {Coarsening::average, 2, 1},
        [](auto, std::span<const double> now, std::span<double> product) { product[0] = now[0]; });
    for (const double x : autoregressive(64 * 32, 0.95, generator)) correlator.add(std::span(&x, 1));
    const CorrelationFunction correlation = correlator.correlation();
    const auto same = [](std::span<const double> means) {
        return std::vector<double>(means.begin(), means.end());
    };
    EXPECT_NEAR(correlator.jackknife(same, 0).error[0], correlation.error[0], 1e-12 * correlation.error[0]);
    // The scatter of blocks by itself says 0.7 of it on average.
    const double variance = (1.0 + 0.95) / (1.0 - 0.95) / (64 * 32);
    EXPECT_GT(correlation.error[0] * correlation.error[0], 0.75 * variance);
}

TEST(MultipleTau, few_samples_have_no_errors) {
    MultipleTau correlator({1, 1}, {}, multiply);
    EXPECT_TRUE(correlator.correlation().lag.empty());
    const auto nothing = [](std::span<const double> means) {
        return std::vector<double>{double(means.size())};
    };
    EXPECT_EQ(correlator.jackknife(nothing, 0).value[0], 0.0);
    correlator.add(std::vector<double>{2.0});
    const CorrelationFunction one = correlator.correlation();
    ASSERT_EQ(one.mean, std::vector<double>{4.0});
    EXPECT_TRUE(std::isnan(one.error[0]));
    EXPECT_TRUE(std::isnan(correlator.jackknife(nothing, 0).error[0]));
    for (int i = 0; i < 10; ++i) correlator.add(std::vector<double>{double(i)});
    const CorrelationFunction ten = correlator.correlation();
    ASSERT_EQ(ten.lag.back(), 10);
    EXPECT_FALSE(std::isnan(ten.error[0]));
    EXPECT_TRUE(std::isnan(ten.error.back())) << "11 samples cannot tell the error of lag 10";
}

TEST(MultipleTau, blocks_stay_few_and_lose_no_pair) {
    for (const std::int64_t samples : {1, 63, 64, 65, 128, 129, 5000}) {
        MultipleTau correlator({1, 1}, {}, multiply);
        for (std::int64_t t = 0; t < samples; ++t) correlator.add(std::vector<double>{1.0});
        EXPECT_EQ(correlator.samples(), samples);
        EXPECT_LE(samples, 64 * correlator.block_samples());
        EXPECT_GT(samples, samples > 64 ? 32 * correlator.block_samples() : 0);
        const CorrelationFunction correlation = correlator.correlation();
        EXPECT_EQ(correlation.pairs[0], samples);
        for (const double mean : correlation.mean) EXPECT_EQ(mean, 1.0);
    }
}

}  // namespace
}  // namespace mpcflow::test
