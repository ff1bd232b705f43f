#include "gpu/step_cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

namespace mpcflow {

namespace {

/// Of the regressors' variances; so that regressors which vary together share what they explain.
constexpr double ridge = 1e-4;
/// Least absolute deviations, by weighting with their inverse; those below this part of the cost count alike.
constexpr int absolute_passes = 10;
constexpr double smallest_part = 0.002;
/// Steps that are so far from that fit do not belong to it: in middle absolute deviations, and at least by
/// this part.
constexpr double outlying_deviations = 5.0;
constexpr double outlying_part = 0.02;
constexpr int passes = 3;
/// m(age) is part of what it takes where it may be chance: half where there are so many steps of about that
/// age.
constexpr double few_steps = 4.0;
/// Of fewer steps a block's pace is not told.
constexpr std::size_t fewest_steps = 8;
/// Fits and paces in turns. Fewer tell paces worse; many would take the cost of ages that one block alone has
/// for that block's pace.
constexpr int pace_passes = 3;

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

}  // namespace

double lower_median(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

StepCostModel::StepCostModel(std::span<const TimedStep> steps) {
    std::vector<Sample> samples;
    samples.reserve(steps.size());
    for (const TimedStep& step : steps)
        samples.push_back({row(step.distinct_before, step.distinct_after, step.age), step.milliseconds, 1.0});
    fit(samples);
    const double least_deviation = std::max(smallest_part * mean_cost_, std::numeric_limits<double>::min());
    for (int pass = 0; pass < absolute_passes; ++pass) {
        for (Sample& sample : samples)
            sample.weight = least_deviation / std::max(std::abs(deviation(sample)), least_deviation);
        fit(samples);
    }
    for (int pass = 0; pass < passes; ++pass) {
        std::vector<double> deviations;
        deviations.reserve(samples.size());
        for (const Sample& sample : samples) deviations.push_back(std::abs(deviation(sample)));
        const double limit =
            std::max(outlying_deviations * lower_median(deviations), outlying_part * mean_cost_);
        for (std::size_t i = 0; i < samples.size(); ++i)
            samples[i].weight = deviations[i] <= limit ? 1.0 : 0.0;
        fit(samples);
    }
    find_misfits(steps, samples);
}

StepCostModel::Row StepCostModel::row(double distinct_before, double distinct_after, int age) {
    return {distinct_before, distinct_after, std::sqrt(static_cast<double>(age))};
}

void StepCostModel::fit(std::span<const Sample> samples) {
    double total = 0.0;
    mean_cost_ = 0.0;
    mean_ = {};
    for (const Sample& sample : samples) {
        total += sample.weight;
        mean_cost_ += sample.weight * sample.milliseconds;
        for (std::size_t i = 0; i < regressors; ++i) mean_[i] += sample.weight * sample.x[i];
    }
    mean_cost_ /= total;
    for (double& mean : mean_) mean /= total;
    std::array<Row, regressors> covariance{};
    Row with_cost{};
    for (const Sample& sample : samples) {
        Row x = sample.x;
        for (std::size_t i = 0; i < regressors; ++i) x[i] -= mean_[i];
        const double cost = sample.milliseconds - mean_cost_;
        for (std::size_t i = 0; i < regressors; ++i) {
            const double weighted = sample.weight * x[i];
            with_cost[i] += weighted * cost;
            for (std::size_t j = i; j < regressors; ++j) covariance[i][j] += weighted * x[j];
        }
    }
    for (std::size_t i = 0; i < regressors; ++i) {
        // What does not vary explains nothing.
        covariance[i][i] = covariance[i][i] > 0.0 ? covariance[i][i] * (1.0 + ridge) : 1.0;
        for (std::size_t j = 0; j < i; ++j) covariance[i][j] = covariance[j][i];
    }
    slope_ = solve(covariance, with_cost);
}

/// The middle one of what steps take beyond the straight lines whose age is that of a point or differs by up
/// to a quarter; the points are as far apart.
void StepCostModel::find_misfits(std::span<const TimedStep> steps, std::span<const Sample> samples) {
    std::vector<std::vector<double>> deviations;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto age = static_cast<std::size_t>(steps[i].age);
        deviations.resize(std::max(deviations.size(), age + 1));
        deviations[age].push_back(deviation(samples[i]));
    }
    oldest_ = static_cast<int>(deviations.size()) - 1;
    std::vector<double> near;
    for (int age = 0; age <= oldest_; age += std::max(1, age / 4)) {
        const int width = (age + 2) / 4;
        near.clear();
        for (int other = age - width; other <= std::min(age + width, oldest_); ++other)
            near.insert(near.end(), deviations[other].begin(), deviations[other].end());
        const auto count = static_cast<double>(near.size());
        misfits_.push_back({age, near.empty() ? 0.0 : lower_median(near) * count / (count + few_steps)});
    }
}

double StepCostModel::misfit(int age) const {
    const auto above = std::ranges::lower_bound(misfits_, age, {}, &Misfit::age);
    if (above == misfits_.end()) return misfits_.back().milliseconds;
    if (above->age == age || above == misfits_.begin()) return above->milliseconds;
    const auto below = std::prev(above);
    const double part = static_cast<double>(age - below->age) / (above->age - below->age);
    return below->milliseconds + part * (above->milliseconds - below->milliseconds);
}

double StepCostModel::straight(const Row& x) const {
    double cost = mean_cost_;
    for (std::size_t i = 0; i < regressors; ++i) cost += slope_[i] * (x[i] - mean_[i]);
    return cost;
}

double StepCostModel::deviation(const Sample& sample) const {
    return sample.milliseconds - straight(sample.x);
}

double StepCostModel::milliseconds(double distinct_before, double distinct_after, int age) const {
    return straight(row(distinct_before, distinct_after, age)) + misfit(age);
}

double StepCostModel::excess(const TimedStep& step) const {
    return step.milliseconds - milliseconds(step.distinct_before, step.distinct_after, step.age);
}

std::vector<double> paces_of_blocks(std::span<const std::span<const TimedStep>> ways, int blocks) {
    std::vector<double> paces(static_cast<std::size_t>(blocks), 1.0);
    for (int pass = 0; pass < pace_passes; ++pass) {
        std::vector<std::vector<double>> ratios(paces.size());
        for (const std::span<const TimedStep> steps : ways) {
            if (steps.empty()) continue;
            const StepCostModel model(at_usual_pace(steps, paces));
            for (const TimedStep& step : steps) {
                const double usual = model.milliseconds(step.distinct_before, step.distinct_after, step.age);
                if (usual > 0.0) ratios[step.block].push_back(step.milliseconds / usual);
            }
        }
        std::vector<double> told;
        std::vector<bool> is_told(paces.size(), false);
        for (std::size_t block = 0; block < paces.size(); ++block) {
            if (ratios[block].size() < fewest_steps) continue;
            const double pace = lower_median(ratios[block]);
            if (!(pace > 0.0)) continue;
            paces[block] = pace;
            is_told[block] = true;
            told.push_back(pace);
        }
        if (told.empty()) break;
        const double usual = lower_median(told);
        for (std::size_t block = 0; block < paces.size(); ++block)
            if (is_told[block]) paces[block] /= usual;
    }
    return paces;
}

std::vector<TimedStep> at_usual_pace(std::span<const TimedStep> steps, std::span<const double> paces) {
    std::vector<TimedStep> usual(steps.begin(), steps.end());
    for (TimedStep& step : usual) step.milliseconds /= paces[step.block];
    return usual;
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
