#pragma once
/// Streaming: free flight under forces (physics/forces.hpp), hits of walls (physics/boundary/), wrapping at
/// periodic faces.
///
/// Half a kick, straight flight, half a kick: v += g h/2; x += v h; v += g h/2. Between walls this is
/// the exact parabola of a uniform acceleration g, and for a force along the walls the moment of a hit
/// is exact too.

#include <cmath>

#include "physics/boundary/chord_flight.hpp"
#include "physics/boundary/faces.hpp"
#include "physics/boundary/surface.hpp"
#include "physics/boundary/surface_flight.hpp"
#include "physics/boundary/surface_map.hpp"
#include "physics/boundary/surface_view.hpp"
#include "physics/forces.hpp"
#include "physics/host_device.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/random.hpp"
#include "physics/setting.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

enum class StreamOutcome { inside, at_wall, fault };

/// Of each species, where masses differ, the fluid's mass over its own: so much a force kicks it.
template <class Real, Masses masses>
struct KickShares {
    KickShares() = default;
    explicit KickShares(const System& /*system*/) {}
    void set_gravity(Vec3<double> /*half_kick*/) {}
};
template <class Real>
struct KickShares<Real, Masses::by_species> {
    Real share[SpeciesList::most]{};
    Vec3<Real> half_gravity{};

    KickShares() = default;
    explicit KickShares(const System& system) {
        for (int s = 0; s < system.species_count(); ++s)
            share[s] = static_cast<Real>(1.0 / system.relative_mass(s));
    }
    void set_gravity(Vec3<double> half_kick) { half_gravity = vector_cast<Real>(half_kick); }
};

/// One step of streaming for every particle of a system.
template <class Real, Masses masses = Masses::equal>
class Streaming : private KickShares<Real, masses> {
public:
    Streaming() = default;
    explicit Streaming(const System& system)
        : KickShares<Real, masses>(system),
          time_step_(static_cast<Real>(system.collision.time_step)),
          faces_(system),
          surfaces_(view_of_surfaces(system)),
          shear_(system, 0) {
        begin_step(system, 0);
    }

    /// Before the flights of step `step`, where forces differ from step to step.
    void begin_step(const System& system, std::uint64_t step) {
        const UniformKicks kicks = uniform_half_kicks(system, step);
        half_kick_ = vector_cast<Real>(kicks.of_forces);
        if constexpr (masses == Masses::equal)
            half_kick_ = vector_cast<Real>(kicks.of_forces + kicks.of_gravity);
        else this->set_gravity(kicks.of_gravity);
        waves_ = WaveKicks<Real>(system, step);
    }

    /// Where the fluid's temperature is not always the same, that of the flights to come, kT/m: of walls and
    /// surfaces without one of their own.
    void set_temperature(const System& system, double fluid_variance) {
        faces_.set_temperatures(system, fluid_variance);
        surfaces_.fluid_variance = fluid_variance;
    }

    /// Of flights to come: how the sheared faces lie at their end, where there are such.
    void end_at(const ShearedFaces<Real>& shear) { shear_ = shear; }

    /// Moves a particle of velocity `velocity` for one step. Afterwards its position is in [0, L) along
    /// periodic axes and in [0, L] between walls, and in the fluid. `fault` where an image count does not fit
    /// its record. Along the flow of a sheared box, where no place is one box from another for long, images
    /// are not counted. Thermal walls draw by the key of the step.
    template <class Particle>
    MPCFLOW_HD StreamOutcome move(Particle& particle, Vec3<Real> velocity, const StepKey& key = {}) const {
        return move(particle, velocity, draws_of(particle, key));
    }
    /// The same with the draws of the hits.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD StreamOutcome move(Particle& particle, Vec3<Real> velocity, const HitDraws& draws) const {
        const StreamOutcome outcome = fly<setting>(particle, velocity);
        return outcome == StreamOutcome::at_wall ? bounce<setting>(particle, draws) : outcome;
    }

    /// The same for the many that meet no wall. The few that may are left where they started, with the
    /// velocity of their flight, and `at_wall` says so: bounce() moves them, now or later.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD StreamOutcome fly(Particle& particle, Vec3<Real> velocity) const {
        const Vec3<Real> half_kick = half_kick_of(particle.species());
        if (has_waves<setting>()) velocity += wave_kick(particle.position, particle.species());
        velocity += half_kick;
        Vec3<Real> x = particle.position + time_step_ * velocity;
        StreamOutcome outcome = StreamOutcome::inside;
        const bool is_free = !may_have_surfaces(setting) || leaves_across_shear<setting>(x) ||
                             is_clear_of_surfaces(particle.position, x);
        if (!is_inside(x) || !is_free) {
            if (!is_free || crosses_wall(x)) {
                particle.velocity = velocity;
                return StreamOutcome::at_wall;
            }
            outcome = wrap<setting>(particle, x, velocity);
        }
        particle.position = x;
        particle.velocity = velocity + half_kick;
        if (has_waves<setting>()) particle.velocity += wave_kick(x, particle.species());
        return outcome;
    }

    /// The same without a branch, and without asking for surfaces in the box: false where the particle comes
    /// to a face of any kind, and both mean nothing then.
    MPCFLOW_HD bool glide(Vec3<Real>& position, Vec3<Real>& velocity, int species) const {
        const Vec3<Real>& half_kick = half_kick_of(species);
        velocity += half_kick;
        position += time_step_ * velocity;
        velocity += half_kick;
        return is_inside(position);
    }
    /// Brings the end that glide() gave into the box across periodic faces, and counts the images in a label
    /// or a particle. False, and both mean nothing then, where fly() has more to do: at walls, at sheared
    /// faces, and where an image does not fit.
    template <class Label>
    [[nodiscard]] MPCFLOW_HD bool bring_back(Vec3<Real>& position, Label& label) const {
        if (shear_.is_on() || crosses_wall(position)) return false;
        Vec3<Real> velocity{};
        return wrap<Setting::plain>(label, position, velocity) == StreamOutcome::inside;
    }
    /// glide() where has_waves().
    MPCFLOW_HD bool glide_over_waves(Vec3<Real>& position, Vec3<Real>& velocity, int species) const {
        velocity += wave_kick(position, species);
        const bool is_inside = glide(position, velocity, species);
        velocity += wave_kick(position, species);
        return is_inside;
    }
    /// Whether a force acts that differs from place to place.
    template <Setting setting = Setting::any>
    [[nodiscard]] MPCFLOW_HD bool has_waves() const {
        return may_have_waves(setting) && waves_.are_any();
    }

    /// What may be known of the system when its flights are compiled.
    [[nodiscard]] Setting setting() const {
        if (waves_.are_any()) return Setting::any;
        if (shear_.is_on()) return is_rare() ? Setting::any : Setting::sheared;
        return is_rare() ? Setting::among_surfaces : Setting::plain;
    }

    /// Whether a straight flight meets no surface in the box, for sure.
    [[nodiscard]] MPCFLOW_HD bool is_clear_of_surfaces(Vec3<Real> from, Vec3<Real> to) const {
        return !surfaces_.exist() || surfaces_.is_free(from, to);
    }

    /// Moves a particle that fly() left at a wall.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD StreamOutcome bounce(Particle& particle, const HitDraws& draws) const {
        Vec3<Real> x = particle.position;
        Vec3<Real> velocity = particle.velocity;
        bool fits = true;
        if (meets_rarely<setting>(x, velocity)) {
            const FlightEnd<Real> end = fly_rarely(x, velocity, draws, NoRecord{});
            x = end.place;
            velocity = end.velocity;
            for (int axis = 0; axis < 3; ++axis)
                fits &= end.images[axis] == 0 || !counts_images<setting>(axis) ||
                        particle.add_image(axis, end.images[axis]);
        } else {
            fly_to_walls(x, velocity, NoRecord{});
        }
        const StreamOutcome outcome = wrap<setting>(particle, x, velocity);
        particle.position = x;
        particle.velocity = velocity + half_kick_of(particle.species());
        if (has_waves<setting>()) particle.velocity += wave_kick(x, particle.species());
        return fits ? outcome : StreamOutcome::fault;
    }

    /// bounce() of a particle that after all meets nothing; false where it may, and it is left as it is.
    /// Where surfaces are in the box most of the particles near them are such.
    template <Setting setting = Setting::any, class Particle>
    [[nodiscard]] MPCFLOW_HD bool fly_on(Particle& particle) const {
        Vec3<Real> end;
        if (!surfaces_.exist() ||
            !flies_freely(surfaces_, particle.position, particle.velocity, time_step_, end))
            return false;
        particle.position = end;
        particle.velocity += half_kick_of(particle.species());
        if (has_waves<setting>()) particle.velocity += wave_kick(end, particle.species());
        return true;
    }

    /// The velocity at which a particle of velocity `velocity` flies: with half the kick of the force.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD Vec3<Real> flight_velocity(const Particle& particle, Vec3<Real> velocity) const {
        if (has_waves<setting>()) velocity += wave_kick(particle.position, particle.species());
        velocity += half_kick_of(particle.species());
        return velocity;
    }
    /// The same of a particle of a species where no force has_waves().
    MPCFLOW_HD Vec3<Real> flight_velocity(Vec3<Real> velocity, int species) const {
        return velocity + half_kick_of(species);
    }

    /// Whether faces with walls are so far from `start` that they cut no cell that may hold it, and that a
    /// flight at flight_velocity() `velocity` meets none. Without a branch.
    [[nodiscard]] MPCFLOW_HD bool are_faces_far(Vec3<Real> start, Vec3<Real> velocity) const {
        constexpr Real edge = static_cast<Real>(1.01);  // of a cell, and a little more
        const Vec3<Real> end = start + time_step_ * velocity;
        bool are_far = true;
        for (int axis = 0; axis < 3; ++axis) {
            const Real length = faces_.length()[axis];
            const Real from = start[axis];
            const Real to = end[axis];
            const bool is_far = (from > edge) & (from < length - edge) & (to > 0) & (to < length);
            const bool is_wall = faces_.is_wall(axis);
            are_far &= is_far | !is_wall;
        }
        return are_far;
    }
    /// Whether such a flight meets no surface in the box, and none cuts the cell whose centre is at a place
    /// in the box, for sure. Without a branch; for boxes with surfaces that are not sheared.
    [[nodiscard]] MPCFLOW_HD bool are_surfaces_far(Vec3<Real> start, Vec3<Real> velocity,
                                                   Vec3<Real> centre) const {
        const bool is_free = surfaces_.is_free(start, start + time_step_ * velocity);
        const bool is_uncut = surfaces_.cut_no_cell_at(centre);
        return is_free & is_uncut;
    }

    /// Whether a flight from `start` at flight_velocity() `velocity` meets a wall, or may meet a surface.
    template <Setting setting = Setting::any>
    [[nodiscard]] MPCFLOW_HD bool meets_wall(Vec3<Real> start, Vec3<Real> velocity) const {
        const Vec3<Real> end = start + time_step_ * velocity;
        return crosses_wall(end) || (may_have_surfaces(setting) && !leaves_across_shear<setting>(end) &&
                                     !is_clear_of_surfaces(start, end));
    }

    /// The flight of one that does, with its draws: tells `recorder` of every hit (NoRecord in
    /// physics/boundary/surface.hpp).
    template <Setting setting = Setting::any, class Recorder>
    MPCFLOW_HD void tell_hits(Vec3<Real> start, Vec3<Real> velocity, const HitDraws& draws,
                              const Recorder& recorder) const {
        if (meets_rarely<setting>(start, velocity))
            static_cast<void>(fly_rarely(start, velocity, draws, recorder));
        else fly_to_walls(start, velocity, recorder);
    }

    /// The draws of a particle's hits in a step.
    template <class Particle>
    [[nodiscard]] MPCFLOW_HD HitDraws draws_of(const Particle& particle, const StepKey& key) const {
        HitDraws draws{key.source(RandomStream::thermal_wall, particle.id())};
        if constexpr (masses == Masses::by_species)
            draws.variance_share = static_cast<double>(this->share[particle.species()]);
        return draws;
    }

    /// The flight to faces that draw nothing, without surfaces in the box: place and velocity at its end,
    /// before periodic axes wrap. Tells `recorder` of every hit.
    template <class Recorder>
    MPCFLOW_HD void fly_to_walls(Vec3<Real>& place, Vec3<Real>& velocity, const Recorder& recorder) const {
        if (faces_.only_turn_back()) fly_on_chord(faces_, place, velocity, time_step_, recorder);
        else fly_among(faces_, place, velocity, time_step_, recorder);
    }

    /// Whether there is any wall or surface.
    [[nodiscard]] MPCFLOW_HD bool has_walls() const {
        return faces_.is_wall(0) || faces_.is_wall(1) || faces_.is_wall(2) || surfaces_.exist();
    }
    [[nodiscard]] MPCFLOW_HD const SurfaceView& surfaces() const { return surfaces_; }
    /// Where the map of the surfaces was copied to the memory of a device.
    void set_surfaces(const SurfaceView& surfaces) { surfaces_ = surfaces; }

private:
    /// Whether walls take more than fly_to_walls().
    [[nodiscard]] MPCFLOW_HD bool is_rare() const { return surfaces_.exist() || faces_.has_thermal(); }

    /// Whether a straight flight that ends here leaves the box across sheared faces. It meets no surface,
    /// since these are far from such faces (GapAtShearedFaces).
    template <Setting setting>
    [[nodiscard]] MPCFLOW_HD bool leaves_across_shear(const Vec3<Real>& end) const {
        if (!may_be_sheared(setting) || !shear_.is_on()) return false;
        const Real place = end[shear_.normal()];
        return !(place >= 0 && place < faces_.length()[shear_.normal()]);
    }
    /// Whether a flight to walls takes fly_rarely(). Faces beside sheared ones are of slip, which leaves the
    /// way across the shear as it is.
    template <Setting setting>
    [[nodiscard]] MPCFLOW_HD bool meets_rarely(const Vec3<Real>& start, const Vec3<Real>& velocity) const {
        return may_have_surfaces(setting) && is_rare() &&
               !leaves_across_shear<setting>(start + time_step_ * velocity);
    }
    /// Of a periodic axis; along the flow of a sheared box they mean nothing.
    template <Setting setting>
    [[nodiscard]] MPCFLOW_HD bool counts_images(int axis) const {
        return !may_be_sheared(setting) || axis != shear_.along();
    }

    /// A flight among surfaces in the box, or to thermal faces. Not inlined on a device.
    template <class Recorder>
    [[nodiscard]] MPCFLOW_HD_RARE FlightEnd<Real> fly_rarely(Vec3<Real> start, Vec3<Real> velocity,
                                                             HitDraws draws, const Recorder& recorder) const {
        if (!surfaces_.exist()) {
            FlightEnd<Real> end{start, velocity, {}};
            fly_among(faces_, end.place, end.velocity, time_step_, recorder, draws);
            return end;
        }
        return fly_among_surfaces(surfaces_, start, velocity, time_step_, draws, recorder);
    }

    MPCFLOW_HD decltype(auto) half_kick_of([[maybe_unused]] int species) const {
        if constexpr (masses == Masses::by_species)
            return this->share[species] * half_kick_ + this->half_gravity;
        else return (half_kick_);
    }
    MPCFLOW_HD Vec3<Real> wave_kick(Vec3<Real> place, [[maybe_unused]] int species) const {
        if constexpr (masses == Masses::by_species) return this->share[species] * waves_.at(place);
        else return waves_.at(place);
    }

    MPCFLOW_HD bool is_inside(Vec3<Real> x) const {
        const Vec3<Real>& length = faces_.length();
        // Written so that a NaN is not inside, nor is 0, which may be a wall that was hit; and without
        // branches.
        const bool is_above = (x.x > 0) & (x.y > 0) & (x.z > 0);
        return is_above & (x.x < length.x) & (x.y < length.y) & (x.z < length.z);
    }

    MPCFLOW_HD bool crosses_wall(Vec3<Real> x) const {
        bool crosses = false;
        for (int axis = 0; axis < 3; ++axis)
            crosses |= faces_.is_wall(axis) && (x[axis] <= 0 || x[axis] >= faces_.length()[axis]);
        return crosses;
    }

    /// Brings x into [0, L) along periodic axes and counts the images.
    template <Setting setting, class Particle>
    MPCFLOW_HD StreamOutcome wrap(Particle& particle, Vec3<Real>& x, Vec3<Real>& velocity) const {
        bool fits = true;
        if (may_be_sheared(setting) && shear_.is_on()) {
            const int normal = shear_.normal();
            const Vec3<Real> at = x;
            const Wrapped wrapped = wrap(at[normal], faces_.length()[normal]);
            fits = wrapped.fits && (wrapped.boxes == 0 || particle.add_image(normal, wrapped.boxes));
            x = x.with(normal, wrapped.inside);
            shear_.bring_back(wrapped.boxes, x, velocity);
        }
        for (int axis = 0; axis < 3; ++axis) {
            const Real length = faces_.length()[axis];
            if (faces_.is_wall(axis) || (x[axis] >= 0 && x[axis] < length)) continue;
            const Wrapped wrapped = wrap(x[axis], length);
            x[axis] = wrapped.inside;
            fits &= wrapped.fits;
            fits &= wrapped.boxes == 0 || !counts_images<setting>(axis) ||
                    particle.add_image(axis, wrapped.boxes);
        }
        return fits ? StreamOutcome::inside : StreamOutcome::fault;
    }

    /// A number in [0, L), and how many boxes up it was.
    struct Wrapped {
        Real inside;
        int boxes;
        bool fits;
    };
    [[nodiscard]] MPCFLOW_HD static Wrapped wrap(Real x, Real length) {
        const Real boxes = std::floor(x / length);
        const Real inside = x - boxes * length;
        // A flight of more boxes than an image counter holds, or no number at all.
        if (!(boxes > static_cast<Real>(-1000000) && boxes < static_cast<Real>(1000000)))
            return {0, 0, false};
        const int change = static_cast<int>(boxes);
        // -tiny + L rounds to L: that place is 0 of the next image; and x/L may have rounded up.
        if (inside >= length) return {0, change + 1, true};
        return {inside < 0 ? Real{0} : inside, change, true};
    }

    Real time_step_{};
    Vec3<Real> half_kick_{};
    WaveKicks<Real> waves_;
    Faces<Real> faces_;
    SurfaceView surfaces_;
    ShearedFaces<Real> shear_;
};

}  // namespace mpcflow
