#include "app/output/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "app/machine/device.hpp"
#include "app/output/background_writer.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/frame_layout.hpp"
#include "app/output/observable_group.hpp"
#include "app/output/output_directory.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_file.hpp"
#include "app/output/window_file.hpp"
#include "app/run/observables.hpp"
#include "app/run/schedule.hpp"
#include "app/text/formatting.hpp"
#include "gpu/device_solver.hpp"
#include "gpu/left_over.hpp"
#include "physics/boundary/surface_map.hpp"
#include "physics/theory.hpp"

namespace mpcflow {

namespace {

constexpr double largest_mach = 0.3;

void warn_of_stream(const System& system, std::vector<std::string>& warnings) {
    if (!system.stream) return;
    const double mach = system.stream->greatest_speed() / theory::speed_of_sound(system);
    if (mach <= largest_mach) return;
    warnings.push_back(fmt::format(
        "stream.velocity: the stream has Mach number {:.2f}, over {}: it will be compressible; take a slower "
        "one",
        mach, largest_mach));
}

void warn_of_flow(const Scenario& scenario, std::vector<std::string>& warnings) {
    const System& system = scenario.system;
    const auto flow = theory::plane_flow(system);
    if (!flow) return;
    const double mach = std::abs(flow->maximum()) / theory::speed_of_sound(system);
    if (mach > largest_mach && !flow->is_poiseuille()) {
        warnings.push_back(
            fmt::format("boundaries: the flow to expect has Mach number {:.2f}, over {}: it will be "
                        "compressible; take slower walls or a smaller force",
                        mach, largest_mach));
    } else if (mach > largest_mach) {
        warnings.push_back(fmt::format(
            "forces: the flow to expect has Mach number {:.2f}, over {}: it will be compressible; "
            "take a force smaller by a factor of {:.2g}",
            mach, largest_mach, mach / (0.5 * largest_mach)));
    }
    // After three decay times of the slowest mode the flow is within 5 % of its final speed.
    constexpr double development_times = 3.0;
    const double needed = development_times * flow->development_time() / system.collision.time_step;
    if (scenario.output.fields && static_cast<double>(scenario.run.equilibration) < needed) {
        warnings.push_back(fmt::format(
            "run.equilibration: {} steps, but the flow takes about {:.0f} ({:g} development times) to "
            "be there: fields will be averaged over its start; raise it",
            scenario.run.equilibration, std::ceil(needed), development_times));
    }
}

std::int64_t record_bytes(Precision precision) { return precision == Precision::mixed ? 32 : 64; }

/// Of the largest copy of the particles that is made for a file; without checkpoints and frames of none. Of
/// several ranks none holds all.
std::int64_t copy_bytes(const Scenario& scenario, int ranks) {
    std::int64_t particles = 0;
    if (scenario.output.trajectory) {
        particles = usual_frame_particles(scenario.system, *scenario.output.trajectory);
        if (ranks > 1 && !scenario.output.trajectory->region)
            particles = std::min(particles, ids_of_frame_part);
    }
    if (scenario.checkpoint) particles = std::max(particles, scenario.system.particle_count() / ranks);
    return particles * record_bytes(scenario.execution.precision);
}

std::int64_t bytes_per_cell(const System& system) {
    return system.collision.conserve_angular_momentum ? 480 : 200;
}

/// Pieces of an observable's work that may wait.
std::int64_t pieces_in_flight(const Observable& observable) {
    constexpr std::int64_t budget = 64 << 20;
    return std::clamp<std::int64_t>(budget / std::max<std::int64_t>(observable.work_bytes(), 1), 2, 64);
}

/// Bytes a particle: where any may be left over a device has room to note each.
std::int64_t bytes_to_note_particle(const Scenario& scenario) {
    const Summation way = scenario.execution.summation;
    const bool by_tiles = way == Summation::tile || way == Summation::automatic;
    return are_left_over(scenario.system, by_tiles) ? static_cast<std::int64_t>(sizeof(std::uint32_t)) : 0;
}

}  // namespace

std::int64_t estimate_memory(const System& system, Precision precision) {
    std::int64_t cells = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // Between walls the shifted grid sticks out of the box by a cell.
        cells *= system.box.size[axis] + (system.boundaries.faces[axis].is_periodic() ? 0 : 1);
    }
    return 2 * record_bytes(precision) * system.particle_count() + bytes_per_cell(system) * cells +
           bytes_of_map(system);
}

std::int64_t estimate_solver_memory(const Scenario& scenario, DeviceKind device) {
    if (device == DeviceKind::cpu) return host_solver_needs(scenario.system, solver_options(scenario)).bytes;
    return estimate_memory(scenario.system, scenario.execution.precision) +
           bytes_to_note_particle(scenario) * scenario.system.particle_count();
}

std::int64_t estimate_domain_memory(const Scenario& scenario, std::int64_t particles, std::int64_t cells) {
    const std::int64_t of_particle =
        2 * record_bytes(scenario.execution.precision) + bytes_to_note_particle(scenario);
    // It has room for a quarter more than it begins with.
    return of_particle * (particles + particles / 4) + bytes_per_cell(scenario.system) * cells;
}

int copies_in_flight(const Scenario& scenario, int ranks) {
    constexpr std::int64_t memory_share = 4;
    return 2 * copy_bytes(scenario, ranks) <= memory_in_all() / memory_share ? 2 : 1;
}

std::int64_t work_in_flight(const Observables& observables) {
    std::int64_t bytes = 0;
    for (const std::unique_ptr<Observable>& observable : observables)
        bytes += pieces_in_flight(*observable) * observable->work_bytes();
    return bytes;
}

std::int64_t estimate_output_memory(const Scenario& scenario, int ranks) {
    const std::int64_t steps = scenario.run.equilibration + scenario.run.steps;
    std::int64_t bytes = 0;
    for (const std::unique_ptr<Observable>& observable : make_observables(scenario)) {
        const std::int64_t pieces = std::min(observable->times().count(steps), pieces_in_flight(*observable));
        bytes += observable->bytes(steps) + pieces * observable->work_bytes();
    }
    bytes += copies_in_flight(scenario, ranks) * copy_bytes(scenario, ranks);
    return bytes;
}

std::vector<FileEstimate> estimate_files(const Scenario& scenario) {
    const Output& output = scenario.output;
    const Schedule schedule(scenario.run, output);
    std::vector<FileEstimate> files;
    std::string contents = "input, machine";
    std::int64_t bytes = run_file_bytes;
    std::int64_t states = 0;
    for (const std::unique_ptr<Observable>& observable : make_observables(scenario)) {
        contents += fmt::format(", {} of {} samples", in_words(observable->name()),
                                observable->times().count(schedule.total_steps()));
        bytes += result_file_bytes(*observable, schedule.total_steps());
        states += state_file_bytes(*observable, schedule.total_steps());
    }
    files.push_back({run_file_name, bytes, contents});
    if (output.fields && output.fields->time_window > 0) {
        constexpr std::int64_t metadata = 256 << 10;
        const std::int64_t windows = scenario.run.steps / output.fields->time_window;
        files.push_back({window_file_name,
                         metadata + windows * window_bytes(*output.fields, scenario.system.species_count()),
                         fmt::format("fields of {} windows of time", windows)});
    }
    if (output.trajectory) {
        const FrameLayout layout(scenario.system, scenario.execution.precision, *output.trajectory);
        const std::int64_t frame = layout.bytes(usual_frame_particles(scenario.system, *output.trajectory));
        files.push_back(
            {trajectory_file_name, layout.bytes_of_all() + frame * schedule.frames(),
             fmt::format("{} frames of {}", schedule.frames(), format_bytes(static_cast<double>(frame)))});
    }
    if (scenario.checkpoint) {
        const std::int64_t each = checkpoint_bytes(scenario.system.particle_count(),
                                                   scenario.execution.precision, scenario.system.masses()) +
                                  states;
        files.push_back({checkpoint_file_name, 3 * each,
                         fmt::format("the state of the run: two of {}, and one while it is written",
                                     format_bytes(static_cast<double>(each)))});
    }
    return files;
}

std::vector<std::string> find_warnings(const Scenario& scenario) {
    std::vector<std::string> warnings = scenario.warnings;
    warn_of_stream(scenario.system, warnings);
    warn_of_flow(scenario, warnings);
    if (const auto& fields = scenario.output.fields; fields && scenario.run.steps / fields->every < 2) {
        warnings.push_back(fmt::format(
            "output.fields.every: {} steps in a run of {} give fewer than two samples and no errors; "
            "lower it",
            fields->every, scenario.run.steps));
    }
    return warnings;
}

MemoryNeed memory_need_of_writing(const Scenario& scenario, int ranks) {
    // By measurement: code of libraries and pieces of text; and what HDF5 keeps of large arrays that it
    // writes.
    constexpr std::int64_t of_program = 5 << 20;
    constexpr std::int64_t most_of_writing = 16 << 20;
    const std::int64_t others = estimate_output_memory(scenario, ranks) + of_program +
                                std::min(copy_bytes(scenario, ranks), most_of_writing);
    const std::int64_t stack_of_writer = thread_stack();
    return {others, others + stack_of_writer};
}

std::int64_t part_copy_bytes(const Scenario& scenario, int ranks) {
    if (!scenario.checkpoint) return 0;
    return scenario.system.particle_count() / ranks * record_bytes(scenario.execution.precision);
}

MemoryNeed memory_need(const Scenario& scenario, DeviceKind device) {
    MemoryNeed need = memory_need_of_writing(scenario);
    if (device == DeviceKind::cpu) {
        const MemoryNeed of_solver = memory_need(scenario.system, solver_options(scenario));
        need.bytes += of_solver.bytes;
        need.address_space += of_solver.address_space;
    }
    return need;
}

std::vector<std::string> find_shortages(const Scenario& scenario, DeviceKind device) {
    std::vector<std::string> shortages;
    if (std::string shortage = describe_shortage(memory_need(scenario, device)); !shortage.empty())
        shortages.push_back(std::move(shortage));
    std::int64_t disk = 0;
    for (const FileEstimate& file : estimate_files(scenario)) disk += file.bytes;
    std::error_code error;
    const auto space = std::filesystem::space(existing_part(scenario.output.directory), error);
    if (!error && static_cast<std::uintmax_t>(disk) > space.available) {
        shortages.push_back(fmt::format("output.directory: the files take about {}, but its disk has {} free",
                                        format_bytes(static_cast<double>(disk)),
                                        format_bytes(static_cast<double>(space.available))));
    }
    return shortages;
}

}  // namespace mpcflow
