#pragma once
/// What one particle does in a step, for the flux of momentum (momentum_flux.hpp, where the symbols are
/// told).

#include "physics/boundary/surface.hpp"
#include "physics/host_device.hpp"
#include "physics/observables/walls_of_cell.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Of a particle, in units of the fluid's mass: known to the compiler where all have the same.
template <Masses masses>
struct FluxMass {
    [[nodiscard]] MPCFLOW_HD static constexpr double mass() { return 1.0; }
};
template <>
struct FluxMass<Masses::by_species> {
    double own_mass;
    [[nodiscard]] MPCFLOW_HD double mass() const { return own_mass; }
};

/// What one particle does in the step.
template <class Real, Masses masses = Masses::equal>
struct ParticleFlux : FluxMass<masses> {
    Vec3<Real> start;                ///< of the flight
    Vec3<Real> flight;               ///< velocity there
    Vec3<Real> mid_flight_velocity;  ///< u, which hits have changed by then
    Vec3<Real> mid_flight_place;
    Vec3<double> change;     ///< dv
    double energy_change;    ///< of v^2 / 2
    Vec3<double> arm;        ///< r
    Vec3<Real> cell_centre;  ///< in the box
};

/// What one particle does in the step where there are walls.
template <class Real, Masses masses = Masses::equal>
struct FluxAtWalls : ParticleFlux<Real, masses> {
    WallsOfCell walls;
    bool is_in_stream;  ///< which takes part in the collision: what the walls take in it is not known
    bool meets_wall;    ///< in its flight, or may
    HitDraws draws;     ///< of its hits
};

}  // namespace mpcflow
