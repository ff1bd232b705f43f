#include "app/command/domain_report.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "app/machine/device.hpp"
#include "app/output/estimates.hpp"
#include "app/text/formatting.hpp"
#include "app/text/json_writer.hpp"
#include "gpu/deep_tiles.hpp"
#include "physics/domain/automatic_cut.hpp"
#include "physics/domain/border.hpp"
#include "physics/domain/domain_grid.hpp"
#include "physics/domain/domain_solver.hpp"
#include "physics/domain/planned.hpp"

namespace mpcflow {

namespace {

/// Particles that cross the planes around a domain in a step, on average. In equilibrium n sqrt(kT / (2 pi
/// m)) particles a time cross an area of 1 each way; as domains overlap, fewer of them change domains.
double crossing_particles(const System& system, const CellBlock& own, const Cut& cut) {
    double area = 0.0;
    for (int axis = 0; axis < 3; ++axis)
        if (cut.domains[axis] > 1) area += 2.0 * static_cast<double>(own.volume()) / own.extent[axis];
    const double speed =
        std::sqrt(system.fluid.highest_temperature() / (2.0 * std::numbers::pi * system.fluid.mass));
    return area * system.fluid.density * speed * system.collision.time_step;
}

double share_of_deep_tiles(const System& system, const Cut& cut, int number) {
    Planned nobody(cut.count(), number);
    const Border<double> border(system, cut, number, nobody);
    const DomainGrid<double> grid = border.first_grid(system);
    return static_cast<double>(deep_tiles(border, grid).count()) / TiledOrder(grid).tile_count();
}

/// Work that one rank alone would not have: cells of neighbours, waiting for the fullest rank, and messages,
/// as far as nothing can be done meanwhile.
double efficiency_of(const DomainReport& report, const System& system) {
    const StepModel& model = report.model;
    const auto own = static_cast<double>(report.cells);
    const double mean_cells = static_cast<double>(system.box.volume()) / report.cut.count();
    const double alone = mean_cells * system.fluid.density / model.updates_per_second;
    const double work = alone * own / mean_cells *
                        (1.0 + model.share_of_cells * static_cast<double>(report.halo_cells) / own);
    const double exchange = report.messages * model.message_seconds +
                            static_cast<double>(report.step_bytes) / model.link_bytes_per_second;
    return alone / (work + std::max(0.0, exchange - report.deep_share.value_or(0.0) * work));
}

}  // namespace

StepModel StepModel::of(const Scenario& scenario, DeviceKind device) {
    if (device != DeviceKind::cuda) return {60e6, 10e9, 10e-6, 0.2};
    // Of an H200, and of NCCL between two (docs/performance.md, docs/scaling.md).
    const bool is_mixed = scenario.execution.precision == Precision::mixed;
    const double rate = scenario.system.collision.conserve_angular_momentum ? (is_mixed ? 28e9 : 18e9)
                                                                            : (is_mixed ? 53e9 : 31e9);
    return {rate, 250e9, 12e-6, 0.15};
}

DomainReport report_of_domains(const Scenario& scenario, DeviceKind device, int ranks,
                               const StepModel& model) {
    const System& system = scenario.system;
    DomainReport report;
    if (scenario.execution.has_domains()) report.cut.domains = scenario.execution.domains;
    else report.cut = automatic_cut(system, ranks).value();
    const int last = report.cut.count() - 1;  // none has more cells
    const CellBlock own = cut(system.box, report.cut, last);
    report.cells = own.volume();
    report.particles = std::llround(system.fluid.density * static_cast<double>(report.cells));
    report.halo_cells = DomainGrid<double>(system, 0, report.cut, last).cell_count() - report.cells;
    const DomainNeeds needs = domain_solver_needs(system, solver_options(scenario), report.cut, last);
    report.memory_bytes =
        device == DeviceKind::cuda
            ? estimate_domain_memory(scenario, report.particles, report.cells + report.halo_cells)
            : needs.host.bytes;
    report.neighbours = needs.neighbours;
    // On GPUs sums and particles go apart.
    report.messages = (device == DeviceKind::cuda ? 2 : 1) * needs.neighbours;
    const double bytes_of_particle = scenario.execution.precision == Precision::mixed ? 32.0 : 64.0;
    report.step_bytes =
        needs.bytes_of_sums + std::llround(crossing_particles(system, own, report.cut) * bytes_of_particle);
    // Particles cross where sums are exchanged.
    if (needs.bytes_of_sums > 0) {
        report.link_bytes = std::llround(static_cast<double>(report.step_bytes) *
                                         static_cast<double>(needs.most_bytes_of_sums) /
                                         static_cast<double>(needs.bytes_of_sums));
    }
    if (device == DeviceKind::cuda) report.deep_share = share_of_deep_tiles(system, report.cut, last);
    report.model = model;
    report.efficiency = efficiency_of(report, system);
    return report;
}

void print_text(const DomainReport& report) {
    const auto& domains = report.cut.domains;
    fmt::print("ranks                {}, of {} x {} x {} domains\n", report.cut.count(), domains[0],
               domains[1], domains[2]);
    fmt::print("  fullest rank       {} cells and {} of neighbours, about {} particles, {} of memory\n",
               report.cells, report.halo_cells, report.particles,
               format_bytes(static_cast<double>(report.memory_bytes)));
    fmt::print("  it sends           about {} a step to {} neighbours, in {} messages\n",
               format_bytes(static_cast<double>(report.step_bytes)), report.neighbours, report.messages);
    if (report.cut.count() == 1) return;
    fmt::print("  slowest link       about {} a step each way, to the neighbour that gets most\n",
               format_bytes(static_cast<double>(report.link_bytes)));
    if (report.deep_share) {
        const std::string work =
            *report.deep_share > 0.0
                ? fmt::format("the work on {:.0f} % of its tiles", 100.0 * *report.deep_share)
                : "nothing: flights are too long, or domains too small";
        fmt::print("  exchange           hidden behind {}\n", work);
    }
    const StepModel& model = report.model;
    fmt::print("  efficiency         {:.0f} % at most, by a model: {} a rank, {}/s and {:.0f} us a message\n",
               100.0 * report.efficiency, format_rate(model.updates_per_second, "particle updates"),
               format_bytes(model.link_bytes_per_second), 1e6 * model.message_seconds);
}

void add_json(JsonWriter& json, const DomainReport& report) {
    json.key("ranks").begin_object().member("count", std::int64_t{report.cut.count()});
    json.key("domains").begin_array();
    for (const int along : report.cut.domains) json.value(std::int64_t{along});
    json.end_array().member("cells", report.cells).member("halo_cells", report.halo_cells);
    json.member("particles", report.particles).member("memory_bytes", report.memory_bytes);
    json.member("neighbours", std::int64_t{report.neighbours})
        .member("messages", std::int64_t{report.messages});
    json.member("step_bytes", report.step_bytes).member("link_bytes", report.link_bytes);
    if (report.deep_share) json.member("deep_share", *report.deep_share);
    json.member("efficiency", report.efficiency).end_object();
}

}  // namespace mpcflow
