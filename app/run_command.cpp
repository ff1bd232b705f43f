#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/device.hpp"
#include "app/estimates.hpp"
#include "app/exit_status.hpp"
#include "app/machine_info.hpp"
#include "app/progress.hpp"
#include "app/result_writer.hpp"
#include "app/run_loop.hpp"
#include "app/signals.hpp"
#include "app/theory_numbers.hpp"
#include "input/reader.hpp"
#include "input/writer.hpp"
#include "physics/theory.hpp"

namespace mpcflow {

namespace {

RunRecord make_record(const RunOptions& options, const Scenario& scenario, const Solver& solver,
                      const ChosenDevice& device) {
    RunRecord record;
    record.scenario = scenario;
    record.overrides = options.input.overrides;
    record.resolved_input = to_yaml(scenario);
    record.machine = describe_machine();
    record.device = solver.device_description();
    record.device_reason = device.reason;
    record.summation = solver.summation();
    record.reorder_interval = solver.reorder_interval();
    record.memory_bytes = solver.memory_bytes();
    record.start_time = utc_now();
    return record;
}

void announce(const Scenario& scenario, const RunRecord& record) {
    const std::int64_t steps = scenario.run.equilibration + scenario.run.steps;
    show(stderr, fmt::format("mpcflow {}: {}{} particles, {} steps, {} precision, to {}\non {} ({})\n",
                             program_version(), scenario.title.empty() ? "" : scenario.title + ": ",
                             scenario.system.particle_count(), steps, precision_name(scenario.execution.precision),
                             scenario.output.directory, record.device, record.device_reason));
}

/// What to make of steps in which a particle crossed more than a cell: nothing where thermal motion does it.
std::string describe_fast_steps(const System& system, const RunLoopResult& result) {
    const auto found = static_cast<double>(result.fast_steps);
    const double expected = theory::fast_step_share(system) * static_cast<double>(result.steps_done);
    const bool is_thermal = found <= 2.0 * expected + 3.0;
    return fmt::format("fast steps   {} of {} have a particle that crosses more than a cell, which thermal motion {} "
                       "({:.3g} expected){}\n",
                       result.fast_steps, result.steps_done, is_thermal ? "explains" : "does not explain", expected,
                       is_thermal ? "; flights are exact, so results are right"
                                  : ": is the fluid driven or heated too strongly?");
}

void print_summary(const Scenario& scenario, const RunLoopResult& result, std::uint64_t hash,
                   const std::vector<WrittenFile>& files) {
    const auto updates =
        static_cast<double>(scenario.system.particle_count()) * static_cast<double>(result.steps_done);
    const double rate = result.seconds > 0.0 ? updates / result.seconds : 0.0;
    const std::string how_far =
        result.signal_number == 0
            ? ""
            : fmt::format(" of {} (stopped by {})", scenario.run.equilibration + scenario.run.steps,
                          signal_name(result.signal_number));
    std::string text = fmt::format("steps        {}{}\n", result.steps_done, how_far);
    text += fmt::format("wall time    {:.2f} s\n", result.seconds);
    text += fmt::format("rate         {}\n", format_rate(rate, "particle updates"));
    if (result.fast_steps > 0)
        text += describe_fast_steps(scenario.system, result);
    text += fmt::format("state hash   {}\n", format_hash(hash));
    for (const WrittenFile& file : files)
        text += fmt::format("wrote        {}  ({})\n", file.path, file.contents);
    show(stdout, text);
}

}  // namespace

int run_command(const RunOptions& options) {
    const Scenario scenario = read_scenario(options.input.file, options.input.overrides);
    check_output_directory(scenario.output.directory, options.existing);
    const ChosenDevice device = choose_device(scenario.execution.device);
    const std::unique_ptr<Solver> solver = make_solver(scenario.system, solver_options(scenario), device);

    const SignalGuard signals;
    const OutputDirectory directory(scenario.output.directory, options.existing);
    RunRecord record = make_record(options, scenario, *solver, device);
    if (options.verbosity == Verbosity::normal) {
        announce(scenario, record);
        for (const std::string& warning : find_warnings(scenario))
            show(stderr, fmt::format("warning: {}\n", warning));
    }
    ResultWriter results(directory, std::move(record));
    try {
        ProgressDisplay display(
            stderr, options.verbosity == Verbosity::quiet ? ProgressStyle::silent : progress_style(stderr));
        const Schedule schedule(scenario.run, scenario.output);
        const RunLoopResult result =
            run_loop(*solver, scenario.system, schedule, results, display, [] { return SignalGuard::received(); });
        display.clear();
        const std::uint64_t hash = solver->state_hash();
        const bool is_stopped = result.signal_number != 0;
        const std::string message = is_stopped ? fmt::format("stopped by {} at step {}",
                                                             signal_name(result.signal_number), result.steps_done)
                                               : "";
        results.finish(result, is_stopped ? RunStatus::interrupted : RunStatus::completed, message, hash);
        if (options.verbosity == Verbosity::normal || is_stopped) {
            print_summary(scenario, result, hash, results.written_files());
        }
        return is_stopped ? signal_exit_base + result.signal_number : static_cast<int>(ExitStatus::done);
    } catch (const std::exception& error) {
        results.finish_failed(error.what());
        throw;
    }
}

}  // namespace mpcflow
