/// output.stress and output.walls on a solver whose flux is known: kinetic_ab is the number of the step for
/// all a, b, the upper wall along z takes (1, 2, step).

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/stress.hpp"
#include "physics/observables/walls.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/support/observing.hpp"

namespace mpcflow {
namespace {

class StressObservables : public testing::Test {
protected:
    StressObservables() {
        system_.box.size = {2, 3, 4};
        system_.fluid = {5.0, 2.0, 0.5};
        system_.collision.time_step = 0.25;
        system_.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    }

    /// Samples the steps from `first` to `last` that are due.
    void sample(Observable& observable, std::int64_t first, std::int64_t last) const {
        FakeSolver solver(system_, {1, 1, 1});
        solver.run(first);
        for (std::int64_t step = first; step <= last; ++step) {
            if (observable.times().is_due(step)) observable.sample(solver, step);
            solver.run(1);
        }
    }

    template <class Number>
    static std::vector<Number> numbers(const Observable& observable, const std::string& name) {
        const ObservableResults results = observable.results();
        for (const NamedArray& array : results.arrays) {
            std::int64_t size = 1;
            for (const std::int64_t length : array.shape) size *= length;
            EXPECT_EQ(size, array.size()) << array.name;
        }
        return test::numbers<Number>(results, name);
    }
    static std::vector<double> reals(const Observable& observable, const std::string& name) {
        return numbers<double>(observable, name);
    }

    static void expect_same(const Observable& a, const Observable& b) {
        const ObservableResults left = a.results();
        const ObservableResults right = b.results();
        ASSERT_EQ(left.arrays.size(), right.arrays.size());
        for (std::size_t i = 0; i < left.arrays.size(); ++i) {
            const auto* const x = std::get_if<std::vector<double>>(&left.arrays[i].values);
            if (x == nullptr) continue;
            const auto& y = std::get<std::vector<double>>(right.arrays[i].values);
            ASSERT_EQ(x->size(), y.size());
            for (std::size_t k = 0; k < x->size(); ++k) {
                EXPECT_TRUE((*x)[k] == y[k] || (std::isnan((*x)[k]) && std::isnan(y[k])))
                    << left.arrays[i].name;
            }
        }
    }

    static constexpr double volume = 24.0;
    System system_;
};

TEST_F(StressObservables, bursts_give_averages_correlations_and_their_sum) {
    StressObservable stress(system_, {10, 3, 2}, 100);
    sample(stress, 0, 125);  // 110, 111, 112 and 120, 121, 122
    EXPECT_EQ(stress.samples(), 6);
    EXPECT_EQ(numbers<std::int64_t>(stress, "lag"), (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(numbers<std::int64_t>(stress, "pairs"), (std::vector<std::int64_t>{6, 4}));
    EXPECT_EQ(reals(stress, "time"), (std::vector<double>{0.0, 0.25}));
    const double mean = 116.0 / volume;
    for (const char* const name : {"pressure_tensor", "kinetic_pressure_tensor"})
        for (const double p : reals(stress, name)) EXPECT_NEAR(p, mean, 1e-12) << name;
    for (const double p : reals(stress, "collisional_pressure_tensor")) EXPECT_EQ(p, 0.0);
    for (const double p : reals(stress, "pressure_tensor_error")) EXPECT_GT(p, 0.0);

    const double c0 =
        (110.0 * 110 + 111 * 111 + 112 * 112 + 120 * 120 + 121 * 121 + 122 * 122) / 6 / volume / volume;
    const double c1 = (110.0 * 111 + 111 * 112 + 120 * 121 + 121 * 122) / 4 / volume / volume;
    const std::vector<double> correlation = reals(stress, "correlation");
    EXPECT_NEAR(correlation.at(0), c0, 1e-9);
    EXPECT_NEAR(correlation.at(1), c1, 1e-9);
    const std::vector<double> components = reals(stress, "component_correlation");
    for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_NEAR(components.at(k), c0, 1e-9);
        EXPECT_NEAR(components.at(6 + k), c1, 1e-9);
    }
    const double factor = volume * 0.25 / (2.0 * 0.5 * 5.0);
    for (const char* const name : {"viscosity", "kinetic_viscosity"}) {
        EXPECT_NEAR(reals(stress, name).at(0), factor * 0.5 * c0, 1e-9) << name;
        EXPECT_NEAR(reals(stress, name).at(1), factor * (0.5 * c0 + c1), 1e-9) << name;
    }
    EXPECT_EQ(reals(stress, "collisional_viscosity"), (std::vector<double>{0.0, 0.0}));
}

TEST_F(StressObservables, unbroken_samples_are_all_pairs) {
    StressObservable stress(system_, {3, 3, 5}, 0);
    sample(stress, 0, 9);  // 3 to 9
    EXPECT_EQ(numbers<std::int64_t>(stress, "pairs"), (std::vector<std::int64_t>{7, 6, 5, 4, 3}));
}

TEST_F(StressObservables, defaults_fit_bursts_and_unbroken_samples) {
    EXPECT_EQ(StressOutput{}.every, 2000);
    EXPECT_EQ(StressOutput{}.steps_in_burst(), 20);
    EXPECT_EQ(StressOutput{}.lag_count(), 20);
    EXPECT_EQ((StressOutput{7, 0, 0}).steps_in_burst(), 7);
    EXPECT_EQ((StressOutput{7, 0, 0}).lag_count(), 100);
    EXPECT_EQ((StressOutput{1000, 400, 0}).lag_count(), 100);
    EXPECT_EQ((StressOutput{1000, 400, 7}).lag_count(), 7);
}

TEST_F(StressObservables, without_samples_all_shapes_are_there) {
    const StressObservable stress(system_, {10, 3, 3}, 0);
    for (const char* const name : {"viscosity", "viscosity_error", "correlation", "pressure_tensor_error"})
        for (const double value : reals(stress, name)) EXPECT_TRUE(std::isnan(value)) << name;
    EXPECT_EQ(reals(stress, "viscosity").size(), 3U);
    const WallsObservable walls(system_, {10}, 0);
    EXPECT_EQ(reals(walls, "stress").size(), 6U);
    for (const double value : reals(walls, "flow_rate")) EXPECT_TRUE(std::isnan(value));
}

TEST_F(StressObservables, go_on_from_their_states_also_within_a_burst) {
    for (const StressOutput& output : {StressOutput{10, 3, 3}, StressOutput{1, 1, 3}}) {
        StressObservable unbroken(system_, output, 0);
        StressObservable first(system_, output, 0);
        StressObservable second(system_, output, 0);
        sample(unbroken, 0, 95);
        sample(first, 0, 31);
        EXPECT_EQ(second.restore(first.state()), "");
        sample(second, 32, 95);
        expect_same(second, unbroken);
        EXPECT_GE(unbroken.bytes(95), bytes_of(unbroken.state().arrays));

        StressObservable other(system_, {output.every, output.burst, 2}, 0);
        EXPECT_EQ(other.restore(first.state()), "lags was 3, is 2");
        ObservableState broken = first.state();
        broken.arrays.back() = named_list("correlation_values", std::vector<double>{1.0});
        EXPECT_THROW(static_cast<void>(second.restore(broken)), std::invalid_argument);
        expect_same(second, unbroken);
    }
    WallsObservable unbroken(system_, {2}, 0);
    WallsObservable first(system_, {2}, 0);
    WallsObservable second(system_, {2}, 0);
    sample(unbroken, 0, 50);
    sample(first, 0, 21);
    EXPECT_EQ(second.restore(first.state()), "");
    sample(second, 22, 50);
    expect_same(second, unbroken);
}

TEST_F(StressObservables, bytes_of_results_are_foreseen) {
    for (const std::int64_t last : {0, 1, 57, 500}) {
        StressObservable bursts(system_, {10, 3, 3}, 0);
        StressObservable unbroken(system_, {1, 1, 30}, 0);
        WallsObservable walls(system_, {2}, 0);
        for (Observable* const observable : std::initializer_list<Observable*>{&bursts, &unbroken, &walls}) {
            sample(*observable, 0, last);
            EXPECT_EQ(observable->result_bytes(last), bytes_of(observable->results().arrays))
                << observable->name() << last;
        }
    }
}

TEST_F(StressObservables, walls_take_momentum_over_area_and_time) {
    WallsObservable walls(system_, {2}, 100);
    sample(walls, 0, 104);  // 102 and 104
    // Cross-sections of 6 cells, steps of 0.25.
    const std::vector<double> stress = reals(walls, "stress");
    const std::vector<double> expected{0.0, 0.0, 0.0, 1.0 / 1.5, 2.0 / 1.5, 103.0 / 1.5};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(stress.at(i), expected[i], 1e-12) << i;
    // Its momentum is (12, 0, 6), its mass 24 x 5 x 0.5, its cross-sections 12, 8 and 6.
    const std::vector<double> flow = reals(walls, "flow_rate");
    EXPECT_NEAR(flow.at(0), 12.0 / 60.0 * 12.0, 1e-12);
    EXPECT_EQ(flow.at(1), 0.0);
    EXPECT_NEAR(flow.at(2), 6.0 / 60.0 * 6.0, 1e-12);
    for (const NamedAttribute& attribute : walls.results().attributes) {
        if (attribute.name == "faces") {
            EXPECT_EQ(std::get<std::vector<std::string>>(attribute.value),
                      (std::vector<std::string>{"z lower", "z upper"}));
        }
    }
}

}  // namespace
}  // namespace mpcflow
