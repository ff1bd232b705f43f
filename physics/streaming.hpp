#pragma once
/// Streaming: free flight under a uniform force, bounce-back at walls, wrapping at periodic faces.
///
/// Half a kick, straight flight, half a kick: v += g h/2; x += v h; v += g h/2. Between walls this is
/// the exact parabola of a uniform acceleration g, and for a force along the walls the moment of a hit
/// is exact too.

#include <cmath>

#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

enum class StreamOutcome { inside, at_wall, fault };

/// The walls that a flight of one step hits. Bounce-back keeps a particle on one chord of the fluid, so it hits the
/// wall at the chord's end ahead and then, if there is time, the one behind and the one ahead in turns. Faces count as
/// 2 x axis + (0 lower, 1 upper).
struct WallHits {
    int face_ahead = 0;
    int face_behind = 0;
    int ahead = 0;   ///< hits of that face
    int behind = 0;
};

/// One step of streaming for every particle of a system.
template <class Real>
class Streaming {
public:
    Streaming() = default;
    explicit Streaming(const System& system) : time_step_(static_cast<Real>(system.collision.time_step)) {
        for (int axis = 0; axis < 3; ++axis) {
            length_[axis] = static_cast<Real>(system.box.size[axis]);
            wall_[axis] = system.boundaries.faces[axis].is_periodic() ? 0 : 1;
            half_kick_[axis] = static_cast<Real>(0.5 * system.collision.time_step *
                                                 (system.force[axis] / system.fluid.mass));
        }
    }

    /// Moves a particle of velocity `velocity` for one step. Afterwards its position is in [0, L) along
    /// periodic axes and in [0, L] between walls. `fault` where an image count does not fit its record.
    template <class Particle>
    MPCFLOW_HD StreamOutcome move(Particle& particle, Vec3<Real> velocity) const {
        const StreamOutcome outcome = fly(particle, velocity);
        return outcome == StreamOutcome::at_wall ? bounce(particle) : outcome;
    }

    /// The same for the many that meet no wall. The few that do are left where they started, with the velocity
    /// of their flight, and `at_wall` says so: bounce() moves them, now or later.
    template <class Particle>
    MPCFLOW_HD StreamOutcome fly(Particle& particle, Vec3<Real> velocity) const {
        velocity += half_kick_;
        Vec3<Real> x = particle.position + time_step_ * velocity;
        StreamOutcome outcome = StreamOutcome::inside;
        if (!is_inside(x)) {
            if (crosses_wall(x)) {
                particle.velocity = velocity;
                return StreamOutcome::at_wall;
            }
            outcome = wrap(particle, x);
        }
        particle.position = x;
        particle.velocity = velocity + half_kick_;
        return outcome;
    }

    /// Moves a particle that fly() left at a wall.
    template <class Particle>
    MPCFLOW_HD StreamOutcome bounce(Particle& particle) const {
        Vec3<Real> velocity = particle.velocity;
        Vec3<Real> x = bounce_back(particle.position, velocity);
        const StreamOutcome outcome = wrap(particle, x);
        particle.position = x;
        particle.velocity = velocity + half_kick_;
        return outcome;
    }

    /// The velocity at which a particle of velocity `velocity` flies: with half the kick of the force.
    MPCFLOW_HD Vec3<Real> flight_velocity(Vec3<Real> velocity) const { return velocity + half_kick_; }

    /// The walls that a flight from `start` at flight_velocity() `velocity` hits. Of a flight to and fro in the
    /// corner of two walls at most 2 x most_turns hits are told.
    MPCFLOW_HD WallHits wall_hits(Vec3<Real> start, Vec3<Real> velocity) const {
        if (!crosses_wall(start + time_step_ * velocity)) return {};
        const ChordFlight flight = fly_on_chord(start, velocity);
        const int turns = static_cast<int>(flight.turns < most_turns ? flight.turns : most_turns);
        return {flight.face_ahead, flight.face_behind, turns + (flight.reversed ? 1 : 0), turns};
    }
    static constexpr int most_turns = 64;

    /// Whether there is any wall.
    [[nodiscard]] MPCFLOW_HD bool has_walls() const { return wall_.x != 0 || wall_.y != 0 || wall_.z != 0; }

private:
    MPCFLOW_HD bool is_inside(Vec3<Real> x) const {
        // Written so that a NaN is not inside, nor is 0, which may be a wall that was hit.
        return x.x > 0 && x.y > 0 && x.z > 0 && x.x < length_.x && x.y < length_.y && x.z < length_.z;
    }

    MPCFLOW_HD bool crosses_wall(Vec3<Real> x) const {
        bool crosses = false;
        for (int axis = 0; axis < 3; ++axis) {
            crosses |= wall_[axis] != 0 && (x[axis] <= 0 || x[axis] >= length_[axis]);
        }
        return crosses;
    }

    /// Where a flight of one step ends on its chord.
    struct ChordFlight {
        Real time;      ///< signed place on the chord, in flight times from the start
        bool reversed;  ///< whether it flies backwards there
        Real turns;     ///< times that it went to and fro in full
        int face_ahead;
        int face_behind;
    };

    /// Flight with bounce-back between plane walls.
    ///
    /// Bounce-back reverses the whole velocity, so a particle goes to and fro on one chord of the fluid
    /// and its place on that chord is a triangle wave of time: no loop over hits is needed, however many
    /// there are, and however short the chord across a corner is.
    MPCFLOW_HD ChordFlight fly_on_chord(Vec3<Real> start, Vec3<Real> velocity) const {
        // Times, relative to now, at which the chord meets a wall ahead and behind.
        constexpr Real never = static_cast<Real>(1e30);
        Real ahead = never;
        Real behind = -never;
        ChordFlight flight{time_step_, false, 0, 0, 0};
        for (int axis = 0; axis < 3; ++axis) {
            const Real v = velocity[axis];
            if (wall_[axis] == 0 || v == 0) continue;
            const Real to_lower = (static_cast<Real>(0) - start[axis]) / v;
            const Real to_upper = (length_[axis] - start[axis]) / v;
            const Real forward = v > 0 ? to_upper : to_lower;
            const Real backward = v > 0 ? to_lower : to_upper;
            const int face_forward = 2 * axis + (v > 0 ? 1 : 0);
            flight.face_ahead = forward < ahead ? face_forward : flight.face_ahead;
            flight.face_behind = backward > behind ? (face_forward ^ 1) : flight.face_behind;
            ahead = forward < ahead ? forward : ahead;
            behind = backward > behind ? backward : behind;
        }
        if (time_step_ < ahead) return flight;
        flight.time = ahead + ahead - time_step_;
        flight.reversed = true;
        if (flight.time < behind) {
            // Two hits and more: the period is twice the chord.
            const Real chord = ahead - behind;
            if (chord > 0) {
                Real phase = time_step_ - behind;
                flight.turns = std::floor(phase / (chord + chord));
                phase -= (chord + chord) * flight.turns;
                flight.reversed = phase >= chord;
                flight.time = behind + (flight.reversed ? chord + chord - phase : phase);
            } else {
                flight.time = 0;  // in an edge with no way out along this line: it waits for the next collision
            }
        }
        // Rounding must not carry it past the ends of its chord.
        flight.time = flight.time > ahead ? ahead : (flight.time < behind ? behind : flight.time);
        return flight;
    }

    /// The end of such a flight; turns `velocity` where it ends reversed.
    MPCFLOW_HD Vec3<Real> bounce_back(Vec3<Real> start, Vec3<Real>& velocity) const {
        const ChordFlight flight = fly_on_chord(start, velocity);
        const Vec3<Real> end = start + flight.time * velocity;
        if (flight.reversed) velocity = -velocity;
        return keep_between_walls(end);
    }

    MPCFLOW_HD Vec3<Real> keep_between_walls(Vec3<Real> x) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (wall_[axis] == 0) continue;
            const Real above = x[axis] > 0 ? x[axis] : static_cast<Real>(0);
            x[axis] = above < length_[axis] ? above : length_[axis];
        }
        return x;
    }

    /// Brings x into [0, L) along periodic axes and counts the images.
    template <class Particle>
    MPCFLOW_HD StreamOutcome wrap(Particle& particle, Vec3<Real>& x) const {
        bool fits = true;
        for (int axis = 0; axis < 3; ++axis) {
            const Real length = length_[axis];
            if (wall_[axis] != 0 || (x[axis] >= 0 && x[axis] < length)) continue;
            const Real boxes = std::floor(x[axis] / length);
            Real inside = x[axis] - boxes * length;
            // A flight of more boxes than an image counter holds, or no number at all.
            if (!(boxes > static_cast<Real>(-1000000) && boxes < static_cast<Real>(1000000))) {
                fits = false;
                x[axis] = 0;
                continue;
            }
            int change = static_cast<int>(boxes);
            // -tiny + L rounds to L: that place is 0 of the next image; and x/L may have rounded up.
            if (inside >= length) {
                inside = 0;
                ++change;
            } else if (inside < 0) {
                inside = 0;
            }
            fits &= change == 0 || particle.add_image(axis, change);
            x[axis] = inside;
        }
        return fits ? StreamOutcome::inside : StreamOutcome::fault;
    }

    Real time_step_{};
    Vec3<Real> half_kick_{};
    Vec3<Real> length_{};
    Vec3<int> wall_{};
};

}  // namespace mpcflow
