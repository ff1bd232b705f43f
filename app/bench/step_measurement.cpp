#include "app/bench/step_measurement.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

namespace mpcflow {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int warm_up_steps = 50;

}  // namespace

std::vector<StepKind> kinds_that_pass(const StepKindFilter& filter) {
    std::vector<StepKind> kinds;
    for (const LawInfo& law : all_laws) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed})
            if (filter.law.value_or(std::string(law.name)) == law.name &&
                filter.precision.value_or(precision) == precision)
                kinds.push_back({law, precision});
    }
    return kinds;
}

double mean_step_seconds(Solver& solver, std::int64_t steps) {
    const Clock::time_point before = Clock::now();
    solver.run(steps);
    return std::chrono::duration<double>(Clock::now() - before).count() / static_cast<double>(steps);
}

std::int64_t whole_intervals(std::int64_t steps, int reorder) {
    constexpr int longest = 100;  // of longer ones timings would take long, where few steps were asked for
    if (reorder < 1 || reorder > longest) return steps;
    return (steps + reorder - 1) / reorder * reorder;
}

void settle(Solver& solver) {
    solver.run(1);
    while (!solver.is_settled()) solver.run(warm_up_steps);
}

double time_step(Solver& solver, std::int64_t steps) {
    constexpr int repeats = 3;
    const double warm_up = mean_step_seconds(solver, warm_up_steps);
    if (steps == 0) steps = std::clamp<std::int64_t>(static_cast<std::int64_t>(1.0 / warm_up), 10, 100000);
    steps = whole_intervals(steps, solver.reorder_interval());
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeats; ++i) best = std::min(best, mean_step_seconds(solver, steps));
    return best;
}

StepMeasurement measurement_of(const Solver& solver, const System& system, Precision precision,
                               double step_seconds) {
    StepMeasurement result;
    result.law = law_of(system.collision).name;
    result.precision = precision;
    result.summation = solver.summation();
    result.reorder = solver.reorder_interval();
    result.particles = system.particle_count();
    result.step_seconds = step_seconds;
    result.updates_per_second = static_cast<double>(result.particles) / step_seconds;
    result.bytes_per_particle =
        static_cast<double>(solver.memory_bytes()) / static_cast<double>(result.particles);
    result.device = solver.device_description();
    return result;
}

StepMeasurement measure_step(const System& system, const SolverOptions& options, const ChosenDevice& device,
                             std::int64_t steps) {
    const std::unique_ptr<Solver> solver = make_solver(system, options, device);
    return measure_step(*solver, options.precision, steps);
}

StepMeasurement measure_step(Solver& solver, Precision precision, std::int64_t steps) {
    settle(solver);
    const double seconds = time_step(solver, steps);
    return measurement_of(solver, solver.system(), precision, seconds);
}

}  // namespace mpcflow
