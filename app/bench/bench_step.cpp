#include "app/bench/bench_step.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/machine/device.hpp"
#include "app/machine/rank_place.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/text/formatting.hpp"
#include "app/text/json_writer.hpp"
#include "gpu/copy_rate.hpp"
#include "physics/domain/automatic_cut.hpp"
#include "physics/errors.hpp"
#include "physics/host/processors.hpp"
#include "physics/names.hpp"
#include "ranks/following.hpp"
#include "ranks/leading_solver.hpp"
#include "ranks/ranks.hpp"

namespace mpcflow {

namespace {

struct Measurement : StepMeasurement {
    std::array<int, 3> cells{};
    double copy_fraction =
        0.0;  ///< of the rate at which the device copies what a plain step moves; 0: not measured
    int ranks = 1;
    double waiting = 0.0;          ///< share of the time that ranks waited for each other, on average
    double largest_waiting = 0.0;  ///< of the rank that waited longest
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
    for (const Measurement& m : measurements) {
        if (m.ranks == 1) break;
        fmt::print(
            "\n{:<8}{:<11}{:>12} ranks, {} each; {:.1f} % of the time they waited for each other, one of "
            "them "
            "{:.1f} %\n",
            m.law, precision_name(m.precision), m.ranks, format_rate(m.updates_per_second / m.ranks),
            100.0 * m.waiting, 100.0 * m.largest_waiting);
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
        json.key("cells").begin_array();
        for (const int along : m.cells) json.value(std::int64_t{along});
        json.end_array();
        json.member("density", density);
        json.member("summation", name_of(m.summation)).member("reorder", std::int64_t{m.reorder});
        json.member("updates_per_second", m.updates_per_second).member("step_seconds", m.step_seconds);
        json.member("bytes_per_particle", m.bytes_per_particle);
        json.member("ranks", m.ranks)
            .member("waiting", m.waiting)
            .member("largest_waiting", m.largest_waiting);
        if (copy_rate > 0.0)
            json.member("copy_bytes_per_second", copy_rate).member("fraction_of_copy_rate", m.copy_fraction);
        json.end_object();
    }
    fmt::print("{}\n", json.end_array().text());
}

/// The box and the options of a kind, on whatever it runs.
struct StepRun {
    System system;
    SolverOptions options;
};

StepRun run_of(const BenchStepOptions& options, const StepKind& kind, DeviceKind device) {
    StepRun run;
    const int edge = device == DeviceKind::cuda ? 200 : 32;
    run.system.box.size = options.cells.value_or(std::array{edge, edge, edge});
    run.system.fluid.density = options.density;
    kind.law.choose(run.system.collision);
    run.system.thermostat.kind =
        kind.law.energy == Energy::thermal ? ThermostatKind::none : options.thermostat;
    run.options.precision = kind.precision;
    run.options.threads = options.threads;
    run.options.summation = options.summation;
    run.options.vectors = options.vectors;
    run.options.reorder = options.reorder;
    return run;
}

/// Where a rank is, and what it runs on.
struct RankMachine {
    RankPlace place;
    ChosenDevice device;
};

RankMachine machine_of(const BenchStepOptions& options, Ranks& ranks) {
    RankMachine machine;
    machine.place = find_rank_place(ranks);
    const DeviceList list = options.device.kind == DeviceKind::cpu ? DeviceList{} : list_devices();
    machine.device = choose_device_of_rank(options.device, list, machine.place.before, ranks);
    return machine;
}

/// The same on this rank, and the cut.
StepRun run_of_rank(const BenchStepOptions& options, const StepKind& kind, const RankMachine& machine,
                    Ranks& ranks, Cut& cut) {
    StepRun run = run_of(options, kind, machine.device.kind);
    if (options.threads == 0) run.options.threads = machine.place.share_of(available_processors());
    const auto found = automatic_cut(run.system, ranks.count());
    if (!found) {
        throw EnvironmentError(
            fmt::format("--cells: a box of {} cells cannot be cut into {} domains; take more cells, or "
                        "another number of ranks",
                        fmt::join(run.system.box.size, " x "), ranks.count()));
    }
    cut = *found;
    return run;
}

Measurement measure_on_ranks(const BenchStepOptions& options, const StepKind& kind,
                             const RankMachine& machine, Ranks& ranks) {
    Cut cut;
    const StepRun run = run_of_rank(options, kind, machine, ranks, cut);
    LeadingSolver solver(ranks, cut, domain_maker(run.system, run.options, cut, machine.device));
    Measurement measured{measure_step(solver, kind.precision, options.steps), run.system.box.size};
    measured.ranks = ranks.count();
    for (const RankTimes& of_rank : solver.times()) {
        const double waiting = of_rank.ran > 0.0 ? of_rank.waited / of_rank.ran : 0.0;
        measured.waiting += waiting / ranks.count();
        measured.largest_waiting = std::max(measured.largest_waiting, waiting);
    }
    return measured;
}

}  // namespace

int bench_step(const BenchStepOptions& options, Ranks* ranks) {
    const RankMachine of_rank = ranks != nullptr ? machine_of(options, *ranks) : RankMachine{};
    const ChosenDevice device = ranks != nullptr ? of_rank.device : choose_device(options.device);
    const bool is_alone_on_gpu = ranks == nullptr && device.kind == DeviceKind::cuda;
    const double copy_rate = is_alone_on_gpu ? measure_copy_rate(device.index) : 0.0;
    std::vector<Measurement> measurements;
    for (const StepKind& kind : kinds_that_pass(options.kinds)) {
        if (ranks != nullptr) {
            measurements.push_back(measure_on_ranks(options, kind, of_rank, *ranks));
            continue;
        }
        const StepRun run = run_of(options, kind, device.kind);
        Measurement measured{measure_step(run.system, run.options, device, options.steps),
                             run.system.box.size};
        if (copy_rate > 0.0)
            measured.copy_fraction = measured.updates_per_second * motion_traffic(kind.precision) / copy_rate;
        measurements.push_back(measured);
    }
    if (options.json) print_json(measurements, options.density, copy_rate);
    else print_table(measurements, copy_rate);
    return 0;
}

void follow_bench_step(const BenchStepOptions& options, Ranks& ranks) {
    const RankMachine machine = machine_of(options, ranks);
    for (const StepKind& kind : kinds_that_pass(options.kinds)) {
        Cut cut;
        const StepRun run = run_of_rank(options, kind, machine, ranks, cut);
        follow(ranks, domain_maker(run.system, run.options, cut, machine.device));
    }
}

}  // namespace mpcflow
