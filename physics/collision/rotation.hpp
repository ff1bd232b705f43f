#pragma once
/// The rotation of SRD: by a fixed angle about an axis that every cell draws anew.

#include <bit>
#include <cmath>
#include <cstdint>

#include "physics/cell_grid.hpp"
#include "physics/collision/law.hpp"
#include "physics/distributions.hpp"
#include "physics/elementary.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The two constants of Rodrigues' formula.
template <class Real>
struct RotationConstants {
    Real sine;
    Real versine;  ///< 1 - cosine
};

namespace detail {

/// s^2 + v^2 - 2 v, which is 0 for the sine and versine of an angle; to about 1e-32 (the products and
/// sums split exactly: Dekker, 1971; Knuth).
inline double orthogonality_residual(double s, double v) {
    const auto square_error = [](double a, double square) {
        const double t = 134217729.0 * a;  // 2^27 + 1
        const double high = t - (t - a);
        const double low = a - high;
        return ((high * high - square) + 2.0 * high * low) + low * low;
    };
    const auto sum_error = [](double a, double b, double sum) {
        const double b_part = sum - a;
        return (a - (sum - b_part)) + (b - b_part);
    };
    const double s2 = s * s;
    const double v2 = v * v;
    const double squares = s2 + v2;
    const double rest = square_error(s, s2) + square_error(v, v2) + sum_error(s2, v2, squares);
    return (squares - 2.0 * v) + rest;  // the difference is exact: both are nearly equal
}

}  // namespace detail

/// The constants for an angle in degrees, (0, 180], such that the rotation keeps lengths far better
/// than one rounding.
///
/// The Real numbers nearest to sine and versine miss orthogonality by up to half a unit of the last
/// place, and the same miss in every collision would make the energy grow linearly in time. Of the
/// neighbours of the angle, up to 0.01 degrees away in float and 1e-9 in double, the one with the smallest
/// miss is taken.
template <class Real>
RotationConstants<Real> rotation_constants(double angle) {
    constexpr bool is_float = sizeof(Real) == sizeof(float);
    constexpr int neighbours = is_float ? 250 : 4000;
    constexpr double farthest = is_float ? 1e-4 : 1e-11;
    const SinCos<double> half = sin_cos_degrees(0.5 * angle);
    const double exact_sine = 2.0 * half.sin * half.cos;
    // 2 sin^2(angle / 2): 1 - cos would lose the digits of a small angle.
    RotationConstants<Real> best{static_cast<Real>(exact_sine), static_cast<Real>(2.0 * half.sin * half.sin)};
    double smallest = std::abs(detail::orthogonality_residual(best.sine, best.versine));
    Real versine = best.versine;
    for (int i = 0; i < neighbours && smallest > 0.0; ++i) {
        versine = std::nextafter(versine, static_cast<Real>(0));
        const double v = versine;
        const Real sine = static_cast<Real>(std::sqrt(v * (2.0 - v)));
        if (std::abs(sine - exact_sine) > farthest) break;
        const double residual = std::abs(detail::orthogonality_residual(sine, v));
        if (residual < smallest) {
            smallest = residual;
            best = {sine, versine};
        }
    }
    return best;
}

/// What a cell draws: a unit axis, filled up to a power of two.
template <class Real>
struct alignas(16) AxisDraw {
    Vec3<Real> axis;
    Real unused;

    MPCFLOW_HD static AxisDraw make(const CellKey& key) {
        return {unit_vector<Real>(key.source(RandomStream::rotation_axis).next()), static_cast<Real>(0)};
    }
    [[nodiscard]] MPCFLOW_HD Vec3<Real> unit() const { return axis; }
};

/// The same in half of the memory: of the axis x and y, of which z follows, but for its sign, which is the
/// last bit of x. Near 0 z is off by up to 3e-4, for which the axis is as long as any to rounding.
struct alignas(2 * sizeof(float)) ShortAxisDraw {
    float x;
    float y;

    MPCFLOW_HD static ShortAxisDraw make(const CellKey& key) {
        const Vec3<float> axis = AxisDraw<float>::make(key).axis;
        const std::uint32_t x = std::bit_cast<std::uint32_t>(axis.x) & ~1U;
        return {std::bit_cast<float>(x | (axis.z < 0.0F ? 1U : 0U)), axis.y};
    }
    [[nodiscard]] MPCFLOW_HD Vec3<float> unit() const {
        const float square = (1.0F - x * x) - y * y;
        const float z = std::sqrt(square > 0.0F ? square : 0.0F);
        return {x, y, (std::bit_cast<std::uint32_t>(x) & 1U) != 0 ? -z : z};
    }
};

/// Rotation by `angle` about a unit axis n, by Rodrigues' formula:
/// R v = v + sin(angle) n x v + (1 - cos(angle)) n x (n x v).
template <class Real>
class Rotation {
public:
    Rotation() = default;
    explicit Rotation(double angle) : constants_(rotation_constants<Real>(angle)) {}

    /// About the axis of `draw`, an AxisDraw or a ShortAxisDraw, here and below.
    template <class Draw>
    MPCFLOW_HD Vec3<Real> operator()(const Draw& draw, Vec3<Real> v) const {
        const Vec3<Real> axis = draw.unit();
        const Vec3<Real> normal = cross(axis, v);
        return v + (constants_.sine * normal + constants_.versine * cross(axis, normal));
    }
    /// The same linear map, rounded as doubles only.
    template <class Draw>
    [[nodiscard]] MPCFLOW_HD Vec3<double> in_double(const Draw& draw, Vec3<double> v) const {
        const Vec3<double> axis = vector_cast<double>(draw.unit());
        const Vec3<double> normal = cross(axis, v);
        return v + (static_cast<double>(constants_.sine) * normal +
                    static_cast<double>(constants_.versine) * cross(axis, normal));
    }

    /// Sum m r x R(w x r), the angular momentum of a body that turns at w once its velocities are rotated,
    /// in double: (1 - versine n^2) I w + sine (S n) x w + versine (S (n x w)) x n, for n x (w x r) = w (n.r)
    /// - r (n.w), with the body's second moments S = sum m r r and I w its angular momentum before.
    template <class Draw>
    [[nodiscard]] MPCFLOW_HD Vec3<double> of_rigid_rotation(const Draw& draw, const SymmetricTensor& S,
                                                            Vec3<double> w,
                                                            Vec3<double> angular_momentum) const {
        const Vec3<double> n = vector_cast<double>(draw.unit());
        const double sine = constants_.sine;
        const double versine = constants_.versine;
        return (1.0 - versine * dot(n, n)) * angular_momentum +
               (sine * cross(S * n, w) + versine * cross(S * cross(n, w), n));
    }

    /// What it makes a particle forget of its velocity on average over all axes, A = (2/3) (1 - cos alpha).
    [[nodiscard]] MPCFLOW_HD double relaxation() const {
        return static_cast<double>(constants_.versine) * (2.0 / 3.0);
    }

private:
    RotationConstants<Real> constants_{};
};

/// Of SRD in three dimensions: A = (2/3) (1 - cos alpha), B = (2/5) (2 - cos alpha - cos 2 alpha). A
/// prediction, of which no particle's bits are made: in theory.cpp.
[[nodiscard]] Relaxation rotation_relaxation(const Collision& collision);

}  // namespace mpcflow
