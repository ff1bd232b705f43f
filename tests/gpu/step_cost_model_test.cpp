/// What a step costs in which order: fits of synthetic steps.

#include "gpu/step_cost_model.hpp"

#include <cmath>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace mpcflow::test {
namespace {

double true_cost(double before, double after, int age) {
    return 1.0 + 0.02 * before + 0.03 * after + 0.05 * std::sqrt(age);
}

/// Trials of some steps each, whose cells scatter; measured times have a relative error.
std::vector<TimedStep> trials(int count, int length, double error) {
    std::mt19937 random{3};
    std::normal_distribution<double> normal;
    std::vector<TimedStep> steps;
    for (int trial = 0; trial < count; ++trial) {
        double before = 10.0;
        for (int age = 0; age < length; ++age) {
            const double after = (10.0 + age) * (1.0 + 0.15 * normal(random));
            steps.push_back(
                {true_cost(before, after, age) * (1.0 + error * normal(random)), before, after, age, trial});
            before = after;
        }
    }
    return steps;
}

TEST(StepCostModel, finds_what_steps_cost_in_any_order) {
    const StepCostModel model(trials(1, 14, 0.0));
    for (const auto& [before, after, age] : {std::tuple{10.0, 11.0, 0}, {15.0, 12.0, 4}, {20.0, 22.0, 12}}) {
        // The ridge takes 1e-4 off each slope, more where two of them share.
        EXPECT_NEAR(model.milliseconds(before, after, age), true_cost(before, after, age), 1e-3);
        EXPECT_NEAR(model.excess({2.0, before, after, age, 0}), 2.0 - true_cost(before, after, age), 1e-3);
    }
}

TEST(StepCostModel, averages_what_scatters) {
    const StepCostModel model(trials(4, 20, 0.01));
    // 80 times of 1 %, and four coefficients: sqrt(4 / 80) of 1 % on average, 0.2 %; a point may have twice
    // that.
    for (int age = 1; age < 20; age += 3) {
        const double expected = true_cost(10.0 + age, 11.0 + age, age);
        EXPECT_NEAR(model.milliseconds(10.0 + age, 11.0 + age, age), expected, 4.5 * 0.004 * expected) << age;
    }
}

TEST(StepCostModel, takes_no_notice_of_what_was_disturbed) {
    for (const int disturbed : {0, 1, 2}) {
        std::vector<TimedStep> steps = trials(3, 16, 0.002);
        for (TimedStep& step : steps)
            if (step.block == disturbed || step.age == 9) step.milliseconds *= 1.5;
        const StepCostModel model(steps);
        for (const int age : {0, 5, 15}) {
            const double expected = true_cost(10.0 + age, 11.0 + age, age);
            EXPECT_NEAR(model.milliseconds(10.0 + age, 11.0 + age, age), expected, 0.01 * expected)
                << disturbed << ' ' << age;
        }
    }
}

TEST(StepCostModel, fits_what_does_not_vary_and_what_varies_together) {
    const std::vector<TimedStep> one{{3.0, 14.0, 14.0, 5, 0}};
    EXPECT_DOUBLE_EQ(StepCostModel(one).milliseconds(14.0, 14.0, 5), 3.0);
    EXPECT_DOUBLE_EQ(StepCostModel(one).milliseconds(20.0, 30.0, 9), 3.0);
    std::vector<TimedStep> steps;
    for (int age = 0; age < 12; ++age) {
        const double cells = 14.0 + std::sqrt(age);
        steps.push_back({2.0 + 0.1 * cells, cells, cells + 1.0, age, 0});
    }
    const StepCostModel model(steps);
    for (const TimedStep& step : steps) EXPECT_NEAR(model.excess(step), 0.0, 1e-4);
}

TEST(PacesOfBlocks, are_those_of_all_ways_together) {
    // Two ways, one of them slower, in the same nine trials; in each of these all steps take longer by the
    // same part.
    const std::vector<double> slowness{1.0, 1.3, 0.9, 1.0, 1.1, 1.25, 1.0, 0.8, 1.0};
    std::vector<TimedStep> one = trials(9, 12, 0.005);
    std::vector<TimedStep> other = one;
    for (TimedStep& step : other) step.milliseconds *= 2.5;
    for (std::vector<TimedStep>* const way : {&one, &other})
        for (TimedStep& step : *way) step.milliseconds *= slowness[step.block];
    // Of a tenth trial there is too little to tell.
    one.push_back({99.0, 10.0, 10.0, 0, 9});
    const std::vector<std::span<const TimedStep>> ways{one, other, {}};
    const std::vector<double> paces = paces_of_blocks(ways, 10);
    ASSERT_EQ(paces.size(), 10U);
    // The middle one of 24 times of 0.5 %: 1.25 * 0.5 / sqrt(24) = 0.13 %, and that of the usual trial.
    for (int trial = 0; trial < 9; ++trial) EXPECT_NEAR(paces[trial], slowness[trial], 4.5 * 0.002) << trial;
    EXPECT_EQ(paces[9], 1.0);
    const std::vector<TimedStep> usual = at_usual_pace(one, paces);
    ASSERT_EQ(usual.size(), one.size());
    for (std::size_t i = 0; i < usual.size(); ++i) {
        EXPECT_DOUBLE_EQ(usual[i].milliseconds, one[i].milliseconds / paces[one[i].block]);
        EXPECT_EQ(usual[i].age, one[i].age);
    }
}

TEST(PacesOfBlocks, tell_nothing_of_times_that_are_nothing) {
    const std::vector<TimedStep> steps(20, TimedStep{0.0, 14.0, 14.0, 1, 0});
    EXPECT_EQ(paces_of_blocks(std::vector<std::span<const TimedStep>>{steps}, 2), (std::vector{1.0, 1.0}));
    std::vector<TimedStep> half = trials(2, 12, 0.0);
    for (std::size_t i = 0; i < 8; ++i) half[i].milliseconds = 0.0;
    for (const double pace : paces_of_blocks(std::vector<std::span<const TimedStep>>{half}, 2))
        EXPECT_TRUE(std::isfinite(pace) && pace > 0.0) << pace;
}

TEST(ReorderingCost, is_the_middle_one_timed_and_straight_in_between) {
    ReorderingCost cost;
    EXPECT_EQ(cost.milliseconds(7), 0.0);
    for (const double milliseconds : {0.4, 0.5, 3.0}) cost.add(4, milliseconds);
    for (const double milliseconds : {1.3, 0.9}) cost.add(8, milliseconds);
    EXPECT_DOUBLE_EQ(cost.milliseconds(1), 0.5);
    EXPECT_DOUBLE_EQ(cost.milliseconds(4), 0.5);
    EXPECT_DOUBLE_EQ(cost.milliseconds(7), 0.8);
    EXPECT_DOUBLE_EQ(cost.milliseconds(100), 0.9);
    // A re-ordering that took no longer than a plain step costs nothing, and never less.
    ReorderingCost none;
    none.add(2, -0.3);
    EXPECT_EQ(none.milliseconds(2), 0.0);
}

TEST(LowerMedian, is_the_middle_or_the_lower_of_two) {
    EXPECT_EQ(lower_median(std::vector{5.0}), 5.0);
    EXPECT_EQ(lower_median(std::vector{5.0, 1.0}), 1.0);
    EXPECT_EQ(lower_median(std::vector{9.0, 5.0, 1.0}), 5.0);
    EXPECT_EQ(lower_median(std::vector{7.0, 1.0, 3.0, 5.0}), 3.0);
}

}  // namespace
}  // namespace mpcflow::test
