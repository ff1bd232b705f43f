#pragma once
/// Whether two Scenarios mean the same run, member by member. Structured bindings name every member, so
/// a new one does not compile until it is compared here.

#include <optional>

#include "input/scenario.hpp"

namespace mpcflow::tests {

inline bool same(const Box& a, const Box& b) {
    const auto& [size] = a;
    return size == b.size;
}

inline bool same(const Fluid& a, const Fluid& b) {
    const auto& [density, temperature, mass, schedule] = a;
    return density == b.density && temperature == b.temperature && mass == b.mass && schedule == b.schedule;
}

inline bool same(const Collision& a, const Collision& b) {
    const auto& [rule, angle, time_step, conserve_angular_momentum, random_shift] = a;
    return rule == b.rule && angle == b.angle && time_step == b.time_step &&
           conserve_angular_momentum == b.conserve_angular_momentum && random_shift == b.random_shift;
}

inline bool same(const Boundaries& a, const Boundaries& b) {
    const auto& [faces, virtual_particles] = a;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto& [lower, upper, shear] = faces[axis];
        if (lower != b.faces[axis].lower || upper != b.faces[axis].upper || shear != b.faces[axis].shear)
            return false;
    }
    return virtual_particles == b.virtual_particles;
}

inline bool same(const SpeciesList& a, const SpeciesList& b) {
    bool is_same = a.size() == b.size();
    for (int s = 0; is_same && s < a.size(); ++s) {
        const auto& [name, mass, density] = a[s];
        is_same = name == b[s].name && mass == b[s].mass && density == b[s].density;
    }
    return is_same;
}

inline bool same(const System& a, const System& b) {
    const auto& [seed, box, fluid, collision, thermostat, boundaries, force, forces, stream, species,
                 surfaces, first_places] = a;
    const auto& [kind, strength] = thermostat;
    return seed == b.seed && same(box, b.box) && same(fluid, b.fluid) && same(collision, b.collision) &&
           kind == b.thermostat.kind && strength == b.thermostat.strength && same(boundaries, b.boundaries) &&
           force == b.force && forces == b.forces && stream == b.stream && surfaces.list == b.surfaces.list &&
           same(species, b.species) && first_places == b.first_places;
}

/// Where it stands in the input may differ.
inline bool same(const Start& a, const Start& b) {
    const auto& [from, frame, arrays, place] = a;
    return from == b.from && frame == b.frame && arrays == b.arrays;
}

inline bool same(const TrajectoryOutput& a, const TrajectoryOutput& b) {
    const auto& [every, position, velocity, region, every_nth_id, precision] = a;
    return every == b.every && position == b.position && velocity == b.velocity && region == b.region &&
           every_nth_id == b.every_nth_id && precision == b.precision;
}

inline bool same(const FieldsOutput& a, const FieldsOutput& b) {
    const auto& [every, density, velocity, temperature, bins, pressure_tensor, time_window] = a;
    return every == b.every && density == b.density && velocity == b.velocity &&
           temperature == b.temperature && bins == b.bins && pressure_tensor == b.pressure_tensor &&
           time_window == b.time_window;
}

inline bool same(const HistogramsOutput& a, const HistogramsOutput& b) {
    const auto& [every, occupancy_bins, speed_bins, largest_speed] = a;
    return every == b.every && occupancy_bins == b.occupancy_bins && speed_bins == b.speed_bins &&
           largest_speed == b.largest_speed;
}

inline bool same(const ModesOutput& a, const ModesOutput& b) {
    const auto& [every, count] = a;
    return every == b.every && count == b.count;
}

inline bool same(const StructureFactorOutput& a, const StructureFactorOutput& b) {
    const auto& [every, count] = a;
    return every == b.every && count == b.count;
}

inline bool same(const StressOutput& a, const StressOutput& b) {
    const auto& [every, burst, lags] = a;
    return every == b.every && burst == b.burst && lags == b.lags;
}

inline bool same(const WallsOutput& a, const WallsOutput& b) {
    const auto& [every] = a;
    return every == b.every;
}

inline bool same(const SeriesOutput& a, const SeriesOutput& b) {
    const auto& [every] = a;
    return every == b.every;
}

inline bool same(const DiffusionOutput& a, const DiffusionOutput& b) {
    const auto& [every, tracers] = a;
    return every == b.every && tracers == b.tracers;
}

inline bool same(const RadialDistributionOutput& a, const RadialDistributionOutput& b) {
    const auto& [every, range, bins, centres] = a;
    return every == b.every && range == b.range && bins == b.bins && centres == b.centres;
}

inline bool same(const CheckpointTimes& a, const CheckpointTimes& b) {
    const auto& [every, minutes] = a;
    return every == b.every && minutes == b.minutes;
}

template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

inline bool same(const Output& a, const Output& b) {
    const auto& [directory, trajectory, fields, histograms, modes, structure_factor, stress, walls, series,
                 diffusion, radial_distribution] = a;
    return directory == b.directory && same(trajectory, b.trajectory) && same(fields, b.fields) &&
           same(histograms, b.histograms) && same(modes, b.modes) &&
           same(structure_factor, b.structure_factor) && same(stress, b.stress) && same(walls, b.walls) &&
           same(series, b.series) && same(diffusion, b.diffusion) &&
           same(radial_distribution, b.radial_distribution);
}

inline bool same(const Execution& a, const Execution& b) {
    const auto& [device, precision, summation, reorder, threads, domains] = a;
    const auto& [kind, index] = device;
    return kind == b.device.kind && index == b.device.index && precision == b.precision &&
           summation == b.summation && reorder == b.reorder && threads == b.threads && domains == b.domains;
}

/// Where they were read from, and what was warned of, may differ.
inline bool same_settings(const Scenario& a, const Scenario& b) {
    const auto& [title, system, start, run, output, checkpoint, execution, source_name, source_text,
                 overrides, warnings] = a;
    const auto& [equilibration, steps] = run;
    return title == b.title && same(system, b.system) && same(start, b.start) &&
           equilibration == b.run.equilibration && steps == b.run.steps && same(output, b.output) &&
           same(checkpoint, b.checkpoint) && same(execution, b.execution);
}

}  // namespace mpcflow::tests
