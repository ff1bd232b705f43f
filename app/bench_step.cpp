#include "app/bench_step.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "app/device.hpp"
#include "app/json_writer.hpp"
#include "app/progress.hpp"
#include "app/theory_numbers.hpp"

namespace mpcflow {

namespace {

using Clock = std::chrono::steady_clock;

struct Measurement {
    std::string law;
    Precision precision = Precision::double_precision;
    std::int64_t particles = 0;
    double updates_per_second = 0.0;
    double step_seconds = 0.0;
    double bytes_per_particle = 0.0;
    std::string device;
};

double time_steps(Solver& solver, std::int64_t steps) {
    const Clock::time_point before = Clock::now();
    solver.run(steps);
    return std::chrono::duration<double>(Clock::now() - before).count();
}

Measurement measure(const System& system, const SolverOptions& solver_options, const ChosenDevice& device,
                    const BenchStepOptions& options) {
    constexpr int warm_up_steps = 50;
    constexpr int repeats = 3;
    const std::unique_ptr<Solver> solver = make_solver(system, solver_options, device);
    solver->run(1);
    const double warm_up = time_steps(*solver, warm_up_steps) / warm_up_steps;
    const auto steps = options.steps > 0
                           ? std::int64_t{options.steps}
                           : std::clamp<std::int64_t>(static_cast<std::int64_t>(1.0 / warm_up), 10, 100000);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeats; ++i)
        best = std::min(best, time_steps(*solver, steps) / static_cast<double>(steps));

    Measurement result;
    result.law = system.collision.conserve_angular_momentum ? "srd+a" : "srd";
    result.precision = solver_options.precision;
    result.particles = system.particle_count();
    result.step_seconds = best;
    result.updates_per_second = static_cast<double>(result.particles) / best;
    result.bytes_per_particle =
        static_cast<double>(solver->memory_bytes()) / static_cast<double>(result.particles);
    result.device = solver->device_description();
    return result;
}

void print_table(const std::vector<Measurement>& measurements) {
    fmt::print("{}\n\n{:<8}{:<11}{:>12}{:>16}{:>12}{:>16}\n", measurements.front().device, "law", "precision",
               "particles", "updates", "step", "bytes/particle");
    for (const Measurement& m : measurements) {
        fmt::print("{:<8}{:<11}{:>12}{:>16}{:>9.3f} ms{:>16.0f}\n", m.law, precision_name(m.precision),
                   m.particles, format_rate(m.updates_per_second), 1e3 * m.step_seconds, m.bytes_per_particle);
    }
}

void print_json(const std::vector<Measurement>& measurements) {
    JsonWriter json;
    json.begin_array();
    for (const Measurement& m : measurements) {
        json.begin_object().member("device", m.device).member("law", m.law);
        json.member("precision", precision_name(m.precision)).member("particles", m.particles);
        json.member("updates_per_second", m.updates_per_second).member("step_seconds", m.step_seconds);
        json.member("bytes_per_particle", m.bytes_per_particle).end_object();
    }
    fmt::print("{}\n", json.end_array().text());
}

}  // namespace

int bench_step(const BenchStepOptions& options) {
    const ChosenDevice device = choose_device(options.device, list_devices());
    System system;
    const int cells = options.cells > 0 ? options.cells : device.kind == DeviceKind::cuda ? 200 : 32;
    system.box.size = {cells, cells, cells};
    system.fluid.density = options.density;

    std::vector<Measurement> measurements;
    for (const bool with_angular : {false, true}) {
        if (options.law == (with_angular ? LawFilter::srd : LawFilter::srd_angular))
            continue;
        system.collision.conserve_angular_momentum = with_angular;
        system.thermostat.kind = with_angular ? ThermostatKind::maxwell_boltzmann : ThermostatKind::none;
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            if (options.precision.value_or(precision) != precision)
                continue;
            SolverOptions solver_options;
            solver_options.precision = precision;
            solver_options.threads = options.threads;
            measurements.push_back(measure(system, solver_options, device, options));
        }
    }
    if (options.json)
        print_json(measurements);
    else
        print_table(measurements);
    return 0;
}

}  // namespace mpcflow
