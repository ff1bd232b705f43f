#pragma once
/// The run: the solver in chunks, and what is due between them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/checkpoint.hpp"
#include "app/run/frame_part.hpp"
#include "app/run/observables.hpp"
#include "app/run/progress.hpp"
#include "app/run/run_record.hpp"
#include "app/run/schedule.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// How the writing went, when all is written.
struct WritingEnd {
    /// Why the last checkpoint could not be written; empty if it was.
    std::string checkpoint_failure;
    double wait_seconds = 0.0;  ///< that the run waited for outputs to be written
};

/// Receives what a run yields, and may write it later. Any of these may throw, which ends the run.
class RunOutputs {
public:
    virtual ~RunOutputs() = default;
    /// Memory for a copy of the particles; waits for it while too many copies are being written.
    [[nodiscard]] virtual std::shared_ptr<ParticleRecords> take_records() = 0;
    /// The particles are all, in the order of their ids, or those of frame_selection(), or a part of these,
    /// in any order.
    virtual void add_frame(std::shared_ptr<ParticleRecords> particles, const FramePart& part) = 0;
    /// So many ids the particles of a part of a frame may be of; 0 where one copy may hold all.
    [[nodiscard]] virtual std::int64_t most_ids_at_once() const { return 0; }
    /// Work of an observable, of this step; waits while too much of it is to be done.
    virtual void add_work(Work work, std::int64_t step) = 0;
    /// What the solver had to tell, and the way of summing and re-order interval that are in force now.
    virtual void add_note(const std::string& note, Summation summation, int reorder_interval) = 0;
    /// The particles that frames hold.
    [[nodiscard]] virtual Selection frame_selection() const = 0;
    /// What is sampled.
    [[nodiscard]] virtual const Observables& observables() const = 0;
    /// What the outputs themselves have to tell the user since the last call, a line each.
    [[nodiscard]] virtual std::vector<std::string> take_notes() = 0;
    /// Saves the run. Where that fails the run goes on, with a note.
    virtual void add_checkpoint(SolverState state) = 0;
    /// Where several processes have the particles: the others write theirs of a checkpoint, and `own` gets
    /// those of this one. None, and nothing done, where this one has all.
    [[nodiscard]] virtual std::optional<PartsOfOthers> save_others(ParticleRecords& /*own*/) { return {}; }
    /// Whether a checkpoint is written before the first step, as the one that the run goes on from holds no
    /// more.
    [[nodiscard]] virtual bool begins_with_checkpoint() const { return false; }
    /// Whether a checkpoint is written at the end, too, from which a longer run can go on.
    [[nodiscard]] virtual bool ends_with_checkpoint() const = 0;
    /// Called between chunks, several times a second: the place to bring files up to date. `fast_steps` as
    /// Solver::fast_steps().
    virtual void between_chunks(std::int64_t step, std::int64_t fast_steps) = 0;
    /// Waits until all is written.
    [[nodiscard]] virtual WritingEnd finish_writing() = 0;
};

struct RunLoopResult {
    std::int64_t steps_done = 0;
    std::int64_t first_step = 0;  ///< steps done before
    std::int64_t fast_steps = 0;  ///< as Solver::fast_steps()
    double seconds = 0.0;
    std::string stopped_by;                   ///< what stopped it, empty if it ran to its end
    Summation summation = Summation::direct;  ///< as Solver::summation() and reorder_interval() at the end
    int reorder_interval = 0;
    WritingEnd writing;
    double exchange_wait = 0.0;   ///< seconds that ranks waited for each other, on average; 0 for one process
    double exchange_share = 0.0;  ///< of the time of the steps, on average
    double largest_exchange_share = 0.0;  ///< of the rank that waited longest
};

/// The state of a solver and of what is sampled of it. `copy` is one of all particles, if there is one, and
/// is made where it is needed.
[[nodiscard]] SolverState save_state(Solver& solver, RunOutputs& outputs,
                                     std::shared_ptr<ParticleRecords>& copy);

/// What asks a run to stop before its end, in words, for example "SIGTERM"; empty as long as nothing does.
using StopRequest = std::function<std::string()>;

/// Runs `system` in `solver` to the end of `schedule` or until `stop_request` returns one (asked between
/// chunks of about a tenth of a second), then with a checkpoint. Whatever the chunks, the
/// solver's bits and the steps of the outputs are the same. A solver that was restored goes on; what is due
/// at its step is done first, as checkpoints are written before it.
[[nodiscard]] RunLoopResult run_loop(Solver& solver, const System& system, const Schedule& schedule,
                                     RunOutputs& outputs, ProgressDisplay& display,
                                     const StopRequest& stop_request);

}  // namespace mpcflow
