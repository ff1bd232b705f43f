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

/// Longest trial, to whose half there are intervals; who has not lost his order by then re-orders that seldom
/// that its cost does not count.
constexpr int longest_trial = 1024;
/// Fixed intervals up to this are tried whole.
constexpr int longest_whole_interval = 128;
/// Steps of a trial that does not re-order.
constexpr int plain_trial = 16;
/// Of the first candidate, after two of each in which its kernels are loaded.
constexpr int warm_up_steps = 48;
/// While an interval is looked for: a candidate of whose plain steps, so many or more, none came nearer than
/// this to what the best takes on average with its re-orderings, is out at once.
constexpr double hopeless = 1.25;
constexpr std::size_t steps_without_hope = 12;
/// A candidate so much above the best is not in the next round.
constexpr double round_margin[] = {1.15, 1.10, 1.06, 1.05, 1.04, 1.03, 1.02};
constexpr int rounds = 8;
static_assert(std::size(round_margin) == rounds - 1);
/// Of a round, also where fewer ways are left; and more where trials are so short that a way would have fewer
/// steps in it.
constexpr int fewest_trials = 3;
constexpr int fewest_steps_of_round = 32;
/// No further trial after so many steps, once the first round is over. Where times are mostly noise, trials
/// are long.
constexpr int enough_steps = 8192;
/// Of a block, which has one pace. That long trials have several is no harm, as the intervals before are in
/// the first ones.
constexpr int steps_of_block = 64;
/// A block goes on in the next trial where it has fewer.
constexpr int fewest_steps_of_block = 24;
/// A trial's step that does not count, and one that re-orders what was left of the trial before.
constexpr int opening_steps = 2;
/// Relative change of the distinct cells before a re-ordering that asks for new timing.
constexpr double noteworthy_change = 0.1;
constexpr int most_observations = 1 << 14;
/// A choice whose interval is so near the former one is the same choice.
constexpr double same_interval = 0.25;

double least_cost(const std::vector<TimedStep>& steps) {
    return std::ranges::min_element(steps, {}, &TimedStep::milliseconds)->milliseconds;
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
    trial_ = 0;
    block_ = 0;
    block_steps_ = 0;
    trial_steps_ = 0;
    timed_steps_ = 0;
    order_.clear();
    for (Candidate& candidate : candidates_) candidate = Candidate{candidate.summation};
}

bool ExecutionTuner::reorders() const { return fixed_reorder_ <= longest_whole_interval; }

/// Steps of a trial at a fixed interval: a plain one of each age, and one that re-orders.
int ExecutionTuner::whole_trial() const { return opening_steps + fixed_reorder_ + 1; }

/// The candidate that executes the current trial's step: those that are in take turns. In the warm-up all do
/// two steps, one that re-orders and one that does not; where there are no re-orderings all take turns.
int ExecutionTuner::whose_turn(int step) const {
    if (phase_ == Phase::rounds) return in_[static_cast<std::size_t>(step + trial_) % in_.size()];
    if (!reorders()) return step % count();
    return step < 2 * count() ? step / 2 : 0;
}

/// Whether a trial's step re-orders; without `reorders()` it is of a run that hardly ever does, but for its
/// start.
bool ExecutionTuner::reorders_at(int step) const {
    if (!reorders()) return phase_ == Phase::warm_up && step == 0;
    if (phase_ == Phase::warm_up) return step < 2 * count() && step % 2 == 0;
    if (fixed_reorder_ > 0) return step == opening_steps - 1 || step == whole_trial() - 1;
    return step >= opening_steps - 1 && std::has_single_bit(static_cast<unsigned>(step) + 1);
}

std::vector<StepWay> ExecutionTuner::next_batch() const {
    std::vector<StepWay> ways;
    if (is_settled()) return ways;
    const int done = trial_steps_;
    int left = batch_size;
    if (fixed_reorder_ > 0 && reorders() && phase_ != Phase::warm_up)
        left = std::min(left, whole_trial() - done);
    for (int i = 0; i < left; ++i)
        ways.push_back({candidates_[whose_turn(done + i)].summation, reorders_at(done + i)});
    return ways;
}

void ExecutionTuner::learn(std::span<const StepCost> costs) {
    if (is_settled()) return;
    const std::vector<StepWay> ways = next_batch();
    for (std::size_t i = 0; i < costs.size(); ++i) add_step(costs[i], ways[i].reorders);
    if (trial_is_over()) end_trial();
}

void ExecutionTuner::add_step(const StepCost& cost, bool is_reordering) {
    const TimedStep step{cost.milliseconds, distinct_cells_, cost.distinct_cells, age_, block_};
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
    if (phase_ == Phase::rounds && (trial_steps_ >= opening_steps || !reorders())) {
        Candidate& candidate = candidates_[whose_turn(trial_steps_)];
        (is_reordering ? candidate.reordering : candidate.plain).push_back(step);
        ++timed_steps_;
        if (++block_steps_ == steps_of_block) begin_block();
    }
    ++trial_steps_;
}

/// All candidates that are in, from all that is known yet.
void ExecutionTuner::evaluate_all() {
    std::vector<std::span<const TimedStep>> plain;
    for (const Candidate& candidate : candidates_) plain.emplace_back(candidate.plain);
    const std::vector<double> paces = paces_of_blocks(plain, block_ + 1);
    for (const int i : in_) evaluate(candidates_[i], paces);
}

/// The best interval of a candidate and its cost, at the usual pace.
void ExecutionTuner::evaluate(Candidate& candidate, const std::vector<double>& paces) const {
    candidate.best_average = std::numeric_limits<double>::infinity();
    if (candidate.plain.empty() || (reorders() && candidate.reordering.empty())) return;
    const std::vector<TimedStep> steps = at_usual_pace(candidate.plain, paces);
    if (!reorders()) {
        std::vector<double> costs;
        for (const TimedStep& step : steps) costs.push_back(step.milliseconds);
        candidate.best_average = lower_median(costs);
        candidate.best_interval = fixed_reorder_;
        return;
    }
    const StepCostModel model(steps);
    ReorderingCost reordering;
    for (TimedStep step : at_usual_pace(candidate.reordering, paces)) {
        // It adds to the sums of cells before it, in the old order, of which no count is taken.
        step.distinct_after = order_[std::min<std::size_t>(step.age + 1, order_.size() - 1)].distinct_cells();
        reordering.add(step.age + 1, model.excess(step));
    }
    // Where times are mostly noise the fit may lead anywhere; no step of a mean order takes less than the
    // luckiest one did.
    const double least = least_cost(steps);
    double sum = 0.0;
    for (int k = 1; k <= model.oldest() + 1; ++k) {
        const double plain =
            model.milliseconds(order_[k - 1].distinct_cells(), order_[k].distinct_cells(), k - 1);
        sum += std::max(least, plain);
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
    for (const int i : in_) {
        const Candidate& candidate = candidates_[i];
        if (std::isinf(candidate.best_average)) continue;
        if (best == nullptr || candidate.best_average < best->best_average) best = &candidate;
    }
    return best;
}

bool ExecutionTuner::trial_is_over() {
    const int steps = trial_steps_;
    if (phase_ == Phase::warm_up) {
        // Without re-orderings what counts is the cost long after the first one.
        return steps >= (reorders() ? 2 * count() + warm_up_steps : longest_whole_interval);
    }
    if (fixed_reorder_ > 0) return steps >= (reorders() ? whole_trial() : plain_trial);
    if (steps < next_look_) return false;
    next_look_ *= 2;
    evaluate_all();
    drop_hopeless();
    if (steps >= longest_trial) return true;
    // There are intervals up to half the steps. Well past its minimum the average only rises.
    return std::ranges::all_of(in_, [&](int i) { return steps >= 3 * candidates_[i].best_interval; });
}

/// Takes out whose best steps cost more than those of the best do on average.
void ExecutionTuner::drop_hopeless() {
    const Candidate* const leader = best();
    if (leader == nullptr) return;
    for (const int i : in_) {
        Candidate& candidate = candidates_[i];
        candidate.is_out = &candidate != leader && candidate.plain.size() >= steps_without_hope &&
                           least_cost(candidate.plain) > hopeless * leader->best_average;
    }
    std::erase_if(in_, [&](int i) { return candidates_[i].is_out; });
}

void ExecutionTuner::begin_round() {
    in_.clear();
    for (int i = 0; i < count(); ++i)
        if (!candidates_[i].is_out) in_.push_back(i);
    trials_of_round_ = 0;
    steps_before_round_ = timed_steps_;
    begin_trial();
}

void ExecutionTuner::begin_block() {
    ++block_;
    block_steps_ = 0;
}

void ExecutionTuner::begin_trial() {
    ++trial_;
    if (block_steps_ >= fewest_steps_of_block) begin_block();
    trial_steps_ = 0;
    next_look_ = batch_size;
}

void ExecutionTuner::end_trial() {
    if (phase_ == Phase::warm_up) {
        phase_ = Phase::rounds;
        return begin_round();
    }
    const int ways = static_cast<int>(in_.size());
    ++trials_of_round_;
    const bool is_whole_round = trials_of_round_ >= std::max(ways, fewest_trials) &&
                                timed_steps_ - steps_before_round_ >= fewest_steps_of_round * ways;
    const bool are_enough = timed_steps_ >= enough_steps && (is_whole_round || round_ > 0);
    if (!is_whole_round && !are_enough) return begin_trial();
    // The last look at a trial whose interval is looked for evaluated all there is.
    if (fixed_reorder_ > 0) evaluate_all();
    if (++round_ == rounds || are_enough || (fixed_reorder_ > 0 && ways == 1)) return settle();
    const Candidate* const leader = best();
    const double limit = leader == nullptr ? std::numeric_limits<double>::infinity()
                                           : round_margin[round_ - 1] * leader->best_average;
    for (const int i : in_) {
        // Whose turn it never was to re-order is not known yet.
        candidates_[i].is_out =
            candidates_[i].best_average > limit && !std::isinf(candidates_[i].best_average);
    }
    begin_round();
}

void ExecutionTuner::settle() {
    const Candidate* const leader = best();
    if (leader == nullptr) throw std::logic_error("ExecutionTuner: no candidate was timed");
    const Candidate& chosen = *leader;
    const int interval = fixed_reorder_ > 0 ? fixed_reorder_ : chosen.best_interval;
    // Timing again for nothing: the observations scatter more than was thought.
    const bool is_same = !report_.empty() && chosen.summation == summation_ &&
                         std::abs(interval - reorder_) <= same_interval * reorder_;
    observations_wanted_ =
        is_same ? std::min(2 * observations_wanted_, most_observations) : least_observations;
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
        report_ += formatted(" (distinct cells in a warp %.1f after it, %.1f before)",
                             order_.front().distinct_cells(), order_[last].distinct_cells());
    }
    report_ += formatted(": %.4g ms a step", chosen.best_average);
    std::vector<const Candidate*> others;
    for (const Candidate& candidate : candidates_)
        if (&candidate != &chosen) others.push_back(&candidate);
    std::sort(others.begin(), others.end(),
              [](const Candidate* a, const Candidate* b) { return a->best_average < b->best_average; });
    for (const Candidate* const other : others) {
        report_ += (other == others.front() ? "; " : ", ") + std::string(name_of(other->summation));
        // Whose turn to re-order never came has no average.
        report_ += std::isinf(other->best_average) ? (other->is_out ? " far more" : " not known")
                                                   : formatted(" %.4g", other->best_average);
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
