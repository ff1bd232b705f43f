#include "app/bench_auto.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "app/device.hpp"
#include "app/json_writer.hpp"
#include "app/progress.hpp"
#include "app/step_measurement.hpp"
#include "physics/errors.hpp"
#include "physics/names.hpp"

namespace mpcflow {

namespace {

/// Steps of a timing: whole periods, about so many steps.
constexpr std::int64_t timed_steps = 128;

std::int64_t whole_periods(std::int64_t interval) {
    return interval * std::max<std::int64_t>(1, (timed_steps + interval / 2) / interval);
}

struct Comparison {
    double density = 0.0;
    StepMeasurement chosen;
    std::vector<StepMeasurement> fixed;

    [[nodiscard]] const StepMeasurement& best() const {
        return *std::min_element(fixed.begin(), fixed.end(), [](const StepMeasurement& a, const StepMeasurement& b) {
            return a.step_seconds < b.step_seconds;
        });
    }
    /// By how much the chosen step takes longer than the best fixed one; below zero where it is faster.
    [[nodiscard]] double loss() const { return chosen.step_seconds / best().step_seconds - 1.0; }
};

Comparison compare(const System& system, Precision precision, const ChosenDevice& device,
                   const BenchAutoOptions& options) {
    Comparison comparison;
    comparison.density = system.fluid.density;
    SolverOptions solver_options;
    solver_options.precision = precision;
    {
        const std::unique_ptr<Solver> solver = make_solver(system, solver_options, device);
        settle(*solver);
        solver_options.summation = solver->summation();
        solver_options.reorder = solver->reorder_interval();
    }
    // On the same steps as the others: what a step costs varies by some per cent with the shift of its grid.
    comparison.chosen = measure_step(system, solver_options, device, whole_periods(solver_options.reorder));
    for (const Summation way : options.ways) {
        for (const int interval : options.intervals) {
            solver_options.summation = way;
            solver_options.reorder = interval;
            comparison.fixed.push_back(measure_step(system, solver_options, device, whole_periods(interval)));
        }
    }
    return comparison;
}

void print_row(const Comparison& comparison) {
    const StepMeasurement& chosen = comparison.chosen;
    const StepMeasurement& best = comparison.best();
    fmt::print("{:<7}{:<8}{:>8}{:>12}{:>10}  {:<10}{:>4}{:>12}  {:<10}{:>4}{:>+9.1f} %\n", chosen.law,
               name_of(chosen.precision), comparison.density, chosen.particles, format_rate(chosen.updates_per_second),
               name_of(chosen.summation), chosen.reorder, format_rate(best.updates_per_second), name_of(best.summation),
               best.reorder, 100.0 * comparison.loss());
    std::fflush(stdout);
}

void write_measurement(JsonWriter& json, const StepMeasurement& m) {
    json.begin_object().member("summation", name_of(m.summation)).member("reorder", m.reorder);
    json.member("step_seconds", m.step_seconds).member("updates_per_second", m.updates_per_second).end_object();
}

void print_json(const std::vector<Comparison>& comparisons) {
    JsonWriter json;
    json.begin_array();
    for (const Comparison& comparison : comparisons) {
        const StepMeasurement& chosen = comparison.chosen;
        json.begin_object().member("device", chosen.device).member("law", chosen.law);
        json.member("precision", name_of(chosen.precision)).member("density", comparison.density);
        json.member("particles", chosen.particles).member("loss", comparison.loss()).key("auto");
        write_measurement(json, chosen);
        json.key("fixed").begin_array();
        for (const StepMeasurement& m : comparison.fixed)
            write_measurement(json, m);
        json.end_array().end_object();
    }
    fmt::print("{}\n", json.end_array().text());
}

}  // namespace

int bench_auto(const BenchAutoOptions& options) {
    const ChosenDevice device = choose_device(options.device);
    if (device.kind != DeviceKind::cuda)
        throw EnvironmentError("bench auto: ways of summing are a GPU's; " + device.reason);
    if (!options.json) {
        fmt::print("{:<7}{:<8}{:>8}{:>12}{:>10}  {:<14}{:>12}  {:<14}{:>11}\n", "law", "prec.", "density", "particles",
                   "auto", "chosen", "best fixed", "which", "auto takes");
    }
    std::vector<Comparison> comparisons;
    for (const std::int64_t particles : options.particles) {
        for (const bool with_angular : {false, true}) {
            for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
                for (const double density : options.densities) {
                    System system;
                    const int edge = std::max(1, static_cast<int>(std::lround(
                                                     std::cbrt(static_cast<double>(particles) / density))));
                    system.box.size = {edge, edge, edge};
                    system.fluid.density = density;
                    system.collision.conserve_angular_momentum = with_angular;
                    comparisons.push_back(compare(system, precision, device, options));
                    if (!options.json)
                        print_row(comparisons.back());
                }
            }
        }
    }
    if (options.json) {
        print_json(comparisons);
        return 0;
    }
    const auto worst = std::max_element(comparisons.begin(), comparisons.end(),
                                        [](const auto& a, const auto& b) { return a.loss() < b.loss(); });
    fmt::print("\nat worst auto takes {:.1f} % longer than the best fixed choice\n", 100.0 * worst->loss());
    return 0;
}

}  // namespace mpcflow
