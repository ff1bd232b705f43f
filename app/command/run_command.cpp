#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/command/commands.hpp"
#include "app/command/exit_status.hpp"
#include "app/command/on_ranks.hpp"
#include "app/command/particle_files.hpp"
#include "app/command/run_summary.hpp"
#include "app/machine/device.hpp"
#include "app/machine/machine_info.hpp"
#include "app/output/background_writer.hpp"
#include "app/output/estimates.hpp"
#include "app/output/restart.hpp"
#include "app/output/result_writer.hpp"
#include "app/run/progress.hpp"
#include "app/run/run_loop.hpp"
#include "app/run/signals.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/start/start_file.hpp"
#include "app/text/formatting.hpp"
#include "input/error.hpp"
#include "input/reader.hpp"
#include "input/text.hpp"
#include "input/writer.hpp"
#include "physics/errors.hpp"
#include "ranks/following.hpp"
#include "ranks/leading_solver.hpp"

namespace mpcflow {

namespace {

/// What a run goes on.
struct Machinery {
    std::unique_ptr<Solver> solver;
    LeadingSolver* leading = nullptr;  ///< the same, where there are several ranks
    Ranks* ranks = nullptr;
    Cut cut;
    std::string reason;  ///< why this device was taken
};

RunRecord make_record(const RunOptions& options, const Scenario& scenario, const Machinery& machinery) {
    const Solver& solver = *machinery.solver;
    RunRecord record;
    record.scenario = scenario;
    record.overrides = options.input.overrides;
    record.resolved_input = to_yaml(scenario);
    record.machine = describe_machine();
    record.device = solver.device_description();
    record.device_reason = machinery.reason;
    record.ranks = machinery.cut.count();
    record.domains = machinery.cut.domains;
    record.summation = solver.summation();
    record.reorder_interval = solver.reorder_interval();
    record.memory_bytes = solver.memory_bytes();
    record.start_time = utc_now();
    return record;
}

void announce(const Scenario& scenario, const RunRecord& record, const std::optional<Checkpoint>& checkpoint,
              const std::optional<StartFile>& start, std::vector<std::string> remarks) {
    const std::int64_t steps = scenario.run.equilibration + scenario.run.steps;
    show(stderr,
         fmt::format("mpcflow {}: {}{} particles, {} steps, {} precision, to {}\non {} ({})\n",
                     program_version(), scenario.title.empty() ? "" : scenario.title + ": ",
                     scenario.system.particle_count(), steps, precision_name(scenario.execution.precision),
                     scenario.output.directory, record.device, record.device_reason));
    if (checkpoint)
        show(stderr, fmt::format("going on from {}, step {}\n",
                                 input::printable(checkpoint->path, std::string::npos), checkpoint->step));
    if (start)
        show(stderr,
             fmt::format("starting from {}\n", input::printable(start->description, std::string::npos)));
    for (std::string& warning : find_warnings(scenario)) remarks.push_back(std::move(warning));
    for (const std::string& remark : remarks)
        show(stderr, fmt::format("warning: {}\n", input::printable(remark, std::string::npos)));
}

/// Whether the run has nothing left to do; says so, unless it is to be quiet.
bool is_done_already(const Scenario& scenario, Existing existing, Verbosity verbosity) {
    const std::string& folder = scenario.output.directory;
    if (existing != Existing::keep || !is_complete(folder, scenario)) return false;
    if (verbosity == Verbosity::normal) {
        show(stderr,
             fmt::format("{}: this run is complete, with all its {} steps; raise run.steps to go on, or give "
                         "--overwrite to run it again\n",
                         folder, scenario.run.equilibration + scenario.run.steps));
    }
    return true;
}

std::string describe_stop(const RunLoopResult& result) {
    if (result.stopped_by.empty()) return "";
    std::string text = fmt::format("stopped by {} at step {}", result.stopped_by, result.steps_done);
    if (!result.writing.checkpoint_failure.empty())
        text += "; no checkpoint could be written: " + result.writing.checkpoint_failure;
    return text;
}

using Clock = std::chrono::steady_clock;

/// A signal to this rank or another, or the end of the time that the run was given when the program began.
std::string stop_request(const std::optional<std::int64_t>& max_wall_seconds, Clock::time_point began,
                         Ranks* ranks) {
    int signal = SignalGuard::received();
    if (signal == 0 && ranks != nullptr) signal = ranks->signal_of_others();
    if (signal != 0) return signal_name(signal);
    if (max_wall_seconds && Clock::now() - began >= std::chrono::seconds(*max_wall_seconds))
        return "--max-wall-time " + format_duration(static_cast<double>(*max_wall_seconds));
    return "";
}

/// How long ranks waited for each other.
void add_exchange(const std::vector<RankTimes>& times, RunLoopResult& result) {
    for (const RankTimes& of_rank : times) {
        const double share = of_rank.ran > 0.0 ? of_rank.waited / of_rank.ran : 0.0;
        const auto ranks = static_cast<double>(times.size());
        result.exchange_wait += of_rank.waited / ranks;
        result.exchange_share += share / ranks;
        result.largest_exchange_share = std::max(result.largest_exchange_share, share);
    }
}

/// Runs to the end or to where it is asked to stop; `outputs` hand to `results` what is to be written.
int run_to_the_end(const RunOptions& options, const Scenario& scenario, const Machinery& machinery,
                   BackgroundWriter& outputs, const ResultWriter& results, Clock::time_point began) {
    ProgressDisplay display(
        stderr, options.verbosity == Verbosity::quiet ? ProgressStyle::silent : progress_style(stderr));
    const Schedule schedule(scenario.run, scenario.output, scenario.checkpoint);
    RunLoopResult result = run_loop(*machinery.solver, scenario.system, schedule, outputs, display, [&] {
        return stop_request(options.max_wall_seconds, began, machinery.ranks);
    });
    display.clear();
    const std::uint64_t hash = machinery.solver->state_hash();
    if (machinery.leading != nullptr) add_exchange(machinery.leading->times(), result);
    const bool is_stopped = !result.stopped_by.empty();
    const std::string message = describe_stop(result);
    outputs.finish(result, is_stopped ? RunStatus::interrupted : RunStatus::completed, message, hash);
    if (options.verbosity == Verbosity::normal)
        print_summary(scenario, result, hash, results.written_files());
    if (!is_stopped) return static_cast<int>(ExitStatus::done);
    if (result.writing.checkpoint_failure.empty()) return static_cast<int>(ExitStatus::stopped);
    show(stderr, "mpcflow: " + input::printable(message, std::string::npos) + "\n");
    return static_cast<int>(ExitStatus::environment);
}

/// Makes the solver of one process.
Machinery machinery_alone(const Scenario& scenario) {
    const ChosenDevice device = choose_device(scenario.execution.device);
    // Linux grants memory that it does not have, and then kills who uses it.
    if (const std::string shortage = describe_shortage(memory_need(scenario, device.kind)); !shortage.empty())
        throw EnvironmentError(shortage);
    return {
        make_solver(scenario.system, solver_options(scenario), device), nullptr, nullptr, {}, device.reason};
}

/// Makes that of all ranks, on rank 0.
Machinery machinery_of_ranks(Ranks& ranks, const Beginning& beginning) {
    check_machine(ranks, beginning);
    auto solver = std::make_unique<LeadingSolver>(ranks, beginning.cut, maker_of_rank(beginning));
    const std::string reason = fmt::format("{} on {} machine{}", mpi_library(), beginning.place.machines,
                                           beginning.place.machines == 1 ? "" : "s");
    LeadingSolver* const leading = solver.get();
    return {std::move(solver), leading, &ranks, beginning.cut, reason};
}

/// The file that the run begins with, where its input names one; not where it goes on from a checkpoint of
/// its own. Before the results of before are removed, which must not be what it begins with.
std::optional<StartFile> find_start(const RunOptions& options, const Scenario& scenario, Existing existing) {
    const bool goes_on = existing == Existing::keep || options.restart.mode == RestartMode::file;
    if (goes_on || !scenario.start.has_file()) return std::nullopt;
    if (existing == Existing::overwrite && lies_in(scenario.start.file(), scenario.output.directory))
        throw InputError({fmt::format(
            "{}: {} lies in the output directory, whose results are to be overwritten; move it, or choose "
            "another output.directory (--output DIR)",
            scenario.start.place, scenario.start.file())});
    return read_start(scenario);
}

/// Puts the particles where the file says.
void begin_as(const StartFile& start, const Machinery& machinery) {
    try {
        if (machinery.leading != nullptr) begin_shares(*machinery.leading, start);
        else begin_all(*machinery.solver, start);
    } catch (const std::invalid_argument& error) {
        throw EnvironmentError(start.description + ": is no state of this input: " + error.what());
    }
}

/// The whole run but for reading the input: of one process, or of rank 0 for all.
int run_scenario(const RunOptions& options, const Scenario& scenario,
                 const std::function<Machinery()>& make_machinery, Clock::time_point began) {
    const std::string& folder = scenario.output.directory;
    const Existing existing = treatment_of_results(options.restart, options.existing, folder);
    check_output_directory(folder, existing);
    if (is_done_already(scenario, existing, options.verbosity)) return static_cast<int>(ExitStatus::done);
    const std::optional<StartFile> start = find_start(options, scenario, existing);
    const Machinery machinery = make_machinery();
    Solver& solver = *machinery.solver;

    const SignalGuard signals;
    const OutputDirectory directory(folder, existing);
    std::vector<std::string> remarks;
    std::optional<Checkpoint> checkpoint =
        find_checkpoint(options.restart, scenario, directory.files(), existing, remarks);
    const bool is_new = !checkpoint;
    Observables observables = make_observables(scenario);
    if (checkpoint) {
        const RestoreParticles restore_particles =
            machinery.leading != nullptr ? restoring_shares(*machinery.leading) : restoring_all(solver);
        restore(solver, restore_particles, observables, *checkpoint, remarks);
    } else if (start) {
        begin_as(*start, machinery);
    }
    RunRecord record = make_record(options, scenario, machinery);
    record.notes = remarks;
    if (options.verbosity == Verbosity::normal) announce(scenario, record, checkpoint, start, remarks);

    ResultWriter results(directory, std::move(record), checkpoint);
    const InFlight most{copies_in_flight(scenario, machinery.cut.count()), work_in_flight(observables)};
    SaveOthers save_others;
    if (machinery.leading != nullptr) save_others = saving_parts(*machinery.leading, directory.path());
    BackgroundWriter outputs(results, scenario, std::move(observables), most, std::move(save_others));
    // Before all other files: whenever the run is killed, it can go on.
    if (scenario.checkpoint && is_new) {
        std::shared_ptr<ParticleRecords> copy;
        outputs.save_start(save_state(solver, outputs, copy));
    }
    outputs.begin();
    for (const std::string& remark : results.take_remarks())
        show(stderr, fmt::format("warning: {}\n", input::printable(remark, std::string::npos)));
    try {
        return run_to_the_end(options, scenario, machinery, outputs, results, began);
    } catch (const std::bad_alloc&) {
        outputs.finish_failed("out of memory");
        throw;
    } catch (const std::exception& error) {
        outputs.finish_failed(error.what());
        throw;
    }
}

}  // namespace

int run_command(const RunOptions& options) {
    const Clock::time_point began = Clock::now();
    const std::unique_ptr<Ranks> ranks = join_ranks();
    if (ranks == nullptr) {
        const Scenario scenario = read_scenario(options.input.file, options.input.overrides, 1);
        return run_scenario(
            options, scenario, [&] { return machinery_alone(scenario); }, began);
    }
    return on_all_ranks(
        *ranks,
        [&] {
            const Beginning beginning = begin_alike(*ranks, options.input);
            return run_scenario(
                options, beginning.scenario, [&] { return machinery_of_ranks(*ranks, beginning); }, began);
        },
        [&] {
            const Beginning beginning = begin_alike(*ranks, options.input);
            check_machine(*ranks, beginning);
            follow(*ranks, maker_of_rank(beginning),
                   errands_of_rank(beginning.scenario, ranks->number(), ranks->count()));
        });
}

}  // namespace mpcflow
