#include "app/bench/bench_step.hpp"

#include <vector>

#include <fmt/format.h>

#include "app/machine/device.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/text/formatting.hpp"
#include "app/text/json_writer.hpp"
#include "gpu/copy_rate.hpp"
#include "physics/names.hpp"

namespace mpcflow {

namespace {

struct Measurement : StepMeasurement {
    double copy_fraction =
        0.0;  ///< of the rate at which the device copies what a plain step moves; 0: not measured
};

/// What a plain step on a device at least moves of a particle, in bytes: position and velocity, read once and
/// written once.
double motion_traffic(Precision precision) {
    return 2.0 * 6.0 * static_cast<double>(precision == Precision::mixed ? sizeof(float) : sizeof(double));
}

void print_table(const std::vector<Measurement>& measurements, double copy_rate) {
    fmt::print("{}\n", measurements.front().device);
    if (copy_rate > 0.0) fmt::print("copies {:.2f} TB/s, read and written together\n", 1e-12 * copy_rate);
    fmt::print("\n{:<8}{:<11}{:>12}{:>16}{:>12}{:>16}{:>14}  {:<11}{:>9}\n", "law", "precision", "particles",
               "updates", "step", "bytes/particle", "of copy rate", "summation", "re-order");
    for (const Measurement& m : measurements) {
        fmt::print("{:<8}{:<11}{:>12}{:>16}{:>9.3f} ms{:>16.0f}{:>14}  {:<11}{:>9}\n", m.law,
                   precision_name(m.precision), m.particles, format_rate(m.updates_per_second),
                   1e3 * m.step_seconds, m.bytes_per_particle,
                   m.copy_fraction > 0.0 ? fmt::format("{:.0f} %", 100.0 * m.copy_fraction) : "-",
                   name_of(m.summation), m.reorder);
    }
    if (copy_rate > 0.0)
        fmt::print(
            "\nof copy rate: the step's rate as a part of one read and one write of positions and "
            "velocities\n");
}

void print_json(const std::vector<Measurement>& measurements, double density, double copy_rate) {
    JsonWriter json;
    json.begin_array();
    for (const Measurement& m : measurements) {
        json.begin_object().member("device", m.device).member("law", m.law);
        json.member("precision", precision_name(m.precision)).member("particles", m.particles);
        json.member("density", density);
        json.member("summation", name_of(m.summation)).member("reorder", std::int64_t{m.reorder});
        json.member("updates_per_second", m.updates_per_second).member("step_seconds", m.step_seconds);
        json.member("bytes_per_particle", m.bytes_per_particle);
        if (copy_rate > 0.0)
            json.member("copy_bytes_per_second", copy_rate).member("fraction_of_copy_rate", m.copy_fraction);
        json.end_object();
    }
    fmt::print("{}\n", json.end_array().text());
}

}  // namespace

int bench_step(const BenchStepOptions& options) {
    const ChosenDevice device = choose_device(options.device);
    System system;
    const int cells = options.cells > 0 ? options.cells : device.kind == DeviceKind::cuda ? 200 : 32;
    system.box.size = {cells, cells, cells};
    system.fluid.density = options.density;

    const double copy_rate = device.kind == DeviceKind::cuda ? measure_copy_rate(device.index) : 0.0;
    std::vector<Measurement> measurements;
    for (const auto& [law, precision] : kinds_that_pass(options.kinds)) {
        law.choose(system.collision);
        system.thermostat.kind = law.energy == Energy::thermal ? ThermostatKind::none : options.thermostat;
        SolverOptions solver_options;
        solver_options.precision = precision;
        solver_options.threads = options.threads;
        solver_options.summation = options.summation;
        solver_options.vectors = options.vectors;
        solver_options.reorder = options.reorder;
        Measurement measured{measure_step(system, solver_options, device, options.steps)};
        if (copy_rate > 0.0)
            measured.copy_fraction = measured.updates_per_second * motion_traffic(precision) / copy_rate;
        measurements.push_back(measured);
    }
    if (options.json) print_json(measurements, options.density, copy_rate);
    else print_table(measurements, copy_rate);
    return 0;
}

}  // namespace mpcflow
