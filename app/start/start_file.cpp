#include "app/start/start_file.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/start/array_particles.hpp"
#include "app/start/fitted_particles.hpp"
#include "app/start/frame_particles.hpp"
#include "app/storage/descriptor.hpp"
#include "app/storage/seal.hpp"
#include "input/error.hpp"
#include "input/names.hpp"
#include "input/numbers.hpp"
#include "input/reader.hpp"
#include "physics/domain/share.hpp"
#include "physics/errors.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/snapshot.hpp"

namespace mpcflow {

namespace {

/// Says, with the place in the input, why the file is not one for it.
[[noreturn]] void fail_to_fit(const Scenario& scenario, const std::string& what) {
    throw InputError({fmt::format("{}: {} {}", scenario.start.place, scenario.start.file(), what)});
}

std::string in_words(const Box& box) {
    return fmt::format("{} x {} x {} cells", box.size[0], box.size[1], box.size[2]);
}

/// "1296 particles of light", or of a fluid of one species "1296 particles".
std::string particles_in_words(const System& system, int species, std::int64_t count) {
    return fmt::format("{} particles{}", count,
                       system.masses() == Masses::equal ? "" : " of " + system.species[species].name);
}

/// Throws InputError unless there are as many particles of each species as the input has.
void require_counts(const Scenario& scenario, const std::vector<std::int64_t>& counts, int copies) {
    const System& system = scenario.system;
    for (int s = 0; s < system.species_count(); ++s) {
        const std::int64_t found = counts[static_cast<std::size_t>(s)];
        if (copies * found == system.count_of(s)) continue;
        const std::string repeated =
            copies == 1 ? "" : fmt::format(", which {} times are {}", copies, copies * found);
        fail_to_fit(scenario, fmt::format("has {}{}, and this input has {}; a density of {} would fit",
                                          particles_in_words(system, s, found), repeated, system.count_of(s),
                                          input::shortest(static_cast<double>(copies * found) /
                                                          system.fluid_volume())));
    }
}

Copies copies_of(const Scenario& scenario, const System& of_file) {
    const System& system = scenario.system;
    Copies copies{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        copies[axis] = system.box.size[axis] / of_file.box.size[axis];
        if (copies[axis] * of_file.box.size[axis] != system.box.size[axis])
            fail_to_fit(scenario, fmt::format("is of a box of {}, of which the {} of this input are no "
                                              "multiple along {}",
                                              in_words(of_file.box), in_words(system.box), axis_names[axis]));
        if (copies[axis] > 1 && system.sheared_axis() == static_cast<int>(axis))
            fail_to_fit(scenario, fmt::format("is of a box of {}, which cannot be repeated along {}: the "
                                              "faces there are sheared, and the flow between them goes on",
                                              in_words(of_file.box), axis_names[axis]));
    }
    return copies;
}

/// How often the box of a file goes into that of the input. Throws InputError where it does not, and where
/// the particles are others.
Copies fit(const Scenario& scenario, const System& of_file) {
    const System& system = scenario.system;
    const Copies copies = copies_of(scenario, of_file);
    if (of_file.species_count() != system.species_count())
        fail_to_fit(scenario, fmt::format("has {} species, and this input {}", of_file.species_count(),
                                          system.species_count()));
    std::vector<std::int64_t> counts;
    for (int s = 0; s < system.species_count(); ++s) {
        if (of_file.mass_of(s) != system.mass_of(s))
            fail_to_fit(scenario,
                        fmt::format("has particles of mass {}, where this input has those of mass {}",
                                    input::shortest(of_file.mass_of(s)), input::shortest(system.mass_of(s))));
        if (system.masses() == Masses::by_species && of_file.species[s].name != system.species[s].name)
            fail_to_fit(scenario, fmt::format("has a species {}, where this input has {}",
                                              of_file.species[s].name, system.species[s].name));
        counts.push_back(of_file.count_of(s));
    }
    require_counts(scenario, counts, copies[0] * copies[1] * copies[2]);
    return copies;
}

/// The system of the run that wrote a file.
System system_of(const std::string& path, const std::string& input) {
    try {
        return parse_scenario(input, path).system;
    } catch (const InputError& error) {
        throw EnvironmentError(
            fmt::format("{}: the input in it is none that this mpcflow reads: {}", path, error.what()));
    }
}

/// Whether a file is sealed, as checkpoints are and trajectories are not. Throws FileError where it is
/// damaged.
bool is_sealed(const storage::Descriptor& file, const std::string& path) {
    const std::string damage = storage::find_damage(file.get(), path);
    if (damage == storage::broken_seal) throw FileError(path + ": " + damage, 0);
    return damage.empty();
}

using OpenShare = std::function<std::unique_ptr<ParticleSource>(int number, int count)>;

OpenShare fitted(const OpenShare& open, const System& of_file, const Scenario& scenario, Copies copies) {
    return [open, of_file, system = scenario.system, precision = scenario.execution.precision, copies](
               int number, int count) {
        return std::make_unique<FittedParticles>(open(number, count), of_file, system, precision, copies);
    };
}

enum class Reading { contents, particles };

StartFile open_saved(const Scenario& scenario, Reading reading) {
    const std::string& path = scenario.start.from;
    storage::Descriptor descriptor = storage::open_to_read(path);
    StartFile start;
    System of_file;
    OpenShare open;
    if (is_sealed(descriptor, path)) {
        if (scenario.start.frame != -1)
            fail_to_fit(scenario, "is no trajectory, and has no frames; leave start.frame out");
        const Checkpoint checkpoint = reading == Reading::particles
                                          ? read_checkpoint_file(std::move(descriptor), path)
                                          : read_checkpoint_contents(std::move(descriptor), path);
        start.description = fmt::format("{}, step {}", path, checkpoint.step);
        start.identity = checkpoint.state_hash;
        of_file = system_of(path, checkpoint.resolved_input);
        open = checkpoint.open_share;
    } else {
        const auto disk =
            std::make_shared<hdf5::DiskFile>(std::move(descriptor), path, hdf5::WriteOrder::any);
        const auto open_file = [disk] { return hdf5::File::open(disk, storage::Access::read_only); };
        const Frame frame = find_frame(open_file(), scenario.start.frame);
        start.description = fmt::format("{}, frame {} of step {}", path, frame.number, frame.step);
        start.identity = frame.checksum;
        of_file = system_of(path, frame.input);
        if (frame.particles != of_file.particle_count())
            throw EnvironmentError(
                fmt::format("{}: has {} particles, which are not the {} of the input in it", path,
                            frame.particles, of_file.particle_count()));
        open = [open_file, frame](int number, int count) -> std::unique_ptr<ParticleSource> {
            return std::make_unique<FrameParticles>(open_file(), frame.number,
                                                    share_of(frame.particles, number, count));
        };
    }
    const Copies copies = fit(scenario, of_file);
    if (copies != Copies{1, 1, 1})
        start.description += fmt::format(", {} x {} x {} times", copies[0], copies[1], copies[2]);
    start.open_share = fitted(open, of_file, scenario, copies);
    return start;
}

StartFile open_arrays(const Scenario& scenario) {
    const System& system = scenario.system;
    const std::string& path = scenario.start.arrays;
    const auto disk =
        std::make_shared<hdf5::DiskFile>(storage::open_to_read(path), path, hdf5::WriteOrder::any);
    const auto open_file = [disk] {
        return ParticleArrays(hdf5::File::open(disk, storage::Access::read_only));
    };
    const ParticleArrays arrays = open_file();
    const std::int64_t count = arrays.count();
    std::vector<std::int64_t> counts;
    if (arrays.have_species()) {
        counts = arrays.count_species(system, count);
    } else if (system.masses() == Masses::equal) {
        counts = {count};
    } else if (!arrays.have_ids()) {
        fail_to_fit(scenario,
                    "has no species, and this input has several; it needs the dataset species or id");
    } else if (count == system.particle_count()) {
        for (int s = 0; s < system.species_count(); ++s) counts.push_back(system.count_of(s));
    } else {
        fail_to_fit(scenario,
                    fmt::format("has {} particles, and this input has {}", count, system.particle_count()));
    }
    require_counts(scenario, counts, 1);
    const OpenShare open = [open_file, system, count](int number, int shares) {
        return std::make_unique<ArrayParticles>(open_file(), system, share_of(count, number, shares));
    };
    return {fmt::format("the arrays of {}", path), storage::file_size(disk->descriptor(), path),
            fitted(open, system, scenario, {1, 1, 1})};
}

/// Why a particle cannot be one of the system; empty where it can.
std::string fault_of(const System& system, const ParticleSnapshot& piece, std::size_t i) {
    const double* const x = &piece.position[3 * i];
    const double* const v = &piece.velocity[3 * i];
    const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!std::isfinite(x[axis])) return "has no place: it is not finite";
        if (!std::isfinite(v[axis])) return "has no velocity: it is not finite";
        if (x[axis] < 0.0 || x[axis] > system.box.size[axis])
            return fmt::format("is outside of the box of {}, at {} along {}", in_words(system.box), x[axis],
                               axis_names[axis]);
    }
    if (!(speed <= speed_limit(system.fluid)))
        return fmt::format("has a speed of {:.6g}; at most {:.6g}, 32 thermal speeds, are possible", speed,
                           speed_limit(system.fluid));
    if (piece.id[i] < 0 || piece.id[i] >= system.particle_count())
        return fmt::format("has the id {}; those of {} particles are 0 to {}", piece.id[i],
                           system.particle_count(), system.particle_count() - 1);
    if (!piece.species.empty() && piece.species[i] != system.species_of(piece.id[i]))
        return fmt::format("has the id {} and species {}; ids go species by species, and this one is of {}",
                           piece.id[i], piece.species[i], system.species_of(piece.id[i]));
    return is_possible(system, piece, i) ? "" : "is behind a surface";
}

/// Throws InputError where a particle cannot be, or comes twice.
void check_particles(const Scenario& scenario, const StartFile& start) {
    constexpr std::int64_t most = 1 << 16;
    const System& system = scenario.system;
    const auto particles = start.open_share(0, 1);
    std::vector<bool> has_come(static_cast<std::size_t>(system.particle_count()));
    std::int64_t row = 0;
    for (ParticleSnapshot piece = particles->next(most); !piece.id.empty(); piece = particles->next(most)) {
        for (std::size_t i = 0; i < piece.id.size(); ++i, ++row) {
            std::string fault = fault_of(system, piece, i);
            if (fault.empty() && has_come[static_cast<std::size_t>(piece.id[i])])
                fault = fmt::format("has the id {}, which another one has, too", piece.id[i]);
            // Rows are those of arrays; of a run's own particles ids say more.
            if (!fault.empty() && scenario.start.from.empty())
                fail_to_fit(scenario, fmt::format("has a particle, row {}, that {}", row, fault));
            if (!fault.empty()) fail_to_fit(scenario, fmt::format("has a particle that {}", fault));
            has_come[static_cast<std::size_t>(piece.id[i])] = true;
        }
    }
    if (row != system.particle_count())
        fail_to_fit(scenario,
                    fmt::format("has {} particles, and this input has {}", row, system.particle_count()));
}

StartFile opened(const Scenario& scenario, Reading reading) {
    return scenario.start.from.empty() ? open_arrays(scenario) : open_saved(scenario, reading);
}

}  // namespace

StartFile open_start(const Scenario& scenario) { return opened(scenario, Reading::contents); }

StartFile read_start(const Scenario& scenario) {
    StartFile start = opened(scenario, Reading::particles);
    check_particles(scenario, start);
    return start;
}

}  // namespace mpcflow
