#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/bench/output_costs.hpp"
#include "app/command/commands.hpp"
#include "app/command/domain_report.hpp"
#include "app/command/stream_report.hpp"
#include "app/command/surface_report.hpp"
#include "app/machine/device.hpp"
#include "app/output/estimates.hpp"
#include "app/run/schedule.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/start/start_file.hpp"
#include "app/text/formatting.hpp"
#include "app/text/json_writer.hpp"
#include "input/names.hpp"
#include "input/reader.hpp"
#include "input/text.hpp"
#include "input/writer.hpp"
#include "physics/boundary/surface_map.hpp"
#include "physics/collision/laws.hpp"
#include "physics/errors.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/theory.hpp"

namespace mpcflow {

namespace {

struct GridExponent {
    const char* name;
    int bits;
};

/// The grids 2^-q of the cell sums.
std::vector<GridExponent> grid_exponents(const Scenario& scenario) {
    const auto of_law = [](const auto& law) { return law.parameters().rounding; };
    const CellRounding rounding = scenario.execution.precision == Precision::mixed
                                      ? visit_law<float>(scenario.system, of_law)
                                      : visit_law<double>(scenario.system, of_law);
    return {{"velocity", rounding.velocity.bits()},
            {"velocity_squared", rounding.velocity_squared.bits()},
            {"offset", rounding.offset.bits()},
            {"offset_velocity", rounding.offset_velocity.bits()}};
}

/// Where the temperature follows a schedule.
void print_schedule(const Fluid& fluid) {
    if (fluid.schedule.is_empty()) return;
    std::string points;
    for (int i = 0; i < fluid.schedule.size(); ++i)
        points += fmt::format("{}{:g} in step {}", i == 0 ? "" : ", ", fluid.schedule[i].temperature,
                              fluid.schedule[i].step);
    fmt::print("temperature          {}; what theory says is of {:g}, the last\n", points, fluid.temperature);
}

/// Of several species what is each one's own.
void print_species(const System& system) {
    for (int s = 0; s < system.species_count(); ++s) {
        fmt::print("species {:<12} {} particles of mass {:g}, mean free path {:.6g} a",
                   system.species[s].name, system.count_of(s), system.mass_of(s),
                   theory::mean_free_path(system, s));
        if (theory::is_known(system)) {
            const double diffusion = theory::diffusion(system, s);
            fmt::print(", diffusion {:.6g}, Schmidt number {:.4g}", diffusion,
                       theory::predicted_viscosity(system) / diffusion);
        }
        fmt::print("\n");
    }
}

void print_transport(const System& system) {
    const theory::Transport transport = theory::transport(system);
    const bool has_species = system.masses() == Masses::by_species;
    if (has_species) print_species(system);
    else fmt::print("mean free path       {:.6g} a\n", theory::mean_free_path(system));
    fmt::print("speed of sound       {:.6g}\n", theory::speed_of_sound(system));
    if (!theory::is_known(system)) {
        fmt::print(
            "viscosity            no formula is known for several species with conserve_angular_momentum, "
            "nor for their diffusion: output.stress and output.diffusion measure them\n");
        return;
    }
    fmt::print("kinetic viscosity    {:.6g}\n", transport.kinetic_viscosity);
    if (const auto expansion = theory::collisional_viscosity_expansion(system)) {
        fmt::print("collisional          {:.6g} as published, {:.6g} from the expansion\n",
                   transport.collisional_viscosity, *expansion);
        fmt::print("total viscosity      {:.6g} as published, {:.6g} from the expansion\n",
                   transport.viscosity(), transport.kinetic_viscosity + *expansion);
    } else {
        fmt::print("collisional          {:.6g}\n", transport.collisional_viscosity);
        fmt::print("total viscosity      {:.6g}\n", transport.viscosity());
    }
    if (has_species) return;
    fmt::print("diffusion            {:.6g}\n", transport.diffusion);
    fmt::print("Schmidt number       {:.4g}\n", theory::predicted_viscosity(system) / transport.diffusion);
}

void print_flow(const System& system) {
    const auto flow = theory::plane_flow(system);
    if (!flow) return;
    const double sound = theory::speed_of_sound(system);
    const char* const name = flow->is_poiseuille()       ? "Poiseuille"
                             : flow->acceleration == 0.0 ? "Couette"
                                                         : "Couette-Poiseuille";
    fmt::print("plane {} flow along {}, walls normal to {}:\n", name, axis_names[flow->flow_axis],
               axis_names[flow->wall_axis]);
    const double greatest = flow->is_poiseuille() ? flow->maximum() : std::abs(flow->maximum());
    fmt::print("  greatest velocity  {:.6g} (Mach {:.3g}, Reynolds {:.3g})\n", flow->maximum(),
               greatest / sound, greatest * flow->width / flow->viscosity);
    if (!flow->is_poiseuille()) {
        fmt::print("  shear rate         {:.6g} at the lower wall, {:.6g} at the upper one\n",
                   flow->shear_rate(0.0), flow->shear_rate(flow->width));
    }
    fmt::print("  development time   {:.6g} = {:.0f} steps\n", flow->development_time(),
               flow->development_time() / system.collision.time_step);
}

void print_wave(const System& system) {
    const auto flow = theory::wave_flow(system);
    if (!flow) return;
    const double greatest = std::abs(flow->maximum());
    fmt::print("{} flow along {}, of a force that changes along {}:\n",
               flow->shape == ForceShape::sine ? "Kolmogorov" : "opposed Poiseuille",
               axis_names[flow->flow_axis], axis_names[flow->wave_axis]);
    fmt::print("  greatest velocity  {:.6g} (Mach {:.3g}, Reynolds {:.3g})\n", flow->maximum(),
               greatest / theory::speed_of_sound(system), greatest / (flow->wave_number * flow->viscosity));
    fmt::print("  development time   {:.6g} = {:.0f} steps\n", flow->development_time(),
               flow->development_time() / system.collision.time_step);
}

void print_shear(const System& system) {
    const auto flow = theory::sheared_flow(system);
    if (!flow) return;
    fmt::print("Lees-Edwards shear along {}, faces normal to {}:\n", axis_names[flow->along],
               axis_names[flow->normal]);
    fmt::print("  velocity           {:.6g} to {:.6g}\n", flow->velocity(0.0), flow->velocity(flow->width));
    if (!system.surfaces.list.empty()) {
        fmt::print("  from surfaces      {:.4g} cells to the faces, {:.4g} are needed\n",
                   distance_from_sheared_faces(system), GapAtShearedFaces(system).least());
        return;  // what they make of the stress is not known
    }
    if (!theory::is_known(system)) return;
    fmt::print("  stress             {:.6g}\n", flow->stress(system));
    fmt::print("  heating            kT {:+.4g} in {:.0f} steps, but for a thermostat\n",
               1000.0 * system.collision.time_step * flow->heating(system), 1000.0);
}

/// How long a run takes, and how that is known.
struct TimeEstimate {
    double seconds = 0.0;
    double updates_per_second = 0.0;
    std::string source;
};

/// As for a run: an input for a device that is not here cannot be run here. But a rate that is given is that
/// of another machine, such as a node with a GPU asked about where jobs are submitted.
ChosenDevice device_of_run(const DeviceChoice& choice, const SpeedChoice& speed) {
    if (speed.given_rate && choice.kind == DeviceKind::cuda) return {choice.kind, choice.index, "asked for"};
    return choose_device(choice);
}

/// None where no speed is asked for: the steps, and what is sampled as they go, but no writing of files.
std::optional<TimeEstimate> estimate_time(const Scenario& scenario, const SpeedChoice& speed,
                                          const ChosenDevice& device) {
    const auto particles = static_cast<double>(scenario.system.particle_count());
    const auto steps = static_cast<double>(scenario.run.steps);
    const auto equilibration = static_cast<double>(scenario.run.equilibration);
    if (speed.given_rate)
        return TimeEstimate{(equilibration + steps) * particles / *speed.given_rate, *speed.given_rate,
                            "given"};
    if (!speed.is_measured) return {};
    if (const std::string shortage = describe_shortage(memory_need(scenario, device.kind)); !shortage.empty())
        throw EnvironmentError(shortage);
    const std::unique_ptr<Solver> solver = make_solver(scenario.system, solver_options(scenario), device);
    const RunCosts costs = measure_costs(scenario, *solver);
    return TimeEstimate{equilibration * costs.step_seconds + steps * costs.seconds_a_step(),
                        particles / costs.step_seconds, "measured on " + solver->device_description()};
}

/// A rate that is given is that of all ranks; one that is measured is that of one.
StepModel model_of_ranks(const CheckOptions& options, const Scenario& scenario, DeviceKind device,
                         const std::optional<TimeEstimate>& time) {
    StepModel model = StepModel::of(scenario, device);
    if (options.speed.given_rate) model.updates_per_second = *options.speed.given_rate / *options.ranks;
    else if (time) model.updates_per_second = time->updates_per_second;
    return model;
}

void print_text(const Scenario& scenario, const std::string& start, DeviceKind device,
                const std::optional<TimeEstimate>& time, const std::optional<DomainReport>& domains,
                const std::vector<std::string>& warnings) {
    const System& system = scenario.system;
    const auto& size = system.box.size;
    fmt::print("{} is valid.\n", input::printable(scenario.source_name, std::string::npos));
    if (!scenario.title.empty())
        fmt::print("title                {}\n", input::printable(scenario.title, std::string::npos));
    fmt::print("box                  {} x {} x {} cells\n", size[0], size[1], size[2]);
    print_surfaces(system);
    fmt::print("particles            {}\n", system.particle_count());
    if (!start.empty()) fmt::print("start                {}\n", input::printable(start, std::string::npos));
    const Schedule schedule(scenario.run, scenario.output);
    fmt::print("steps                {} + {} = {}, time {:.6g}\n", scenario.run.equilibration,
               scenario.run.steps, schedule.total_steps(),
               static_cast<double>(schedule.total_steps()) * system.collision.time_step);
    print_schedule(system.fluid);
    print_transport(system);
    print_flow(system);
    print_wave(system);
    print_shear(system);
    print_cylinder_flow(system);
    print_stream(system);
    if (time) {
        fmt::print("time                 about {}, at {} ({}); writing files comes on top\n",
                   format_duration(time->seconds), format_rate(time->updates_per_second, "particle updates"),
                   time->source);
    }
    fmt::print("memory               about {} for the solver, {} for outputs\n",
               format_bytes(static_cast<double>(estimate_solver_memory(scenario, device))),
               format_bytes(static_cast<double>(estimate_output_memory(scenario))));
    if (domains) print_text(*domains);
    for (const FileEstimate& file : estimate_files(scenario)) {
        fmt::print("disk                 {}/{}: about {} ({})\n", scenario.output.directory, file.name,
                   format_bytes(static_cast<double>(file.bytes)), file.contents);
    }
    std::string grids;
    for (const GridExponent& grid : grid_exponents(scenario))
        grids += fmt::format("{}{} 2^-{}", grids.empty() ? "" : ", ", grid.name, grid.bits);
    fmt::print("rounding grids       {}\n", grids);
    for (const std::string& warning : warnings)
        fmt::print("warning: {}\n", input::printable(warning, std::string::npos));
}

void print_json(const Scenario& scenario, const std::string& start, DeviceKind device,
                const std::optional<TimeEstimate>& time, const std::optional<DomainReport>& domains,
                const std::vector<std::string>& warnings) {
    const System& system = scenario.system;
    const Schedule schedule(scenario.run, scenario.output);
    JsonWriter json;
    json.begin_object()
        .member("file", scenario.source_name)
        .member("valid", true)
        .member("title", scenario.title);
    json.member("fluid_volume", system.fluid_volume());
    json.member("particles", system.particle_count()).member("total_steps", schedule.total_steps());
    if (!start.empty()) json.member("start", start);
    json.member("precision", precision_name(scenario.execution.precision));
    if (const TemperatureSchedule& points = system.fluid.schedule; !points.is_empty()) {
        json.key("temperature_schedule").begin_array();
        for (int i = 0; i < points.size(); ++i) {
            json.begin_object().member("step", points[i].step);
            json.member("temperature", points[i].temperature).end_object();
        }
        json.end_array();
    }
    json.key("theory").begin_object();
    for (const NamedNumber& number : theory_numbers(system)) json.member(number.name, number.value);
    json.end_object();
    if (time) {
        json.key("time").begin_object().member("seconds", time->seconds);
        json.member("updates_per_second", time->updates_per_second).member("source", time->source);
        json.end_object();
    }
    json.key("memory").begin_object();
    json.member("solver_bytes", estimate_solver_memory(scenario, device));
    json.member("output_bytes", estimate_output_memory(scenario));
    const MemoryNeed need = memory_need(scenario, device);
    json.member("host_bytes", need.bytes).member("host_address_space", need.address_space).end_object();
    if (domains) add_json(json, *domains);
    json.member("directory", scenario.output.directory).key("files").begin_array();
    for (const FileEstimate& file : estimate_files(scenario)) {
        json.begin_object().member("name", file.name).member("bytes", file.bytes);
        json.member("contents", file.contents).end_object();
    }
    json.end_array().key("rounding_grid_exponents").begin_object();
    for (const GridExponent& grid : grid_exponents(scenario)) json.member(grid.name, grid.bits);
    json.end_object().key("warnings").begin_array();
    for (const std::string& warning : warnings) json.value(warning);
    json.end_array().end_object();
    fmt::print("{}\n", json.text());
}

}  // namespace

int check_command(const CheckOptions& options) {
    const Scenario scenario = read_scenario(options.input.file, options.input.overrides, options.ranks);
    if (options.is_resolved_alone) {
        fmt::print("{}", to_yaml(scenario));
        return 0;
    }
    const std::string start = scenario.start.has_file() ? read_start(scenario).description : "";
    const ChosenDevice device = device_of_run(scenario.execution.device, options.speed);
    std::vector<std::string> warnings = find_warnings(scenario);
    for (std::string& shortage : find_shortages(scenario, device.kind))
        warnings.push_back(std::move(shortage));
    const std::optional<TimeEstimate> time = estimate_time(scenario, options.speed, device);
    std::optional<DomainReport> domains;
    if (options.ranks)
        domains = report_of_domains(scenario, device.kind, *options.ranks,
                                    model_of_ranks(options, scenario, device.kind, time));
    if (options.format == ReportFormat::json)
        print_json(scenario, start, device.kind, time, domains, warnings);
    else print_text(scenario, start, device.kind, time, domains, warnings);
    return 0;
}

}  // namespace mpcflow
