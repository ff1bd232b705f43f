#include "app/bench/output_costs.hpp"

#include <chrono>
#include <functional>
#include <memory>

#include "app/bench/step_measurement.hpp"
#include "app/run/observables.hpp"

namespace mpcflow {

namespace {

using Clock = std::chrono::steady_clock;

/// An output, and how a run takes a sample of it.
struct TimedOutput {
    std::string name;
    double samples_a_step = 0.0;
    std::function<void(Solver&)> sample;
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

}  // namespace

double RunCosts::seconds_a_step() const {
    double shares = 1.0;
    for (const OutputCost& output : outputs) shares += output.share;
    return step_seconds * shares;
}

RunCosts measure_costs(const Scenario& scenario, Solver& solver) {
    settle(solver);
    RunCosts costs;
    costs.step_seconds = time_step(solver, 0);
    const double waiting = time_between_steps(solver, [](Solver&) {});
    const Observables observables = make_observables(scenario);
    for (const TimedOutput& output : timed_outputs(observables)) {
        const double seconds = time_between_steps(solver, output.sample) - waiting;
        costs.outputs.push_back({output.name, output.samples_a_step, seconds,
                                 seconds * output.samples_a_step / costs.step_seconds});
    }
    return costs;
}

}  // namespace mpcflow
