#pragma once
/// What a step costs, as a function of the order that the particles are in, and what re-ordering them adds.

#include <array>
#include <map>
#include <span>
#include <vector>

namespace mpcflow {

/// A step that was timed, and the order of the particles: mean numbers of distinct cells in a warp, by the grids of the
/// step's collision and of the next one, and the steps since the last re-ordering (0: the step behind it is the first).
struct TimedStep {
    double milliseconds = 0.0;
    double distinct_before = 0.0;
    double distinct_after = 0.0;
    int age = 0;
    int trial = 0;  ///< steps of one trial follow each other
};

/// cost = c0 + c1 distinct_before + c2 distinct_after + c3 sqrt(age), fitted to timed steps of one way of summing.
///
/// The grid of cells is shifted at random each step, and by that the cells in a warp vary by a sixth from step to step:
/// two ways that are timed on different steps differ by several per cent through luck alone. The fit takes that luck
/// out, since costs can be compared at the same, mean order. Age stands for what the number of cells does not say:
/// how far apart these cells are in memory.
class StepCostModel {
public:
    /// Of at least one step. What disturbs a measurement only ever makes it longer, and may last for a whole trial: so
    /// the fit begins with the trial that took the shortest, and takes in what lies near that.
    explicit StepCostModel(std::span<const TimedStep> steps);

    [[nodiscard]] double milliseconds(double distinct_before, double distinct_after, int age) const;
    /// By how much a step took longer than a plain one would have.
    [[nodiscard]] double excess(const TimedStep& step) const;

private:
    static constexpr int regressors = 3;
    using Row = std::array<double, regressors>;

    [[nodiscard]] static Row row(double distinct_before, double distinct_after, int age);
    void fit(std::span<const TimedStep> steps);

    double mean_cost_ = 0.0;
    Row mean_{};
    Row slope_{};
};

/// What it adds to a step that it re-orders the particles: more where this is done seldom, for then they have farther to
/// go in memory.
class ReorderingCost {
public:
    /// A re-ordering step after `interval` steps took so much longer than a plain one would have.
    void add(int interval, double milliseconds) { by_interval_[interval].push_back(milliseconds); }

    /// ms, of a re-ordering every `interval` steps: the middle one of those timed, at least 0. Between the intervals that
    /// were timed along a straight line, beyond them as at the nearest; 0 where none was.
    [[nodiscard]] double milliseconds(int interval) const;

private:
    std::map<int, std::vector<double>> by_interval_;
};

/// The middle one of at least one value; of the two in the middle the lower.
[[nodiscard]] double lower_median(std::span<const double> values);

}  // namespace mpcflow
