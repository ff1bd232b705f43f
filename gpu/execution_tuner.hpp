#pragma once
/// Which way of summing, and how often to re-order: found by timing steps of the run itself.
///
/// All ways give the same bits, so the steps that are timed are steps of the run, none is wasted, and from
/// one step to the next another way may be taken. In a trial the ways take turns: a card that reaches its
/// limit of power changes its clock ten times a second, by up to a quarter, and so the steps that are
/// compared are neighbours. By how much all steps of a short time took longer than those of others is taken
/// out of them (paces_of_blocks).
///
/// A trial begins with a step that does not count and one that re-orders the particles. Then it re-orders
/// every 2, 4, 8, ... steps, once each: between two re-orderings the particles drift, and a warp's fall into
/// more and more cells. In a round there are as many trials as ways, three at least, and in each of them a
/// way takes another turn. All plain steps of a way give what such a step costs in a certain order, all that
/// re-order what this adds after such an interval (step_cost_model.hpp). With the mean order of all trials
/// after i steps, c_i is the cost of the i-th plain step after a re-ordering. Re-ordering every k steps so
/// costs (r_k + c_1 + ... + c_k) / k a step, since the step that re-orders works on the disorder of the k-th;
/// the k that makes this least is the best.
///
/// So ways are compared at the same clock. Alone, one that draws more power runs at a lower one. Plain C++,
/// no device: the solver brings the figures.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "gpu/step_cost_model.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// How to execute one step.
struct StepWay {
    Summation summation;
    bool reorders;  ///< stores the particles in the order of their cells
};

/// What a step was measured to cost.
struct StepCost {
    double milliseconds = 0.0;
    double distinct_cells = 0.0;  ///< mean number of distinct cells in a warp after the step
};

class ExecutionTuner {
public:
    /// `candidates`: ways of summing to choose among, at least one, none of them `automatic`. `reorder`:
    /// steps between re-orderings, or 0 for the best. One candidate with a fixed interval is settled at once.
    ExecutionTuner(std::vector<Summation> candidates, int reorder);

    /// True where there is nothing (more) to time: summation() and reorder() are what to use.
    [[nodiscard]] bool is_settled() const { return phase_ == Phase::settled; }
    /// `automatic` as long as it is not settled which.
    [[nodiscard]] Summation summation() const;
    /// Steps between re-orderings, at least 1; 0 as long as that is not settled.
    [[nodiscard]] int reorder() const { return is_settled() ? reorder_ : fixed_reorder_; }

    /// The steps to execute and time next, at most `batch_size` of them, in this order. Any number of them
    /// may be executed before learn() is told. Empty where settled.
    [[nodiscard]] std::vector<StepWay> next_batch() const;
    /// What the first costs.size() steps of next_batch() cost.
    void learn(std::span<const StepCost> costs);

    /// Whether observe() can have an effect.
    [[nodiscard]] bool is_watching() const { return is_settled() && fixed_reorder_ == 0; }
    /// Tells, once settled, the mean distinct cells in a warp just before a re-ordering. Where they are no
    /// longer what they were after the interval was chosen (a flow has set in, a fluid has warmed up), the
    /// tuner goes back to timing; returns true then.
    ///
    /// One observation scatters by up to 15 %, since it depends on how the grid happens to be shifted. So
    /// means of several are compared, and of twice as many each time that timing again has changed nothing.
    [[nodiscard]] bool observe(double distinct_cells);

    /// What was chosen and what the other ways took, in one line; empty where nothing was timed.
    [[nodiscard]] const std::string& report() const { return report_; }

    static constexpr int batch_size = 16;
    static constexpr int least_observations = 16;

private:
    enum class Phase { warm_up, rounds, settled };

    struct Candidate {
        Summation summation = Summation::peers;
        bool is_out = false;  ///< plainly slower
        std::vector<TimedStep> plain{};
        std::vector<TimedStep> reordering{};  ///< after intervals of the trial's own
        double best_average = std::numeric_limits<double>::infinity();  ///< ms a step at best_interval
        int best_interval = 1;
    };
    /// The order of the particles so many steps after a re-ordering.
    struct Order {
        double distinct_sum = 0.0;
        int observations = 0;

        [[nodiscard]] double distinct_cells() const { return distinct_sum / observations; }
    };

    void start();
    [[nodiscard]] bool reorders() const;
    [[nodiscard]] int whole_trial() const;
    [[nodiscard]] int count() const { return static_cast<int>(candidates_.size()); }
    [[nodiscard]] int whose_turn(int step) const;
    [[nodiscard]] bool reorders_at(int step) const;
    void add_step(const StepCost& cost, bool is_reordering);
    void evaluate_all();
    void evaluate(Candidate& candidate, const std::vector<double>& paces) const;
    [[nodiscard]] bool trial_is_over();
    void drop_hopeless();
    void begin_round();
    void begin_block();
    void begin_trial();
    void end_trial();
    void settle();
    void write_report(const Candidate& chosen);
    [[nodiscard]] const Candidate* best() const;

    std::vector<Candidate> candidates_;
    int fixed_reorder_;
    Phase phase_ = Phase::settled;
    int round_ = 0;
    Summation summation_;
    int reorder_;
    std::vector<int> in_;         ///< candidates that take turns
    int trials_of_round_ = 0;     ///< so far
    int steps_before_round_ = 0;  ///< timed_steps_ then
    int trial_ = 0;               ///< number of the trial
    int trial_steps_ = 0;         ///< so far
    int next_look_ = 0;    ///< after so many steps of the trial it is asked again whether more are needed
    int block_ = 0;        ///< number of the block of steps that have one pace
    int block_steps_ = 0;  ///< so far
    int timed_steps_ = 0;  ///< since start()
    std::vector<Order> order_;                      ///< by the steps since a re-ordering
    double distinct_cells_ = 0.0;                   ///< after the last step
    int age_ = 0;                                   ///< plain steps since the last re-ordering
    int observations_wanted_ = least_observations;  ///< for a mean
    int observations_ = 0;
    double observed_sum_ = 0.0;
    double expected_distinct_cells_ = 0.0;  ///< just before a re-ordering; 0: not known yet
    std::string report_;
};

}  // namespace mpcflow
