#pragma once
/// ParticleSnapshot <-> particle records.

#include <cstddef>
#include <cstdint>

#include "physics/particle_records.hpp"
#include "physics/solver.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The particle number `index` of a snapshot, bit for bit the one that was put there.
template <class Particle>
[[nodiscard]] Particle take_from_snapshot(const ParticleSnapshot& snapshot, std::size_t index) {
    using Real = typename Particle::Real;
    const double* const x = &snapshot.position[3 * index];
    const double* const v = &snapshot.velocity[3 * index];
    Particle particle = Particle::make(static_cast<std::uint64_t>(snapshot.id[index]),
                                       vector_cast<Real>(Vec3<double>{x[0], x[1], x[2]}),
                                       vector_cast<Real>(Vec3<double>{v[0], v[1], v[2]}),
                                       snapshot.species.empty() ? 0 : snapshot.species[index]);
    for (int axis = 0; axis < 3; ++axis)
        particle.add_image(axis, snapshot.image[3 * index + static_cast<std::size_t>(axis)]);
    return particle;
}

/// Throws std::invalid_argument unless the snapshot can be a state of the system: all particles, their ids
/// 0 ... N-1 in order, places in the box, velocities that are numbers, and the species that their ids say.
void check_snapshot(const System& system, const ParticleSnapshot& snapshot);

/// Puts the particles of a piece, whose arrays have the shapes that they should have, where their ids say in
/// a snapshot of all. Throws std::invalid_argument where there is no such place.
void put_in_order(const ParticleSnapshot& piece, ParticleSnapshot& all);

/// Whether a particle of a piece can be one of the system: its id, its place in the box, a velocity that is a
/// number, the species of its id. The shapes of the arrays are right.
[[nodiscard]] bool is_possible(const System& system, const ParticleSnapshot& piece, std::size_t index);

/// Solver::state_hash() of a solver in this state.
[[nodiscard]] std::uint64_t snapshot_hash(const ParticleSnapshot& snapshot, Precision precision);

/// A snapshot of particles in the order of the records.
[[nodiscard]] ParticleSnapshot make_snapshot(const ParticleRecords& records);

}  // namespace mpcflow
