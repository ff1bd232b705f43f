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

/// Of three times of each step the middle one.
std::vector<double> middle_of(std::vector<double> a, const std::vector<double>& b,
                              const std::vector<double>& c) {
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = std::max(std::min(a[i], b[i]), std::min(std::max(a[i], b[i]), c[i]));
    return a;
}

}  // namespace

ExecutionChoice::ExecutionChoice(std::vector<Summation> candidates, int reorder) : fixed_reorder_(reorder) {
    if (candidates.empty()) throw std::invalid_argument("ExecutionChoice: no way of summing to choose from");
    for (const Summation way : candidates) candidates_.push_back({way});
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
    const std::size_t place = turn_ % candidates_.size();
    return round() % 2 == 1 ? candidates_.size() - 1 - place : place;
}

std::size_t ExecutionChoice::length() const {
    const Candidate& mine = candidates_[candidate()];
    if (!mine.turns.empty()) return mine.turns.front().size();
    return static_cast<std::size_t>(fixed_reorder_ > 0 ? std::min(fixed_reorder_, longest_turn)
                                                       : longest_turn);
}

std::vector<StepWay> ExecutionChoice::next_batch() const {
    if (is_settled_) return {};
    const std::size_t untimed = is_in_order_ ? 0 : 1;
    const std::size_t count = std::min<std::size_t>(batch_size, untimed + length() - steps_.size());
    std::vector<StepWay> batch(count, {candidates_[candidate()].summation, false});
    if (steps_.empty())
        for (std::size_t i = 0; i <= untimed; ++i) batch[i].reorders = true;
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
    if (round() > 0 || fixed_reorder_ > 0 || steps_.size() <= last_steps) return false;
    const double least = *std::min_element(steps_.end() - last_steps, steps_.end());
    return least > plainly_longer * mean_of(steps_, best_count(steps_));
}

void ExecutionChoice::end_turn() {
    candidates_[candidate()].turns.push_back(steps_);
    restart_turn();
    ++turn_;
    if (round() == rounds) settle();
}

void ExecutionChoice::settle() {
    for (Candidate& each : candidates_) {
        const std::vector<double> steps = middle_of(each.turns[0], each.turns[1], each.turns[2]);
        each.interval = fixed_reorder_ > 0 ? fixed_reorder_ : static_cast<int>(best_count(steps));
        each.mean = mean_of(steps, static_cast<std::size_t>(each.interval));
    }
    const auto best = std::ranges::min_element(candidates_, {}, &Candidate::mean);
    chosen_ = static_cast<std::size_t>(best - candidates_.begin());
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
