#pragma once
/// What a step costs, as a function of the order that the particles are in, and what re-ordering them adds.

#include <array>
#include <map>
#include <span>
#include <vector>

namespace mpcflow {

/// A step that was timed, and the order of the particles: mean numbers of distinct cells in a warp, by the
/// grids of the step's collision and of the next one, and the steps since the last re-ordering (0: the step
/// behind it is the first).
struct TimedStep {
    double milliseconds = 0.0;
    double distinct_before = 0.0;
    double distinct_after = 0.0;
    int age = 0;
    int block = 0;  ///< steps of one block follow each other
};

/// cost = c0 + c1 distinct_before + c2 distinct_after + c3 sqrt(age) + m(age), fitted to timed steps of one
/// way of summing.
///
/// The grid of cells is shifted at random each step, and by that the cells in a warp vary by a sixth from
/// step to step: two ways that are timed on different steps differ by several per cent through luck alone.
/// The fit takes that luck out, since costs can be compared at the same, mean order. Age stands for what the
/// number of cells does not say: how far apart these cells are in memory. m(age) is what steps of about that
/// age take beyond the straight lines.
class StepCostModel {
public:
    /// Of at least one step. The fit of least absolute deviations says which steps lie far from the others,
    /// as those whose measurement was disturbed do; then that of least squares is taken of the rest.
    explicit StepCostModel(std::span<const TimedStep> steps);

    [[nodiscard]] double milliseconds(double distinct_before, double distinct_after, int age) const;
    /// By how much a step took longer than a plain one would have.
    [[nodiscard]] double excess(const TimedStep& step) const;
    /// Age of the oldest step that was timed.
    [[nodiscard]] int oldest() const { return oldest_; }

private:
    static constexpr std::size_t regressors = 3;
    using Row = std::array<double, regressors>;
    /// A step as the fit sees it.
    struct Sample {
        Row x{};
        double milliseconds = 0.0;
        double weight = 1.0;
    };
    /// A point of m(age), straight in between.
    struct Misfit {
        int age = 0;
        double milliseconds = 0.0;
    };

    [[nodiscard]] static Row row(double distinct_before, double distinct_after, int age);
    void fit(std::span<const Sample> samples);
    [[nodiscard]] double straight(const Row& x) const;
    [[nodiscard]] double deviation(const Sample& sample) const;
    void find_misfits(std::span<const TimedStep> steps, std::span<const Sample> samples);
    [[nodiscard]] double misfit(int age) const;

    double mean_cost_ = 0.0;
    Row mean_{};
    Row slope_{};
    std::vector<Misfit> misfits_;
    int oldest_ = 0;
};

/// By what factor all steps of a block took longer than usual: a processor that gets hot lowers its clock,
/// whoever steps. The usual pace, 1, is that of the middle one of the blocks.
///
/// `ways`: the plain steps of each way of summing, of any blocks from 0 to `blocks` - 1. Returns a factor for
/// each block: the middle one of what its steps took, over what the fits of their ways to all blocks say; 1
/// where a block has too few steps to tell.
[[nodiscard]] std::vector<double> paces_of_blocks(std::span<const std::span<const TimedStep>> ways,
                                                  int blocks);

/// The steps as they would have been at the usual pace.
[[nodiscard]] std::vector<TimedStep> at_usual_pace(std::span<const TimedStep> steps,
                                                   std::span<const double> paces);

/// What it adds to a step that it re-orders the particles: more where this is done seldom, for then they have
/// farther to go in memory.
class ReorderingCost {
public:
    /// A re-ordering step after `interval` steps took so much longer than a plain one would have.
    void add(int interval, double milliseconds) { by_interval_[interval].push_back(milliseconds); }

    /// ms, of a re-ordering every `interval` steps: the middle one of those timed, at least 0. Between the
    /// intervals that were timed along a straight line, beyond them as at the nearest; 0 where none was.
    [[nodiscard]] double milliseconds(int interval) const;

private:
    std::map<int, std::vector<double>> by_interval_;
};

/// The middle one of at least one value; of the two in the middle the lower.
[[nodiscard]] double lower_median(std::span<const double> values);

}  // namespace mpcflow
