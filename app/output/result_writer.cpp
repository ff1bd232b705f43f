#include "app/output/result_writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

#include <fmt/format.h>

#include "app/machine/device.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/checkpoint_parts.hpp"
#include "app/output/observable_group.hpp"
#include "app/output/run_file.hpp"
#include "app/output/window_check.hpp"
#include "app/output/xdmf_file.hpp"
#include "app/storage/file_error.hpp"
#include "app/text/formatting.hpp"

namespace mpcflow {

namespace {

std::int64_t sample_count(const ObservableResults& results) {
    for (const NamedAttribute& attribute : results.attributes)
        if (attribute.name == "samples") return std::get<std::int64_t>(attribute.value);
    throw std::logic_error(results.name + ": results without a number of samples");
}

std::string described_size(const storage::Directory& directory, const std::string& name) {
    try {
        const storage::Descriptor file = directory.open(name, storage::Access::read_only);
        return format_bytes(static_cast<double>(storage::file_size(file.get(), directory.file(name))));
    } catch (const FileError&) {
        return "?";
    }
}

/// Where and when the run began, or went on: /machine is of its last part alone, notes are of all.
std::string part_of_run(const RunRecord& record, std::int64_t step) {
    const BatchJob& job = record.machine.job;
    return fmt::format("step {}: {} {} on {}, {}{}", step, record.restarts > 0 ? "went on" : "began",
                       utc_now(), record.machine.hostname, record.device,
                       job.id.empty() ? "" : fmt::format(", {} job {}", job.scheduler, job.id));
}

}  // namespace

ResultWriter::ResultWriter(const OutputDirectory& directory, RunRecord record,
                           const std::optional<Checkpoint>& checkpoint)
    : directory_(directory.files()),
      record_(std::move(record)),
      has_parts_(has_parts(directory_)),
      start_(Clock::now()) {
    if (checkpoint) take_up(*checkpoint);
    else record_.id = draw_run_id();
    record_.notes.push_back(part_of_run(record_, step_));
}

void ResultWriter::take_up(const Checkpoint& checkpoint) {
    step_ = checkpoint.step;
    record_.id = checkpoint.run_id;
    record_.fast_steps = checkpoint.fast_steps;
    record_.start_time = checkpoint.start_time;
    record_.restarts = checkpoint.restarts + 1;
    earlier_seconds_ = checkpoint.wall_time;
    first_frames_ = {checkpoint.frames, step_, checkpoint.frames_checksum};
    first_windows_ = {checkpoint.windows, step_, checkpoint.windows_checksum};
    record_.notes.insert(record_.notes.begin(), checkpoint.notes.begin(), checkpoint.notes.end());
}

void ResultWriter::begin(const Observed& observed) {
    // What does not belong to the checkpoint is found before anything is changed.
    KeptFile windows;
    KeptFile frames;
    if (first_windows_.rows > 0)
        windows = check_kept_file(directory_, window_file_name, "windows", record_.id, first_windows_,
                                  read_windows, record_.notes);
    if (first_frames_.rows > 0)
        frames = check_kept_file(directory_, trajectory_file_name, "frames", record_.id, first_frames_,
                                 read_frames, record_.notes);
    // Before a frame is dropped: a run.h5 of before may say that the run is complete.
    write(observed, storage::Durability::disk);
    try {
        const auto& fields = record_.scenario.output.fields;
        if (fields && fields->time_window > 0) open_windows(windows);
        if (first_frames_.rows > 0 && !is_moved_aside(trajectory_file_name, "frames", first_frames_, frames))
            trajectory_ =
                std::make_unique<TrajectoryFile>(directory_, record_, first_frames_, frames.journal);
        else if (record_.scenario.output.trajectory)
            trajectory_ = std::make_unique<TrajectoryFile>(directory_, record_);
    } catch (const std::exception& error) {
        mark_run_file(directory_, RunStatus::failed, error.what());
        throw;
    }
    // With the notes of what was moved aside.
    if (!remarks_.empty()) write(observed, storage::Durability::disk);
}

void ResultWriter::open_windows(const KeptFile& kept) {
    // It may list windows that are dropped; it is made anew of those that stay.
    directory_.remove(window_xdmf_file_name);
    if (first_windows_.rows > 0 && !is_moved_aside(window_file_name, "windows", first_windows_, kept)) {
        windows_ = std::make_unique<WindowFile>(directory_, record_, first_windows_, kept.journal);
    } else {
        directory_.remove(window_file_name);
        windows_ = std::make_unique<WindowFile>(directory_, record_);
    }
    window_xdmf_ = std::make_unique<WindowXdmf>(directory_, record_.scenario.system.box,
                                                *record_.scenario.output.fields, windows_->read_times());
}

bool ResultWriter::is_moved_aside(const std::string& name, const std::string& what, RowsBefore before,
                                  const KeptFile& kept) {
    if (kept.damage.empty()) return false;
    const std::string now =
        kept.is_aside ? "" : "it is kept as " + directory_.file(move_aside(directory_, name)) + ", and ";
    remarks_.push_back(fmt::format(
        "step {}: {} is damaged ({}): {}the run goes on into a new one, which begins here and lacks "
        "the {} {} of before",
        before.step, directory_.file(name), kept.damage, now, before.rows, what));
    add_note(remarks_.back());
    begins_with_checkpoint_ = true;
    return true;
}

/// The last run.h5, which says how the run ended, must still fit, beside the one before it.
std::int64_t ResultWriter::last_run_file_bytes(std::int64_t observable_bytes) const {
    return text_bytes(record_) + run_file_bytes + observable_bytes;
}

void ResultWriter::add_frame(const ParticleRecords& particles, const FramePart& part,
                             std::int64_t observable_bytes) {
    trajectory_->append(particles, part, last_run_file_bytes(observable_bytes));
}

void ResultWriter::add_row(const ObservableRow& row, std::int64_t observable_bytes) {
    windows_->append(row, last_run_file_bytes(observable_bytes));
    window_xdmf_->add(windows_->time_of(row));
}

void ResultWriter::add_checkpoint(const SolverState& state) {
    record_.wall_time = wall_time();
    // What it says of the trajectory must hold after a power failure, too.
    if (trajectory_) trajectory_->sync();
    if (windows_) windows_->sync();
    const RowsSoFar windows = windows_ ? RowsSoFar{windows_->windows(), windows_->checksum()} : RowsSoFar{};
    const RowsSoFar frames =
        trajectory_ ? RowsSoFar{trajectory_->frames(), trajectory_->checksum()} : RowsSoFar{};
    ObservableStates observables;
    for (const Later<ObservableState>& make : state.observables) observables.push_back(make());
    has_parts_ |= state.others.has_value();
    const std::string dropped =
        has_parts_ && directory_.has(checkpoint_file_name) && directory_.has(previous_checkpoint_name)
            ? find_part_token(directory_, previous_checkpoint_name)
            : "";
    write_checkpoint_file(directory_, state, {record_, observables, windows, frames});
    // Of these alone: others may be writing their parts of the next one already.
    if (!dropped.empty()) discard_parts(directory_, dropped);
}

bool ResultWriter::ends_with_checkpoint() const {
    return record_.scenario.checkpoint || record_.restarts > 0;
}

double ResultWriter::wall_time() const {
    return earlier_seconds_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

void ResultWriter::add_note(const std::string& note) {
    // Who tells more than that says the same over and over: the first and the last are kept.
    constexpr std::size_t most_notes = 100;
    while (record_.notes.size() >= most_notes) record_.notes.erase(record_.notes.begin() + most_notes / 2);
    record_.notes.push_back(note);
}

void ResultWriter::add_note(const std::string& note, Summation summation, int reorder_interval) {
    add_note(note);
    record_.summation = summation;
    record_.reorder_interval = reorder_interval;
}

void ResultWriter::update(std::int64_t step, std::int64_t fast_steps, const Observed& observed) {
    step_ = step;
    record_.fast_steps = fast_steps;
    write(observed, storage::Durability::page_cache);
}

void ResultWriter::write(const Observed& observed, storage::Durability durability) {
    record_.steps_done = step_;
    record_.wall_time = wall_time();
    record_.observables.clear();
    contents_.clear();
    for (const Later<ObservableResults>& make : observed) {
        auto results = make();
        const std::int64_t samples = sample_count(*results);
        if (samples == 0) continue;
        contents_ += fmt::format(", {} of {} samples", in_words(results->name), samples);
        record_.observables.push_back(std::move(results));
    }
    // Before run.h5 says that all is there.
    write_xdmf();
    write_run_file(directory_, record_, durability);
    // They may be views of what changes with the next work.
    record_.observables.clear();
}

void ResultWriter::write_xdmf() {
    const bool is_wanted = std::ranges::any_of(record_.observables,
                                               [](const auto& results) { return results->name == "fields"; });
    if (!is_wanted || xdmf_is_written_) return;
    write_xdmf_file(directory_, xdmf_file_name,
                    describe_fields(record_.scenario.system.box, *record_.scenario.output.fields));
    xdmf_is_written_ = true;
}

void ResultWriter::finish(const RunLoopResult& result, const RunEnd& end, const Observed& observed) {
    if (trajectory_) trajectory_->close();
    if (windows_) windows_->close();
    if (window_xdmf_) window_xdmf_->close();
    step_ = result.steps_done;
    record_.summation = result.summation;
    record_.reorder_interval = result.reorder_interval;
    record_.fast_steps = result.fast_steps;
    record_.writing_wait += result.writing.wait_seconds;
    record_.exchange_wait = result.exchange_wait;
    record_.status = end.status;
    record_.message = end.message;
    record_.state_hash = end.state_hash;
    write(observed, storage::Durability::disk);
}

void ResultWriter::finish_failed(const std::string& message, const Observed& observed) noexcept {
    record_.status = RunStatus::failed;
    try {
        record_.message = message;
        if (trajectory_) trajectory_->close();
    } catch (const std::exception&) {
        // Its frames are flushed one by one.
        trajectory_.reset();
    }
    try {
        if (windows_) windows_->close();
    } catch (const std::exception&) {
        // So are windows.
    }
    try {
        write(observed, storage::Durability::disk);
    } catch (const std::exception&) {
        mark_run_file(directory_, RunStatus::failed, message);
    }
}

std::vector<WrittenFile> ResultWriter::written_files() const {
    std::vector<WrittenFile> files;
    files.push_back({directory_.file(run_file_name), described_size(directory_, run_file_name) + contents_});
    if (xdmf_is_written_)
        files.push_back({directory_.file(xdmf_file_name), "the fields of run.h5, for ParaView"});
    if (window_xdmf_ && window_xdmf_->windows() > 0) {
        files.push_back({directory_.file(window_file_name),
                         fmt::format("{}, fields of {} windows of time",
                                     described_size(directory_, window_file_name), windows_->windows())});
        files.push_back({directory_.file(window_xdmf_file_name), "the same, for ParaView"});
    }
    if (trajectory_) {
        files.push_back({directory_.file(trajectory_file_name),
                         fmt::format("{}, {} frames", described_size(directory_, trajectory_file_name),
                                     trajectory_->frames())});
    }
    return files;
}

}  // namespace mpcflow
