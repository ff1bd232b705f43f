/// Averages and errors by blocking, against numbers made with known statistics.

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "physics/observables/field_statistics.hpp"

namespace mpcflow {
namespace {

FieldBlock block_of(std::int64_t samples, const FieldSums& sums) { return {samples, {sums}}; }

/// Feeds `samples` one by one into blocks of the lengths that the statistics ask for, as a run does.
template <typename MakeSample>
void feed(FieldStatistics& statistics, std::int64_t samples, MakeSample make_sample) {
    FieldBlock block = block_of(0, {});
    for (std::int64_t i = 0; i < samples; ++i) {
        const FieldSums sample = make_sample();
        FieldSums& sum = block.bins[0];
        sum.particles += sample.particles;
        for (std::size_t axis = 0; axis < 3; ++axis) sum.momentum[axis] += sample.momentum[axis];
        sum.relative_energy += sample.relative_energy;
        sum.relative_freedoms += sample.relative_freedoms;
        if (++block.samples < statistics.block_samples()) continue;
        statistics.add(block);
        block = block_of(0, {});
    }
    statistics.add(block);
}

TEST(BlockPlan, KnowsTheLengthsWithoutTheBlocks) {
    for (const std::int64_t most : {2, 4, 16}) {
        FieldStatistics statistics({1}, most);
        BlockPlan plan = statistics.block_plan();
        for (int i = 0; i < 100; ++i) {
            // Whole blocks and parts of them.
            const std::int64_t samples = std::min<std::int64_t>(plan.room(), 1 + i % 5);
            EXPECT_EQ(plan.room(), statistics.block_plan().room()) << i;
            statistics.add(FieldBlock{samples, std::vector<FieldSums>(1), {}});
            plan.add(samples);
            if (i % 41 == 7) plan = statistics.block_plan();
        }
    }
}

TEST(FieldStatistics, AveragesOfAHandMadeCase) {
    FieldStatistics statistics({1}, 64);
    statistics.add(block_of(1, {10.0, {20.0, 0.0, -10.0}, 27.0, 27.0}));
    statistics.add(block_of(1, {30.0, {0.0, 0.0, -30.0}, 87.0, 87.0}));
    const FieldAverages averages = statistics.averages(2.0, std::array{2.0});
    EXPECT_EQ(averages.samples, 2);
    EXPECT_EQ(averages.blocks, 2);
    EXPECT_DOUBLE_EQ(averages.density[0], 10.0);       // 40 particles in 2 samples of volume 2
    EXPECT_DOUBLE_EQ(averages.density_error[0], 5.0);  // of the mean of 5 and 15
    EXPECT_DOUBLE_EQ(averages.velocity[0], 0.25);      // 20 / (2 x 40)
    EXPECT_DOUBLE_EQ(averages.velocity[2], -0.5);
    EXPECT_DOUBLE_EQ(averages.velocity_error[2], 0.0);  // the same in both blocks
    EXPECT_DOUBLE_EQ(averages.temperature[0], 2.0);
    // d = A - R B of the ratio: 10 - 2.5 and 0 - 7.5; sqrt(2 (2 x 7.5^2)) / 40.
    EXPECT_DOUBLE_EQ(averages.velocity_error[0], 15.0 / 40.0);
}

TEST(FieldStatistics, EmptyBinsAreNotNumbersButHaveADensity) {
    FieldStatistics statistics({1}, 64);
    statistics.add(block_of(3, {}));
    statistics.add(block_of(3, {}));
    const FieldAverages averages = statistics.averages(1.0, std::array{1.0});
    EXPECT_EQ(averages.density[0], 0.0);
    EXPECT_EQ(averages.density_error[0], 0.0);
    EXPECT_TRUE(std::isnan(averages.velocity[0]));
    EXPECT_TRUE(std::isnan(averages.velocity_error[0]));
    EXPECT_TRUE(std::isnan(averages.temperature[0]));
}

TEST(FieldStatistics, ALoneParticleHasAVelocityButNoTemperature) {
    FieldStatistics statistics({1}, 64);
    statistics.add(block_of(1, {1.0, {3.0, 0.0, 0.0}, 0.0, 0.0}));
    const FieldAverages averages = statistics.averages(1.0, std::array{1.0});
    EXPECT_EQ(averages.velocity[0], 3.0);
    EXPECT_TRUE(std::isnan(averages.velocity_error[0])) << "one block has no error";
    EXPECT_TRUE(std::isnan(averages.temperature[0]));
}

TEST(FieldStatistics, PressureIsTheFluxLessItsConvection) {
    // Two blocks of one bin of volume 2 and particles of mass 3.
    const auto block = [](std::int64_t samples, const PressureSums& sums) {
        return FieldBlock{samples, std::vector<FieldSums>(1), {sums}};
    };
    FieldStatistics statistics({1, PressureFields::sampled}, 64);
    statistics.add(block(1, {4.0, {12.0, 6.0, 0.0}, {50, 20, 30, 40, 5, 7}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}));
    statistics.add(block(1, {6.0, {24.0, 12.0, 3.0}, {70, 30, 30, 60, 9, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}}));
    const FieldAverages averages = statistics.averages(2.0, std::array{3.0});
    // xx yy zz xy xz yz: 120 50 60 100 14 10; momentum 36, 18, 3 of 10 particles.
    const double kinetic[9] = {120, 100, 14, 100, 50, 10, 14, 10, 60};
    const double momentum[3] = {36, 18, 3};
    for (std::size_t ab = 0; ab < 9; ++ab) {
        const double flux =
            kinetic[ab] + static_cast<double>(ab) + 1.0 - momentum[ab / 3] * momentum[ab % 3] / 30.0;
        EXPECT_NEAR(averages.pressure_tensor.at(ab), flux / 4.0, 1e-12) << ab;
    }
    // zz: u_z = 0.1, blocks 30 + 9 + 0.12 and 30 - 0.6 + 0.18, each over the volume 2; n / (n - 1) = 2.
    const double residual = 0.5 * ((39.0 + 0.12) - (30.0 - 0.6 + 0.18));
    EXPECT_NEAR(averages.pressure_tensor_error.at(8), std::sqrt(2.0 * 2.0 * residual * residual) / 4.0,
                1e-12);

    EXPECT_THROW(statistics.add({1, std::vector<FieldSums>(1)}), std::invalid_argument);
    EXPECT_TRUE(FieldStatistics({1}, 64).averages(1.0, std::array{1.0}).pressure_tensor.empty());
}

TEST(FieldStatistics, PressureOfMergedBlocksIsThatOfAll) {
    FieldStatistics statistics({1, PressureFields::sampled}, 2);
    for (int i = 0; i < 8; ++i) {
        const double x = i;
        statistics.add({statistics.block_samples(),
                        std::vector<FieldSums>(1),
                        {{1.0, {0.0, 0.0, 0.0}, {x, x, x, x, x, x}, {x, x, x, x, x, x, x, x, x}}}});
    }
    // Blocks became twice as long three times: each sum stands for 1, 1, 2, 4 ... samples.
    EXPECT_EQ(statistics.blocks().size(), 1U);
    double samples = 0.0;
    double sum = 0.0;
    for (const FieldBlock& b : statistics.blocks()) {
        samples += static_cast<double>(b.samples);
        sum += b.pressure[0].kinetic[3] + b.pressure[0].collisional[1];
    }
    EXPECT_EQ(sum, 2.0 * 28.0);
    EXPECT_EQ(statistics.averages(1.0, std::array{1.0}).pressure_tensor.at(1), sum / samples);
}

TEST(FieldStatistics, NoSamplesGiveNoNumbers) {
    const FieldAverages averages = FieldStatistics({2}, 64).averages(1.0, std::array{1.0});
    EXPECT_EQ(averages.samples, 0);
    ASSERT_EQ(averages.density.size(), 2U);
    EXPECT_TRUE(std::isnan(averages.density[1]));
}

TEST(FieldStatistics, BlocksStayFewAndLoseNoSample) {
    for (const std::int64_t samples : {1, 63, 64, 65, 127, 128, 1000, 4097}) {
        FieldStatistics statistics({1}, 64);
        feed(statistics, samples, [] { return FieldSums{2.0, {1.0, 0.0, 0.0}, 1.5, 3.0}; });
        const FieldAverages averages = statistics.averages(1.0, std::array{1.0});
        EXPECT_EQ(averages.samples, samples);
        EXPECT_LT(averages.blocks, 64);
        if (samples >= 64) EXPECT_GE(averages.blocks, 32);
        EXPECT_DOUBLE_EQ(averages.density[0], 2.0);
        EXPECT_DOUBLE_EQ(averages.temperature[0], 1.0);
    }
}

TEST(FieldStatistics, ErrorsOfIndependentSamplesAreRight) {
    // Gaussian momentum of variance 1 a particle, 10 particles: the mean velocity of n samples has the
    // error 1 / sqrt(10 n). The mean of error^2 over many bins must be its square.
    constexpr int trials = 400;
    constexpr std::int64_t samples = 1000;
    std::mt19937_64 generator(1);
    std::normal_distribution<double> gauss;
    double mean_square_error = 0.0;
    double mean_square_deviation = 0.0;
    for (int trial = 0; trial < trials; ++trial) {
        FieldStatistics statistics({1}, 64);
        feed(statistics, samples, [&] {
            return FieldSums{10.0, {std::sqrt(10.0) * gauss(generator), 0.0, 0.0}, 0.0, 0.0};
        });
        const FieldAverages averages = statistics.averages(1.0, std::array{1.0});
        mean_square_error += averages.velocity_error[0] * averages.velocity_error[0] / trials;
        mean_square_deviation += averages.velocity[0] * averages.velocity[0] / trials;
    }
    const double expected = 1.0 / (10.0 * samples);
    // Variance estimates of at least 31 freedoms each, 4.5 sigma of their mean; the deviations have one each.
    EXPECT_NEAR(mean_square_error, expected, 4.5 * expected * std::sqrt(2.0 / (31.0 * trials)));
    EXPECT_NEAR(mean_square_deviation, expected, 4.5 * expected * std::sqrt(2.0 / trials));
}

TEST(FieldStatistics, ErrorsOfCorrelatedSamplesAreRight) {
    // x' = c x + noise, variance 1, correlation time 1 / (1 - c): the mean of n samples has the variance
    // (1 + c) / (1 - c) / n. Blocks of 128 samples and more are much longer than the 10 of memory.
    constexpr double c = 0.9;
    constexpr int trials = 200;
    constexpr std::int64_t samples = 4096;
    std::mt19937_64 generator(2);
    std::normal_distribution<double> gauss;
    double mean_square_error = 0.0;
    for (int trial = 0; trial < trials; ++trial) {
        FieldStatistics statistics({1}, 64);
        double x = gauss(generator);
        feed(statistics, samples, [&] {
            x = c * x + std::sqrt(1.0 - c * c) * gauss(generator);
            return FieldSums{1.0, {x, 0.0, 0.0}, 0.0, 0.0};
        });
        const double error = statistics.averages(1.0, std::array{1.0}).velocity_error[0];
        mean_square_error += error * error / trials;
    }
    const double expected = (1.0 + c) / (1.0 - c) / samples;
    // Finite blocks of b samples miss 2c / (1 - c^2) / b of it: 7 % at 128.
    EXPECT_NEAR(mean_square_error, expected, 0.12 * expected);
}

TEST(FieldStatistics, ErrorOfARatioKnowsThatNumeratorAndDenominatorMoveTogether) {
    // Every particle has velocity exactly 1 but their number fluctuates: the velocity is certain.
    std::mt19937_64 generator(3);
    std::poisson_distribution<int> poisson(10.0);
    FieldStatistics statistics({1}, 64);
    feed(statistics, 1000, [&] {
        const double n = poisson(generator);
        return FieldSums{n, {n, 0.0, 0.0}, 1.5 * n, 3.0 * n};
    });
    const FieldAverages averages = statistics.averages(1.0, std::array{1.0});
    EXPECT_NEAR(averages.velocity[0], 1.0, 1e-14);
    EXPECT_NEAR(averages.velocity_error[0], 0.0, 1e-14);
    EXPECT_NEAR(averages.density[0], 10.0, 4.5 * std::sqrt(10.0 / 1000.0));
    EXPECT_NEAR(averages.density_error[0], std::sqrt(10.0 / 1000.0), 0.5 * std::sqrt(10.0 / 1000.0));
}

TEST(FieldStatistics, FewerBlocksWhereBinsAreMany) {
    EXPECT_EQ(FieldStatistics::affordable_blocks({32}, 1 << 30), 64);
    const std::int64_t fewer = FieldStatistics::affordable_blocks({1000000}, 1 << 30);
    EXPECT_LT(fewer, 64);
    EXPECT_EQ(fewer % 2, 0);
    EXPECT_EQ(FieldStatistics::affordable_blocks({1000000000}, 1 << 30), 16);
}

}  // namespace
}  // namespace mpcflow
