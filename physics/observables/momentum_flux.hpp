#pragma once
/// The flux of momentum in one step of the dynamics, the collision and the flight that come next, measured
/// without doing the step: from it follow the stress, its correlations (and so the viscosity), the pressure
/// tensor as a field, and the stress on walls.
///
/// A step changes momentum in two ways. In the collision of a cell a particle's velocity changes by dv at r
/// from the cell's centre; the changes of a cell add up to zero, so this moves momentum m dv_a by r_b. In the
/// flight a particle of velocity u carries m u_a the way h u_b. In a step of length h and a volume V
///   V P_ab = sum m u_a u_b + (1/h) sum m dv_a r_b,
/// the flux of momentum along a in direction b. (Ihle, Tuezel and Kroll, Phys. Rev. E 72 (2005) 046707;
/// Winkler and Huang, J. Chem. Phys. 130 (2009) 074907.) u has half of the force's kick, as the flight has.
///
/// In a cell that a wall cuts the changes of the particles do not add up to zero: what lacks, the wall has
/// taken. There r_b, b normal to the wall, is the distance from the wall, which the momentum has come from.
/// Where a stream takes part, too, it is not known what of it the wall takes, and nothing is counted as its.
///
/// The kinetic part is counted where and as a particle is in the middle of its flight, after the hits until
/// then. With a velocity gradient g the mean of u_x u_z at a fixed place falls by g kT/m during the time 1,
/// so at the flight's beginning it would be off by g h kT/2m. The collisional part is counted at the cell's
/// centre. In a sheared box u is relative to the flow that its faces impose.

#include <algorithm>
#include <span>

#include "physics/cell_grid.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/flux_rule.hpp"
#include "physics/observables/momentum_flux_sums.hpp"
#include "physics/observables/particle_flux.hpp"
#include "physics/observables/walls_of_cell.hpp"
#include "physics/random.hpp"
#include "physics/streaming.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// A bin's collisional flux is that of the cells whose centres are in it. Their particles and those in flight
/// are no more than so many times what BinRule allows a bin.
inline constexpr double most_in_flux_sums = 32.0;

/// Measures particles and rounds what they add to sums of up to `most_particles`.
template <class Real>
class MomentumFluxRule {
public:
    MomentumFluxRule(const System& system, double most_particles)
        : flight_(system),
          half_flight_(half_step_without_force(system)),
          flow_(system),
          has_walls_(flight_.has_walls()) {
        for (int axis = 0; axis < 3; ++axis) {
            length_[axis] = static_cast<Real>(system.box.size[axis]);
            periodic_[axis] = system.boundaries.faces[axis].is_periodic() ? 1 : 0;
        }
        // So that one alone is small against the bounds.
        const double particles = std::max(most_particles, 8.0) * system.heaviest();
        // Velocities after the collision are checked only after the flight, so a factor of two for these;
        // arms are up to 1, changes up to twice the speed.
        const double speed = 2.0 * speed_limit(system.fluid);
        mass_ = RoundingGrid(4.0 * particles);
        velocity_ = RoundingGrid(4.0 * particles * speed);
        squared_ = RoundingGrid(4.0 * particles * speed * speed);
        collisional_ = RoundingGrid(8.0 * particles * speed);
        double longest = 1.0;  // from the centre of a surface to where it is hit, or a particle in a cut cell
        for (const Surface& surface : system.surfaces.list) longest = std::max(longest, surface.radius + 2.0);
        constexpr double most_hits = Faces<Real>::most_hits_ever;
        moment_ = RoundingGrid(4.0 * most_hits * particles * speed * longest);
        wall_ = RoundingGrid(2.0 * most_hits * particles * speed);
        wall_energy_ = RoundingGrid(2.0 * most_hits * particles * speed * speed);
    }

    [[nodiscard]] MPCFLOW_HD bool has_walls() const { return has_walls_; }
    /// Where the map of the surfaces was copied to the memory of a device.
    void set_surfaces(const SurfaceView& surfaces) {
        flight_.set_surfaces(surfaces);
        half_flight_.set_surfaces(surfaces);
    }

    /// The rule for step `step`, whose flights meet walls at the temperature of that step.
    [[nodiscard]] MomentumFluxRule at_step(const System& system, std::uint64_t step) const {
        MomentumFluxRule rule = *this;
        for (Streaming<Real>* flight : {&rule.flight_, &rule.half_flight_})
            flight->set_temperature(system, system.fluid.thermal_variance_at(step));
        return rule;
    }

    /// What a particle at `place` in the grid of the plan's step does in this step, by at_step() of it.
    /// `plan` and `action` are as FluxPlan says; a StepPlan does as well, with the action of the particle's
    /// cell.
    template <Setting setting = Setting::any, class Plan, class Particle, class Action>
    MPCFLOW_HD ParticleFlux<Real, Plan::masses> measure(const Plan& plan, const Particle& particle,
                                                        const CellPlace<Real>& place,
                                                        const Action& action) const {
        ParticleFlux<Real, Plan::masses> flux;
        put_motion<setting>(plan, particle, place, action, flux);
        if (has_walls_)
            WallsOfCell::of<setting>(plan.grid, place.cell, flight_.surfaces()).measure_from(flux.arm);
        return flux;
    }

    /// measure() of a particle in which walls have no part: they do not cut its cell, and it meets none, for
    /// sure. False where they may have one, and nothing is measured.
    template <Setting setting = Setting::any, class Plan, class Particle, class Action>
    [[nodiscard]] MPCFLOW_HD bool measure_without_walls(const Plan& plan, const Particle& particle,
                                                        const CellPlace<Real>& place, const Action& action,
                                                        ParticleFlux<Real, Plan::masses>& flux) const {
        put_collision_and_start<setting>(plan, particle, place, action, flux);
        if (flight_.template meets_wall<setting>(flux.start, flux.flight) ||
            WallsOfCell::of<setting>(plan.grid, place.cell, flight_.surfaces()).are_any())
            return false;
        // Half of a flight that meets no wall meets none, but for the rounding of one that begins at a wall;
        // and of one that leaves across sheared faces it may not be known.
        constexpr Setting others = without_surfaces(setting);
        Particle flying = particle;
        if (half_flight_.template fly<others>(flying, flux.flight) == StreamOutcome::at_wall) return false;
        put_mid_flight<others>(plan, particle, place, flying, flux);
        return true;
    }

    /// measure() without a branch, of a particle of a species whose velocity after the collision is
    /// `collided`, and `offset` its distance from the centre of its cell; but for the change of its energy
    /// and its cell's centre, which are not set. False, and what is measured means nothing, where it leaves
    /// the box before the middle of its flight. Walls are not asked for, and there must be no waves of force;
    /// in a sheared box it must be in the frame of its cell.
    template <class Plan>
    [[nodiscard]] MPCFLOW_HD bool measure_gliding(const Plan& plan, int species, Vec3<Real> position,
                                                  Vec3<Real> velocity, Vec3<Real> collided, Vec3<Real> offset,
                                                  ParticleFlux<Real, Plan::masses>& flux) const {
        if constexpr (Plan::masses == Masses::by_species) flux.own_mass = plan.mass_of(species);
        flux.change = vector_cast<double>(collided) - vector_cast<double>(velocity);
        flux.arm = vector_cast<double>(offset);
        flux.start = position;
        flux.flight = plan.streaming.flight_velocity(collided, species);
        Vec3<Real> place = position;
        Vec3<Real> u = flux.flight;
        const bool is_inside = half_flight_.glide(place, u, species);
        flux.mid_flight_place = place;
        flux.mid_flight_velocity = flow_.relative(place, u);
        return is_inside;
    }
    /// Whether faces have no part in the step of a particle that measure_gliding() takes, with the `flight`
    /// that it has measured, for sure: none cuts its cell, and it meets none. Without a branch.
    [[nodiscard]] MPCFLOW_HD bool are_faces_far(Vec3<Real> position, Vec3<Real> flight) const {
        return flight_.are_faces_far(position, flight);
    }
    /// The same of surfaces in the box, if that has any and is not sheared.
    [[nodiscard]] MPCFLOW_HD bool are_surfaces_far(Vec3<Real> position, Vec3<Real> offset,
                                                   Vec3<Real> flight) const {
        return flight_.are_surfaces_far(position, flight, centre_in_box(position - offset));
    }
    [[nodiscard]] MPCFLOW_HD bool has_surfaces() const { return flight_.surfaces().exist(); }

    /// measure() with what concerns walls.
    template <Setting setting = Setting::any, class Plan, class Particle, class Action>
    MPCFLOW_HD FluxAtWalls<Real, Plan::masses> measure_at_walls(const Plan& plan, const Particle& particle,
                                                                const CellPlace<Real>& place,
                                                                const Action& action) const {
        FluxAtWalls<Real, Plan::masses> flux{};
        put_motion<setting>(plan, particle, place, action, flux);
        if (!has_walls_) return flux;
        flux.walls = WallsOfCell::of<setting>(plan.grid, place.cell, flight_.surfaces());
        flux.walls.measure_from(flux.arm);
        flux.is_in_stream = plan.is_in_stream(place.cell);
        flux.meets_wall = flight_.template meets_wall<setting>(flux.start, flux.flight);
        flux.draws = plan.streaming.draws_of(particle, StepKey{plan.seed, plan.step});
        return flux;
    }

    /// Sums over all particles.
    template <Masses masses>
    MPCFLOW_HD MomentumFluxSums contribute(const ParticleFlux<Real, masses>& flux) const {
        MomentumFluxSums sums;
        put_in_flight(flux.mass(), flux.mid_flight_velocity, sums.velocity, sums.kinetic_flux);
        put_collisional(flux.mass(), flux.change, flux.arm, sums.collisional_flux);
        return sums;
    }

    /// What a face takes in the collision: its share (WallsOfCell) of the opposite of the changes of the
    /// particles in the cells that it cuts. WallSums::of_face numbers.
    template <Masses masses>
    MPCFLOW_HD void put_collision(const FluxAtWalls<Real, masses>& flux, int face, double* taken) const {
        const double share = flux.is_in_stream ? 0.0 : flux.mass() * flux.walls.share_of_face(face);
        for (int k = 0; k < 3; ++k) taken[k] = wall_.round(-share * flux.change[k]);
        taken[3] = wall_energy_.round(-share * flux.energy_change);
    }

    /// What faces and surfaces take in the hits of the flight: calls add(face, taken), WallSums::of_face
    /// numbers, or add.to_surface(number in the input, taken), SurfaceSums::count numbers, for each of them.
    template <Setting setting = Setting::any, Masses masses, class Add>
    MPCFLOW_HD void measure_hits(const FluxAtWalls<Real, masses>& flux, const Add& add) const {
        if (!flux.meets_wall) return;
        flight_.template tell_hits<setting>(flux.start, flux.flight, flux.draws,
                                            HitRecorder<Add>{*this, flux.mass(), add});
    }

    /// How many surfaces in the box may take something in the collision.
    template <Masses masses>
    [[nodiscard]] MPCFLOW_HD int surfaces_near(const FluxAtWalls<Real, masses>& flux) const {
        return flux.walls.is_by_surfaces && !flux.is_in_stream ? flux.walls.surfaces.near_count() : 0;
    }
    /// What the `which`-th of these takes, SurfaceSums::count numbers. Returns its number in the input, or
    /// `no_surface` where it takes nothing, and puts nothing.
    template <Masses masses>
    MPCFLOW_HD int put_surface_collision(const FluxAtWalls<Real, masses>& flux, int which,
                                         double* taken) const {
        const int number = flux.walls.surfaces.near(which);
        const double share = flux.mass() * flux.walls.share_of_surface(number);
        if (share == 0.0) return no_surface;
        const CurvedSurface& surface = flux.walls.surfaces.curved(number);
        const Vec3<double> change = -share * flux.change;
        const Vec3<double> arm = surface.offset(vector_cast<double>(flux.start));
        put_surface(arm, change, -share * flux.energy_change, taken);
        return surface.number;
    }

    /// The centre of a particle's cell, as ParticleFlux::cell_centre. It takes no more than the position and
    /// its offset from the centre, so it can be had before measure().
    template <Setting setting = Setting::any, class Grid>
    [[nodiscard]] MPCFLOW_HD Vec3<Real> cell_centre(const Grid& grid, Vec3<Real> position,
                                                    Vec3<Real> offset) const {
        if (may_be_sheared(setting) && flow_.is_on()) return sheared_centre(grid, position, offset);
        return centre_in_box(position - offset);
    }
    /// What a particle adds to the bin where it is in mid-flight with a velocity u,
    /// PressureBinSums::in_flight numbers.
    MPCFLOW_HD void put_in_bin_of_flight(double mass, Vec3<Real> u, double* to) const {
        to[0] = mass_.round(mass);
        put_in_flight(mass, u, to + 1, to + 1 + MomentumFluxSums::velocities);
    }
    /// What it adds to the bin of its cell's centre by ParticleFlux::change and arm,
    /// MomentumFluxSums::collisional numbers.
    MPCFLOW_HD void put_collisional(double mass, Vec3<double> change, Vec3<double> arm, double* to) const {
        change = mass * change;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) to[3 * a + b] = collisional_.round(change[a] * arm[b]);
    }

private:
    /// Hears of hits (NoRecord in physics/boundary/surface.hpp).
    template <class Add>
    struct HitRecorder {
        const MomentumFluxRule& rule;
        double mass;
        const Add& add;

        template <class T>
        MPCFLOW_HD void operator()(int face, Vec3<T> before, Vec3<T> after, int hits) const {
            const Vec3<double> v = vector_cast<double>(before);
            const Vec3<double> w = vector_cast<double>(after);
            double taken[WallSums::of_face];
            const double times = mass * hits;
            for (int k = 0; k < 3; ++k) taken[k] = rule.wall_.round(times * (v[k] - w[k]));
            taken[3] = rule.wall_energy_.round(times * 0.5 * (dot(v, v) - dot(w, w)));
            add(face, taken);
        }
        MPCFLOW_HD void at_surface(int number, Vec3<double> arm, Vec3<double> before,
                                   Vec3<double> after) const {
            double taken[SurfaceSums::count];
            rule.put_surface(arm, mass * (before - after),
                             mass * 0.5 * (dot(before, before) - dot(after, after)), taken);
            add.to_surface(number, taken);
        }
    };

    MPCFLOW_HD void put_surface(Vec3<double> arm, Vec3<double> change, double energy, double* taken) const {
        const Vec3<double> moment = cross(arm, change);
        for (int k = 0; k < 3; ++k) {
            taken[k] = wall_.round(change[k]);
            taken[3 + k] = moment_.round(moment[k]);
        }
        taken[6] = wall_energy_.round(energy);
    }

    static Streaming<Real> half_step_without_force(System system) {
        system.collision.time_step *= 0.5;
        system.force = {};
        system.forces = {};
        return Streaming<Real>(system);
    }

    MPCFLOW_HD void put_in_flight(double mass, Vec3<Real> mid_flight_velocity, double* velocity,
                                  double* kinetic) const {
        const Vec3<double> u = vector_cast<double>(mid_flight_velocity);
        const Vec3<double> p = mass * u;
        velocity[0] = velocity_.round(p.x);
        velocity[1] = velocity_.round(p.y);
        velocity[2] = velocity_.round(p.z);
        kinetic[0] = squared_.round(p.x * u.x);
        kinetic[1] = squared_.round(p.y * u.y);
        kinetic[2] = squared_.round(p.z * u.z);
        kinetic[3] = squared_.round(p.x * u.y);
        kinetic[4] = squared_.round(p.x * u.z);
        kinetic[5] = squared_.round(p.y * u.z);
    }

    /// A cell that straddles a periodic face belongs where its centre is; one whose centre is in the wall, to
    /// the bins next to the wall.
    MPCFLOW_HD Vec3<Real> centre_in_box(Vec3<Real> centre) const {
        for (int axis = 0; axis < 3; ++axis) {
            const Real c = centre[axis];
            const Real length = length_[axis];
            const Real other_image = c < 0 ? c + length : c - length;
            const Real nearest = c < 0 ? static_cast<Real>(0) : length;
            const bool is_inside = c >= 0 && (periodic_[axis] != 0 ? c < length : c <= length);
            centre[axis] = is_inside ? c : (periodic_[axis] != 0 ? other_image : nearest);
        }
        return centre;
    }

    /// The same in a sheared box, by the cell's centre in the cell's frame.
    template <class Grid>
    MPCFLOW_HD Vec3<Real> sheared_centre(const Grid& grid, Vec3<Real> position, Vec3<Real> offset) const {
        const int normal = flow_.normal();
        if (grid.is_beyond(position)) {
            position = grid.shear().from_above(position);
            position[normal] -= length_[normal];
        }
        const Vec3<Real> centre = position - offset;
        const Vec3<Real> in_box = centre_in_box(centre);
        return centre[normal] < 0 ? grid.shear().from_above(-1, in_box) : in_box;
    }

    /// All but the distance from walls.
    template <Setting setting, class Plan, class Particle, class Action>
    MPCFLOW_HD void put_motion(const Plan& plan, const Particle& particle, const CellPlace<Real>& place,
                               const Action& action, ParticleFlux<Real, Plan::masses>& flux) const {
        put_collision_and_start<setting>(plan, particle, place, action, flux);
        Particle flying = particle;
        // Whether its image counts fit is asked after a step.
        static_cast<void>(half_flight_.template move<setting>(
            flying, flux.flight, plan.streaming.draws_of(particle, StepKey{plan.seed, plan.step})));
        put_mid_flight<setting>(plan, particle, place, flying, flux);
    }

    template <Setting setting, class Plan, class Particle, class Action>
    MPCFLOW_HD static void put_collision_and_start(const Plan& plan, const Particle& particle,
                                                   const CellPlace<Real>& place, const Action& action,
                                                   ParticleFlux<Real, Plan::masses>& flux) {
        const Vec3<Real> collided = plan.template collide<setting>(particle, place, action);
        if constexpr (Plan::masses == Masses::by_species) flux.own_mass = plan.mass_of(particle.species());
        flux.start = particle.position;
        flux.flight = plan.streaming.template flight_velocity<setting>(particle, collided);
        const Vec3<double> before = vector_cast<double>(particle.velocity);
        const Vec3<double> after = vector_cast<double>(collided);
        flux.change = after - before;
        flux.energy_change = 0.5 * (dot(after, after) - dot(before, before));
        flux.arm = vector_cast<double>(place.offset);
    }

    /// By the particle in the middle of its flight.
    template <Setting setting, class Plan, class Particle>
    MPCFLOW_HD void put_mid_flight(const Plan& plan, const Particle& particle, const CellPlace<Real>& place,
                                   Particle& flying, ParticleFlux<Real, Plan::masses>& flux) const {
        if (may_be_sheared(setting) && flow_.is_on()) {
            // The half flight knows nothing of the time: its faces are not displaced.
            const int boxes = flying.image(flow_.normal()) - particle.image(flow_.normal());
            flying.position = plan.mid_flight_shear.from_above(boxes, flying.position);
            flux.mid_flight_velocity = flow_.relative(flying.position, flying.velocity);
        } else {
            flux.mid_flight_velocity = flying.velocity;
        }
        flux.mid_flight_place = flying.position;
        flux.cell_centre = cell_centre<setting>(plan.grid, particle.position, place.offset);
    }

    Streaming<Real> flight_, half_flight_;
    ShearFlow flow_;
    Vec3<Real> length_{};
    Vec3<int> periodic_{};
    bool has_walls_;
    RoundingGrid mass_, velocity_, squared_, collisional_, wall_, wall_energy_, moment_;
};

/// The sums in units of momentum and energy.
[[nodiscard]] MomentumFlux momentum_flux(const MomentumFluxSums& sums, const WallSums& walls,
                                         std::span<const SurfaceSums> surfaces, const System& system);

}  // namespace mpcflow
