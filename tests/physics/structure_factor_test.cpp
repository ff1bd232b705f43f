/// The structure factor: what is made of amplitudes that are known, restarts, and shapes.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/structure_factor.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/support/observing.hpp"

namespace mpcflow {
namespace {

using test::numbers;

class StructureFactorTest : public testing::Test {
protected:
    StructureFactorTest() { system_.box.size = {16, 4, 1}; }

    /// Amplitudes of the waves x 1, x 2, y 1, y 2, their real and imaginary parts Ornstein-Uhlenbeck
    /// processes that forget e^-1/5 a step, with mean squares such that S is 1, 2, 3, 4.
    [[nodiscard]] std::vector<std::vector<double>> amplitudes(std::size_t steps) const {
        std::mt19937_64 random(7);
        std::normal_distribution<double> normal;
        std::vector<std::vector<double>> all;
        for (std::size_t step = 0; step < steps; ++step) {
            std::vector<double> now(8);
            for (std::size_t i = 0; i < now.size(); ++i) {
                const double wanted = 1.0 + static_cast<double>(i / 2);
                const double deviation =
                    std::sqrt(0.5 * wanted * static_cast<double>(system_.particle_count()));
                const double stays = step == 0 ? 0.0 : std::exp(-0.2);
                now[i] = deviation * std::sqrt(1.0 - stays * stays) * normal(random);
                if (step > 0) now[i] += stays * all.back()[i];
            }
            all.push_back(now);
        }
        return all;
    }

    /// Samples steps `first` ... `last` of given amplitudes.
    void sample(Observable& observable, const std::vector<std::vector<double>>& amplitudes,
                std::int64_t first, std::int64_t last) const {
        FakeSolver solver(system_, {1, 1, 1});
        solver.modes_at = [&](std::int64_t step) { return amplitudes.at(static_cast<std::size_t>(step)); };
        solver.run(first - 1);
        for (std::int64_t step = first; step <= last; ++step) {
            solver.run(1);
            observable.sample(solver, step);
        }
    }

    System system_;
};

TEST_F(StructureFactorTest, IsTheMeanSquareOfKnownAmplitudes) {
    StructureFactorObservable observable(system_, {3, 2}, 0);
    constexpr std::int64_t steps = 20000;
    sample(observable, amplitudes(steps + 1), 1, steps);
    const ObservableResults results = observable.results();
    const auto& found = numbers(results, "S");
    const auto& error = numbers(results, "S_error");
    const auto& correlation = numbers(results, "correlation");
    const auto& correlation_error = numbers(results, "correlation_error");
    const std::size_t lags = numbers(results, "time").size();
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t wave = 0; wave < 4; ++wave) {
        const double wanted = 1.0 + static_cast<double>(wave);
        EXPECT_NEAR(found[wave], wanted, 4.5 * error[wave]);
        // 20000 steps are some 4000 of independent squares, of which the deviation is their mean.
        EXPECT_LT(error[wave], 0.04 * wanted);
        EXPECT_EQ(found[wave], correlation[wave * lags]);
        EXPECT_EQ(error[wave], correlation_error[wave * lags]);
        EXPECT_NEAR(correlation[wave * lags + 5], wanted * std::exp(-1.0),
                    4.5 * correlation_error[wave * lags + 5]);
        EXPECT_EQ(numbers(results, "expected_S")[wave], 1.0);
    }
    EXPECT_EQ(numbers<std::int64_t>(results, "lag")[5], 15);
    EXPECT_DOUBLE_EQ(numbers(results, "time")[5], 1.5);
    EXPECT_EQ(numbers<std::int64_t>(results, "pairs")[5], steps - 5);
    EXPECT_EQ(numbers(results, "wave_vector"), wave_vectors(system_, {{2, 2, 0}}));
    // The estimate for checks is not less than what a state takes, nor several times that.
    const std::int64_t bytes = bytes_of(observable.state().arrays);
    EXPECT_GE(observable.bytes(3 * steps), bytes);
    EXPECT_LE(observable.bytes(3 * steps), 3 * bytes);
    EXPECT_EQ(observable.result_bytes(3 * steps), bytes_of(results.arrays));
}

TEST_F(StructureFactorTest, GoesOnFromItsState) {
    const auto signal = amplitudes(401);
    for (const std::int64_t middle : {0, 1, 64, 65, 300, 400}) {
        StructureFactorObservable unbroken(system_, {1, 2}, 0);
        StructureFactorObservable first(system_, {1, 2}, 0);
        StructureFactorObservable second(system_, {1, 2}, 0);
        sample(unbroken, signal, 1, 400);
        if (middle > 0) sample(first, signal, 1, middle);
        EXPECT_EQ(second.restore(first.state()), "");
        if (middle < 400) sample(second, signal, middle + 1, 400);
        const ObservableState expected = unbroken.state();
        const ObservableState found = second.state();
        for (std::size_t i = 0; i < expected.arrays.size(); ++i)
            EXPECT_TRUE(found.arrays[i].values == expected.arrays[i].values) << middle;
        EXPECT_EQ(numbers(second.results(), "S"), numbers(unbroken.results(), "S")) << middle;
    }
    StructureFactorObservable other(system_, {2, 1}, 0);
    EXPECT_EQ(other.restore(StructureFactorObservable(system_, {1, 2}, 0).state()),
              "every was 1, is 2, count was 2, is 1");
}

TEST_F(StructureFactorTest, HasShapesAlsoWithoutSamples) {
    const StructureFactorObservable observable(system_, {1, 3}, 0);
    for (const NamedArray& array : observable.results().arrays) {
        std::int64_t size = 1;
        for (const std::int64_t length : array.shape) size *= length;
        EXPECT_EQ(array.size(), size) << array.name;
    }
    EXPECT_EQ(observable.result_bytes(0), bytes_of(observable.results().arrays));
    EXPECT_TRUE(std::isnan(numbers(observable.results(), "S").at(0)));
}

}  // namespace
}  // namespace mpcflow
