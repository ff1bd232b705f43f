#include "app/output/restart.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "app/hdf5/file.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_file.hpp"
#include "app/output/window_check.hpp"
#include "app/output/window_file.hpp"
#include "app/storage/file_error.hpp"
#include "app/storage/seal.hpp"
#include "input/differences.hpp"
#include "input/text.hpp"
#include "input/writer.hpp"

namespace mpcflow {

namespace {

namespace fs = std::filesystem;

constexpr const char* what_to_do =
    "to start anew, replace the results with --overwrite or choose another output.directory (--output DIR)";

/// Keys that a run may change where it goes on: they change no bit of what the particles do. An observable
/// decides itself whether it goes on with others (restore_observables()).
constexpr std::array<std::string_view, 11> free_keys{
    "title",
    "run.steps",
    "output",
    "output.trajectory.every",
    "output.fields.every",
    "checkpoint",
    "execution.device",
    "execution.summation",
    "execution.reorder",
    "execution.threads",
    "execution.domains",
};
/// But for those of the outputs whose frames and bins must stay what they are.
constexpr std::array<std::string_view, 2> fixed_keys{"output.trajectory", "output.fields"};

/// How much of a path the longest of some keys names; 0 if none is in it.
template <std::size_t count>
std::size_t matched(const std::array<std::string_view, count>& keys, const std::string& path) {
    std::size_t longest = 0;
    for (const std::string_view key : keys)
        if (path == key || (path.starts_with(key) && path[key.size()] == '.'))
            longest = std::max(longest, key.size());
    return longest;
}

bool is_free(const std::string& path) { return matched(free_keys, path) > matched(fixed_keys, path); }

/// What a file says, for the terminal: its beginning.
std::string printable(const std::string& text) {
    constexpr std::size_t longest = 200;
    return input::printable(text, longest);
}

std::string shown(const std::string& value) { return value.empty() ? "not given" : printable(value); }

void check_belongs(const Checkpoint& checkpoint, const Scenario& scenario) {
    const std::string& path = checkpoint.path;
    if (checkpoint.program_version != program_version()) {
        throw EnvironmentError(
            fmt::format("{}: was written by mpcflow {}, this is {}, whose bits may differ; go on with "
                        "the version that wrote it; {}",
                        path, checkpoint.program_version, program_version(), what_to_do));
    }
    if (const std::string obstacles = describe_obstacles(checkpoint.resolved_input, to_yaml(scenario));
        !obstacles.empty()) {
        throw EnvironmentError(path + ": is of another input, which this one cannot go on from: " +
                               obstacles + "; " + what_to_do);
    }
    const bool has_fields = std::ranges::any_of(
        checkpoint.observables, [](const ObservableState& state) { return state.name == "fields"; });
    if (scenario.output.fields && !has_fields) {
        throw EnvironmentError(
            path + ": has no fields, though its input asks for them: this is not what mpcflow wrote; " +
            what_to_do);
    }
    const std::int64_t total = scenario.run.equilibration + scenario.run.steps;
    if (checkpoint.step > total) {
        throw EnvironmentError(
            fmt::format("{}: is of step {}, but this run ends at step {}; raise run.steps; {}", path,
                        checkpoint.step, total, what_to_do));
    }
}

/// The newest of the two checkpoints of a directory that is good.
Checkpoint read_newest(const storage::Directory& directory, std::vector<std::string>& remarks) {
    std::string faults;
    for (const char* name : {checkpoint_file_name, previous_checkpoint_name}) {
        if (!directory.has(name)) continue;
        try {
            const std::string path = directory.file(name);
            Checkpoint checkpoint =
                read_checkpoint_file(directory.open(name, storage::Access::read_only), path);
            if (!faults.empty()) remarks.push_back(faults + "; going on from the one before it, " + path);
            return checkpoint;
        } catch (const BadCheckpoint& fault) {
            faults += (faults.empty() ? "" : "; ") + std::string(fault.what());
        }
    }
    throw EnvironmentError("no checkpoint is good: " + faults + "; " + what_to_do);
}

/// Whether a sealed file is whole and another run's.
bool is_of_another_run(const storage::Directory& directory, const std::string& name,
                       const std::string& run_id) {
    if (!directory.has(name)) return false;
    const std::optional<std::string> id = find_run_id(directory, name);
    return id && *id != run_id;
}

/// Takes a checkpoint away that was passed over: the next one must not push the good one out for it. Only one
/// that its seal proves to be damaged goes; what is whole is someone's.
void drop_newest(const storage::Directory& directory, std::vector<std::string>& remarks) {
    if (!find_run_id(directory, checkpoint_file_name)) {
        directory.remove(checkpoint_file_name);
        return;
    }
    const std::string aside = directory.file(move_aside(directory, checkpoint_file_name));
    remarks.push_back(fmt::format("{}: is kept as {}", directory.file(checkpoint_file_name), aside));
}

/// The step of a checkpoint; -1 where it cannot be told: such a one is passed over by any restart.
std::int64_t step_of(const storage::Directory& directory, const std::string& name) {
    try {
        return hdf5::File::open(directory, name, storage::Access::read_only)
            .root()
            .open_group("run")
            .read_int_attribute("step");
    } catch (const FileError& error) {
        if (error.error_number != 0) throw;
        return -1;
    }
}

/// Takes checkpoints away that are of later steps than the one that was asked for: they count on frames and
/// windows that are dropped now. Were this run killed before its next checkpoint, the restart from one of
/// them would find its files damaged.
void set_later_aside(const storage::Directory& directory, const Checkpoint& chosen,
                     std::vector<std::string>& remarks) {
    for (const char* name : {checkpoint_file_name, previous_checkpoint_name}) {
        if (!directory.has(name) || step_of(directory, name) <= chosen.step) continue;
        const std::string aside = directory.file(move_aside(directory, name));
        remarks.push_back(fmt::format("{}: is of a later step than {}: it is kept as {}",
                                      directory.file(name), chosen.path, aside));
    }
}

/// Throws EnvironmentError where the directory has files of another run, which this one would replace.
void check_all_of_one_run(const storage::Directory& directory, const std::string& run_id) {
    for (const char* name : {run_file_name, checkpoint_file_name, previous_checkpoint_name}) {
        if (is_of_another_run(directory, name, run_id)) {
            throw EnvironmentError(
                fmt::format("{}: is another run's than the checkpoint; put back the files that belong "
                            "together; {}",
                            directory.file(name), what_to_do));
        }
    }
}

/// The same of a file that grows; `rows` of it are in the checkpoint. Where these are none, the run writes it
/// anew: what it cannot prove to be its own is moved aside.
void check_growing_file(const storage::Directory& directory, const std::string& name,
                        const std::string& run_id, std::int64_t rows, const OpenRows& open_rows,
                        std::vector<std::string>& remarks) {
    if (!directory.has(name) || is_of_run(directory, name, run_id, open_rows) || rows > 0) return;
    const std::string aside = directory.file(move_aside(directory, name));
    remarks.push_back(
        fmt::format("{} is no file of this run, or damaged: it is kept as {}", directory.file(name), aside));
}

/// The same, where a header that is whole and of this run must fit the input, too: frames and windows are
/// added as it says.
void check_growing_files(const storage::Directory& directory, const Checkpoint& checkpoint,
                         const Scenario& scenario, std::vector<std::string>& remarks) {
    const auto fitting = [&](const OpenRows& open_rows,
                             const std::function<void(const hdf5::File&)>& require_fit) -> OpenRows {
        return [&checkpoint, open_rows, require_fit](const hdf5::File& file) {
            RowReader rows = open_rows(file);
            if (!rows.has_checksums || rows.run_id != checkpoint.run_id || !rows.header_is_right) return rows;
            try {
                require_fit(file);
            } catch (const FileError& error) {
                if (error.error_number != 0) throw;
                throw EnvironmentError(std::string(error.what()) +
                                       ": this is not what mpcflow writes for this input; " + what_to_do);
            }
            return rows;
        };
    };
    if (const auto& wanted = scenario.output.trajectory) {
        const auto require_fit = [&](const hdf5::File& file) {
            require_frames_of(file, scenario.system, scenario.execution.precision, *wanted);
        };
        check_growing_file(directory, trajectory_file_name, checkpoint.run_id, checkpoint.frames,
                           fitting(read_frames, require_fit), remarks);
    }
    if (const auto& wanted = scenario.output.fields; wanted && wanted->time_window > 0) {
        const auto require_fit = [&](const hdf5::File& file) {
            require_windows_of(file, *wanted, scenario.system.species_count());
        };
        check_growing_file(directory, window_file_name, checkpoint.run_id, checkpoint.windows,
                           fitting(read_windows, require_fit), remarks);
    }
}

}  // namespace

bool lies_in(const std::string& file, const std::string& folder) {
    std::error_code error;
    const fs::path parent = fs::path(file).parent_path();
    return fs::equivalent(parent.empty() ? fs::path(".") : parent, folder, error) && !error;
}

RestartChoice parse_restart(const std::string& text) {
    if (text == "auto") return {RestartMode::automatic, {}};
    if (text == "never") return {RestartMode::never, {}};
    return {RestartMode::file, text};
}

Existing treatment_of_results(const RestartChoice& restart, Existing wanted, const std::string& folder) {
    if (restart.mode == RestartMode::file && lies_in(restart.file, folder)) return Existing::keep;
    if (restart.mode != RestartMode::automatic || wanted == Existing::overwrite) return wanted;
    std::error_code error;
    for (const char* name : {checkpoint_file_name, previous_checkpoint_name})
        if (fs::exists(fs::path(folder) / name, error)) return Existing::keep;
    return wanted;
}

bool is_complete(const std::string& folder, const Scenario& scenario) {
    const std::string path = (fs::path(folder) / run_file_name).string();
    try {
        const hdf5::File file = open_run_file(storage::open_to_read(path), path);
        const hdf5::Group run = file.root().open_group("run");
        return run.read_text_attribute("status") == status_name(RunStatus::completed) &&
               run.read_int_attribute("steps_done") == scenario.run.equilibration + scenario.run.steps &&
               describe_obstacles(file.root().open_group("input").read_text("resolved"), to_yaml(scenario))
                   .empty();
    } catch (const FileError&) {
        return false;
    }
}

std::optional<Checkpoint> find_checkpoint(const RestartChoice& restart, const Scenario& scenario,
                                          const storage::Directory& directory, Existing existing,
                                          std::vector<std::string>& remarks) {
    std::optional<Checkpoint> checkpoint;
    if (restart.mode == RestartMode::file)
        checkpoint = read_checkpoint_file(storage::open_to_read(restart.file), restart.file);
    else if (existing == Existing::keep) checkpoint = read_newest(directory, remarks);
    else return checkpoint;
    check_belongs(*checkpoint, scenario);
    if (existing == Existing::keep) {
        check_all_of_one_run(directory, checkpoint->run_id);
        check_growing_files(directory, *checkpoint, scenario, remarks);
        if (restart.mode == RestartMode::automatic &&
            checkpoint->path == directory.file(previous_checkpoint_name) &&
            directory.has(checkpoint_file_name))
            drop_newest(directory, remarks);
        if (restart.mode == RestartMode::file) set_later_aside(directory, *checkpoint, remarks);
    } else {
        // Elsewhere there is nothing to add to, and what begins there is another run.
        checkpoint->run_id = draw_run_id();
        checkpoint->frames = checkpoint->windows = 0;
    }
    return checkpoint;
}

void restore(Solver& solver, const RestoreParticles& restore_particles, Observables& observables,
             Checkpoint& checkpoint, std::vector<std::string>& remarks) {
    try {
        restore_particles(checkpoint);
        restore_observables(observables, checkpoint.observables, checkpoint.step, remarks);
        for (const std::unique_ptr<Observable>& observable : observables) observable->take_up(solver);
    } catch (const std::invalid_argument& error) {
        throw EnvironmentError(checkpoint.path + ": is no state of this input: " + error.what());
    }
    if (solver.state_hash() != checkpoint.state_hash)
        throw EnvironmentError(checkpoint.path +
                               ": is no state of this input: restored, it has another state hash");
    checkpoint.open_share = nullptr;
    checkpoint.observables.clear();
}

std::string describe_obstacles(const std::string& before, const std::string& now) {
    constexpr int most_told = 20;
    int told = 0;
    std::string text;
    for (const KeyDifference& difference : find_differences(before, now)) {
        if (is_free(difference.path)) continue;
        if (++told > most_told) return text + " ...";
        text += fmt::format("{}{} was {}, is {}", text.empty() ? "" : ", ", printable(difference.path),
                            shown(difference.before), shown(difference.after));
    }
    return text;
}

}  // namespace mpcflow
