#pragma once
/// What laws that conserve angular momentum share: moments of a cell's particles, summed about the cell's
/// centre and shifted to the centre of mass, and collisions that add a rigid rotation.

#include <limits>

#include "physics/collision/inertia.hpp"
#include "physics/collision/law.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The sums that these laws begin with: particles; and weighted with mass velocity (3), or another vector;
/// offset (3); second moments (6).
inline constexpr int moment_sums = 13;

MPCFLOW_HD void put_vector(double* to, Vec3<double> v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

/// All but the first of them.
MPCFLOW_HD void put_moments(double* s, double mass, Vec3<double> v, Vec3<double> r) {
    put_vector(s + 1, mass * v);
    put_vector(s + 4, mass * r);
    s[7] = mass * (r.x * r.x);
    s[8] = mass * (r.y * r.y);
    s[9] = mass * (r.z * r.z);
    s[10] = mass * (r.x * r.y);
    s[11] = mass * (r.x * r.z);
    s[12] = mass * (r.y * r.z);
}

/// A cell of two particles and more, by such sums; of fewer it means nothing.
struct CellMoments {
    double mass;
    Vec3<double> total;   ///< of the vectors
    Vec3<double> mean;    ///< of the vectors, over the mass
    Vec3<double> centre;  ///< of mass, from the cell's centre
    InverseInertia inverse_inertia;

    /// `offset_spacing` is that of the grid of offsets and second moments, which each particle was rounded
    /// to.
    template <class Sums>
    MPCFLOW_HD CellMoments(const Sums& sums, double offset_spacing)
        : CellMoments(sums, offset_spacing, [](const SymmetricTensor& s, double least, bool is_pair) {
              return InverseInertia(s, least, is_pair);
          }) {}
    /// The same without a branch, of a cell that InverseInertia::of_regular() takes.
    template <class Sums>
    MPCFLOW_HD CellMoments(const Sums& sums, double offset_spacing, bool& is_regular)
        : CellMoments(sums, offset_spacing, [&](const SymmetricTensor& s, double least, bool is_pair) {
              return InverseInertia::of_regular(s, least, is_pair, is_regular);
          }) {}

    template <class Sums>
    MPCFLOW_HD static Vec3<double> vector_at(const Sums& sums, int first) {
        return {sums.value[first], sums.value[first + 1], sums.value[first + 2]};
    }

    /// About the centre of mass, where about the cell's it is `raw`, and `sum` is that of the vectors.
    [[nodiscard]] MPCFLOW_HD Vec3<double> angular_momentum(Vec3<double> raw, Vec3<double> sum) const {
        return raw - cross(centre, sum);
    }

private:
    template <class Sums, class MakeInverse>
    MPCFLOW_HD CellMoments(const Sums& sums, double offset_spacing, const MakeInverse& make_inverse)
        : mass(sums.mass()),
          total(vector_at(sums, 1)),
          mean((1.0 / mass) * total),
          centre((1.0 / mass) * vector_at(sums, 4)),
          inverse_inertia(make_inverse(second_moments(sums.value, mass, centre),
                                       unresolved_moments(sums.number(), offset_spacing),
                                       sums.number() == 2.0)) {}

    /// Below it eigenvalues of the inertia tensor and the trace of the second moments are taken for rounding.
    ///
    /// In spacings and for each particle, a sum of offsets is off by 1/2, and |centre| is 1/2 at most along
    /// an axis. So a second moment about the centre of mass is off by 1/2 + (|c_i| + |c_j|) / 2 <= 1, their
    /// trace by 3, and the inertia tensor by 2 on its diagonal and 1 beside it: an eigenvalue by 4. Where
    /// masses differ, the mass is off by 1/2, too, which is less than 1 more of any of them. What is kept is
    /// then at least two thirds of what it should be, and never below zero: a rotation is not much faster
    /// than it should be.
    MPCFLOW_HD static double unresolved_moments(double count, double offset_spacing) {
        return 16.0 * count * offset_spacing;
    }
    MPCFLOW_HD static SymmetricTensor second_moments(const double* s, double mass, Vec3<double> centre) {
        return {s[7] - mass * centre.x * centre.x,  s[8] - mass * centre.y * centre.y,
                s[9] - mass * centre.z * centre.z,  s[10] - mass * centre.x * centre.y,
                s[11] - mass * centre.x * centre.z, s[12] - mass * centre.y * centre.z};
    }
};

/// v' = constant + u + spin x offset, u what the law makes of v; or, by default, v' = v.
template <class Real>
struct RigidTransform {
    Vec3<Real> constant{std::numeric_limits<Real>::infinity(), 0,
                        0};  ///< x infinite, which no other is: v' = v
    Vec3<Real> spin{};

    /// `spin` turns about `centre`.
    MPCFLOW_HD static RigidTransform make(Vec3<double> shift, Vec3<double> spin, Vec3<double> centre) {
        return {vector_cast<Real>(shift - cross(spin, centre)), vector_cast<Real>(spin)};
    }

    MPCFLOW_HD Vec3<Real> operator()(const InCell<Real>& in_cell, Vec3<Real> u) const {
        const Vec3<Real> changed = constant + u + cross(spin, in_cell.offset);
        return constant.x == std::numeric_limits<Real>::infinity() ? in_cell.velocity : changed;
    }
};

/// The same filled up to a power of two, for laws that draw nothing.
template <class Real>
struct alignas(4 * sizeof(Real)) FilledRigidTransform : RigidTransform<Real> {
    Real unused[2]{};
};

}  // namespace mpcflow
