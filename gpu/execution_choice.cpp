#include "gpu/execution_choice.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "physics/names.hpp"

namespace mpcflow {

namespace {

/// A turn ends when all of its last steps took so much longer than the least mean: going on makes no mean
/// less.
constexpr double plainly_longer = 1.03;
constexpr std::size_t last_steps = 8;
/// Ways that took so much longer than the best one by one have no more turns: in a row they would have to
/// gain a tenth more than it.
constexpr double too_far = 1.1;
/// By less than this a way is not better than one that is preferred. What takes longer by so much in the
/// first second of a run may be as fast later, at the clock that a card finds for it.
constexpr double level = 1.02;

/// The mean of the first `count` steps of a turn; of more than there are, as if the rest were like the last
/// ones.
double mean_of(const std::vector<double>& steps, std::size_t count) {
    const auto end = steps.begin() + static_cast<std::ptrdiff_t>(std::min(count, steps.size()));
    double sum = std::accumulate(steps.begin(), end, 0.0);
    if (count > steps.size()) {
        const std::size_t last = std::min(last_steps, steps.size());
        const double rest =
            std::accumulate(steps.end() - static_cast<std::ptrdiff_t>(last), steps.end(), 0.0);
        sum += static_cast<double>(count - steps.size()) * rest / static_cast<double>(last);
    }
    return sum / static_cast<double>(count);
}

/// The number of first steps whose mean is least.
std::size_t best_count(const std::vector<double>& steps) {
    std::size_t best = 1;
    for (std::size_t count = 2; count <= steps.size(); ++count)
        if (mean_of(steps, count) < mean_of(steps, best)) best = count;
    return best;
}

double middle_of(double a, double b, double c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// Of three times of each step the middle one.
std::vector<double> middle_of(std::vector<double> a, const std::vector<double>& b,
                              const std::vector<double>& c) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = middle_of(a[i], b[i], c[i]);
    return a;
}

}  // namespace

ExecutionChoice::ExecutionChoice(std::vector<Summation> candidates, int reorder) : fixed_reorder_(reorder) {
    if (candidates.empty()) throw std::invalid_argument("ExecutionChoice: no way of summing to choose from");
    for (const Summation way : candidates) {
        playing_.push_back(candidates_.size());
        candidates_.push_back({way});
    }
    if (candidates_.size() > 1 || reorder == 0) return;
    candidates_.front().interval = reorder;
    is_settled_ = true;
}

bool ExecutionChoice::considers(Summation way) const {
    return std::ranges::find(candidates_, way, &Candidate::summation) != candidates_.end();
}

Summation ExecutionChoice::summation() const {
    return is_settled_ ? candidates_[chosen_].summation : Summation::automatic;
}

std::size_t ExecutionChoice::candidate() const {
    const std::size_t place = turn_ % playing_.size();
    return playing_[round() % 2 == 1 ? playing_.size() - 1 - place : place];
}

std::size_t ExecutionChoice::length() const {
    const Candidate& mine = candidates_[candidate()];
    if (are_intervals_known_) return static_cast<std::size_t>(std::min(mine.interval, longest_turn));
    if (!mine.turns.empty()) return mine.turns.front().size();
    return static_cast<std::size_t>(fixed_reorder_ > 0 ? std::min(fixed_reorder_, longest_turn)
                                                       : longest_turn);
}

StepBatch ExecutionChoice::next_batch() const {
    if (is_settled_) return {};
    StepBatch batch;
    batch.untimed = is_in_order_ ? 0 : 1;
    batch.is_timed_as_whole = are_intervals_known_;
    std::size_t count = batch.untimed + length() - steps_.size();
    if (!batch.is_timed_as_whole) count = std::min<std::size_t>(count, batch_size);
    batch.steps.assign(count, {candidates_[candidate()].summation, false});
    if (steps_.empty())
        for (std::size_t i = 0; i <= batch.untimed; ++i) batch.steps[i].reorders = true;
    return batch;
}

void ExecutionChoice::learn(std::span<const double> milliseconds) {
    if (is_settled_ || milliseconds.empty()) return;
    if (!is_in_order_) milliseconds = milliseconds.subspan(1);
    is_in_order_ = true;
    steps_.insert(steps_.end(), milliseconds.begin(), milliseconds.end());
    if (is_over()) end_turn();
}

void ExecutionChoice::restart_turn() {
    is_in_order_ = false;
    steps_.clear();
}

bool ExecutionChoice::is_over() const {
    if (steps_.size() >= length()) return true;
    if (round() > 0 || fixed_reorder_ > 0 || are_intervals_known_ || steps_.size() <= last_steps)
        return false;
    const double least = *std::min_element(steps_.end() - last_steps, steps_.end());
    return least > plainly_longer * mean_of(steps_, best_count(steps_));
}

void ExecutionChoice::end_turn() {
    Candidate& mine = candidates_[candidate()];
    if (are_intervals_known_) mine.wholes.push_back(std::accumulate(steps_.begin(), steps_.end(), 0.0));
    else mine.turns.push_back(steps_);
    restart_turn();
    ++turn_;
    if (round() < rounds) return;
    if (are_intervals_known_) return settle();
    find_intervals();
    narrow();
}

void ExecutionChoice::find_intervals() {
    for (Candidate& each : candidates_) {
        const std::vector<double> steps = middle_of(each.turns[0], each.turns[1], each.turns[2]);
        each.interval = fixed_reorder_ > 0 ? fixed_reorder_ : static_cast<int>(best_count(steps));
        each.mean = mean_of(steps, static_cast<std::size_t>(each.interval));
        const auto turn = std::min(steps.size(), static_cast<std::size_t>(each.interval));
        each.one_by_one = mean_of(steps, turn) * static_cast<double>(turn);
    }
    are_intervals_known_ = true;
}

void ExecutionChoice::narrow() {
    const double least = std::ranges::min_element(candidates_, {}, &Candidate::mean)->mean;
    std::erase_if(playing_, [&](std::size_t i) { return candidates_[i].mean > too_far * least; });
    turn_ = 0;
    if (playing_.size() == 1) settle();
}

void ExecutionChoice::settle() {
    for (const std::size_t i : playing_) {
        Candidate& each = candidates_[i];
        if (each.wholes.size() == rounds && each.one_by_one > 0.0)
            each.mean *= middle_of(each.wholes[0], each.wholes[1], each.wholes[2]) / each.one_by_one;
    }
    const auto mean_of_way = [&](std::size_t i) { return candidates_[i].mean; };
    const double least = mean_of_way(*std::ranges::min_element(playing_, {}, mean_of_way));
    chosen_ = *std::ranges::find_if(
        playing_, [&](double mean) { return mean <= level * least; }, mean_of_way);
    is_settled_ = true;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& each = candidates_[i == 0 ? chosen_ : (i <= chosen_ ? i - 1 : i)];
        char text[160];
        std::snprintf(text, sizeof text, "%s%s, re-ordered every %d steps: %.3g ms a step",
                      i == 0 ? "" : (i == 1 ? "; instead of " : ", "), name_of(each.summation).data(),
                      each.interval, each.mean);
        report_ += text;
    }
}

}  // namespace mpcflow
