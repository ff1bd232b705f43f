#pragma once
/// A synthetic machine whose steps take what a test says, for the tuner: no device is needed.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/execution_tuner.hpp"

namespace mpcflow::test {

/// What a way costs: steps that get dearer as the order is lost, and re-ordering.
struct CostModel {
    double fresh = 1.0;       ///< ms of a step in full order
    double drifted = 1.4;     ///< ms of a step without any order
    double reordering = 0.4;  ///< ms that a step takes longer where it re-orders particles that are in order
    double scattered = 0.0;   ///< and by how much more where their order is lost
    double clocked = 0.0;     ///< the part of its time that goes with the inverse of the clock
};

/// A machine: ways of summing, how fast order is lost, and how much a time scatters.
class Machine {
public:
    Machine() { models[Summation::peers] = {}; }

    std::map<Summation, CostModel> models;
    double memory = 20.0;  ///< steps after which the order is lost but for 1/e
    double wandering =
        60.0;  ///< steps after which particles that are re-ordered have gone all the way but for 1/e
    double late =
        1.0;  ///< costs rise with this power of the order that is lost; cells in a warp with the first
    double noise = 0.0;  ///< relative standard deviation of a measured time
    double luck =
        0.0;  ///< relative standard deviation of the distinct cells, as the grid is shifted each step
    double first_of_batch = 0.0;  ///< ms that the first step of a batch takes longer
    double spike_share = 0.0;     ///< of the steps, which take half as long again
    int disturbed_from = 0;       ///< these steps, up to but not with disturbed_until, take 1.6 times as long
    int disturbed_until = 0;

    StepCost execute(const StepWay& way) {
        ++steps;
        ++executed[way.summation];
        ++since_;
        double cost = cost_of_plain_step(way.summation, since_);
        if (way.reorders) {
            cost += cost_of_reordering(way.summation, since_);
            since_ = 0;
        }
        // Cells are read by the grid of this step, and added to by that of the next.
        const double luck_before = std::exchange(luck_, luck > 0.0 ? luck * normal_(random_) : 0.0);
        const CostModel& model = models.at(way.summation);
        cost += 0.5 * (luck_before + luck_) * (model.drifted - model.fresh) * cells_of_cost;
        double scatter = noise > 0.0 ? 1.0 + noise * normal_(random_) : 1.0;
        if (spike_share > 0.0 && uniform_(random_) < spike_share) scatter *= 1.5;
        if (model.clocked > 0.0) {
            if (steps % steps_of_clock == 0) {
                clock_ =
                    std::clamp(usual_clock + 0.6 * (clock_ - usual_clock) + 0.1 * normal_(random_), 0.7, 1.0);
            }
            scatter *= 1.0 + model.clocked * (1.0 / clock_ - 1.0);
        }
        if (steps > disturbed_from && steps <= disturbed_until) scatter *= 1.6;
        return {cost * scatter + std::exchange(extra_, 0.0), distinct_cells(since_) * (1.0 + luck_)};
    }

    /// Of the `since`-th step after a re-ordering, since = 1, 2, ...
    [[nodiscard]] double cost_of_plain_step(Summation summation, int since) const {
        const CostModel& m = models.at(summation);
        return m.fresh + (m.drifted - m.fresh) * std::pow(lost(since - 1), late);
    }
    /// `since` steps after the one before.
    [[nodiscard]] double cost_of_reordering(Summation summation, int since) const {
        const CostModel& m = models.at(summation);
        return m.reordering + m.scattered * (1.0 - std::exp(-since / wandering));
    }
    [[nodiscard]] double distinct_cells(int since) const { return 14.0 + 18.0 * lost(since); }
    /// Mean cost of a step where every `interval`th re-orders.
    [[nodiscard]] double average(Summation summation, int interval) const {
        double sum = cost_of_reordering(summation, interval);
        for (int i = 1; i <= interval; ++i) sum += cost_of_plain_step(summation, i);
        return sum / interval;
    }
    [[nodiscard]] double best_average(Summation summation) const {
        double best = std::numeric_limits<double>::infinity();
        double plain = 0.0;
        for (int interval = 1; interval <= 2000; ++interval) {
            plain += cost_of_plain_step(summation, interval);
            best = std::min(best, (plain + cost_of_reordering(summation, interval)) / interval);
        }
        return best;
    }

    /// A batch of steps begins.
    void begin_batch() { extra_ = first_of_batch; }
    void seed(unsigned number) { random_.seed(number); }

    int steps = 0;
    std::map<Summation, int> executed;  ///< steps of each way

private:
    /// Relative changes of the cells by luck count so much more than those by age do.
    static constexpr double cells_of_cost = 1.5;

    /// Of a card at its limit of power, in parts of its highest clock: an H200 with 80 M particles (SRD,
    /// mixed) went up and down between 1455 and 1980 MHz ten times a second, which are 42 steps.
    static constexpr int steps_of_clock = 42;
    static constexpr double usual_clock = 0.9;

    [[nodiscard]] double lost(int since) const { return 1.0 - std::exp(-since / memory); }

    int since_ = 1000;
    double extra_ = 0.0;
    double luck_ = 0.0;
    double clock_ = 1.0;
    std::uniform_real_distribution<double> uniform_;
    std::mt19937 random_{12};
    std::normal_distribution<double> normal_;
};

/// 8192 steps that count are enough; of a trial of 16, the shortest where its interval is looked for, two do
/// not, which makes 9363; the warm-up and the trial that is under way then have up to 1100.
inline constexpr int most_steps = 10500;

/// Executes what the tuner asks for, `at_most` steps of a batch at a time.
inline void tune(ExecutionTuner& tuner, Machine& machine, std::size_t at_most = ExecutionTuner::batch_size) {
    const int began = machine.steps;
    while (!tuner.is_settled()) {
        std::vector<StepWay> ways = tuner.next_batch();
        ASSERT_FALSE(ways.empty());
        ASSERT_LE(ways.size(), std::size_t{ExecutionTuner::batch_size});
        ways.resize(std::min(ways.size(), at_most));
        std::vector<StepCost> costs;
        machine.begin_batch();
        for (const StepWay& way : ways) costs.push_back(machine.execute(way));
        tuner.learn(costs);
        ASSERT_LT(machine.steps - began, most_steps) << "does not settle";
    }
}

}  // namespace mpcflow::test
