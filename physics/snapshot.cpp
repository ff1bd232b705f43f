#include "physics/snapshot.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "physics/boundary/surface_map.hpp"
#include "physics/particle.hpp"

namespace mpcflow {

namespace {

template <class Particle>
std::uint64_t hash_as(const ParticleSnapshot& snapshot) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < snapshot.id.size(); ++i)
        hash += particle_hash(take_from_snapshot<Particle>(snapshot, i));
    return hash;
}

}  // namespace

void check_snapshot(const System& system, const ParticleSnapshot& snapshot) {
    const auto count = static_cast<std::size_t>(system.particle_count());
    if (snapshot.step < 0) throw std::invalid_argument("a snapshot of a step before the first");
    if (snapshot.id.size() != count || snapshot.position.size() != 3 * count ||
        snapshot.velocity.size() != 3 * count || snapshot.image.size() != 3 * count) {
        throw std::invalid_argument("a snapshot of " + std::to_string(snapshot.id.size()) +
                                    " particles for a system of " + std::to_string(count));
    }
    const std::size_t with_species = system.masses() == Masses::by_species ? count : 0;
    if (snapshot.species.size() != with_species) {
        throw std::invalid_argument("a snapshot with the species of " +
                                    std::to_string(snapshot.species.size()) + " particles for a system of " +
                                    std::to_string(system.species_count()) + " species");
    }
    const auto fail = [](std::size_t particle, const char* what) {
        throw std::invalid_argument("particle " + std::to_string(particle) + " of a snapshot " + what);
    };
    for (std::size_t i = 0; i < 3 * count; ++i) {
        if (snapshot.id[i / 3] != static_cast<std::int64_t>(i / 3)) fail(i / 3, "has another id");
        // Written so that a NaN is caught.
        const double x = snapshot.position[i];
        if (!(x >= 0.0 && x <= system.box.size[i % 3])) fail(i / 3, "is outside of the box");
        if (!std::isfinite(snapshot.velocity[i])) fail(i / 3, "has no velocity");
    }
    const SurfaceView surfaces = view_of_surfaces(system);
    for (std::size_t i = 0; i < count && surfaces.exist(); ++i)
        if (!surfaces.is_fluid(
                {snapshot.position[3 * i], snapshot.position[3 * i + 1], snapshot.position[3 * i + 2]}))
            fail(i, "is behind a surface");
    for (std::size_t i = 0; i < with_species; ++i)
        if (snapshot.species[i] != system.species_of(snapshot.id[i]))
            fail(i, "is of another species than its id");
}

void put_in_order(const ParticleSnapshot& piece, ParticleSnapshot& all) {
    for (std::size_t i = 0; i < piece.id.size(); ++i) {
        const auto to = static_cast<std::size_t>(piece.id[i]);
        if (to >= all.id.size())
            throw std::invalid_argument("a particle of id " + std::to_string(piece.id[i]) +
                                        " for a system of " + std::to_string(all.id.size()));
        all.id[to] = piece.id[i];
        if (!all.species.empty() && !piece.species.empty()) all.species[to] = piece.species[i];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            all.position[3 * to + axis] = piece.position[3 * i + axis];
            all.velocity[3 * to + axis] = piece.velocity[3 * i + axis];
            all.image[3 * to + axis] = piece.image[3 * i + axis];
        }
    }
}

bool is_possible(const System& system, const ParticleSnapshot& piece, std::size_t index) {
    bool is = piece.id[index] >= 0 && piece.id[index] < system.particle_count();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double x = piece.position[3 * index + axis];
        is = is && x >= 0.0 && x <= system.box.size[axis] && std::isfinite(piece.velocity[3 * index + axis]);
    }
    const SurfaceView surfaces = view_of_surfaces(system);
    is = is &&
         (!surfaces.exist() || surfaces.is_fluid({piece.position[3 * index], piece.position[3 * index + 1],
                                                  piece.position[3 * index + 2]}));
    return is && (piece.species.empty() || piece.species[index] == system.species_of(piece.id[index]));
}

std::uint64_t snapshot_hash(const ParticleSnapshot& snapshot, Precision precision) {
    const auto hash_of = [&]<Masses masses>() {
        return precision == Precision::mixed ? hash_as<MixedRecord<masses>>(snapshot)
                                             : hash_as<DoubleRecord<masses>>(snapshot);
    };
    return snapshot.species.empty() ? hash_of.template operator()<Masses::equal>()
                                    : hash_of.template operator()<Masses::by_species>();
}

ParticleSnapshot make_snapshot(const ParticleRecords& records) {
    ParticleSnapshot snapshot;
    const auto count = static_cast<std::size_t>(records.count());
    snapshot.step = records.step;
    snapshot.id.resize(count);
    snapshot.position.resize(3 * count);
    snapshot.velocity.resize(3 * count);
    snapshot.image.resize(3 * count);
    copy_ids(records, 0, count, snapshot.id.data());
    copy_positions(records, 0, count, snapshot.position.data());
    copy_velocities(records, 0, count, snapshot.velocity.data());
    copy_images(records, 0, count, snapshot.image.data());
    if (records.masses() == Masses::by_species) {
        snapshot.species.resize(count);
        copy_species(records, 0, count, snapshot.species.data());
    }
    return snapshot;
}

}  // namespace mpcflow
