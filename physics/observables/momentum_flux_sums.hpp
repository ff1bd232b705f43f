#pragma once
/// What is added up of the flux of momentum (momentum_flux.hpp), and of what walls and surfaces take.

#include "physics/boundary/faces.hpp"
#include "physics/host_device.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/sums.hpp"

namespace mpcflow {

/// Sums over particles, of momenta in units of the fluid's mass: so of velocities where all have the same.
struct MomentumFluxSums {
    static constexpr int velocities = 3;   ///< in mid-flight
    static constexpr int kinetic = 6;      ///< u_a u_b: xx yy zz xy xz yz
    static constexpr int collisional = 9;  ///< dv_a r_b, in row order
    double velocity[velocities]{};
    double kinetic_flux[kinetic]{};
    double collisional_flux[collisional]{};

    MPCFLOW_HD MomentumFluxSums& operator+=(const MomentumFluxSums& other) {
        for (int i = 0; i < velocities; ++i) velocity[i] += other.velocity[i];
        for (int i = 0; i < kinetic; ++i) kinetic_flux[i] += other.kinetic_flux[i];
        for (int i = 0; i < collisional; ++i) collisional_flux[i] += other.collisional_flux[i];
        return *this;
    }
};

/// What the faces with walls take of momentum (3 components) and of energy in the same units, for each of the
/// 6 faces.
struct WallSums {
    static constexpr int of_face = 4;
    static constexpr int count = of_face * face_count;
    double taken[count]{};

    MPCFLOW_HD WallSums& operator+=(const WallSums& other) {
        for (int i = 0; i < count; ++i) taken[i] += other.taken[i];
        return *this;
    }
};

/// What one surface in the box takes: of momentum (3), of its moment about the surface's centre (3), and of
/// energy.
struct SurfaceSums {
    static constexpr int count = 7;
    double taken[count]{};
};

/// One sample of one field bin: the flux at the places that momentum_flux.hpp says: mass of the particles in
/// mid-flight, their momentum (3) and kinetic flux (6); collisional flux (9).
struct PressureBinSums
    : SumsOf<1 + MomentumFluxSums::velocities + MomentumFluxSums::kinetic + MomentumFluxSums::collisional> {
    static constexpr int in_flight = count - MomentumFluxSums::collisional;
};

/// Adds a sample of one bin to the sums of a block.
MPCFLOW_HD void fold_pressure(const PressureBinSums& sample, double mass, double time_step,
                              PressureSums& block) {
    const double* value = sample.value;
    block.mass += value[0];
    for (int a = 0; a < 3; ++a) block.momentum[a] += mass * value[1 + a];
    for (int i = 0; i < 6; ++i) block.kinetic[i] += mass * value[4 + i];
    for (int i = 0; i < 9; ++i) block.collisional[i] += mass / time_step * value[10 + i];
}

}  // namespace mpcflow
