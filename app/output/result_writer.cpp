#include "app/output/result_writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

#include <fmt/format.h>

#include "app/machine/device.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/observable_group.hpp"
#include "app/output/run_file.hpp"
#include "app/output/window_check.hpp"
#include "app/output/xdmf_file.hpp"
#include "app/storage/file_error.hpp"
#include "app/text/formatting.hpp"

namespace mpcflow {

namespace {

/// Memory for blocks of field samples.
constexpr std::int64_t block_budget_bytes = std::int64_t{1} << 30;

double bin_volume(const Box& box, const std::array<int, 3>& bins) {
    double volume = 1.0;
    for (std::size_t axis = 0; axis < 3; ++axis) volume *= static_cast<double>(box.size[axis]) / bins[axis];
    return volume;
}

std::int64_t field_bins(const Output& output) {
    if (!output.fields) return 0;
    const auto& bins = output.fields->bins;
    return std::int64_t{bins[0]} * bins[1] * bins[2];
}

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

}  // namespace

ResultWriter::ResultWriter(const OutputDirectory& directory, RunRecord record,
                           std::optional<Checkpoint> checkpoint)
    : directory_(directory.files()),
      record_(std::move(record)),
      field_times_(record_.scenario),
      start_(Clock::now()) {
    const Output& output = record_.scenario.output;
    if (output.fields) {
        const auto& bins = output.fields->bins;
        const PressureFields pressure = pressure_of(*output.fields);
        fields_.emplace(bins, FieldStatistics::affordable_blocks(bins, block_budget_bytes, pressure),
                        pressure);
    }
    if (!checkpoint) {
        record_.id = draw_run_id();
        return;
    }
    const std::string path = checkpoint->path;
    try {
        take_up(std::move(*checkpoint));
    } catch (const std::invalid_argument& error) {
        throw EnvironmentError(path + ": is no state of this input: " + error.what());
    }
}

void ResultWriter::take_up(Checkpoint checkpoint) {
    step_ = checkpoint.particles.step;
    record_.id = checkpoint.run_id;
    record_.fast_steps = checkpoint.fast_steps;
    record_.start_time = checkpoint.start_time;
    record_.restarts = checkpoint.restarts + 1;
    earlier_seconds_ = checkpoint.wall_time;
    first_frames_ = {checkpoint.frames, step_, checkpoint.frames_checksum};
    record_.notes.insert(record_.notes.begin(), checkpoint.notes.begin(), checkpoint.notes.end());
    record_.series = std::move(checkpoint.series);
    record_.field_steps = checkpoint.field_steps;
    if (fields_) {
        const auto& wanted = *record_.scenario.output.fields;
        for (const SampledBlock* block : {&checkpoint.open_block, &checkpoint.open_window})
            if (block->sums.samples != 0)
                check_bins(block->sums, field_bins(record_.scenario.output), pressure_of(wanted));
        averages_are_stale_ = !checkpoint.field_blocks.empty();
        fields_->put_back(checkpoint.field_block_samples, std::move(checkpoint.field_blocks));
        open_block_ = std::move(checkpoint.open_block);
        open_window_ = std::move(checkpoint.open_window);
        first_windows_ = {checkpoint.windows, step_, checkpoint.windows_checksum};
    }
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
        if (field_times_.time_window > 0) open_windows(windows);
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
    const Output& output = record_.scenario.output;
    const auto rows = static_cast<std::int64_t>(record_.series.size());
    const auto text =
        static_cast<std::int64_t>(record_.scenario.source_text.size() + record_.resolved_input.size());
    return text + run_file_bytes(rows, field_bins(output), output.fields.value_or(FieldsOutput{})) +
           observable_bytes;
}

void ResultWriter::add_frame(const ParticleRecords& particles, std::uint64_t state_hash,
                             std::int64_t observable_bytes) {
    trajectory_->append(particles, state_hash, last_run_file_bytes(observable_bytes));
}

void ResultWriter::add_field_block(SampledBlock block, std::int64_t observable_bytes) {
    if (fields_->samples() == 0) record_.field_steps.first = block.steps.first;
    record_.field_steps.last = block.steps.last;
    if (windows_) add_to_window(block, observable_bytes);
    fields_->add(std::move(block.sums));
    averages_are_stale_ = true;
}

void ResultWriter::add_to_window(const SampledBlock& block, std::int64_t observable_bytes) {
    if (open_window_.sums.samples == 0) open_window_ = block;
    else merge_into(open_window_.sums, block.sums);
    open_window_.steps.last = block.steps.last;
    if (!field_times_.ends_window(block.steps.last)) return;
    const System& system = record_.scenario.system;
    const auto& bins = record_.scenario.output.fields->bins;
    const FieldWindow window{
        open_window_.steps,
        averages_of(std::move(open_window_.sums), bins, bin_volume(system.box, bins), system.fluid.mass)};
    windows_->append(window, last_run_file_bytes(observable_bytes));
    open_window_ = {};
    window_xdmf_->add(windows_->time_of(window));
}

void ResultWriter::add_checkpoint(const SolverState& state) {
    record_.wall_time = wall_time();
    // What it says of the trajectory must hold after a power failure, too.
    if (trajectory_) trajectory_->sync();
    if (windows_) windows_->sync();
    const RowsSoFar windows = windows_ ? RowsSoFar{windows_->windows(), windows_->checksum()} : RowsSoFar{};
    const RowsSoFar frames =
        trajectory_ ? RowsSoFar{trajectory_->frames(), trajectory_->checksum()} : RowsSoFar{};
    write_checkpoint_file(directory_, state,
                          {record_, fields_ ? &*fields_ : nullptr, open_window_, windows, frames});
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

void ResultWriter::update_record() {
    record_.steps_done = step_;
    record_.wall_time = wall_time();
    if (!averages_are_stale_) return;
    const System& system = record_.scenario.system;
    const FieldsOutput& wanted = *record_.scenario.output.fields;
    FieldResult result;
    result.averages = fields_->averages(bin_volume(system.box, wanted.bins), system.fluid.mass);
    result.bins = wanted.bins;
    result.every = wanted.every;
    record_.fields = std::move(result);
    averages_are_stale_ = false;
}

void ResultWriter::write(const Observed& observed, storage::Durability durability) {
    record_.observables = observed;
    update_record();
    // Before run.h5 says that all is there.
    write_xdmf();
    write_run_file(directory_, record_, durability);
}

void ResultWriter::write_xdmf() {
    if (!record_.fields || xdmf_is_written_) return;
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
    std::string contents = described_size(directory_, run_file_name);
    if (record_.scenario.output.series) contents += fmt::format(", series of {} rows", record_.series.size());
    if (record_.fields) contents += fmt::format(", fields of {} samples", record_.fields->averages.samples);
    for (const ObservableResults& results : record_.observables)
        contents += fmt::format(", {} of {} samples", in_words(results.name), sample_count(results));
    files.push_back({directory_.file(run_file_name), contents});
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
