/// The choice of summation and re-order interval: what is asked for, told and timed again, on synthetic
/// machines. How good a choice it is: tuner_choices_test.cpp.

#include "gpu/execution_tuner.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/gpu/synthetic_machine.hpp"

namespace mpcflow::test {
namespace {

TEST(ExecutionTuner, has_nothing_to_time_where_all_is_fixed) {
    ExecutionTuner tuner({Summation::match}, 7);
    EXPECT_TRUE(tuner.is_settled());
    EXPECT_TRUE(tuner.next_batch().empty());
    EXPECT_EQ(tuner.summation(), Summation::match);
    EXPECT_EQ(tuner.reorder(), 7);
    EXPECT_EQ(tuner.report(), "");
    EXPECT_THROW(ExecutionTuner({}, 7), std::logic_error);
}

TEST(ExecutionTuner, keeps_a_fixed_interval_and_compares_ways_at_it) {
    // Fresh, peers win; drifted, direct. So the interval decides.
    Machine machine;
    machine.models = {{Summation::peers, {1.0, 2.0, 0.5}}, {Summation::direct, {1.5, 1.5, 0.5}}};
    machine.memory = 30.0;
    for (const auto& [interval, best] : {std::pair{1, Summation::peers},
                                         {10, Summation::peers},
                                         {100, Summation::direct},
                                         {1000, Summation::direct},
                                         {1'000'000, Summation::direct}}) {
        ExecutionTuner tuner({Summation::peers, Summation::direct}, interval);
        EXPECT_FALSE(tuner.is_settled());
        tune(tuner, machine);
        EXPECT_EQ(tuner.reorder(), interval);
        EXPECT_EQ(tuner.summation(), best) << interval;
    }
}

TEST(ExecutionTuner, hopeless_ways_cost_few_steps) {
    Machine machine;
    machine.models = {{Summation::peers, {1.0, 1.01, 29.0}}, {Summation::cas, {5.0, 6.0, 29.0}}};
    machine.memory = 1000.0;
    ExecutionTuner both({Summation::peers, Summation::cas}, 0);
    tune(both, machine);
    // Two in the warm-up, and every second one until there are twelve, looked at every 16 steps.
    EXPECT_LE(machine.executed[Summation::cas], 20);
    EXPECT_GT(machine.executed[Summation::peers], 2000);
    EXPECT_EQ(both.summation(), Summation::peers);
}

TEST(ExecutionTuner, says_what_it_chose_and_what_the_others_took) {
    Machine machine;
    machine.models = {{Summation::peers, {}}, {Summation::match, {1.1, 1.5, 0.4}}};
    ExecutionTuner tuner({Summation::peers, Summation::match}, 0);
    tune(tuner, machine);
    EXPECT_EQ(tuner.report().rfind("peers, re-ordered every ", 0), 0U) << tuner.report();
    EXPECT_NE(tuner.report().find("distinct cells in a warp 14.0 after it"), std::string::npos)
        << tuner.report();
    EXPECT_NE(tuner.report().find("; match 1."), std::string::npos) << tuner.report();
}

TEST(ExecutionTuner, is_not_kept_busy_for_long_by_as_many_ways_as_a_solver_has) {
    // All are as good and re-ordering pays so seldom that each trial is as long as they get: a round has over
    // 6000 steps.
    Machine machine;
    machine.memory = 300.0;
    machine.late = 4.0;
    const std::vector<Summation> ways{Summation::peers, Summation::match, Summation::direct, Summation::cas};
    for (const Summation way : ways) machine.models[way] = {1.0, 3.0, 60.0};
    ExecutionTuner tuner(ways, 0);
    tune(tuner, machine);
    EXPECT_TRUE(tuner.is_settled());
    EXPECT_LT(machine.average(tuner.summation(), tuner.reorder()),
              1.01 * machine.best_average(Summation::peers));
}

TEST(ExecutionTuner, settles_on_one_of_its_candidates_whatever_the_times_are) {
    // Steps of microseconds on a GPU that other processes use, too: times over five orders of magnitude, and
    // cells that have nothing to do with them.
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> cells(1.0, 32.0), power(-3.0, 2.0);
        const bool is_noise_of_cells = seed % 2 == 0;
        ExecutionTuner tuner({Summation::peers, Summation::match, Summation::direct}, seed % 3 == 0 ? 7 : 0);
        int steps = 0;
        while (!tuner.is_settled()) {
            ASSERT_LT(steps, most_steps) << seed;
            std::vector<StepCost> costs;
            for (const StepWay& way : tuner.next_batch()) {
                ASSERT_TRUE(way.summation == Summation::peers || way.summation == Summation::match ||
                            way.summation == Summation::direct);
                costs.push_back({std::pow(10.0, power(random)), is_noise_of_cells ? cells(random) : 14.0});
                ++steps;
            }
            tuner.learn(costs);
        }
        EXPECT_TRUE(tuner.summation() == Summation::peers || tuner.summation() == Summation::match ||
                    tuner.summation() == Summation::direct);
        EXPECT_GE(tuner.reorder(), 1);
    }
}

TEST(ExecutionTuner, says_nothing_of_what_it_has_not_chosen_yet) {
    ExecutionTuner both({Summation::peers, Summation::match}, 0);
    EXPECT_EQ(both.summation(), Summation::automatic);
    EXPECT_EQ(both.reorder(), 0);
    EXPECT_FALSE(both.is_watching());
    const ExecutionTuner way({Summation::match}, 0);
    EXPECT_EQ(way.summation(), Summation::match);
    const ExecutionTuner interval({Summation::peers, Summation::match}, 9);
    EXPECT_EQ(interval.reorder(), 9);
    Machine machine;
    machine.models[Summation::match] = {};
    ExecutionTuner rare({Summation::peers, Summation::match}, 200);
    tune(rare, machine);
    EXPECT_EQ(rare.report().find("distinct"), std::string::npos) << rare.report();
}

/// Just before a re-ordering, as a solver observes it: scattering, for the grid is shifted at random.
class Observations {
public:
    Observations(double mean, double scatter) : normal_(mean, scatter * mean) {}
    double next() { return normal_(random_); }

private:
    std::mt19937 random_{5};
    std::normal_distribution<double> normal_;
};

TEST(ExecutionTuner, hardly_ever_times_again_what_is_steady) {
    for (const double scatter : {0.0, 0.02, 0.08, 0.14}) {
        Machine machine;
        ExecutionTuner tuner({Summation::peers, Summation::match}, 0);
        machine.models[Summation::match] = {1.2, 1.5, 0.4};
        tune(tuner, machine);
        Observations observations(machine.distinct_cells(tuner.reorder() - 1), scatter);
        int retimings = 0;
        for (int i = 0; i < 20000; ++i) {
            if (!tuner.observe(observations.next())) continue;
            ++retimings;
            tune(tuner, machine);
        }
        // The difference of two means of 16 scatters by 0.14 sqrt(2 / 16) = 5 %, so that 10 % are two sigma;
        // of 32 three, of 64 four. So it may be mistaken about twice on its way to means that are long
        // enough.
        EXPECT_LE(retimings, 4) << scatter;
    }
}

TEST(ExecutionTuner, times_again_when_order_is_lost_otherwise) {
    Machine machine;
    machine.memory = 40.0;
    ExecutionTuner tuner({Summation::peers, Summation::match}, 0);
    machine.models[Summation::match] = {1.2, 1.5, 0.4};
    tune(tuner, machine);
    const int slow_interval = tuner.reorder();
    Observations before(machine.distinct_cells(tuner.reorder() - 1), 0.02);
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(tuner.observe(before.next()));

    machine.memory = 4.0;
    Observations after(machine.distinct_cells(tuner.reorder() - 1), 0.02);
    int observations = 0;
    while (!tuner.observe(after.next())) ASSERT_LT(++observations, 3 * ExecutionTuner::least_observations);
    EXPECT_FALSE(tuner.is_settled());
    tune(tuner, machine);
    EXPECT_LT(tuner.reorder(), slow_interval);
    EXPECT_LT(machine.average(tuner.summation(), tuner.reorder()),
              1.01 * machine.best_average(Summation::peers));
}

}  // namespace
}  // namespace mpcflow::test
