#pragma once
/// A cylinder along an axis or a sphere, as particles meet it. All is reckoned in double, also where
/// particles are stored in single precision, by + - x / and roots alone.

#include <cmath>

#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// One surface of the input or one of its periodic images.
struct CurvedSurface {
    Vec3<double> centre;
    Vec3<double> across;  ///< 1 along the axes in which distances count; 0 along that of a cylinder
    Vec3<double> period;  ///< edge of the box where the nearest image is meant; 0: there is but this one
    double radius;
    double radius_squared;
    double side;        ///< where the fluid is: 1 outside, -1 inside
    double per_height;  ///< side / (2 radius)
    FaceKind kind;
    int number;  ///< in the input
    Vec3<double> velocity;
    Vec3<double> angular_velocity;
    double thermal_variance;  ///< kT/m, of one velocity component; 0: the fluid's (SurfaceView::variance_of)

    /// From the centre, or from a cylinder's axis, to a place.
    [[nodiscard]] MPCFLOW_HD Vec3<double> offset(Vec3<double> place) const {
        Vec3<double> d = place - centre;
        for (int axis = 0; axis < 3; ++axis) {
            const double length = period[axis];
            d[axis] *= across[axis];
            if (length == 0.0) continue;
            if (d[axis] > 0.5 * length) d[axis] -= length;
            else if (d[axis] < -0.5 * length) d[axis] += length;
        }
        return d;
    }

    /// 0 on the surface and more in the fluid; near it the distance, to first order.
    [[nodiscard]] MPCFLOW_HD double height(Vec3<double> place) const {
        const Vec3<double> d = offset(place);
        return per_height * (dot(d, d) - radius_squared);
    }
    [[nodiscard]] MPCFLOW_HD bool is_beyond(Vec3<double> place) const {
        const Vec3<double> d = offset(place);
        return side * (dot(d, d) - radius_squared) < 0.0;
    }
    /// Whether a cube with its centre at a place, a cell or another, is all on the fluid's side: where that
    /// is outside, its nearest place to the surface's centre, and else its farthest.
    [[nodiscard]] MPCFLOW_HD bool leaves_out(Vec3<double> cube_centre, double half_edge = 0.5) const {
        const Vec3<double> d = offset(cube_centre);
        Vec3<double> last;
        for (int axis = 0; axis < 3; ++axis) {
            const double distance = (d[axis] < 0.0 ? -d[axis] : d[axis]) - half_edge * side;
            last[axis] = distance > 0.0 ? across[axis] * distance : 0.0;
        }
        return side * (dot(last, last) - radius_squared) >= 0.0;
    }

    /// Velocity of the surface, or of the solid behind it, which turns as a whole, at an offset.
    [[nodiscard]] MPCFLOW_HD Vec3<double> velocity_at(Vec3<double> from_centre) const {
        return velocity + cross(angular_velocity, from_centre);
    }

    /// The time after which a flight from `place` comes to the surface, or a negative number: it never does.
    /// From a place that by rounding is a hair beyond it, at once where it leads away from the fluid.
    [[nodiscard]] MPCFLOW_HD double time_to_hit(Vec3<double> place, Vec3<double> flight) const {
        constexpr double never = -1.0;
        const Vec3<double> d = offset(place);
        const Vec3<double> u{across.x * flight.x, across.y * flight.y, across.z * flight.z};
        const double a = dot(u, u);
        const double b = dot(d, u);
        const double c = dot(d, d) - radius_squared;
        const double discriminant = b * b - a * c;
        if (side > 0.0) {
            if (!(b < 0.0)) return never;  // it moves away
            if (c <= 0.0) return 0.0;
            if (discriminant < 0.0) return never;  // it passes by
            return c / (std::sqrt(discriminant) - b);
        }
        if (!(a > 0.0)) return never;
        if (c >= 0.0 && b >= 0.0) return 0.0;
        if (discriminant < 0.0) return 0.0;  // a hair beyond, and along the surface
        const double root = std::sqrt(discriminant);
        // Two forms of the same, of which each keeps its digits.
        return b < 0.0 ? (root - b) / a : -c / (root + b);
    }

    /// Whether a flight from `place`, along `way`, stays so far from the surface that no rounding matters.
    /// Without a division or a root: most of the flights that begin close to a surface do not meet it.
    [[nodiscard]] MPCFLOW_HD bool is_clear_of(Vec3<double> place, Vec3<double> way) const {
        constexpr double margin = 0x1p-7;  // in cells; positions in float are far better known
        const Vec3<double> d = offset(place);
        const Vec3<double> u{across.x * way.x, across.y * way.y, across.z * way.z};
        const double a = dot(u, u);
        const double b = dot(d, u);
        const double c = dot(d, d) - radius_squared;
        const bool begins_in_fluid = side * c >= 0.0;
        const bool ends_in_fluid = per_height * (c + 2.0 * b + a) > margin;
        if (!begins_in_fluid || !ends_in_fluid) return false;
        // A pipe is convex; of an obstacle the nearest place may be on the way.
        if (side < 0.0 || b >= 0.0 || b + a <= 0.0) return true;
        return c * a - b * b > 2.0 * radius * margin * a;
    }

    /// The place on the surface that is nearest to `place`, on the fluid's side to the last bit as kept in
    /// `Real`.
    template <class Real>
    [[nodiscard]] MPCFLOW_HD Vec3<double> nearest(Vec3<double> place) const {
        const Vec3<double> d = offset(place);
        const double distance = std::sqrt(dot(d, d));
        if (!(distance > 0.0)) return place;
        double factor = radius / distance - 1.0;
        double step = 0x1p-53;
        Vec3<double> found = place;
        for (int i = 0; i < 60; ++i, step += step) {
            found = vector_cast<double>(vector_cast<Real>(place + factor * d));
            if (!is_beyond(found)) break;
            factor += side * step;
        }
        return found;
    }
};

}  // namespace mpcflow
