#include "gpu/execution_tuner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "physics/names.hpp"

namespace mpcflow {

namespace {

/// Longest trial, to whose half there are intervals; who has not lost his order by then re-orders that seldom that its
/// cost does not count.
constexpr int longest_trial = 1024;
/// Fixed intervals up to this are tried whole.
constexpr int longest_whole_interval = 128;
/// Steps of a trial that does not re-order.
constexpr int plain_trial = 16;
constexpr int warm_up_steps = 48;
/// A trial whose candidate is so much above the best is not carried to its end.
constexpr double hopeless = 1.1;
/// A candidate so much above the best is not in the next round. Whatever else the host does can stretch all of a
/// trial, so that only who is slow beyond that is out after one.
constexpr double round_margin[] = {3.0, 1.25, 1.25, 1.15, 1.15, 1.06, 1.03};
/// With margins that wide and so many rounds each way is timed often enough at full speed, also where a card that is busy all the
/// time is slower for a quarter of it.
constexpr int rounds = 8;
static_assert(std::size(round_margin) == rounds - 1);
/// A trial's step that does not count, and one that re-orders what was left of the trial before.
constexpr int opening_steps = 2;
/// Relative change of the distinct cells before a re-ordering that asks for new timing.
constexpr double noteworthy_change = 0.1;
constexpr int most_observations = 1 << 14;
/// A choice whose interval is so near the former one is the same choice.
constexpr double same_interval = 0.25;

/// By how much steps of each age take longer than the model says, which knows straight lines only: of the steps of
/// about the same age the middle one, in part where they are few and it may be chance.
std::vector<double> misfits_by_age(const StepCostModel& model, const std::vector<TimedStep>& steps) {
    constexpr double few_steps = 4.0;
    const auto width = [](int age) { return (age + 2) / 4; };
    std::vector<std::vector<double>> excesses;
    for (const TimedStep& step : steps) {
        excesses.resize(std::max<std::size_t>(excesses.size(), step.age + 1));
        excesses[step.age].push_back(model.excess(step));
    }
    std::vector<double> misfits(excesses.size(), 0.0);
    for (int age = 0; age < static_cast<int>(misfits.size()); ++age) {
        std::vector<double> near;
        const int last = std::min(age + width(age), static_cast<int>(misfits.size()) - 1);
        for (int other = age - width(age); other <= last; ++other) {
            near.insert(near.end(), excesses[other].begin(), excesses[other].end());
        }
        if (near.empty()) continue;
        const auto count = static_cast<double>(near.size());
        misfits[age] = lower_median(near) * count / (count + few_steps);
    }
    return misfits;
}

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
    trial_ = 0;
    trial_steps_ = 0;
    order_.clear();
    for (Candidate& candidate : candidates_) candidate = Candidate{candidate.summation};
}

bool ExecutionTuner::reorders() const { return fixed_reorder_ <= longest_whole_interval; }

/// Steps of a trial at a fixed interval: a plain one of each age, and one that re-orders.
int ExecutionTuner::whole_trial() const { return opening_steps + fixed_reorder_ + 1; }

/// Whether a trial's step re-orders; without `reorders()` it is of a run that hardly ever does, but for its start.
bool ExecutionTuner::reorders_at(int step) const {
    if (phase_ == Phase::warm_up) return step == 0;
    if (!reorders()) return false;
    if (fixed_reorder_ > 0) return step == opening_steps - 1 || step == whole_trial() - 1;
    return step >= opening_steps - 1 && std::has_single_bit(static_cast<unsigned>(step) + 1);
}

std::vector<StepWay> ExecutionTuner::next_batch() const {
    std::vector<StepWay> ways;
    if (is_settled()) return ways;
    const int done = trial_steps_;
    int left = batch_size;
    if (fixed_reorder_ > 0 && reorders() && phase_ != Phase::warm_up) left = std::min(left, whole_trial() - done);
    for (int i = 0; i < left; ++i) ways.push_back({candidates_[current_].summation, reorders_at(done + i)});
    return ways;
}

void ExecutionTuner::learn(std::span<const StepCost> costs) {
    if (is_settled()) return;
    const std::vector<StepWay> ways = next_batch();
    for (std::size_t i = 0; i < costs.size(); ++i) add_step(costs[i], ways[i].reorders);
    if (trial_is_over()) end_trial();
}

void ExecutionTuner::add_step(const StepCost& cost, bool is_reordering) {
    const TimedStep step{cost.milliseconds, distinct_cells_, cost.distinct_cells, age_, trial_};
    age_ = is_reordering ? 0 : age_ + 1;
    distinct_cells_ = cost.distinct_cells;
    // Of the warm-up it is not known from which order it began.
    const bool is_ordered = phase_ == Phase::rounds || trial_steps_ > 0 || is_reordering;
    const auto age = static_cast<std::size_t>(age_);
    if (reorders() && is_ordered) {
        order_.resize(std::max(order_.size(), age + 1));
        order_[age].distinct_sum += cost.distinct_cells;
        ++order_[age].observations;
    }
    Candidate& candidate = candidates_[current_];
    if (phase_ == Phase::rounds && (trial_steps_ >= opening_steps || !reorders())) {
        (is_reordering ? candidate.reordering : candidate.plain).push_back(step);
        if (!is_reordering) least_cost_ = std::min(least_cost_, step.milliseconds);
    }
    ++trial_steps_;
}

/// From all that is known of a candidate yet: the best interval and its cost.
void ExecutionTuner::evaluate(Candidate& candidate) const {
    candidate.best_average = std::numeric_limits<double>::infinity();
    if (candidate.plain.empty()) return;
    if (!reorders()) {
        std::vector<double> costs;
        for (const TimedStep& step : candidate.plain) costs.push_back(step.milliseconds);
        candidate.best_average = lower_median(costs);
        candidate.best_interval = fixed_reorder_;
        return;
    }
    const StepCostModel model(candidate.plain);
    const std::vector<double> misfits = misfits_by_age(model, candidate.plain);
    ReorderingCost reordering;
    for (TimedStep step : candidate.reordering) {
        // It adds to the sums of cells before it, in the old order, of which no count is taken.
        step.distinct_after = order_[std::min<std::size_t>(step.age + 1, order_.size() - 1)].distinct_cells();
        reordering.add(step.age + 1, model.excess(step) - misfits[std::min<std::size_t>(step.age, misfits.size() - 1)]);
    }
    // Where times are mostly noise the fit may lead anywhere; no step of a mean order takes less than the luckiest one did.
    const double least = std::ranges::min_element(candidate.plain, {}, &TimedStep::milliseconds)->milliseconds;
    double sum = 0.0;
    for (int k = 1; k <= static_cast<int>(misfits.size()); ++k) {
        const double plain = model.milliseconds(order_[k - 1].distinct_cells(), order_[k].distinct_cells(), k - 1);
        sum += std::max(least, plain + misfits[k - 1]);
        const double average = (sum + reordering.milliseconds(k)) / k;
        const bool is_allowed = fixed_reorder_ == 0 || k == fixed_reorder_;
        if (is_allowed && average < candidate.best_average) {
            candidate.best_average = average;
            candidate.best_interval = k;
        }
    }
}

const ExecutionTuner::Candidate* ExecutionTuner::best() const {
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates_) {
        if (candidate.is_out || std::isinf(candidate.best_average)) continue;
        if (best == nullptr || candidate.best_average < best->best_average) best = &candidate;
    }
    return best;
}

bool ExecutionTuner::trial_is_over() {
    const int steps = trial_steps_;
    if (phase_ == Phase::warm_up) {
        // Without re-orderings what counts is the cost long after the first one.
        return steps >= (reorders() ? warm_up_steps : longest_whole_interval);
    }
    if (fixed_reorder_ > 0) return steps >= (reorders() ? whole_trial() : plain_trial);
    if (steps < next_look_) return false;
    next_look_ *= 2;
    // Its best steps, in full order, cost more than the steps of the best so far do on average.
    const Candidate* const leader = best();
    const bool is_hopeless = leader != nullptr && least_cost_ > hopeless * leader->best_average;
    if (is_hopeless || steps >= longest_trial) return true;
    Candidate so_far = candidates_[current_];
    evaluate(so_far);
    // There are intervals up to half the steps. Well past its minimum the average only rises.
    return steps >= 3 * so_far.best_interval;
}

void ExecutionTuner::begin_trial() {
    ++trial_;
    trial_steps_ = 0;
    next_look_ = batch_size;
    least_cost_ = std::numeric_limits<double>::infinity();
}

void ExecutionTuner::end_trial() {
    if (phase_ == Phase::warm_up) {
        phase_ = Phase::rounds;
        begin_trial();
        return;
    }
    evaluate(candidates_[current_]);
    begin_trial();
    do ++current_;
    while (current_ < candidates_.size() && candidates_[current_].is_out);
    if (current_ < candidates_.size()) return;
    // All of them, as the order is known better than when their trials ended.
    for (Candidate& candidate : candidates_) evaluate(candidate);
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
        const auto last = std::min(static_cast<std::size_t>(reorder_), order_.size()) - 1;
        report_ += formatted(" (distinct cells in a warp %.1f after it, %.1f before)", order_.front().distinct_cells(),
                             order_[last].distinct_cells());
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
