#pragma once
/// Flight between faces at rest that turn a velocity to its opposite, without a loop over hits.
///
/// Bounce-back reverses the whole velocity, so a particle goes to and fro on one chord of the fluid and its
/// place on that chord is a triangle wave of time, however many hits there are, and however short the chord
/// across a corner is. fly_among() does the same hit by hit, to the rounding.

#include <cmath>

#include "physics/boundary/faces.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Where a flight ends on its chord.
template <class Real>
struct ChordFlight {
    Real time;      ///< signed place on the chord, in flight times from the start
    bool reversed;  ///< whether it flies backwards there
    Real turns;     ///< times that it went to and fro in full
    int face_ahead;
    int face_behind;
};

template <class Real>
MPCFLOW_HD ChordFlight<Real> find_end_on_chord(const Faces<Real>& faces, Vec3<Real> start,
                                               Vec3<Real> velocity, Real time) {
    // Times, relative to now, at which the chord meets a wall ahead and behind.
    constexpr Real never = static_cast<Real>(1e30);
    const Vec3<Real> length = faces.length();
    Real ahead = never;
    Real behind = -never;
    ChordFlight<Real> flight{time, false, 0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        const Real v = velocity[axis];
        if (!faces.is_wall(axis) || v == 0) continue;
        const Real to_lower = (static_cast<Real>(0) - start[axis]) / v;
        const Real to_upper = (length[axis] - start[axis]) / v;
        const Real forward = v > 0 ? to_upper : to_lower;
        const Real backward = v > 0 ? to_lower : to_upper;
        const int face_forward = 2 * axis + (v > 0 ? 1 : 0);
        flight.face_ahead = forward < ahead ? face_forward : flight.face_ahead;
        flight.face_behind = backward > behind ? (face_forward ^ 1) : flight.face_behind;
        ahead = forward < ahead ? forward : ahead;
        behind = backward > behind ? backward : behind;
    }
    if (time < ahead) return flight;
    flight.time = ahead + ahead - time;
    flight.reversed = true;
    if (flight.time < behind) {
        // Two hits and more: the period is twice the chord.
        const Real chord = ahead - behind;
        if (chord > 0) {
            Real phase = time - behind;
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

/// As fly_among(), of faces that only_turn_back(). Of a flight to and fro in the corner of two walls at most
/// 128 hits are told.
template <class Real, class Recorder>
MPCFLOW_HD void fly_on_chord(const Faces<Real>& faces, Vec3<Real>& place, Vec3<Real>& velocity, Real time,
                             const Recorder& recorder) {
    const ChordFlight<Real> flight = find_end_on_chord(faces, place, velocity, time);
    constexpr int most_turns = Faces<Real>::most_hits_ever / 2;
    const int turns = static_cast<int>(flight.turns < most_turns ? flight.turns : most_turns);
    const int hits_ahead = turns + (flight.reversed ? 1 : 0);
    if (hits_ahead > 0) recorder(flight.face_ahead, velocity, -velocity, hits_ahead);
    if (turns > 0) recorder(flight.face_behind, -velocity, velocity, turns);
    const Vec3<Real> end = place + flight.time * velocity;
    if (flight.reversed) velocity = -velocity;
    place = faces.keep_inside(end);
}

}  // namespace mpcflow
