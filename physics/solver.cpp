#include "physics/solver.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

#include "physics/errors.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/particle_records.hpp"
#include "physics/particle_source.hpp"
#include "physics/snapshot.hpp"
#include "physics/step.hpp"

namespace mpcflow {

void Solver::copy_particles(ParticleSnapshot& snapshot) {
    ParticleRecords records;
    copy_particles(records);
    snapshot = make_snapshot(records);
}

void Solver::copy_selection(const Selection& selection, ParticleSnapshot& snapshot) {
    ParticleRecords records;
    copy_selection(selection, records);
    records.sort_by_id();
    snapshot = make_snapshot(records);
}

void Solver::restore_from(ParticleSource& particles, std::int64_t step, std::int64_t fast_steps) {
    const std::int64_t count = system().particle_count();
    ParticleSnapshot all;
    all.step = step;
    // What does not come keeps an id that no particle has.
    all.id.assign(static_cast<std::size_t>(count), -1);
    all.position.resize(all.id.size() * 3);
    all.velocity.resize(all.id.size() * 3);
    all.image.resize(all.id.size() * 3);
    if (system().masses() == Masses::by_species) all.species.resize(all.id.size());
    if (particles.count() != count) {
        throw std::invalid_argument(std::to_string(particles.count()) + " particles for a system of " +
                                    std::to_string(count));
    }
    constexpr std::int64_t most = 1 << 16;
    for (ParticleSnapshot piece = particles.next(most); !piece.id.empty(); piece = particles.next(most))
        put_in_order(piece, all);
    restore(all, fast_steps);
}

void throw_on_faults(std::uint32_t faults, std::int64_t step, const System& system) {
    if ((faults & ~notice_fast) == no_fault) return;
    std::ostringstream text;
    text << "the simulation broke down at or before step " << step << ":";
    if ((faults & fault_speed) != 0) {
        text << " a particle was faster than " << speed_limit(system.fluid)
             << " (32 thermal speeds), beyond which sums are no longer exact; is the force too strong, or "
                "does "
                "heating lack a thermostat?";
    }
    if ((faults & fault_occupancy) != 0) {
        text << " a collision cell held more than " << occupancy_limit(system.fluid, 1.0)
             << " particles (8 times the mean density and 120), beyond which sums are no longer exact; is "
                "the fluid "
                "being compressed?";
    }
    if ((faults & fault_image) != 0) {
        text << " a particle went so many boxes far that its image count overflowed (1023 with precision: "
                "mixed, 511 of "
                "several species, a million with double); use precision: double or a larger box.";
    }
    if ((faults & fault_bin) != 0) {
        text
            << " a field bin held more than 8 times its mean number of particles and 120; is the fluid being "
               "compressed?";
    }
    throw SimulationFault(text.str());
}

}  // namespace mpcflow
