#pragma once
/// The rotation of SRD: by a fixed angle about an axis that every cell draws anew.

#include <cmath>

#include "physics/cell_grid.hpp"
#include "physics/distributions.hpp"
#include "physics/elementary.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

namespace detail {

/// c^2 + s^2 - 1 to about 1e-32, the products split exactly (Dekker, 1971).
inline double unit_circle_residual(double c, double s) {
    const auto square_error = [](double a, double square) {
        const double t = 134217729.0 * a;  // 2^27 + 1
        const double high = t - (t - a);
        const double low = a - high;
        return ((high * high - square) + 2.0 * high * low) + low * low;
    };
    const double c2 = c * c;
    const double s2 = s * s;
    const double larger = c2 > s2 ? c2 : s2;
    const double smaller = c2 > s2 ? s2 : c2;
    // larger is in [1/2, 1], so larger - 1 is exact, and so is the sum with smaller.
    return ((larger - 1.0) + smaller) + (square_error(c, c2) + square_error(s, s2));
}

/// Cosine and sine of the rotation angle, so that c^2 + s^2 = 1 far below one rounding.
///
/// The nearest doubles miss 1 by up to 1e-16; the same miss in every collision would make the energy
/// grow linearly in time. Of a few thousand neighbours of the angle (1e-13 of a turn away at most) the
/// one with the smallest miss is taken.
inline SinCos<double> unit_circle_point(double degrees) {
    SinCos<double> best = sin_cos_degrees(degrees);
    double cosine = best.cos;
    const double sign = best.sin < 0.0 ? -1.0 : 1.0;
    if (best.sin == 0.0 || best.cos == 0.0) return best;
    double smallest = std::abs(unit_circle_residual(best.cos, best.sin));
    for (int i = 0; i < 4000; ++i) {
        cosine = std::nextafter(cosine, 0.0);
        const double sine = sign * std::sqrt((1.0 - cosine) * (1.0 + cosine));
        const double residual = std::abs(unit_circle_residual(cosine, sine));
        if (residual < smallest) {
            smallest = residual;
            best = {sine, cosine};
        }
    }
    return best;
}

}  // namespace detail

/// Rotation by `angle` about a unit axis n, by Rodrigues' formula:
/// R v = v + sin(angle) n x v + (1 - cos(angle)) n x (n x v).
template <class Real>
class Rotation {
public:
    /// What a cell draws.
    using Axis = Vec3<Real>;

    Rotation() = default;
    explicit Rotation(double angle) {
        const SinCos<double> point = detail::unit_circle_point(angle);
        sine_ = static_cast<Real>(point.sin);
        one_minus_cosine_ = static_cast<Real>(1.0 - point.cos);
    }

    MPCFLOW_HD static Axis draw_axis(const CellKey& key) {
        return unit_vector<Real>(key.source(Stream::rotation_axis).next());
    }

    MPCFLOW_HD Vec3<Real> operator()(Axis axis, Vec3<Real> v) const {
        const Vec3<Real> normal = cross(axis, v);
        return v + (sine_ * normal + one_minus_cosine_ * cross(axis, normal));
    }

private:
    Real sine_{};
    Real one_minus_cosine_{};
};

}  // namespace mpcflow
