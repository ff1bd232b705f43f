#pragma once
/// Surfaces that flying particles hit, and the loop over the hits of one flight.
///
/// A set of surfaces answers where a flight first hits one of them; the kind of a surface says what the hit
/// does. The loop knows no more than that, so that faces of the box, cylinders and whatever comes later share
/// it.

#include <cmath>
#include <concepts>
#include <type_traits>

#include "physics/distributions.hpp"
#include "physics/host_device.hpp"
#include "physics/random.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

inline constexpr int no_surface = -1;

/// The first hit of a flight: after which time, and which surface of the set; `no_surface` where the time is
/// up before.
template <class Real>
struct Hit {
    Real time;
    int surface = no_surface;
};

/// What the loop asks of a set of surfaces. Points are in the fluid or on a surface.
///   first_hit    of a flight from a point at a velocity for a time; a surface that is left is not hit, one
///                that is reached just at the end of the time is. A set may look less far ahead, and says
///                for how long there is no hit
///   on_surface   the point of a hit, known to the rounding of the flight -> on the surface, beyond no other
///   keep_inside  a point known to the rounding of the flight -> beyond no surface
///   kind, velocity, normal   of a surface, at the point of the hit; the normal points into the fluid
///   thermal_variance         kT/m of a surface, of one velocity component
///   most_hits    so many hits are followed in one flight
template <class Set, class Real>
concept SurfaceSet = requires(Set set, Vec3<Real> place, Real time, Hit<Real> hit) {
    { set.first_hit(place, place, time) } -> std::same_as<Hit<Real>>;
    { set.on_surface(hit, place) } -> std::same_as<Vec3<Real>>;
    { set.keep_inside(place) } -> std::same_as<Vec3<Real>>;
    { set.kind(hit.surface) } -> std::same_as<FaceKind>;
    { set.velocity(hit.surface, place) } -> std::same_as<Vec3<Real>>;
    { set.normal(hit.surface, place) } -> std::same_as<Vec3<Real>>;
    { set.thermal_variance(hit.surface) } -> std::same_as<double>;
    { set.most_hits() } -> std::same_as<int>;
};

/// Whom a hit is told: recorder(surface, velocity before, velocity after, how many such hits). This one does
/// not listen.
struct NoRecord {
    template <class Real>
    MPCFLOW_HD void operator()(int, Vec3<Real>, Vec3<Real>, int) const {}
    MPCFLOW_HD void at_surface(int, Vec3<double>, Vec3<double>, Vec3<double>) const {}
};

/// The velocity after a hit. No slip: v -> 2 V - v, the whole velocity relative to the surface turns. Slip:
/// only its part along the normal does.
template <class Real>
MPCFLOW_HD Vec3<Real> turned(Vec3<Real> velocity, FaceKind kind, Vec3<Real> normal, Vec3<Real> of_surface) {
    if (kind == FaceKind::slip)
        return velocity - static_cast<Real>(2) * dot(velocity - of_surface, normal) * normal;
    return static_cast<Real>(2) * of_surface - velocity;
}

/// The draws of thermal surfaces: those of a particle in a step, in the order of its hits.
struct HitDraws {
    RandomSource source;
    double variance_share = 1.0;  ///< mass of the fluid over that of the particle

    /// A velocity as those of the particles that leave a wall at rest, of a gas in equilibrium with it: along
    /// the normal Rayleigh's distribution, v exp(-v^2 / 2 `variance`), and across it Maxwell's. (Bird,
    /// Molecular Gas Dynamics and the Direct Simulation of Gas Flows, 1994, section 12.1: diffuse
    /// reflection.)
    [[nodiscard]] MPCFLOW_HD Vec3<double> leaving(Vec3<double> normal, double variance) {
        const Vec3<double> g = gaussian_vector(source);
        const RandomBlock bits = source.next();
        const double away = std::sqrt(-2.0 * natural_log(uniform_open(bits.word[0], bits.word[1])));
        return std::sqrt(variance * variance_share) * (g + (away - dot(g, normal)) * normal);
    }
};
/// Of sets without thermal surfaces.
struct NoDraws {};

/// Flies from `place` at `velocity` for `time`, hit by hit in the order of time; both are then those at the
/// end. Several surfaces that are reached at the same moment are hit one after the other, unless the first
/// turns the flight away from the next.
///
/// After `most_hits` it stays where it is until the next collision: in the edge between two surfaces hits may
/// follow each other ever faster, or without any time between them.
template <class Real, class Surfaces, class Recorder, class Draws = NoDraws>
requires SurfaceSet<std::remove_cvref_t<Surfaces>, Real> MPCFLOW_HD_RARE void fly_among(
    Surfaces&& surfaces, Vec3<Real>& place, Vec3<Real>& velocity, Real time, const Recorder& recorder,
    [[maybe_unused]] Draws draws = {}) {
    for (int hits = 0; hits < surfaces.most_hits();) {
        const Hit<Real> hit = surfaces.first_hit(place, velocity, time);
        const Vec3<Real> end = place + hit.time * velocity;
        if (hit.surface == no_surface) {
            place = surfaces.keep_inside(end);
            if (!(hit.time < time)) return;
            time -= hit.time;
            continue;
        }
        place = surfaces.on_surface(hit, end);
        time -= hit.time;
        const Vec3<Real> before = velocity;
        const FaceKind kind = surfaces.kind(hit.surface);
        const Vec3<Real> normal = surfaces.normal(hit.surface, place);
        const Vec3<Real> of_surface = surfaces.velocity(hit.surface, place);
        velocity = turned(before, kind, normal, of_surface);
        if constexpr (!std::is_same_v<Draws, NoDraws>) {
            if (kind == FaceKind::thermal)
                velocity =
                    of_surface + vector_cast<Real>(draws.leaving(vector_cast<double>(normal),
                                                                 surfaces.thermal_variance(hit.surface)));
        }
        recorder(hit.surface, before, velocity, 1);
        ++hits;
    }
}

}  // namespace mpcflow
