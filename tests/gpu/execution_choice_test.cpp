/// How the device solver chooses a way of summing and an interval, on machines whose costs are known.

#include "gpu/execution_choice.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mpcflow::test {
namespace {

/// What a step costs, in ms: `age` plain steps after the one that re-ordered, which is of age 0, among steps
/// that re-ordered in the same way before.
using Cost = std::function<double(Summation way, int age)>;

/// A way whose plain steps begin at `plain` and grow towards `disordered` within some `memory` steps.
double drifting(double plain, double disordered, double memory, double reordering, int age) {
    if (age == 0) return plain + reordering;
    return disordered - (disordered - plain) * std::exp(-(age - 1) / memory);
}

/// Mean cost of a step that re-orders every `interval` steps.
double mean_cost(const Cost& cost, Summation way, int interval) {
    double sum = 0.0;
    for (int age = 0; age < interval; ++age) sum += cost(way, age);
    return sum / interval;
}

double least_cost(const Cost& cost, const std::vector<Summation>& ways) {
    double least = std::numeric_limits<double>::infinity();
    for (const Summation way : ways)
        for (int interval = 1; interval <= 200; ++interval)
            least = std::min(least, mean_cost(cost, way, interval));
    return least;
}

/// What a step of a way takes longer where it is timed by itself, in ms.
using Wait = std::function<double(Summation way)>;

double no_wait(Summation /*way*/) { return 0.0; }

/// Steps until it is settled, in parts of `part` steps as a run may ask for.
int settle(ExecutionChoice& choice, const Cost& cost, std::size_t part = 1000, const Wait& wait = no_wait) {
    int steps = 0;
    int age = 0;
    Summation ordered = Summation::automatic;
    while (!choice.is_settled()) {
        const StepBatch batch = choice.next_batch();
        const std::size_t count = std::min(batch.steps.size(), part);
        EXPECT_GT(count, 0U);
        EXPECT_TRUE(batch.is_timed_as_whole || count <= ExecutionChoice::batch_size);
        std::vector<double> milliseconds;
        for (std::size_t i = 0; i < count; ++i) {
            const StepWay way = batch.steps[i];
            age = way.reorders ? 0 : age + 1;
            // From the order of another way it takes far longer.
            milliseconds.push_back(cost(way.summation, age) + (way.summation != ordered ? 50.0 : 0.0));
            if (!batch.is_timed_as_whole) milliseconds.back() += wait(way.summation);
            ordered = way.summation;
        }
        if (batch.is_timed_as_whole && count > batch.untimed) {
            const auto timed = milliseconds.begin() + static_cast<std::ptrdiff_t>(batch.untimed);
            const double whole = std::accumulate(timed, milliseconds.end(), 0.0);
            std::ranges::fill(milliseconds, whole / static_cast<double>(count - batch.untimed));
        }
        choice.learn(milliseconds);
        steps += static_cast<int>(count);
        if (steps > 10000) throw std::runtime_error("it does not settle");
    }
    return steps;
}

const std::vector<Summation> both{Summation::tile, Summation::match};

/// Of two ways one is plainly the best.
double apart(Summation way, int age) {
    return way == Summation::tile ? drifting(2.5, 2.9, 80, 2.6, age) : drifting(2.9, 6.0, 20, 3.0, age);
}
/// Both are within a tenth, so that they are timed as a whole, too: tile takes 5 % less, as for SRD in double
/// precision at 100 particles a cell on an H200,
double close(Summation way, int age) {
    return way == Summation::tile ? drifting(3.20, 3.30, 80, 1.6, age) : drifting(3.18, 4.50, 40, 1.2, age);
}
/// but more where steps are timed one by one.
double tile_waits(Summation way) { return way == Summation::tile ? 0.40 : 0.05; }

TEST(ExecutionChoice, what_is_fixed_is_settled_at_once) {
    const ExecutionChoice choice({Summation::direct}, 7);
    EXPECT_TRUE(choice.is_settled());
    EXPECT_EQ(choice.summation(), Summation::direct);
    EXPECT_EQ(choice.reorder(), 7);
    EXPECT_TRUE(choice.next_batch().steps.empty());
    EXPECT_TRUE(choice.report().empty());
    EXPECT_TRUE(choice.considers(Summation::direct));
    EXPECT_FALSE(choice.considers(Summation::tile));
    EXPECT_THROW(ExecutionChoice({}, 7), std::invalid_argument);
}

TEST(ExecutionChoice, finds_the_way_and_the_interval_of_least_cost) {
    // As on an H200: tiles, which hardly age; peers, which do; a fluid of few particles a cell, in which
    // peers win; and particles that lose their order in a step.
    const std::vector<Cost> machines{[](Summation way, int age) {
                                         return way == Summation::tile ? drifting(2.5, 2.9, 80, 2.6, age)
                                                                       : drifting(2.9, 6.0, 20, 3.0, age);
                                     },
                                     [](Summation way, int age) {
                                         return way == Summation::tile ? drifting(1.9, 2.5, 40, 1.0, age)
                                                                       : drifting(1.0, 2.0, 25, 0.9, age);
                                     },
                                     [](Summation way, int age) {
                                         return way == Summation::tile ? drifting(3.0, 9.0, 1, 2.0, age)
                                                                       : drifting(3.2, 7.0, 1, 2.0, age);
                                     },
                                     [](Summation, int age) { return drifting(1.0, 1.0, 1, 5.0, age); },
                                     [](Summation, int age) { return drifting(1.0, 90.0, 1, 0.1, age); }};
    for (std::size_t i = 0; i < machines.size(); ++i) {
        for (const std::size_t part : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
            ExecutionChoice choice(both, 0);
            const int steps = settle(choice, machines[i], part);
            EXPECT_LE(steps, 2 * 3 * 2 * (1 + ExecutionChoice::longest_turn)) << i;
            const double cost = mean_cost(machines[i], choice.summation(), choice.reorder());
            // Longer intervals than a turn are not tried: of the fourth machine that is 5/64 ms a step.
            const double missed = i == 3 ? 5.0 / 64 : 0.0;
            EXPECT_LE(cost, 1.001 * least_cost(machines[i], both) + missed) << i << ", parts of " << part;
        }
    }
}

TEST(ExecutionChoice, keeps_within_three_per_cent_where_times_scatter) {
    const Cost quiet = [](Summation way, int age) {
        return way == Summation::tile ? drifting(2.5, 2.9, 80, 2.6, age) : drifting(2.4, 5.0, 20, 3.0, age);
    };
    // Steps scatter by 3 %. Where ways are apart the clock wanders by 10 % within some 100 steps.
    struct Machine {
        Cost cost;
        Wait wait;
        double wandering;
    };
    for (const Machine& machine : {Machine{quiet, no_wait, 0.05}, Machine{close, tile_waits, 0.0}}) {
        for (unsigned seed = 1; seed <= 200; ++seed) {
            std::mt19937 random(seed);
            std::normal_distribution<double> scatter(1.0, 0.03);
            const double phase = std::uniform_real_distribution<double>(0.0, 6.28)(random);
            int step = 0;
            ExecutionChoice choice(both, 0);
            const auto cost = [&](Summation way, int age) {
                const double clock = 1.0 + machine.wandering * std::sin(phase + 0.06 * ++step);
                return machine.cost(way, age) * scatter(random) * clock;
            };
            settle(choice, cost, 1000, machine.wait);
            EXPECT_LE(mean_cost(machine.cost, choice.summation(), choice.reorder()),
                      1.03 * least_cost(machine.cost, both))
                << seed;
        }
    }
}

TEST(ExecutionChoice, steps_in_a_row_count_where_they_gain_not_alike) {
    for (const std::size_t part : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        ExecutionChoice choice(both, 0);
        settle(choice, close, part, tile_waits);
        EXPECT_EQ(choice.summation(), Summation::tile) << "parts of " << part;
        EXPECT_LE(mean_cost(close, choice.summation(), choice.reorder()), 1.01 * least_cost(close, both));
    }
    // A way that is far from the best has no turns that are timed as a whole.
    ExecutionChoice choice(both, 0);
    const int steps = settle(choice, apart);
    EXPECT_LE(steps, 3 * 2 * (1 + ExecutionChoice::longest_turn));
    EXPECT_EQ(choice.summation(), Summation::tile);
}

TEST(ExecutionChoice, a_turn_that_is_timed_as_a_whole_can_begin_again) {
    for (const std::size_t done : {std::size_t{1}, std::size_t{5}}) {
        ExecutionChoice choice(both, 0);
        int age = 0;
        for (StepBatch batch = choice.next_batch(); !batch.is_timed_as_whole; batch = choice.next_batch()) {
            std::vector<double> milliseconds;
            for (const StepWay& way : batch.steps) {
                age = way.reorders ? 0 : age + 1;
                milliseconds.push_back(close(way.summation, age) + tile_waits(way.summation));
            }
            choice.learn(milliseconds);
        }
        const StepBatch whole = choice.next_batch();
        ASSERT_GT(whole.steps.size(), done);
        choice.learn(std::vector<double>(done, 1000.0));  // which shall not count
        choice.restart_turn();
        const StepBatch again = choice.next_batch();
        EXPECT_EQ(again.steps.size(), whole.steps.size());
        EXPECT_EQ(again.untimed, 1U);
        EXPECT_TRUE(again.steps[0].reorders && again.steps[1].reorders && !again.steps[2].reorders);
        settle(choice, close, 1000, tile_waits);
        EXPECT_EQ(choice.summation(), Summation::tile) << done;
    }
}

TEST(ExecutionChoice, of_ways_that_are_level_the_first_is_chosen) {
    const auto chosen = [](double match) {
        ExecutionChoice choice(both, 0);
        settle(choice, [&](Summation way, int /*age*/) { return way == Summation::tile ? 1.0 : match; });
        return choice.summation();
    };
    EXPECT_EQ(chosen(0.985), Summation::tile);
    EXPECT_EQ(chosen(0.975), Summation::match);
    EXPECT_EQ(chosen(1.015), Summation::tile);
}

TEST(ExecutionChoice, a_step_that_takes_very_long_does_not_mislead) {
    // Another program has the card for a moment, once in the run, at any step.
    const auto expect_found = [](const Cost& quiet, const Wait& wait, double within) {
        int steps = 1;
        for (int late = 0; late < steps; ++late) {
            int step = 0;
            ExecutionChoice choice(both, 0);
            const auto cost = [&](Summation way, int age) {
                return quiet(way, age) + (step++ == late ? 5.0 : 0.0);
            };
            steps = settle(choice, cost, 1000, wait);
            EXPECT_LE(mean_cost(quiet, choice.summation(), choice.reorder()),
                      within * least_cost(quiet, both))
                << "after " << late << " steps";
        }
    };
    expect_found(apart, no_wait, 1.06);
    expect_found(close, tile_waits, 1.03);
}

TEST(ExecutionChoice, a_fixed_interval_is_kept_and_a_way_chosen_for_it) {
    const Cost cost = [](Summation way, int age) {
        return way == Summation::tile ? drifting(2.5, 2.6, 80, 9.0, age) : drifting(2.9, 6.0, 20, 1.0, age);
    };
    for (const auto& [interval, way] :
         {std::pair{2, Summation::match}, {40, Summation::tile}, {500, Summation::tile}}) {
        ExecutionChoice choice(both, interval);
        EXPECT_EQ(choice.reorder(), interval) << "also before it is settled";
        settle(choice, cost);
        EXPECT_EQ(choice.summation(), way) << interval;
        EXPECT_EQ(choice.reorder(), interval);
    }
    // One that is longer than a turn, of ways that are close.
    ExecutionChoice choice(both, 500);
    settle(
        choice, [](Summation way, int /*age*/) { return way == Summation::tile ? 2.6 : 2.5; }, 1000,
        [](Summation way) { return way == Summation::tile ? 0.0 : 0.3; });
    EXPECT_EQ(choice.summation(), Summation::match);
    EXPECT_EQ(choice.reorder(), 500);
}

TEST(ExecutionChoice, each_turn_begins_with_two_steps_that_reorder) {
    ExecutionChoice choice(both, 3);
    std::string turns;
    while (!choice.is_settled()) {
        const StepWay way = choice.next_batch().steps.front();
        turns += (way.summation == Summation::tile ? "t" : "m") + std::string(way.reorders ? "!" : ".");
        choice.learn(std::vector<double>{1.0});
    }
    // Both take the same, so that each has three turns more, timed as wholes.
    const std::string twice = "t!t!t.t.m!m!m.m.m!m!m.m.t!t!t.t.t!t!t.t.m!m!m.m.";
    EXPECT_EQ(turns, twice + twice);
}

TEST(ExecutionChoice, a_turn_can_begin_again) {
    ExecutionChoice choice(both, 0);
    choice.learn(std::vector<double>(10, 1.0));
    EXPECT_FALSE(choice.next_batch().steps.front().reorders);
    choice.restart_turn();
    const std::vector<StepWay> batch = choice.next_batch().steps;
    EXPECT_TRUE(batch[0].reorders && batch[1].reorders && !batch[2].reorders);
    EXPECT_EQ(batch[0].summation, Summation::tile);
}

TEST(ExecutionChoice, tells_what_was_chosen_and_what_the_others_took) {
    ExecutionChoice choice(both, 0);
    settle(choice, [](Summation way, int age) {
        return way == Summation::tile ? drifting(2.0, 2.0, 1, 2.0, age) : drifting(3.0, 5.0, 5, 2.0, age);
    });
    const std::string chosen = "tile, re-ordered every " + std::to_string(choice.reorder()) + " steps: ";
    EXPECT_EQ(choice.report().find(chosen), 0U) << choice.report();
    EXPECT_NE(choice.report().find("; instead of match, re-ordered every "), std::string::npos)
        << choice.report();
}

}  // namespace
}  // namespace mpcflow::test
