#include "app/output/background_writer.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/output/checkpoint_file.hpp"
#include "app/output/observable_group.hpp"
#include "app/storage/file_error.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {

using Clock = std::chrono::steady_clock;

/// Rows of the series and the like; copies of the particles and large work are bounded by their memory.
constexpr std::size_t most_waiting_tasks = 4096;

/// Adds the time of its life to a sum.
class Waiting {
public:
    explicit Waiting(double& seconds) : seconds_(seconds) {}
    ~Waiting() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    double& seconds_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

double update_interval(double update_seconds, double results_seconds) {
    constexpr double shortest = 2.0;
    constexpr double longest = 60.0;
    constexpr double update_share = 0.02;
    constexpr double results_share = 0.005;
    return std::clamp(std::max(update_seconds / update_share, results_seconds / results_share), shortest,
                      longest);
}

/// Whatever could not be written: how the run goes on once the cause is gone.
std::string BackgroundWriter::describe_remedy(const std::string& failure) const {
    const std::string checkpoint = (std::filesystem::path(folder_) / checkpoint_file_name).string();
    std::error_code error;
    if (std::filesystem::exists(checkpoint, error))
        return "; see to that, then run the same command again: it goes on from " + checkpoint;
    if (failure.find("output.directory") != std::string::npos) return "";
    return "; see to that, or choose another output.directory (--output DIR)";
}

BackgroundWriter::BackgroundWriter(ResultWriter& results, const Scenario& scenario, Observables observables,
                                   InFlight most, SaveOthers save_others)
    : results_(results),
      folder_(scenario.output.directory),
      trajectory_(scenario.output.trajectory.value_or(TrajectoryOutput{})),
      observables_(std::move(observables)),
      save_others_(std::move(save_others)),
      ends_with_checkpoint_(results.ends_with_checkpoint()),
      last_update_(Clock::now()),
      pool_(most.copies),
      work_permits_(most.work_bytes),
      thread_(most_waiting_tasks) {}

void BackgroundWriter::post(WriterThread::Task task) {
    const Waiting waiting(wait_seconds_);
    thread_.post([this, task = std::move(task)] {
        try {
            task();
        } catch (const FileError& error) {
            throw FileError(error.what() + describe_remedy(error.what()), error.error_number);
        }
    });
}

void BackgroundWriter::do_and_wait(WriterThread::Task task) {
    thread_.post(std::move(task));
    thread_.wait();
}

ResultWriter::Observed BackgroundWriter::observed() const {
    ResultWriter::Observed results;
    for (const std::unique_ptr<Observable>& observable : observables_)
        if (observable->samples() > 0) results.push_back(observable->later_results());
    return results;
}

std::int64_t BackgroundWriter::observable_bytes(std::int64_t step) const {
    std::int64_t bytes = 0;
    for (const std::unique_ptr<Observable>& observable : observables_)
        bytes += result_file_bytes(*observable, step);
    return bytes;
}

void BackgroundWriter::save_start(SolverState state) {
    do_and_wait([this, state = std::move(state)] { results_.add_checkpoint(state); });
}

void BackgroundWriter::begin() {
    do_and_wait([this, observed = observed()] { results_.begin(observed); });
}

std::shared_ptr<ParticleRecords> BackgroundWriter::take_records() {
    const Waiting waiting(wait_seconds_);
    return pool_.take();
}

void BackgroundWriter::add_frame(std::shared_ptr<ParticleRecords> particles, const FramePart& part) {
    const std::int64_t spare = observable_bytes(particles->step);
    const bool is_in_order = trajectory_.selection().is_all() && most_ids_at_once() == 0;
    post([this, particles = std::move(particles), part, spare, is_in_order] {
        if (!is_in_order) particles->sort_by_id();
        results_.add_frame(*particles, part, spare);
    });
}

void BackgroundWriter::add_work(Work work, std::int64_t step) {
    if (!work.task) return;
    // The permit goes last, also where the work is dropped after a failure.
    struct Admitted {
        std::shared_ptr<const void> permit;
        Work work;
    };
    const auto admitted = std::make_shared<Admitted>();
    if (work.bytes > 0) {
        const Waiting waiting(wait_seconds_);
        admitted->permit = work_permits_.take(work.bytes);
    }
    admitted->work = std::move(work);
    const std::int64_t spare = admitted->work.has_row ? observable_bytes(step) : 0;
    post([this, admitted, spare] {
        admitted->work.task([&](const ObservableRow& row) { results_.add_row(row, spare); });
    });
}

void BackgroundWriter::add_note(const std::string& note, Summation summation, int reorder_interval) {
    summation_ = summation;
    reorder_interval_ = reorder_interval;
    post([=, this] { results_.add_note(note, summation, reorder_interval); });
}

std::vector<std::string> BackgroundWriter::take_notes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(told_.notes, {});
}

Selection BackgroundWriter::frame_selection() const { return trajectory_.selection(); }

void BackgroundWriter::add_checkpoint(SolverState state) {
    post([this, state = std::move(state)] {
        std::string failure;
        try {
            results_.add_checkpoint(state);
        } catch (const SyncError&) {
            // Nobody can say what the disk has of the files that are there.
            throw;
        } catch (const EnvironmentError& error) {
            // It must not end a run that is sound.
            failure = error.what();
            const std::string note = fmt::format("step {}: no checkpoint: {}; the one before it stays",
                                                 state.particles->step, failure);
            results_.add_note(note);
            const std::lock_guard lock(mutex_);
            told_.notes.push_back(note);
        }
        const std::lock_guard lock(mutex_);
        told_.checkpoint_failure = failure;
    });
}

std::optional<PartsOfOthers> BackgroundWriter::save_others(ParticleRecords& own) {
    if (!save_others_) return {};
    return save_others_(own);
}

void BackgroundWriter::between_chunks(std::int64_t step, std::int64_t fast_steps) {
    thread_.check();
    const Clock::time_point now = Clock::now();
    {
        const std::lock_guard lock(mutex_);
        const double interval = update_interval(told_.update_seconds, results_seconds_);
        if (told_.is_updating || std::chrono::duration<double>(now - last_update_).count() < interval) return;
        told_.is_updating = true;
    }
    last_update_ = now;
    auto results = observed();
    results_seconds_ = std::chrono::duration<double>(Clock::now() - now).count();
    post([this, step, fast_steps, observed = std::move(results)] {
        const Clock::time_point before = Clock::now();
        results_.update(step, fast_steps, observed);
        const std::lock_guard lock(mutex_);
        told_.update_seconds = std::chrono::duration<double>(Clock::now() - before).count();
        told_.is_updating = false;
    });
}

WritingEnd BackgroundWriter::finish_writing() {
    {
        const Waiting waiting(wait_seconds_);
        thread_.wait();
    }
    const std::lock_guard lock(mutex_);
    return {told_.checkpoint_failure, wait_seconds_};
}

void BackgroundWriter::finish(const RunLoopResult& result, RunStatus status, const std::string& message,
                              std::uint64_t state_hash) {
    post([&, observed = observed()] { results_.finish(result, {status, message, state_hash}, observed); });
    thread_.wait();
}

void BackgroundWriter::finish_failed(const std::string& message) noexcept {
    try {
        thread_.wait();
    } catch (...) {
        // What was posted after it is dropped; this may be the message itself.
    }
    try {
        do_and_wait([&, observed = observed()] { results_.finish_failed(message, observed); });
    } catch (...) {
        // For want of memory: the message on the terminal is what is left to tell.
        return;
    }
}

}  // namespace mpcflow
