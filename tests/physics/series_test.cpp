/// The rows of the series, with a solver that only counts.

#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "physics/observables/series.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/physics/observable_cases.hpp"

namespace mpcflow {
namespace {

class SeriesTest : public testing::Test {
protected:
    SeriesTest() {
        system_.box.size = {2, 2, 2};
        system_.collision.time_step = 0.5;
    }
    [[nodiscard]] std::unique_ptr<SeriesObservable> make() const {
        return std::make_unique<SeriesObservable>(system_, SeriesOutput{10});
    }
    /// Samples what is due in the steps from `first` on, and does the work.
    void sample(Observable& series, std::int64_t first, std::int64_t last) const {
        FakeSolver solver(system_, {1, 1, 1});
        solver.run(first);
        for (std::int64_t step = first; step <= last; ++step, solver.run(1)) {
            if (!series.times().is_due(step)) continue;
            series.sample(solver, step);
            series.take_work(solver).task([](const ObservableRow&) { FAIL(); });
        }
    }

    System system_;
};

TEST_F(SeriesTest, HasARowASampleFromStepZeroOn) {
    const auto series = make();
    sample(*series, 0, 100);
    const ObservableResults results = series->results();
    EXPECT_EQ(results.name, "series");
    EXPECT_EQ(results.axes, std::vector<std::string>{"time"});
    EXPECT_EQ(whole_attribute(results, "samples"), 11);
    EXPECT_EQ(whole_attribute(results, "first_step"), 0);
    EXPECT_EQ(whole_attribute(results, "last_step"), 100);
    EXPECT_EQ(numbers_of(results, "time").at(3), 15.0);
    EXPECT_EQ(numbers_of(results, "kinetic_energy").at(10), 1.5 * 80.0);
    EXPECT_EQ(array_named(results.arrays, "momentum").shape, (std::vector<std::int64_t>{11, 3}));
    EXPECT_EQ(array_named(results.arrays, "step").large<View<std::int64_t>>()[3], 30);
    EXPECT_EQ(array_named(results.arrays, "maximum_occupancy").large<View<std::int64_t>>()[3], 17);
    EXPECT_EQ(numbers_of(results, "maximum_speed").at(0), 3.5);
    EXPECT_EQ(series->bytes(100), 11 * 80);
}

TEST_F(SeriesTest, WhatIsAskedForIsOfTheWorkThatWasDone) {
    const auto series = make();
    FakeSolver solver(system_, {1, 1, 1});
    series->sample(solver, 0);
    const Work first = series->take_work(solver);
    const Later<ObservableState> state = series->later_state(solver);
    const Later<ObservableResults> results = series->later_results();
    solver.run(10);
    series->sample(solver, 10);
    const Work second = series->take_work(solver);
    first.task({});
    EXPECT_EQ(state()->samples, 1);
    EXPECT_EQ(state()->last_step, 0);
    EXPECT_EQ(whole_attribute(*results(), "samples"), 1);
    second.task({});
    EXPECT_EQ(whole_attribute(series->results(), "last_step"), 10);
}

TEST_F(SeriesTest, GoesOnFromItsState) {
    const auto unbroken = make();
    const auto first = make();
    const auto second = make();
    sample(*unbroken, 0, 100);
    sample(*first, 0, 45);
    EXPECT_EQ(second->restore(as_read(first->state())), "");
    sample(*second, 46, 100);
    const ObservableState expected = unbroken->state();
    const ObservableState found = second->state();
    EXPECT_EQ(found.samples, 11);
    ASSERT_EQ(found.arrays.size(), expected.arrays.size());
    for (std::size_t i = 0; i < found.arrays.size(); ++i)
        EXPECT_EQ(found.arrays[i].values, expected.arrays[i].values) << found.arrays[i].name;
}

TEST_F(SeriesTest, RefusesRowsThatThereCannotBe) {
    const auto series = make();
    sample(*series, 0, 30);
    const ObservableState good = as_read(series->state());
    EXPECT_NO_THROW(static_cast<void>(make()->restore(good)));
    const auto harm = [&](const char* name, auto number) {
        using Number = decltype(number);
        ObservableState state = good;
        std::get<std::vector<Number>>(array_named(state.arrays, name).values)[1] = number;
        EXPECT_THROW(static_cast<void>(make()->restore(state)), std::invalid_argument) << name << number;
    };
    for (const std::int64_t step : {-1, 0, 20, 31}) harm("step", step);
    for (const std::int64_t count : {-1, 81}) {
        harm("minimum_occupancy", count);
        harm("maximum_occupancy", count);
    }
    constexpr double infinite = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const char* name : {"time", "kinetic_energy", "momentum", "maximum_speed"}) {
        harm(name, infinite);
        harm(name, nan);
    }
    harm("temperature", infinite);
    const std::vector<std::function<void(ObservableState&)>> others{
        [](ObservableState& s) {
            ++s.samples;
            --s.first_step;
        },
        [](ObservableState& s) { --s.samples; },
        [](ObservableState& s) { ++s.first_step; },
        [](ObservableState& s) { ++s.last_step; },
        [](ObservableState& s) { s.arrays.pop_back(); },
    };
    for (const auto& other : others) {
        ObservableState state = good;
        other(state);
        EXPECT_THROW(static_cast<void>(make()->restore(state)), std::invalid_argument);
    }
}

}  // namespace
}  // namespace mpcflow
