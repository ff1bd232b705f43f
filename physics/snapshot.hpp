#pragma once
/// Particle records <-> what a ParticleSnapshot holds of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/solver.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Makes room for `count` particles of step `step`.
inline void begin_snapshot(ParticleSnapshot& snapshot, std::int64_t step, std::size_t count) {
    snapshot.step = step;
    snapshot.id.resize(count);
    snapshot.position.resize(3 * count);
    snapshot.velocity.resize(3 * count);
    snapshot.image.resize(3 * count);
}

/// Writes a particle to place `index` of a snapshot that has room for it.
template <class Particle>
void put_into_snapshot(const Particle& particle, std::size_t index, ParticleSnapshot& snapshot) {
    snapshot.id[index] = static_cast<std::int64_t>(particle.id());
    for (int axis = 0; axis < 3; ++axis) {
        const std::size_t at = 3 * index + static_cast<std::size_t>(axis);
        snapshot.position[at] = particle.position[axis];
        snapshot.velocity[at] = particle.velocity[axis];
        snapshot.image[at] = particle.image(axis);
    }
}

/// The particle at place `index` of a snapshot, bit for bit the one that was put there.
template <class Particle>
[[nodiscard]] Particle take_from_snapshot(const ParticleSnapshot& snapshot, std::size_t index) {
    using Real = typename Particle::Real;
    const double* const x = &snapshot.position[3 * index];
    const double* const v = &snapshot.velocity[3 * index];
    Particle particle = Particle::make(static_cast<std::uint64_t>(snapshot.id[index]),
                                       vector_cast<Real>(Vec3<double>{x[0], x[1], x[2]}),
                                       vector_cast<Real>(Vec3<double>{v[0], v[1], v[2]}));
    for (int axis = 0; axis < 3; ++axis) {
        particle.add_image(axis, snapshot.image[3 * index + static_cast<std::size_t>(axis)]);
    }
    return particle;
}

/// Throws std::invalid_argument unless the snapshot can be a state of the system: all particles, their ids
/// 0 ... N-1 in order, places in the box and velocities that are numbers.
void check_snapshot(const System& system, const ParticleSnapshot& snapshot);

/// Solver::state_hash() of a solver in this state.
[[nodiscard]] std::uint64_t snapshot_hash(const ParticleSnapshot& snapshot, Precision precision);

/// Makes a snapshot of these particles, which are in any order.
template <class Particle>
void fill_snapshot(ParticleSnapshot& snapshot, std::int64_t step, const std::vector<Particle>& particles) {
    std::vector<const Particle*> by_id;
    by_id.reserve(particles.size());
    for (const Particle& particle : particles) by_id.push_back(&particle);
    std::sort(by_id.begin(), by_id.end(), [](const Particle* a, const Particle* b) { return a->id() < b->id(); });
    begin_snapshot(snapshot, step, particles.size());
    for (std::size_t i = 0; i < by_id.size(); ++i) put_into_snapshot(*by_id[i], i, snapshot);
}

}  // namespace mpcflow
