#pragma once
/// The particles of a state, each brought by one of the domains, to those that own them.

#include <cstddef>
#include <cstdint>

#include "physics/domain/arrival_check.hpp"
#include "physics/domain/exchange.hpp"
#include "physics/domain/particle_transport.hpp"
#include "physics/particle_source.hpp"
#include "physics/snapshot.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Each domain sends the particles of its source to those that own them, by owner(particle), which call
/// take(particle). Throws std::invalid_argument, in all domains alike and when all have come, where they are
/// not those of the system.
template <class Particle, class Owner, class Take>
void bring_particles(Exchange& exchange, const System& system, ParticleSource& source, const Owner& owner,
                     const Take& take) {
    ArrivalCheck check(system, exchange);
    ParticleSnapshot piece;
    std::size_t next = 0;
    const auto make = [&](std::int64_t) {
        if (next == piece.id.size()) {
            piece = source.next(particles_of_piece);
            next = 0;
        }
        // Others wait for something in the place of one that cannot be.
        const std::size_t i = next++;
        return check.add(piece, i) ? take_from_snapshot<Particle>(piece, i) : Particle::make(0, {}, {});
    };
    spread_particles<Particle>(exchange, source.count(), make, owner, take);
    check.finish();
}

}  // namespace mpcflow
