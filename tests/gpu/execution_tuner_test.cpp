/// The choice of summation and re-order interval, on synthetic costs: no device is needed.

#include "gpu/execution_tuner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace mpcflow::test {
namespace {

/// What a way costs: steps that get dearer as the order is lost, and re-ordering.
struct CostModel {
    double fresh = 1.0;       ///< ms of a step in full order
    double drifted = 1.4;     ///< ms of a step without any order
    double reordering = 0.4;  ///< ms that a step takes longer where it re-orders
};

/// A machine: ways of summing, how fast order is lost, and how much a time scatters.
class Machine {
public:
    std::map<Summation, CostModel> models{{Summation::peers, {}}};
    double memory = 20.0;  ///< steps after which the order is lost but for 1/e
    double noise = 0.0;    ///< relative standard deviation of a measured time

    StepCost execute(const StepWay& way) {
        ++steps;
        ++since_;
        double cost = cost_of_plain_step(way.summation, since_);
        if (way.reorders) {
            cost += models.at(way.summation).reordering;
            since_ = 0;
        }
        const double scatter = noise > 0.0 ? 1.0 + noise * normal_(random_) : 1.0;
        return {cost * scatter, distinct_cells(since_)};
    }

    /// Of the `since`-th step after a re-ordering, since = 1, 2, ...
    [[nodiscard]] double cost_of_plain_step(Summation summation, int since) const {
        const CostModel& m = models.at(summation);
        return m.fresh + (m.drifted - m.fresh) * lost(since - 1);
    }
    [[nodiscard]] double distinct_cells(int since) const { return 14.0 + 18.0 * lost(since); }
    /// Mean cost of a step where every `interval`th re-orders.
    [[nodiscard]] double average(Summation summation, int interval) const {
        double sum = models.at(summation).reordering;
        for (int i = 1; i <= interval; ++i) sum += cost_of_plain_step(summation, i);
        return sum / interval;
    }
    [[nodiscard]] double best_average(Summation summation) const {
        double best = std::numeric_limits<double>::infinity();
        for (int interval = 1; interval <= 2000; ++interval) best = std::min(best, average(summation, interval));
        return best;
    }

    int steps = 0;

private:
    [[nodiscard]] double lost(int since) const { return 1.0 - std::exp(-since / memory); }

    int since_ = 1000;
    std::mt19937 random_{12};
    std::normal_distribution<double> normal_;
};

/// Executes what the tuner asks for, `at_most` steps of a batch at a time.
void tune(ExecutionTuner& tuner, Machine& machine, std::size_t at_most = ExecutionTuner::batch_size) {
    while (!tuner.is_settled()) {
        std::vector<StepWay> ways = tuner.next_batch();
        ASSERT_FALSE(ways.empty());
        ASSERT_LE(ways.size(), std::size_t{ExecutionTuner::batch_size});
        ways.resize(std::min(ways.size(), at_most));
        std::vector<StepCost> costs;
        for (const StepWay& way : ways) costs.push_back(machine.execute(way));
        tuner.learn(costs);
        ASSERT_LT(machine.steps, 20000) << "does not settle";
    }
}

TEST(ExecutionTuner, has_nothing_to_time_where_all_is_fixed) {
    ExecutionTuner tuner({Summation::match}, 7);
    EXPECT_TRUE(tuner.is_settled());
    EXPECT_TRUE(tuner.next_batch().empty());
    EXPECT_EQ(tuner.summation(), Summation::match);
    EXPECT_EQ(tuner.reorder(), 7);
    EXPECT_EQ(tuner.report(), "");
    EXPECT_THROW(ExecutionTuner({}, 7), std::logic_error);
}

TEST(ExecutionTuner, finds_the_interval_however_fast_order_is_lost) {
    for (const double memory : {0.3, 2.0, 10.0, 40.0, 150.0}) {
        for (const double reordering : {0.1, 0.5, 2.0, 9.0}) {
            Machine machine;
            machine.memory = memory;
            machine.models[Summation::peers].reordering = reordering;
            ExecutionTuner tuner({Summation::peers}, 0);
            tune(tuner, machine);
            EXPECT_LT(machine.average(Summation::peers, tuner.reorder()),
                      1.01 * machine.best_average(Summation::peers))
                << "memory " << memory << ", re-ordering " << reordering << ", chosen " << tuner.reorder();
        }
    }
}

TEST(ExecutionTuner, finds_way_and_interval_together_in_noise) {
    // Each is the best in one of the machines; what is best when fresh is not what is best when drifted.
    std::vector<std::map<Summation, CostModel>> machines(3);
    machines[0] = {{Summation::peers, {1.0, 1.5, 0.3}}, {Summation::match, {1.1, 1.5, 0.3}}, {Summation::direct, {2.0, 2.0, 0.3}}};
    machines[1] = {{Summation::peers, {1.0, 3.0, 7.0}}, {Summation::match, {1.2, 1.3, 7.0}}, {Summation::direct, {1.6, 1.6, 7.0}}};
    machines[2] = {{Summation::peers, {1.0, 3.0, 7.0}}, {Summation::match, {1.1, 2.6, 7.0}}, {Summation::direct, {1.3, 1.3, 0.7}}};
    for (const auto& models : machines) {
        for (const std::size_t at_most : {16, 3, 1}) {
            Machine machine;
            machine.models = models;
            machine.memory = 8.0;
            machine.noise = 0.01;
            ExecutionTuner tuner({Summation::peers, Summation::match, Summation::direct}, 0);
            tune(tuner, machine, at_most);
            double best = std::numeric_limits<double>::infinity();
            for (const auto& [summation, model] : models) best = std::min(best, machine.best_average(summation));
            // A choice among averages of ten steps and more, each with noise below 0.01 / sqrt(10), that differ
            // by more where the choice matters.
            EXPECT_LT(machine.average(tuner.summation(), tuner.reorder()), 1.015 * best)
                << "chosen " << static_cast<int>(tuner.summation()) << " every " << tuner.reorder();
        }
    }
}

TEST(ExecutionTuner, keeps_a_fixed_interval_and_compares_ways_at_it) {
    // Fresh, peers win; drifted, direct. So the interval decides.
    Machine machine;
    machine.models = {{Summation::peers, {1.0, 2.0, 0.5}}, {Summation::direct, {1.5, 1.5, 0.5}}};
    machine.memory = 30.0;
    for (const auto& [interval, best] : {std::pair{1, Summation::peers}, {10, Summation::peers}, {100, Summation::direct},
                                         {1000, Summation::direct}, {1'000'000, Summation::direct}}) {
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
    const int steps_of_both = machine.steps;
    machine.steps = 0;
    ExecutionTuner one({Summation::peers}, 0);
    tune(one, machine);
    EXPECT_LE(steps_of_both, machine.steps + 2 * ExecutionTuner::batch_size);
    EXPECT_EQ(both.summation(), Summation::peers);
}

TEST(ExecutionTuner, says_what_it_chose_and_what_the_others_took) {
    Machine machine;
    machine.models = {{Summation::peers, {}}, {Summation::two_stage, {1.1, 1.5, 0.4}}};
    ExecutionTuner tuner({Summation::peers, Summation::two_stage}, 0);
    tune(tuner, machine);
    EXPECT_EQ(tuner.report().rfind("peers, re-ordered every ", 0), 0U) << tuner.report();
    EXPECT_NE(tuner.report().find("distinct cells in a warp 14.0 after it"), std::string::npos) << tuner.report();
    EXPECT_NE(tuner.report().find("; two_stage 1."), std::string::npos) << tuner.report();
}

TEST(ExecutionTuner, times_again_when_order_is_lost_otherwise) {
    Machine machine;
    machine.memory = 40.0;
    ExecutionTuner tuner({Summation::peers, Summation::match}, 0);
    machine.models[Summation::match] = {1.2, 1.5, 0.4};
    tune(tuner, machine);
    const int slow_interval = tuner.reorder();
    const auto just_before_reordering = [&] { return machine.distinct_cells(tuner.reorder() - 1); };
    // The same, or a stray one: nothing happens.
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(tuner.observe(just_before_reordering()));
    EXPECT_FALSE(tuner.observe(31.9));
    EXPECT_FALSE(tuner.observe(31.9));
    EXPECT_FALSE(tuner.observe(just_before_reordering()));
    EXPECT_TRUE(tuner.is_settled());

    machine.memory = 4.0;
    int observations = 0;
    while (!tuner.observe(just_before_reordering())) ASSERT_LT(++observations, 5);
    EXPECT_FALSE(tuner.is_settled());
    tune(tuner, machine);
    EXPECT_LT(tuner.reorder(), slow_interval);
    EXPECT_LT(machine.average(tuner.summation(), tuner.reorder()), 1.01 * machine.best_average(Summation::peers));
}

}  // namespace
}  // namespace mpcflow::test
