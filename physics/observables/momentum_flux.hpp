#pragma once
/// The flux of momentum in one step of the dynamics, the collision and the flight that come next, measured without
/// doing the step: from it follow the stress, its correlations (and so the viscosity), the pressure tensor as a field,
/// and the stress on walls.
///
/// A step changes momentum in two ways. In the collision of a cell a particle's velocity changes by dv at r from the
/// cell's centre; the changes of a cell add up to zero, so this moves momentum m dv_a by r_b. In the flight a particle
/// of velocity u carries m u_a the way h u_b. In a step of length h and a volume V
///   V P_ab = sum m u_a u_b + (1/h) sum m dv_a r_b,
/// the flux of momentum along a in direction b. (Ihle, Tuezel and Kroll, Phys. Rev. E 72 (2005) 046707; Winkler and
/// Huang, J. Chem. Phys. 130 (2009) 074907.) u has half of the force's kick, as the flight has. Bounce-back turns u
/// to -u, and u_a u_b stays.
///
/// In a cell that a wall cuts the changes of the particles do not add up to zero: what lacks, the wall has taken. There
/// r_b, b normal to the wall, is the distance from the wall, which the momentum has come from.
///
/// The kinetic part is counted where a particle is in the middle of its flight. With a velocity gradient g the mean of
/// u_x u_z at a fixed place falls by g kT/m during the time 1, so at the flight's beginning it would be off by g h kT/2m.
/// The collisional part is counted at the cell's centre.

#include <algorithm>

#include "physics/cell_grid.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/solver.hpp"
#include "physics/step.hpp"
#include "physics/streaming.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Sums over particles, each velocities in place of momenta.
struct MomentumFluxSums {
    static constexpr int velocities = 3;  ///< in mid-flight
    static constexpr int kinetic = 6;     ///< u_a u_b: xx yy zz xy xz yz
    static constexpr int collisional = 9; ///< dv_a r_b, in row order
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

/// Velocity changes that the faces with walls take, 3 components for each of the 6 faces (2 x axis + upper).
struct WallSums {
    static constexpr int faces = 6;
    double change[3 * faces]{};

    MPCFLOW_HD WallSums& operator+=(const WallSums& other) {
        for (int i = 0; i < 3 * faces; ++i) change[i] += other.change[i];
        return *this;
    }
};

/// One sample of one field bin: the flux at the places that the head of this file says, and the particles in mid-flight.
struct PressureBinSums {
    static constexpr int in_flight = 1 + MomentumFluxSums::velocities + MomentumFluxSums::kinetic;
    static constexpr int count = in_flight + MomentumFluxSums::collisional;
    double value[count]{};  ///< particles, velocity (3), kinetic flux (6); collisional flux (9)
};

/// What one particle does in the step.
template <class Real>
struct ParticleFlux {
    Vec3<double> mid_flight_velocity;  ///< -flight where it has bounced by then
    Vec3<Real> mid_flight_place;
    Vec3<double> flight;               ///< u
    Vec3<double> change;               ///< dv
    Vec3<double> arm;                  ///< r
    Vec3<Real> cell_centre;            ///< in the box
    FluidPart fluid_part;              ///< of its cell
    WallHits hits;
};

/// A bin's collisional flux is that of the cells whose centres are in it. Their particles and those in flight are no
/// more than so many times what BinRule allows a bin.
inline constexpr double most_in_flux_sums = 32.0;

/// Measures particles and rounds what they add to sums of up to `most_particles`.
template <class Real>
class MomentumFluxRule {
public:
    MomentumFluxRule(const System& system, double most_particles)
        : half_flight_(half_step_without_force(system)), has_walls_(half_flight_.has_walls()) {
        for (int axis = 0; axis < 3; ++axis) {
            length_[axis] = static_cast<Real>(system.box.size[axis]);
            periodic_[axis] = system.boundaries.faces[axis].is_periodic() ? 1 : 0;
        }
        const double particles = std::max(most_particles, 8.0);  // so that one alone is small against the bounds
        // Velocities after the collision are checked only after the flight, so a factor of two for these; arms are up
        // to 1, changes up to twice the speed.
        const double speed = 2.0 * speed_limit(system.fluid);
        velocity_ = RoundingGrid(4.0 * particles * speed);
        squared_ = RoundingGrid(4.0 * particles * speed * speed);
        collisional_ = RoundingGrid(8.0 * particles * speed);
        wall_ = RoundingGrid(4.0 * Streaming<Real>::most_turns * particles * speed);
    }

    [[nodiscard]] MPCFLOW_HD bool has_walls() const { return has_walls_; }

    /// What a particle at `place` in the grid of the plan's step does in this step.
    template <class Law, class Particle>
    MPCFLOW_HD ParticleFlux<Real> measure(const StepPlan<Law>& plan, const Particle& particle,
                                          const CellPlace<Real>& place, const CellAction<Law>& action) const {
        const Vec3<Real> collided = plan.collide(particle, place, action);
        const Vec3<Real> flight = plan.streaming.flight_velocity(collided);
        Particle flying = particle;
        static_cast<void>(half_flight_.move(flying, flight));  // whether its image counts fit is asked after a step

        ParticleFlux<Real> flux;
        flux.mid_flight_velocity = vector_cast<double>(flying.velocity);
        flux.mid_flight_place = flying.position;
        flux.flight = vector_cast<double>(flight);
        flux.change = vector_cast<double>(collided) - vector_cast<double>(particle.velocity);
        flux.arm = vector_cast<double>(place.offset);
        flux.cell_centre = centre_in_box(particle.position - place.offset);
        if (has_walls_) {
            flux.fluid_part = plan.grid.fluid_part(place.cell);
            flux.hits = plan.streaming.wall_hits(particle.position, flight);
            if (flux.fluid_part.is_cut) measure_from_walls(flux.arm, flux.fluid_part);
        }
        return flux;
    }

    /// Sums over all particles.
    MPCFLOW_HD MomentumFluxSums contribute(const ParticleFlux<Real>& flux) const {
        MomentumFluxSums sums;
        put_in_flight(flux, sums.velocity, sums.kinetic_flux);
        put_collisional(flux, sums.collisional_flux);
        return sums;
    }

    /// What a face takes: 2 u of a particle that it turns from u to -u, and of the particles in the cells that it cuts
    /// the opposite of their changes. Where several walls cut a cell they share it by their thickness in it.
    MPCFLOW_HD Vec3<double> contribute_to_wall(const ParticleFlux<Real>& flux, int face) const {
        double turned = 0.0;
        if (flux.hits.face_ahead == face) turned += 2.0 * flux.hits.ahead;
        if (flux.hits.face_behind == face) turned -= 2.0 * flux.hits.behind;
        const double share = share_of_face(flux.fluid_part, face);
        return {wall_.round(turned * flux.flight.x - share * flux.change.x),
                wall_.round(turned * flux.flight.y - share * flux.change.y),
                wall_.round(turned * flux.flight.z - share * flux.change.z)};
    }

    /// The same for all faces.
    MPCFLOW_HD void add_to_walls(const ParticleFlux<Real>& flux, WallSums& sums) const {
        if (!flux.fluid_part.is_cut && flux.hits.ahead == 0) return;
        for (int face = 0; face < WallSums::faces; ++face) {
            const Vec3<double> change = contribute_to_wall(flux, face);
            for (int k = 0; k < 3; ++k) sums.change[3 * face + k] += change[k];
        }
    }

    /// What a particle adds to the bin where it is in mid-flight, PressureBinSums::in_flight numbers.
    MPCFLOW_HD void put_in_bin_of_flight(const ParticleFlux<Real>& flux, double* to) const {
        to[0] = 1.0;
        put_in_flight(flux, to + 1, to + 1 + MomentumFluxSums::velocities);
    }
    /// What it adds to the bin of its cell's centre, MomentumFluxSums::collisional numbers.
    MPCFLOW_HD void put_collisional(const ParticleFlux<Real>& flux, double* to) const {
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) to[3 * a + b] = collisional_.round(flux.change[a] * flux.arm[b]);
        }
    }

private:
    static Streaming<Real> half_step_without_force(System system) {
        system.collision.time_step *= 0.5;
        system.force = {};
        return Streaming<Real>(system);
    }

    MPCFLOW_HD void put_in_flight(const ParticleFlux<Real>& flux, double* velocity, double* kinetic) const {
        velocity[0] = velocity_.round(flux.mid_flight_velocity.x);
        velocity[1] = velocity_.round(flux.mid_flight_velocity.y);
        velocity[2] = velocity_.round(flux.mid_flight_velocity.z);
        const Vec3<double> u = flux.flight;
        kinetic[0] = squared_.round(u.x * u.x);
        kinetic[1] = squared_.round(u.y * u.y);
        kinetic[2] = squared_.round(u.z * u.z);
        kinetic[3] = squared_.round(u.x * u.y);
        kinetic[4] = squared_.round(u.x * u.z);
        kinetic[5] = squared_.round(u.y * u.z);
    }

    /// A cell that straddles a periodic face belongs where its centre is; one whose centre is in the wall, to the bins
    /// next to the wall.
    MPCFLOW_HD Vec3<Real> centre_in_box(Vec3<Real> centre) const {
        for (int axis = 0; axis < 3; ++axis) {
            const Real c = centre[axis];
            const Real length = length_[axis];
            if (periodic_[axis] != 0) {
                if (c < 0) centre[axis] = c + length;
                else if (c >= length) centre[axis] = c - length;
            } else {
                centre[axis] = c < 0 ? static_cast<Real>(0) : (c > length ? length : c);
            }
        }
        return centre;
    }

    MPCFLOW_HD static void measure_from_walls(Vec3<double>& arm, const FluidPart& part) {
        for (int axis = 0; axis < 3; ++axis) {
            if (part.lower[axis] > -0.5) arm[axis] -= part.lower[axis];
            else if (part.upper[axis] < 0.5) arm[axis] -= part.upper[axis];
        }
    }

    MPCFLOW_HD static double share_of_face(const FluidPart& part, int face) {
        if (!part.is_cut) return 0.0;
        const int axis = face / 2;
        const double own = face % 2 == 0 ? part.lower[axis] + 0.5 : 0.5 - part.upper[axis];
        const Vec3<double> extent = part.upper - part.lower;
        return own / (3.0 - extent.x - extent.y - extent.z);
    }

    Streaming<Real> half_flight_;
    Vec3<Real> length_{};
    Vec3<int> periodic_{};
    bool has_walls_;
    RoundingGrid velocity_, squared_, collisional_, wall_;
};

/// The sums in units of momentum and energy.
[[nodiscard]] MomentumFlux momentum_flux(const MomentumFluxSums& sums, const WallSums& walls, const System& system);

/// Adds a sample of one bin to the sums of a block.
MPCFLOW_HD void fold_pressure(const PressureBinSums& sample, double mass, double time_step, PressureSums& block) {
    const double* value = sample.value;
    block.particles += value[0];
    for (int a = 0; a < 3; ++a) block.momentum[a] += mass * value[1 + a];
    for (int i = 0; i < 6; ++i) block.kinetic[i] += mass * value[4 + i];
    for (int i = 0; i < 9; ++i) block.collisional[i] += mass / time_step * value[10 + i];
}

}  // namespace mpcflow
