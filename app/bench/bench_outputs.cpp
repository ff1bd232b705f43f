#include "app/bench/bench_outputs.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/bench/step_measurement.hpp"
#include "app/machine/device.hpp"
#include "app/run/observables.hpp"
#include "app/text/json_writer.hpp"
#include "input/reader.hpp"
#include "physics/names.hpp"

namespace mpcflow {

namespace {

using Clock = std::chrono::steady_clock;

/// An output, and how a run takes a sample of it.
struct TimedOutput {
    std::string name;
    double samples_a_step = 0.0;
    std::function<void(Solver&)> sample;
};

struct OutputCost {
    std::string name;
    double samples_a_step = 0.0;
    double sample_seconds = 0.0;
    double share = 0.0;  ///< of the time of the steps
};

/// The observables must outlive the result.
std::vector<TimedOutput> timed_outputs(const Observables& observables) {
    std::vector<TimedOutput> all;
    for (const std::unique_ptr<Observable>& observable : observables) {
        const SampleTimes& times = observable->times();
        all.push_back(
            {observable->name(), static_cast<double>(times.burst) / static_cast<double>(times.every),
             [&sampled = *observable](Solver& solver) { sampled.sample(solver, solver.current_step()); }});
    }
    return all;
}

/// Mean time of what `action` does to the solver between steps, in seconds; it has ended when the solver is
/// ready for the next step.
double time_between_steps(Solver& solver, const std::function<void(Solver&)>& action) {
    constexpr int unmeasured = 2;  // the first take memory
    constexpr int fewest = 5;
    constexpr int most = 200;
    constexpr double enough_seconds = 0.3;
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < unmeasured + most && (count < fewest || sum < enough_seconds); ++i) {
        solver.run(1);
        const Clock::time_point before = Clock::now();
        action(solver);
        solver.run(0);  // waits for the device
        if (i < unmeasured) continue;
        sum += std::chrono::duration<double>(Clock::now() - before).count();
        ++count;
    }
    return sum / count;
}

void print_table(const Scenario& scenario, const Solver& solver, double step_seconds,
                 const std::vector<OutputCost>& costs) {
    fmt::print("{}\n{} particles, {} precision: {:.4g} ms a step\n", solver.device_description(),
               scenario.system.particle_count(), name_of(scenario.execution.precision), 1e3 * step_seconds);
    if (costs.empty()) {
        fmt::print("the input asks for no output whose sampling costs anything\n");
        return;
    }
    fmt::print("\n{:<22}{:>16}{:>14}{:>16}\n", "output", "samples a step", "a sample", "of the steps");
    double sum = 0.0;
    for (const OutputCost& cost : costs) {
        fmt::print("{:<22}{:>16.4g}{:>11.4g} ms{:>14.2f} %\n", cost.name, cost.samples_a_step,
                   1e3 * cost.sample_seconds, 100.0 * cost.share);
        sum += cost.share;
    }
    fmt::print("{:<22}{:>44.2f} %\n", "all", 100.0 * sum);
}

void print_json(const Scenario& scenario, const Solver& solver, double step_seconds,
                const std::vector<OutputCost>& costs) {
    JsonWriter json;
    json.begin_object().member("device", solver.device_description());
    json.member("particles", scenario.system.particle_count());
    json.member("precision", name_of(scenario.execution.precision)).member("step_seconds", step_seconds);
    json.key("outputs").begin_array();
    for (const OutputCost& cost : costs) {
        json.begin_object().member("name", cost.name).member("samples_a_step", cost.samples_a_step);
        json.member("sample_seconds", cost.sample_seconds).member("share", cost.share).end_object();
    }
    fmt::print("{}\n", json.end_array().end_object().text());
}

}  // namespace

int bench_outputs(const BenchOutputsOptions& options) {
    const Scenario scenario = read_scenario(options.file, options.overrides);
    const std::unique_ptr<Solver> solver =
        make_solver(scenario.system, solver_options(scenario), choose_device(scenario.execution.device));
    settle(*solver);
    const double step_seconds = time_step(*solver, 0);
    const double waiting = time_between_steps(*solver, [](Solver&) {});
    const Observables observables = make_observables(scenario);
    std::vector<OutputCost> costs;
    for (const TimedOutput& output : timed_outputs(observables)) {
        const double seconds = time_between_steps(*solver, output.sample) - waiting;
        costs.push_back(
            {output.name, output.samples_a_step, seconds, seconds * output.samples_a_step / step_seconds});
    }
    if (options.json) print_json(scenario, *solver, step_seconds, costs);
    else print_table(scenario, *solver, step_seconds, costs);
    return 0;
}

}  // namespace mpcflow
