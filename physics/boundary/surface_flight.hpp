#pragma once
/// The flight of one particle among the surfaces in a box and its faces: the set of surfaces that fly_among()
/// follows it in, and its end, which is in the fluid whatever rounding does.

#include <cmath>
#include <cstdint>

#include "physics/boundary/surface.hpp"
#include "physics/boundary/surface_view.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// A set of surfaces (SurfaceSet in surface.hpp) and what is to be remembered of a flight among them. The
/// flight goes on in pieces no longer than the reach of the map, and its place stays in the box: faces are
/// 0 ... 5, surface i of the map is face_count + i.
class SurfaceFlight {
public:
    MPCFLOW_HD explicit SurfaceFlight(const SurfaceView& view) : view_(view) {}

    [[nodiscard]] MPCFLOW_HD Hit<double> first_hit(Vec3<double> place, Vec3<double> flight,
                                                   double time) const {
        const double speed = std::sqrt(dot(flight, flight));
        const double piece = speed * time > view_.reach ? view_.reach / speed : time;
        Hit<double> hit = view_.faces->first_hit(place, flight, piece);
        const int cell = view_.cell(place);
        for (std::uint32_t i = view_.first[cell]; i < view_.first[cell + 1]; ++i) {
            const double after = view_.surfaces[view_.near[i]].time_to_hit(place, flight);
            if (after < 0.0) continue;
            if (after < hit.time || (after == hit.time && hit.surface == no_surface))
                hit = {after, face_count + static_cast<int>(view_.near[i])};
        }
        return hit;
    }

    [[nodiscard]] MPCFLOW_HD Vec3<double> on_surface(const Hit<double>& hit, Vec3<double> place) {
        if (hit.surface < face_count) {
            place = view_.faces->on_surface(hit, place);
        } else {
            const CurvedSurface& surface = curved(hit.surface);
            place = view_.faces->keep_inside(surface.nearest<double>(place));
            arm_ = surface.offset(place);
        }
        return in_box(place);
    }
    [[nodiscard]] MPCFLOW_HD Vec3<double> keep_inside(Vec3<double> place) {
        return in_box(view_.faces->keep_inside(place));
    }

    [[nodiscard]] MPCFLOW_HD FaceKind kind(int surface) const {
        return surface < face_count ? view_.faces->kind(surface) : curved(surface).kind;
    }
    [[nodiscard]] MPCFLOW_HD Vec3<double> velocity(int surface, Vec3<double> place) const {
        return surface < face_count ? view_.faces->velocity(surface, place)
                                    : curved(surface).velocity_at(arm_);
    }
    [[nodiscard]] MPCFLOW_HD Vec3<double> normal(int surface, Vec3<double> place) const {
        if (surface < face_count) return view_.faces->normal(surface, place);
        return (curved(surface).side / std::sqrt(dot(arm_, arm_))) * arm_;
    }
    [[nodiscard]] MPCFLOW_HD double thermal_variance(int surface) const {
        return surface < face_count ? view_.variance_of_face(surface) : view_.variance_of(curved(surface));
    }
    [[nodiscard]] MPCFLOW_HD int most_hits() const { return view_.most_hits; }

    /// The surface `surface` - face_count of the map.
    [[nodiscard]] MPCFLOW_HD const CurvedSurface& curved(int surface) const {
        return view_.surfaces[surface - face_count];
    }
    /// From its centre to the place of the last hit of one.
    [[nodiscard]] MPCFLOW_HD Vec3<double> arm() const { return arm_; }
    /// Boxes that the flight went so far.
    [[nodiscard]] MPCFLOW_HD Vec3<int> images() const { return images_; }

    /// Where a flight that began at `start`, in the fluid, and came to `place` ends, as kept in `Real`. A
    /// place that rounding has carried beyond a surface is brought back to it; where there is no way, in the
    /// edge between several, the flight is not done.
    template <class Real>
    [[nodiscard]] MPCFLOW_HD Vec3<Real> end(Vec3<Real> start, Vec3<double> place) {
        for (int attempt = 0; attempt < 8; ++attempt) {
            Vec3<double> kept = vector_cast<double>(vector_cast<Real>(place));
            view_.wrap(kept, images_);
            if (view_.is_in_solid_cell(kept)) break;
            const int surface = view_.beyond(kept);
            if (surface == no_surface) return vector_cast<Real>(kept);
            place = view_.faces->keep_inside(view_.surfaces[surface].nearest<Real>(kept));
        }
        images_ = {};
        return start;
    }

private:
    [[nodiscard]] MPCFLOW_HD Vec3<double> in_box(Vec3<double> place) {
        view_.wrap(place, images_);
        return place;
    }

    const SurfaceView& view_;
    Vec3<double> arm_{};
    Vec3<int> images_{};
};

/// Where a flight ends: its place in the box, and how many boxes it went along periodic axes.
template <class Real>
struct FlightEnd {
    Vec3<Real> place;
    Vec3<Real> velocity;
    Vec3<int> images;
};

/// Of a flight that meets no surface and leaves no face of the box, for sure: sets `end`, to the same bits as
/// fly_among_surfaces(). False where it may meet one.
template <class Real>
[[nodiscard]] MPCFLOW_HD bool flies_freely(const SurfaceView& surfaces, Vec3<Real> start, Vec3<Real> velocity,
                                           Real time, Vec3<Real>& end) {
    const Vec3<double> place = vector_cast<double>(start);
    end = vector_cast<Real>(place + static_cast<double>(time) * vector_cast<double>(velocity));
    return surfaces.is_surely_free(place, vector_cast<double>(end));
}

/// Flies from `start`, in the fluid, for `time`, hit by hit. Tells `recorder` of hits of faces as fly_among()
/// does, and of those of surfaces by recorder.at_surface(number in the input, from its centre to the hit,
/// velocity before, velocity after). What is too fast to be followed stays where it is.
template <class Real, class Recorder>
MPCFLOW_HD FlightEnd<Real> fly_among_surfaces(const SurfaceView& surfaces, Vec3<Real> start,
                                              Vec3<Real> flight_velocity, Real time, HitDraws draws,
                                              const Recorder& recorder) {
    Vec3<Real> free_end;
    if (flies_freely(surfaces, start, flight_velocity, time, free_end))
        return {free_end, flight_velocity, {}};
    Vec3<double> place = vector_cast<double>(start);
    Vec3<double> velocity = vector_cast<double>(flight_velocity);
    const double h = static_cast<double>(time);
    // Written so that a NaN stays, too.
    if (!(dot(velocity, velocity) * (h * h) <= surfaces.most_way * surfaces.most_way))
        return {start, flight_velocity, {}};
    SurfaceFlight flight(surfaces);
    fly_among(
        flight, place, velocity, h,
        [&](int surface, Vec3<double> before, Vec3<double> after, int hits) {
            if (surface < face_count) recorder(surface, before, after, hits);
            else recorder.at_surface(flight.curved(surface).number, flight.arm(), before, after);
        },
        draws);
    const Vec3<Real> end = flight.end(start, place);
    return {end, vector_cast<Real>(velocity), flight.images()};
}

}  // namespace mpcflow
