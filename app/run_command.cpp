#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/device.hpp"
#include "app/exit_status.hpp"
#include "app/machine_info.hpp"
#include "app/progress.hpp"
#include "app/result_writer.hpp"
#include "app/run_loop.hpp"
#include "app/signals.hpp"
#include "input/reader.hpp"
#include "input/writer.hpp"

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
    record.reorder_interval = solver.reorder_interval();
    record.memory_bytes = solver.memory_bytes();
    record.start_time = utc_now();
    return record;
}

void announce(const Scenario& scenario, const RunRecord& record) {
    const std::int64_t steps = scenario.run.equilibration + scenario.run.steps;
    fmt::print(stderr, "mpcflow {}: {}{} particles, {} steps, {} precision, to {}\n", program_version(),
               scenario.title.empty() ? "" : scenario.title + ": ", scenario.system.particle_count(), steps,
               record.scenario.execution.precision == Precision::mixed ? "mixed" : "double",
               scenario.output.directory);
    fmt::print(stderr, "on {} ({})\n", record.device, record.device_reason);
    std::fflush(stderr);
}

void print_summary(const Scenario& scenario, const RunLoopResult& result, std::uint64_t hash,
                   const std::vector<WrittenFile>& files) {
    const auto updates = static_cast<double>(scenario.system.particle_count()) * static_cast<double>(result.steps_done);
    const double rate = result.seconds > 0.0 ? updates / result.seconds : 0.0;
    fmt::print("steps        {}{}\n", result.steps_done,
               result.signal_number == 0 ? ""
                                         : fmt::format(" of {} (stopped by {})",
                                                       scenario.run.equilibration + scenario.run.steps,
                                                       signal_name(result.signal_number)));
    fmt::print("wall time    {:.2f} s\n", result.seconds);
    fmt::print("rate         {} particle updates\n", format_rate(rate));
    fmt::print("state hash   {}\n", format_hash(hash));
    for (const WrittenFile& file : files) fmt::print("wrote        {}  ({})\n", file.path, file.contents);
    std::fflush(stdout);
}

}  // namespace

int run_command(const RunOptions& options) {
    const Scenario scenario = read_scenario(options.input.file, options.input.overrides);
    check_output_directory(scenario.output.directory, options.existing);
    const ChosenDevice device = choose_device(scenario.execution.device, list_devices());
    const std::unique_ptr<Solver> solver = make_solver(scenario.system, solver_options(scenario), device);

    const SignalGuard signals;
    const OutputDirectory directory(scenario.output.directory, options.existing);
    RunRecord record = make_record(options, scenario, *solver, device);
    if (options.verbosity == Verbosity::normal) announce(scenario, record);
    ResultWriter results(directory, std::move(record));
    try {
        ProgressDisplay display(stderr, options.verbosity == Verbosity::quiet ? ProgressStyle::silent
                                                                              : progress_style(stderr));
        const Schedule schedule(scenario.run, scenario.output);
        const RunLoopResult result =
            run_loop(*solver, scenario.system, schedule, results, display, [] { return SignalGuard::received(); });
        display.clear();
        const std::uint64_t hash = solver->state_hash();
        const bool is_stopped = result.signal_number != 0;
        const std::string message =
            is_stopped ? fmt::format("stopped by {} at step {}", signal_name(result.signal_number), result.steps_done) : "";
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
