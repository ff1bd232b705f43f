#pragma once
/// Which way of summing, and how often to re-order: found by timing steps of the run itself, of which none is
/// wasted, since all ways give the same bits.
///
/// Each way has a turn: a step that re-orders the particles as it does and is not timed, for another way may
/// have left them in another order; one that does so again; and plain steps, in which they drift apart.
/// Re-ordering every k steps costs as much a step as the first k timed steps of a turn did on average; the k
/// that makes this least is the best, and the turn ends when it is plainly passed. All have three turns, the
/// second in the opposite order, since a card changes its clock as it warms up; of the three times of a step
/// the middle one counts, as another program may have had the card for a moment. Plain C++, no device: the
/// solver brings the figures.

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

class ExecutionChoice {
public:
    /// `candidates`: ways of summing to choose among, at least one, none of them `automatic`. `reorder`:
    /// steps between re-orderings, or 0 for the best. One candidate with a fixed interval is settled at once.
    ExecutionChoice(std::vector<Summation> candidates, int reorder);

    /// Whether `way` is one of the candidates.
    [[nodiscard]] bool considers(Summation way) const;

    /// True where there is nothing (more) to time: summation() and reorder() are what to use.
    [[nodiscard]] bool is_settled() const { return is_settled_; }
    /// `automatic` as long as it is not settled which.
    [[nodiscard]] Summation summation() const;
    /// Steps between re-orderings, at least 1; 0 as long as that is not settled.
    [[nodiscard]] int reorder() const { return is_settled_ ? candidates_[chosen_].interval : fixed_reorder_; }

    /// The steps to execute and time next, at most `batch_size` of them, in this order. Any number of them
    /// may be executed before learn() is told. Empty where settled.
    [[nodiscard]] std::vector<StepWay> next_batch() const;
    /// The milliseconds that the first of next_batch() took.
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
    };
    static constexpr std::size_t rounds = 3;

    [[nodiscard]] std::size_t round() const { return turn_ / candidates_.size(); }
    /// Whose turn it is.
    [[nodiscard]] std::size_t candidate() const;
    /// Timed steps of this turn at most.
    [[nodiscard]] std::size_t length() const;
    [[nodiscard]] bool is_over() const;
    void end_turn();
    void settle();

    std::vector<Candidate> candidates_;
    int fixed_reorder_;
    bool is_settled_ = false;
    std::size_t turn_ = 0;       ///< its number
    bool is_in_order_ = false;   ///< the step of this turn that is not timed is done
    std::vector<double> steps_;  ///< milliseconds, of this turn so far
    std::size_t chosen_ = 0;
    std::string report_;
};

}  // namespace mpcflow
