#include "physics/solver.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

#include "physics/errors.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/particle_records.hpp"
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
