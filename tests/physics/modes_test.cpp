/// Correlations of velocity modes: which waves, what is made of amplitudes that are known, and restarts.

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/modes.hpp"
#include "physics/theory.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/support/observing.hpp"

namespace mpcflow {
namespace {

using test::numbers;

TEST(Waves, AreAlongAxesWithoutWallsAndTwoCellsLong) {
    System system;
    system.box.size = {20, 6, 1};
    EXPECT_EQ(waves_of(system, 4).along, (std::array{4, 3, 0}));
    EXPECT_EQ(waves_of(system, 4).count(), 7);
    system.boundaries.faces[0] = {FaceKind::no_slip, FaceKind::no_slip};
    EXPECT_EQ(waves_of(system, 4).along, (std::array{0, 3, 0}));
}

class ModesTest : public testing::Test {
protected:
    ModesTest() {
        system_.box.size = {16, 8, 2};
        system_.fluid.mass = 2.0;
    }

    /// Amplitudes that fluctuate as theory says: of each component an Ornstein-Uhlenbeck process. Those of k
    /// along x decay at `rate` a step, along y four times as fast; those along k are larger by a factor of 3.
    [[nodiscard]] std::vector<std::vector<double>> amplitudes(std::size_t steps, double rate) const {
        std::mt19937_64 random(5);
        std::normal_distribution<double> normal;
        const double deviation =
            std::sqrt(0.5 * system_.fluid.temperature /
                      (system_.fluid.mass * static_cast<double>(system_.particle_count())));
        std::vector<double> now(18);
        std::vector<std::vector<double>> all;
        for (std::size_t step = 0; step < steps; ++step) {
            for (std::size_t i = 0; i < now.size(); ++i) {
                // Waves x 1, x 2 (not followed in time here: it decays as x 1), y 1, and z 1 would come
                // behind.
                const double stays = std::exp(-(i < 12 ? rate : 4.0 * rate));
                const bool is_along = i % 6 / 2 == (i < 12 ? 0U : 1U);
                now[i] = (step == 0 ? 0.0 : stays * now[i]) +
                         (is_along ? std::sqrt(3.0) : 1.0) * deviation * normal(random) *
                             (step == 0 ? 1.0 : std::sqrt(1.0 - stays * stays));
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

TEST_F(ModesTest, FindTheDecayOfKnownAmplitudes) {
    system_.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    ModesObservable modes(system_, {3, 2}, 0);
    // What theory says of x 1 with 3 h between samples, but for a viscosity that is larger by a tenth.
    const double k = 2.0 * std::numbers::pi / 16.0;
    const double viscosity = 1.1 * theory::predicted_viscosity(system_);
    constexpr std::int64_t steps = 60000;
    // Waves: x 1, x 2, y 1, y 2. Two of them are enough; the last one's amplitudes are those of the one
    // before it.
    auto signal = amplitudes(steps + 1, viscosity * k * k * 3.0 * system_.collision.time_step);
    for (std::vector<double>& of_step : signal)
        for (int i = 0; i < 6; ++i) of_step.push_back(of_step[of_step.size() - 6]);
    sample(modes, signal, 1, steps);
    const ObservableResults results = modes.results();
    const double equipartition = 1.0 / (2.0 * static_cast<double>(system_.particle_count()));
    const auto lags = numbers(results, "time").size();
    const auto& transverse = numbers(results, "transverse");
    const auto& transverse_error = numbers(results, "transverse_error");
    const auto& longitudinal = numbers(results, "longitudinal");
    const auto& longitudinal_error = numbers(results, "longitudinal_error");
    for (const std::size_t wave : {0U, 2U}) {
        EXPECT_NEAR(transverse[wave * lags], equipartition, 4.5 * transverse_error[wave * lags]);
        EXPECT_LT(transverse_error[wave * lags], 0.05 * equipartition);
        EXPECT_NEAR(longitudinal[wave * lags], 3.0 * equipartition, 4.5 * longitudinal_error[wave * lags]);
    }
    // Both waves decay with this viscosity: y 1 has twice the k, and four times the rate.
    const auto& found = numbers(results, "viscosity");
    const auto& error = numbers(results, "viscosity_error");
    for (const std::size_t wave : {0U, 2U}) {
        EXPECT_NEAR(found[wave], viscosity, 4.5 * error[wave]);
        EXPECT_LT(error[wave], 0.04 * viscosity);
    }
    const auto& vectors = numbers(results, "wave_vector");
    EXPECT_DOUBLE_EQ(vectors[0], k);
    EXPECT_DOUBLE_EQ(vectors[3], 2.0 * k);
    EXPECT_DOUBLE_EQ(vectors[7], 2.0 * k);
    EXPECT_DOUBLE_EQ(numbers(results, "expected_decay_rate")[1],
                     4.0 * k * k * theory::predicted_viscosity(system_));
    EXPECT_DOUBLE_EQ(numbers(results, "time")[1], 0.3);
    EXPECT_DOUBLE_EQ(numbers(results, "expected_transverse")[0], equipartition);
    // The estimate for checks is not less than what a state takes, nor several times that.
    const std::int64_t bytes = bytes_of(modes.state().arrays);
    EXPECT_GE(modes.bytes(3 * steps), bytes);
    EXPECT_LE(modes.bytes(3 * steps), 3 * bytes);
    EXPECT_EQ(modes.result_bytes(3 * steps), bytes_of(results.arrays));
}

TEST_F(ModesTest, HaveErrorsThoughOneWaveIsTooSlow) {
    // The wave along y decays 64 times as fast as the one along x, whose lag is half of the run or so.
    system_.box.size = {32, 4, 1};
    const double k = 2.0 * std::numbers::pi / 4.0;
    const double viscosity = theory::predicted_viscosity(system_);
    const double rate = viscosity * k * k * system_.collision.time_step;
    const auto steps = static_cast<std::int64_t>(2.0 * 64.0 / rate);
    auto signal = amplitudes(static_cast<std::size_t>(steps + 1), 0.25 * rate);
    for (std::vector<double>& of_step : signal) {  // x 1 and y 1
        std::copy_n(of_step.begin() + 12, 6, of_step.begin() + 6);
        of_step.resize(12);
    }
    ModesObservable modes(system_, {1, 1}, 0);
    sample(modes, signal, 1, steps);
    const ObservableResults results = modes.results();
    EXPECT_TRUE(std::isnan(numbers(results, "viscosity_error").at(0)));
    const double error = numbers(results, "viscosity_error").at(1);
    EXPECT_NEAR(numbers(results, "viscosity").at(1), viscosity, 4.5 * error);
    // 128 decay times of two components with a real and an imaginary part each, so about e (2 / 512)^(1/2) =
    // 0.17 of it.
    EXPECT_GT(error, 0.05 * viscosity);
    EXPECT_LT(error, 0.5 * viscosity);
}

TEST_F(ModesTest, GoOnFromTheirState) {
    system_.box.size = {4, 4, 1};
    const auto signal = [&] {
        auto all = amplitudes(2001, 0.02);
        for (std::vector<double>& of_step : all) of_step.resize(12);
        return all;
    }();
    for (const std::int64_t middle : {0, 1, 63, 64, 65, 700, 2000}) {
        ModesObservable unbroken(system_, {1, 1}, 0);
        ModesObservable first(system_, {1, 1}, 0);
        ModesObservable second(system_, {1, 1}, 0);
        sample(unbroken, signal, 1, 2000);
        if (middle > 0) sample(first, signal, 1, middle);
        EXPECT_EQ(second.restore(first.state()), "");
        if (middle < 2000) sample(second, signal, middle + 1, 2000);
        const ObservableState expected = unbroken.state();
        const ObservableState found = second.state();
        for (std::size_t i = 0; i < expected.arrays.size(); ++i)
            EXPECT_TRUE(found.arrays[i].values == expected.arrays[i].values) << middle;
        EXPECT_TRUE(numbers(second.results(), "transverse") == numbers(unbroken.results(), "transverse"))
            << middle;
    }
    ModesObservable other(system_, {2, 2}, 0);
    EXPECT_EQ(other.restore(ModesObservable(system_, {1, 1}, 0).state()),
              "every was 1, is 2, count was 1, is 2");
}

TEST_F(ModesTest, HaveShapesAlsoWithoutSamples) {
    const ModesObservable modes(system_, {1, 3}, 0);
    for (const NamedArray& array : modes.results().arrays) {
        std::int64_t size = 1;
        for (const std::int64_t length : array.shape) size *= length;
        EXPECT_EQ(array.size(), size) << array.name;
    }
    EXPECT_EQ(numbers(modes.results(), "wave_vector").size(), 3U * 7U);
    EXPECT_EQ(modes.result_bytes(0), bytes_of(modes.results().arrays));
    EXPECT_TRUE(std::isnan(numbers(modes.results(), "viscosity").at(0)));
}

}  // namespace
}  // namespace mpcflow
