#include "app/bench/bench_outputs.hpp"

#include <memory>

#include <fmt/format.h>

#include "app/bench/output_costs.hpp"
#include "app/machine/device.hpp"
#include "app/text/json_writer.hpp"
#include "input/reader.hpp"
#include "physics/names.hpp"

namespace mpcflow {

namespace {

void print_table(const Scenario& scenario, const Solver& solver, const RunCosts& costs) {
    fmt::print("{}\n{} particles, {} precision: {:.4g} ms a step\n", solver.device_description(),
               scenario.system.particle_count(), name_of(scenario.execution.precision),
               1e3 * costs.step_seconds);
    if (costs.outputs.empty()) {
        fmt::print("the input asks for no output whose sampling costs anything\n");
        return;
    }
    fmt::print("\n{:<22}{:>16}{:>14}{:>16}\n", "output", "samples a step", "a sample", "of the steps");
    double sum = 0.0;
    for (const OutputCost& cost : costs.outputs) {
        fmt::print("{:<22}{:>16.4g}{:>11.4g} ms{:>14.2f} %\n", cost.name, cost.samples_a_step,
                   1e3 * cost.sample_seconds, 100.0 * cost.share);
        sum += cost.share;
    }
    fmt::print("{:<22}{:>44.2f} %\n", "all", 100.0 * sum);
}

void print_json(const Scenario& scenario, const Solver& solver, const RunCosts& costs) {
    JsonWriter json;
    json.begin_object().member("device", solver.device_description());
    json.member("particles", scenario.system.particle_count());
    json.member("precision", name_of(scenario.execution.precision))
        .member("step_seconds", costs.step_seconds);
    json.key("outputs").begin_array();
    for (const OutputCost& cost : costs.outputs) {
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
    const RunCosts costs = measure_costs(scenario, *solver);
    if (options.json) print_json(scenario, *solver, costs);
    else print_table(scenario, *solver, costs);
    return 0;
}

}  // namespace mpcflow
