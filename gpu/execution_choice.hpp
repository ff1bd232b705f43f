#pragma once
/// Which way of summing, and how often to re-order: found by timing steps of the run itself, of which none is
/// wasted, since all ways give the same bits.
///
/// Each way has a turn: a step that re-orders the particles as it does and is not timed, for another way may
/// have left them in another order; one that does so again; and plain steps, in which they drift apart.
/// Re-ordering every k steps costs as much a step as the first k timed steps of a turn did on average; the k
/// that makes this least is the best, and the turn ends when it is plainly passed. All have three turns, the
/// second in the opposite order, since a card changes its clock as it warms up; of the three times of a step
/// the middle one counts, as another program may have had the card for a moment.
///
/// Steps that are timed one by one wait for each other to the last thread. In a run they need not, and not
/// all ways gain as much by that: one whose blocks end at different times gains more. So the ways that are
/// close to the best have three more turns with the intervals that were found, each timed as a whole. Of
/// those that are then level, the one that is named first is taken. Plain C++, no device: the solver brings
/// the figures.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// How to execute one step.
struct StepWay {
    Summation summation;
    bool reorders;  ///< puts the particles in order in memory
};

/// Steps to execute one after the other.
struct StepBatch {
    std::vector<StepWay> steps;
    std::size_t untimed = 0;  ///< so many first ones, whose times are not looked at
    /// The others are timed as a whole, with nothing between them that the card would wait for: the time of
    /// each is its share.
    bool is_timed_as_whole = false;
};

class ExecutionChoice {
public:
    /// `candidates`: ways of summing to choose among, at least one, none of them `automatic`; of those
    /// that are level the first is chosen. `reorder`: steps between re-orderings, or 0 for the best. One
    /// candidate with a fixed interval is settled at once.
    ExecutionChoice(std::vector<Summation> candidates, int reorder);

    /// Whether `way` is one of the candidates.
    [[nodiscard]] bool considers(Summation way) const;

    /// True where there is nothing (more) to time: summation() and reorder() are what to use.
    [[nodiscard]] bool is_settled() const { return is_settled_; }
    /// `automatic` as long as it is not settled which.
    [[nodiscard]] Summation summation() const;
    /// Steps between re-orderings, at least 1; 0 as long as that is not settled.
    [[nodiscard]] int reorder() const { return is_settled_ ? candidates_[chosen_].interval : fixed_reorder_; }

    /// The steps to execute and time next, in this order, at most `batch_size` of those that are timed one by
    /// one. Any number of them may be executed before learn() is told. Empty where settled.
    [[nodiscard]] StepBatch next_batch() const;
    /// The milliseconds that each of the first steps of next_batch() took.
    void learn(std::span<const double> milliseconds);
    /// Begins the turn again: the particles are in another order than the last steps left them in.
    void restart_turn();

    /// What was chosen and what the other ways took, in one line; empty where nothing was timed.
    [[nodiscard]] const std::string& report() const { return report_; }

    static constexpr int batch_size = 16;
    /// Timed steps of a turn at most.
    static constexpr int longest_turn = 64;

private:
    struct Candidate {
        Summation summation;
        std::vector<std::vector<double>> turns{};  ///< milliseconds of their steps
        int interval = 1;                          ///< the best
        double mean = 0.0;                         ///< of a step with it
        double one_by_one = 0.0;                   ///< what the steps of a turn with it took
        std::vector<double> wholes{};              ///< what such turns took, each timed as a whole
    };
    static constexpr std::size_t rounds = 3;

    [[nodiscard]] std::size_t round() const { return turn_ / playing_.size(); }
    /// Whose turn it is, in candidates_.
    [[nodiscard]] std::size_t candidate() const;
    /// Timed steps of this turn at most.
    [[nodiscard]] std::size_t length() const;
    [[nodiscard]] bool is_over() const;
    void end_turn();
    /// Of the steps that were timed one by one.
    void find_intervals();
    /// Has those play on that are close to the best, or settles where only one is.
    void narrow();
    void settle();

    std::vector<Candidate> candidates_;
    std::vector<std::size_t> playing_;  ///< whose turns there are, in candidates_
    bool are_intervals_known_ = false;  ///< then turns are timed as wholes
    int fixed_reorder_;
    bool is_settled_ = false;
    std::size_t turn_ = 0;       ///< its number
    bool is_in_order_ = false;   ///< the step of this turn that is not timed is done
    std::vector<double> steps_;  ///< milliseconds, of this turn so far
    std::size_t chosen_ = 0;
    std::string report_;
};

}  // namespace mpcflow
