#include "app/run/run_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace mpcflow {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

constexpr double chunk_seconds = 0.1;
/// Longest part of the run that sums for the progress line may take.
constexpr double sums_share = 0.01;
constexpr double shortest_sums_interval = 0.5;

/// Rate and time left, from the progress of the last seconds.
class RateMeter {
public:
    RateMeter(Clock::time_point start, std::int64_t step) : window_start_(start), window_step_(step) {}

    void update(std::int64_t step, Clock::time_point now) {
        const double seconds = seconds_between(window_start_, now);
        if (seconds < (steps_per_second_ > 0.0 ? window_seconds : first_window_seconds)) return;
        const double rate = static_cast<double>(step - window_step_) / seconds;
        steps_per_second_ = steps_per_second_ > 0.0 ? 0.7 * steps_per_second_ + 0.3 * rate : rate;
        window_start_ = now;
        window_step_ = step;
    }
    /// 0 as long as it is not known.
    [[nodiscard]] double steps_per_second() const { return steps_per_second_; }

private:
    static constexpr double first_window_seconds = 0.05;
    static constexpr double window_seconds = 1.0;
    Clock::time_point window_start_;
    std::int64_t window_step_;
    double steps_per_second_ = 0.0;
};

class RunLoop {
public:
    RunLoop(Solver& solver, const System& system, const Schedule& schedule, RunOutputs& outputs,
            ProgressDisplay& display)
        : solver_(solver), system_(system), schedule_(schedule), outputs_(outputs), display_(display) {}

    RunLoopResult run(const StopRequest& stop_request) {
        const Clock::time_point start = Clock::now();
        ChunkSize chunk(chunk_seconds);
        std::int64_t step = solver_.current_step();
        RateMeter meter(start, step);
        result_.first_step = step;
        last_checkpoint_ = start;
        pass_on_notes();
        if (outputs_.begins_with_checkpoint()) add_checkpoint();
        do_what_is_due(step);
        copy_.reset();
        while (step < schedule_.total_steps() && result_.stopped_by.empty()) {
            const std::int64_t count = std::min(next_event(step) - step, chunk.steps());
            const Clock::time_point before = Clock::now();
            solver_.run(count);
            chunk.learn(count, seconds_between(before, Clock::now()));
            step += count;
            pass_on_notes();
            if (step < schedule_.total_steps()) result_.stopped_by = stop_request();
            if (is_checkpoint_due(step)) add_checkpoint();
            do_what_is_due(step);
            copy_.reset();
            outputs_.between_chunks(step, solver_.fast_steps());
            show_progress(step, meter);
        }
        for (const std::unique_ptr<Observable>& observable : outputs_.observables())
            outputs_.add_work(observable->take_rest(solver_), step);
        result_.writing = outputs_.finish_writing();
        show_notes_of_outputs();
        result_.steps_done = step;
        result_.summation = solver_.summation();
        result_.reorder_interval = solver_.reorder_interval();
        result_.fast_steps = solver_.fast_steps();
        result_.seconds = seconds_between(start, Clock::now());
        return std::move(result_);
    }

private:
    void pass_on_notes() {
        for (const std::string& note : solver_.take_notes()) {
            outputs_.add_note(note, solver_.summation(), solver_.reorder_interval());
            display_.note(note);
        }
        show_notes_of_outputs();
    }

    void show_notes_of_outputs() {
        for (const std::string& note : outputs_.take_notes()) display_.note(note);
    }

    /// The copy of all particles of this step, for all that need one.
    const std::shared_ptr<ParticleRecords>& copy_of_particles() {
        if (copy_ == nullptr) {
            copy_ = outputs_.take_records();
            solver_.copy_particles(*copy_);
        }
        return copy_;
    }

    void add_frame() {
        const Selection selection = outputs_.frame_selection();
        const std::int64_t most = outputs_.most_ids_at_once();
        // How many there are in a region nobody knows before they are brought together.
        if (most > 0 && !selection.region) return add_frame_in_parts(selection, most);
        if (selection.is_all()) {
            const std::shared_ptr<ParticleRecords>& all = copy_of_particles();
            outputs_.add_frame(all, {solver_.state_hash(), all->count()});
            return;
        }
        add_part(selection, {solver_.state_hash()});
    }

    void add_frame_in_parts(Selection selection, std::int64_t most) {
        const std::int64_t ids = system_.particle_count();
        FramePart part{solver_.state_hash(), count_selected_ids(ids, selection.every_nth_id)};
        for (selection.first_id = 0; selection.first_id < ids; selection.first_id = selection.end_id) {
            selection.end_id = std::min(ids, selection.first_id + most);
            part.first = count_selected_ids(selection.first_id, selection.every_nth_id);
            // There may be none of them.
            if (part.first < count_selected_ids(selection.end_id, selection.every_nth_id))
                add_part(selection, part);
        }
    }

    /// The frame is this part alone where nothing is said of its particles.
    void add_part(const Selection& selection, FramePart part) {
        // Given back before another is taken: there may be no second one.
        copy_.reset();
        std::shared_ptr<ParticleRecords> selected = outputs_.take_records();
        solver_.copy_selection(selection, *selected);
        if (part.particles == 0) part.particles = selected->count();
        outputs_.add_frame(std::move(selected), part);
    }

    [[nodiscard]] std::int64_t next_event(std::int64_t step) const {
        std::int64_t next = schedule_.next_event(step);
        for (const std::unique_ptr<Observable>& observable : outputs_.observables())
            next = std::min(next, observable->times().next_due(step));
        return next;
    }

    void do_what_is_due(std::int64_t step) {
        for (const std::unique_ptr<Observable>& observable : outputs_.observables()) {
            if (!observable->times().is_due(step)) continue;
            observable->sample(solver_, step);
            outputs_.add_work(observable->take_work(solver_), step);
        }
        if (schedule_.frame_due(step)) add_frame();
    }

    [[nodiscard]] bool is_checkpoint_due(std::int64_t step) const {
        if (!result_.stopped_by.empty() || schedule_.checkpoint_due(step)) return true;
        if (step == schedule_.total_steps()) return outputs_.ends_with_checkpoint();
        return schedule_.checkpoint_seconds() > 0.0 &&
               seconds_between(last_checkpoint_, Clock::now()) >= schedule_.checkpoint_seconds();
    }

    void add_checkpoint() {
        outputs_.add_checkpoint(save_state(solver_, outputs_, copy_));
        last_checkpoint_ = Clock::now();
    }

    void note_totals(const Totals& totals) {
        const double thermal_speed = std::sqrt(system_.fluid.temperature / system_.fluid.mass);
        const auto& p = totals.momentum;
        progress_.temperature = totals.temperature();
        if (system_.conserves_momentum())
            progress_.drift =
                std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (totals.mass * thermal_speed);
        totals_noted_ = Clock::now();
    }

    void show_progress(std::int64_t step, RateMeter& meter) {
        const Clock::time_point now = Clock::now();
        meter.update(step, now);
        if (display_.is_silent()) return;
        const double interval = std::max(shortest_sums_interval, sums_seconds_ / sums_share);
        if (seconds_between(totals_noted_, now) >= interval) {
            note_totals(solver_.measure<TotalsRule>());
            sums_seconds_ = seconds_between(now, Clock::now());
        }
        progress_.step = step;
        progress_.total_steps = schedule_.total_steps();
        const double rate = meter.steps_per_second();
        progress_.updates_per_second = rate * static_cast<double>(system_.particle_count());
        if (rate > 0.0) progress_.seconds_left = static_cast<double>(schedule_.total_steps() - step) / rate;
        display_.update(progress_, now);
    }

    Solver& solver_;
    const System& system_;
    const Schedule& schedule_;
    RunOutputs& outputs_;
    ProgressDisplay& display_;
    std::shared_ptr<ParticleRecords> copy_;
    ProgressState progress_;
    RunLoopResult result_;
    Clock::time_point last_checkpoint_{};
    Clock::time_point totals_noted_{};
    double sums_seconds_ = 0.0;
};

}  // namespace

SolverState save_state(Solver& solver, RunOutputs& outputs, std::shared_ptr<ParticleRecords>& copy) {
    SolverState state;
    if (copy == nullptr) {
        const std::shared_ptr<ParticleRecords> records = outputs.take_records();
        state.others = outputs.save_others(*records);
        if (!state.others) {
            solver.copy_particles(*records);
            copy = records;  // which else has but those of this process
        }
        state.particles = records;
    } else {
        state.particles = copy;
    }
    state.fast_steps = solver.fast_steps();
    state.state_hash = solver.state_hash();
    for (const std::unique_ptr<Observable>& observable : outputs.observables())
        state.observables.push_back(observable->later_state(solver));
    return state;
}

RunLoopResult run_loop(Solver& solver, const System& system, const Schedule& schedule, RunOutputs& outputs,
                       ProgressDisplay& display, const StopRequest& stop_request) {
    return RunLoop(solver, system, schedule, outputs, display).run(stop_request);
}

}  // namespace mpcflow
