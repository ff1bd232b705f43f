#include "gpu/step_cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace mpcflow {

namespace {

/// Of the regressors' variances; so that regressors which vary together share what they explain.
constexpr double ridge = 1e-4;
/// Steps that are so far above the fit do not belong to it: in mean absolute deviations, and at least by this part.
constexpr double outlying_deviations = 5.0;
constexpr double outlying_part = 0.02;
constexpr int passes = 3;
/// A trial of fewer steps is not fitted alone.
constexpr std::size_t fewest_steps = 8;

/// Solves the symmetric, positive definite system by elimination.
template <std::size_t n>
std::array<double, n> solve(std::array<std::array<double, n>, n> matrix, std::array<double, n> right) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
            const double factor = matrix[j][i] / matrix[i][i];
            for (std::size_t k = i; k < n; ++k) matrix[j][k] -= factor * matrix[i][k];
            right[j] -= factor * right[i];
        }
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[i][k] * right[k];
        right[i] /= matrix[i][i];
    }
    return right;
}

/// The first steps of the trial that was disturbed least; of each trial as many are looked at.
std::vector<TimedStep> quietest_trial(std::span<const TimedStep> steps) {
    std::map<int, std::vector<TimedStep>> trials;
    for (const TimedStep& step : steps) trials[step.trial].push_back(step);
    std::erase_if(trials, [](const auto& trial) { return trial.second.size() < fewest_steps; });
    if (trials.empty()) return {steps.begin(), steps.end()};
    std::size_t length = steps.size();
    for (const auto& [number, trial] : trials) length = std::min(length, trial.size());
    const std::vector<TimedStep>* quietest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [number, trial] : trials) {
        double sum = 0.0;
        for (std::size_t i = 0; i < length; ++i) sum += trial[i].milliseconds;
        if (sum >= least) continue;
        quietest = &trial;
        least = sum;
    }
    return {quietest->begin(), quietest->begin() + static_cast<std::ptrdiff_t>(length)};
}

}  // namespace

double lower_median(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

StepCostModel::StepCostModel(std::span<const TimedStep> steps) {
    std::vector<TimedStep> chosen = quietest_trial(steps);
    for (int pass = 0; pass < passes; ++pass) {
        fit(chosen);
        std::vector<double> deviations;
        for (const TimedStep& step : chosen) deviations.push_back(std::abs(excess(step)));
        const double limit = std::max(outlying_deviations * lower_median(deviations), outlying_part * mean_cost_);
        std::vector<TimedStep> near;
        for (const TimedStep& step : steps) {
            if (excess(step) <= limit) near.push_back(step);
        }
        if (!near.empty()) chosen = std::move(near);
    }
    fit(chosen);
}

StepCostModel::Row StepCostModel::row(double distinct_before, double distinct_after, int age) {
    return {distinct_before, distinct_after, std::sqrt(static_cast<double>(age))};
}

void StepCostModel::fit(std::span<const TimedStep> steps) {
    const double n = static_cast<double>(steps.size());
    mean_cost_ = 0.0;
    mean_ = {};
    for (const TimedStep& step : steps) {
        const Row x = row(step.distinct_before, step.distinct_after, step.age);
        mean_cost_ += step.milliseconds / n;
        for (std::size_t i = 0; i < x.size(); ++i) mean_[i] += x[i] / n;
    }
    std::array<Row, regressors> covariance{};
    Row with_cost{};
    for (const TimedStep& step : steps) {
        Row x = row(step.distinct_before, step.distinct_after, step.age);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] -= mean_[i];
        for (std::size_t i = 0; i < x.size(); ++i) {
            with_cost[i] += x[i] * (step.milliseconds - mean_cost_);
            for (std::size_t j = 0; j < x.size(); ++j) covariance[i][j] += x[i] * x[j];
        }
    }
    for (std::size_t i = 0; i < covariance.size(); ++i) {
        // What does not vary explains nothing.
        covariance[i][i] = covariance[i][i] > 0.0 ? covariance[i][i] * (1.0 + ridge) : 1.0;
    }
    slope_ = solve(covariance, with_cost);
}

double StepCostModel::milliseconds(double distinct_before, double distinct_after, int age) const {
    const Row x = row(distinct_before, distinct_after, age);
    double cost = mean_cost_;
    for (std::size_t i = 0; i < x.size(); ++i) cost += slope_[i] * (x[i] - mean_[i]);
    return cost;
}

double StepCostModel::excess(const TimedStep& step) const {
    return step.milliseconds - milliseconds(step.distinct_before, step.distinct_after, step.age);
}

double ReorderingCost::milliseconds(int interval) const {
    if (by_interval_.empty()) return 0.0;
    const auto value = [](const auto& timed) { return std::max(0.0, lower_median(timed->second)); };
    const auto above = by_interval_.lower_bound(interval);
    if (above == by_interval_.end()) return value(std::prev(above));
    if (above == by_interval_.begin()) return value(above);
    const auto below = std::prev(above);
    const double part = static_cast<double>(interval - below->first) / (above->first - below->first);
    return value(below) + part * (value(above) - value(below));
}

}  // namespace mpcflow
