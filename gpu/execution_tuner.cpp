#include "gpu/execution_tuner.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "physics/names.hpp"

namespace mpcflow {

namespace {

/// Longest trial; who has not lost his order by then re-orders that seldom that its cost does not count.
constexpr int longest_trial = 512;
/// Fixed intervals up to this are tried whole.
constexpr int longest_whole_interval = 128;
/// Steps of a trial that does not re-order.
constexpr int plain_trial = 16;
constexpr int warm_up_steps = 48;
/// A trial whose candidate is so much above the best is not carried to its end.
constexpr double hopeless = 1.1;
/// A candidate so much above the best is not in the next round. Whatever else the host does can stretch all of a
/// trial, so that only who is slow beyond that is out after one.
constexpr double round_margin[] = {2.0, 1.06, 1.03};
constexpr int rounds = 4;
/// A trial's step that does not count, its plain step and its step that re-orders.
constexpr int opening_steps = 3;
/// Relative change of the distinct cells before a re-ordering that asks for new timing.
constexpr double noteworthy_change = 0.1;
constexpr int most_observations = 1 << 14;
/// A choice whose interval is so near the former one is the same choice.
constexpr double same_interval = 0.25;

template <class... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
    char text[160];
    std::snprintf(text, sizeof text, format, arguments...);
    return text;
}

}  // namespace

ExecutionTuner::ExecutionTuner(std::vector<Summation> candidates, int reorder)
    : fixed_reorder_(reorder), summation_(Summation::peers), reorder_(reorder > 0 ? reorder : 1) {
    if (candidates.empty()) throw std::logic_error("ExecutionTuner: no way of summing to choose from");
    for (const Summation summation : candidates) candidates_.push_back(Candidate{summation});
    summation_ = candidates.front();
    if (candidates_.size() > 1 || fixed_reorder_ == 0) start();
}

void ExecutionTuner::start() {
    phase_ = Phase::warm_up;
    round_ = 0;
    current_ = 0;
    trial_.clear();
    for (Candidate& candidate : candidates_) candidate = Candidate{candidate.summation};
}

bool ExecutionTuner::reorders() const { return fixed_reorder_ <= longest_whole_interval; }

std::vector<StepWay> ExecutionTuner::next_batch() const {
    std::vector<StepWay> ways;
    if (is_settled()) return ways;
    // The step of a trial that re-orders; a trial without one is of a run that hardly ever does, but for its start.
    const int reordering_step = phase_ == Phase::warm_up ? 0 : reorders() ? opening_steps - 1 : -1;
    const int done = static_cast<int>(trial_.size());
    int left = batch_size;
    if (fixed_reorder_ > 0 && reorders() && phase_ != Phase::warm_up) left = std::min(left, opening_steps + fixed_reorder_ - done);
    for (int i = 0; i < left; ++i) ways.push_back({candidates_[current_].summation, done + i == reordering_step});
    return ways;
}

void ExecutionTuner::learn(std::span<const StepCost> costs) {
    if (is_settled()) return;
    trial_.insert(trial_.end(), costs.begin(), costs.end());
    if (trial_is_over()) end_trial();
}

/// The averages of a trial, or of what is known of it yet: the best interval and its cost.
void ExecutionTuner::evaluate(Candidate& candidate) const {
    double sum = reorders() ? std::max(0.0, candidate.reordering_step - candidate.plain_step) : 0.0;
    candidate.best_average = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < candidate.costs.size(); ++i) {
        sum += candidate.costs[i];
        const double average = sum / static_cast<double>(i + 1);
        const bool is_allowed = fixed_reorder_ == 0 || i + 1 == candidate.costs.size();
        if (is_allowed && average < candidate.best_average) {
            candidate.best_average = average;
            candidate.best_interval = static_cast<int>(i + 1);
        }
    }
}

/// Adds the figures of the trial that has just ended, or is under way, to what is known of its candidate.
void ExecutionTuner::add_trial(Candidate& candidate) const {
    const std::size_t opening = reorders() ? opening_steps : 0;
    if (trial_.size() <= opening) return;
    if (reorders()) {
        candidate.plain_step = std::min(candidate.plain_step, trial_[1].milliseconds);
        candidate.reordering_step = std::min(candidate.reordering_step, trial_[2].milliseconds);
    }
    const std::size_t steps = std::max(candidate.costs.size(), trial_.size() - opening);
    candidate.costs.resize(steps, std::numeric_limits<double>::infinity());
    candidate.distinct_cells.resize(steps + 1);
    if (reorders()) candidate.distinct_cells[0] = trial_[2].distinct_cells;
    for (std::size_t i = 0; i + opening < trial_.size(); ++i) {
        candidate.costs[i] = std::min(candidate.costs[i], trial_[opening + i].milliseconds);
        candidate.distinct_cells[i + 1] = trial_[opening + i].distinct_cells;
    }
    evaluate(candidate);
}

const ExecutionTuner::Candidate* ExecutionTuner::best() const {
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates_) {
        if (candidate.is_out || candidate.costs.empty()) continue;
        if (best == nullptr || candidate.best_average < best->best_average) best = &candidate;
    }
    return best;
}

bool ExecutionTuner::trial_is_over() const {
    const int steps = static_cast<int>(trial_.size());
    if (phase_ == Phase::warm_up) {
        // Without re-orderings what counts is the cost long after the first one.
        return steps >= (reorders() ? warm_up_steps : longest_whole_interval);
    }
    if (fixed_reorder_ > 0) return steps >= (reorders() ? opening_steps + fixed_reorder_ : plain_trial);
    if (steps < batch_size) return false;
    Candidate trial{candidates_[current_].summation};
    add_trial(trial);
    // Its best steps, in full order, cost more than the steps of the best so far do on average.
    const Candidate* const leader = best();
    const bool is_hopeless = leader != nullptr && *std::min_element(trial.costs.begin(), trial.costs.end()) >
                                                      hopeless * leader->best_average;
    // Well past its minimum the average only rises.
    return is_hopeless || steps >= 2 * trial.best_interval + opening_steps || steps >= longest_trial;
}

void ExecutionTuner::end_trial() {
    if (phase_ == Phase::warm_up) {
        phase_ = Phase::rounds;
        trial_.clear();
        return;
    }
    add_trial(candidates_[current_]);
    trial_.clear();
    do ++current_;
    while (current_ < candidates_.size() && candidates_[current_].is_out);
    if (current_ < candidates_.size()) return;
    if (++round_ == rounds) return settle();
    const double limit = round_margin[round_ - 1] * best()->best_average;
    for (Candidate& candidate : candidates_) candidate.is_out |= candidate.best_average > limit;
    current_ = 0;
    while (candidates_[current_].is_out) ++current_;
}

void ExecutionTuner::settle() {
    const Candidate& chosen = *best();
    const int interval = fixed_reorder_ > 0 ? fixed_reorder_ : chosen.best_interval;
    // Timing again for nothing: the observations scatter more than was thought.
    const bool is_same = !report_.empty() && chosen.summation == summation_ &&
                         std::abs(interval - reorder_) <= same_interval * reorder_;
    observations_wanted_ = is_same ? std::min(2 * observations_wanted_, most_observations) : least_observations;
    observations_ = 0;
    observed_sum_ = 0.0;
    expected_distinct_cells_ = 0.0;
    phase_ = Phase::settled;
    summation_ = chosen.summation;
    reorder_ = interval;
    write_report(chosen);
}

void ExecutionTuner::write_report(const Candidate& chosen) {
    report_ = formatted("%s, re-ordered every %d steps", std::string(name_of(summation_)).c_str(), reorder_);
    if (reorders()) {
        // After a re-ordering, place 0, there are reorder_ - 1 plain steps until the next one.
        const auto last = std::min(static_cast<std::size_t>(reorder_), chosen.distinct_cells.size()) - 1;
        report_ += formatted(" (distinct cells in a warp %.1f after it, %.1f before)", chosen.distinct_cells.front(),
                             chosen.distinct_cells[last]);
    }
    report_ += formatted(": %.4g ms a step", chosen.best_average);
    std::vector<const Candidate*> others;
    for (const Candidate& candidate : candidates_) {
        if (&candidate != &chosen) others.push_back(&candidate);
    }
    std::sort(others.begin(), others.end(),
              [](const Candidate* a, const Candidate* b) { return a->best_average < b->best_average; });
    for (const Candidate* const other : others) {
        report_ += formatted("%s%s %.4g", other == others.front() ? "; " : ", ",
                             std::string(name_of(other->summation)).c_str(), other->best_average);
    }
}

Summation ExecutionTuner::summation() const {
    if (is_settled()) return summation_;
    return candidates_.size() == 1 ? candidates_.front().summation : Summation::automatic;
}

bool ExecutionTuner::observe(double distinct_cells) {
    if (!is_watching()) return false;
    observed_sum_ += distinct_cells;
    if (++observations_ < observations_wanted_) return false;
    const double mean = observed_sum_ / observations_;
    observations_ = 0;
    observed_sum_ = 0.0;
    if (expected_distinct_cells_ == 0.0) {
        expected_distinct_cells_ = mean;
        return false;
    }
    if (std::abs(mean / expected_distinct_cells_ - 1.0) <= noteworthy_change) return false;
    start();
    return true;
}

}  // namespace mpcflow
