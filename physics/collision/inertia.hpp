#pragma once
/// Angular velocity of a rigid body from its angular momentum, and as the canonical ensemble has it, also
/// where the body is singular.

#include <cmath>

#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The (pseudo-)inverse of the inertia tensor of point particles.
class InverseInertia {
public:
    /// From the second moments sum m r r about the centre of mass.
    ///
    /// For two particles, or collinear ones, I has one eigenvalue zero, that of their line d, and two
    /// equal ones; L has no component along d and I^+ L = (L - d (d.L)) / (trace / 2). An eigenvalue
    /// under 1e-9 of the trace, or under `least`, counts as zero; so does all of I where the trace of s is
    /// under `least`, as of particles in one place. `least` > 0 is what s may owe to rounding. Of two
    /// particles
    /// (`is_pair`) the line is known to be singular, also where they are so close that the rounding of the
    /// sums is more than 1e-9 of the trace.
    MPCFLOW_HD explicit InverseInertia(const SymmetricTensor& s, double least, bool is_pair = false) {
        bool is_regular = false;
        *this = of_regular(s, least, is_pair, is_regular);
        if (!is_regular) make_singular(s, least);
    }
    /// The same of a tensor that is not singular, without a branch. Of any other it means nothing, and
    /// `is_regular` becomes false.
    MPCFLOW_HD static InverseInertia of_regular(const SymmetricTensor& s, double least, bool is_pair,
                                                bool& is_regular) {
        const double t = s.trace();
        const double a = s.yy + s.zz, b = s.xx + s.zz, c = s.xx + s.yy;  // I = t - s
        const double d = -s.xy, e = -s.xz, f = -s.yz;
        const double cofactor_xx = b * c - f * f;
        const double cofactor_yy = a * c - e * e;
        const double cofactor_zz = a * b - d * d;
        const double cofactor_xy = e * f - d * c;
        const double cofactor_xz = d * f - e * b;
        const double cofactor_yz = d * e - f * a;
        const double determinant = a * cofactor_xx + d * cofactor_xy + e * cofactor_xz;
        const double minors = cofactor_xx + cofactor_yy + cofactor_zz;
        // determinant / minors is close to the smallest eigenvalue where that one is small. With minors and
        // trace above zero, which rounding may not have left, all eigenvalues are.
        const double zero = 1e-9 * (2.0 * t);
        is_regular =
            (t >= least) & !is_pair & (minors > 0.0) & (determinant > (zero > least ? zero : least) * minors);
        const double scale = 1.0 / determinant;
        InverseInertia inertia;
        inertia.moments_ = s;
        inertia.inverse_ = {scale * cofactor_xx, scale * cofactor_yy, scale * cofactor_zz,
                            scale * cofactor_xy, scale * cofactor_xz, scale * cofactor_yz};
        inertia.is_singular_ = false;
        return inertia;
    }

    MPCFLOW_HD Vec3<double> operator()(Vec3<double> angular_momentum) const {
        return inverse_ * angular_momentum;
    }
    /// I w, the angular momentum of the body that turns at w.
    [[nodiscard]] MPCFLOW_HD Vec3<double> angular_momentum(Vec3<double> w) const {
        return moments_.trace() * w - moments_ * w;
    }

    /// An angular velocity of covariance I^+, from three independent Gaussian variates of variance 1: times
    /// sqrt(kT) that of a body in equilibrium.
    ///
    /// With the Cholesky factor C of I, I = C C^T, it is the solution x of C^T x = g, whose covariance is
    /// C^-T C^-1 = I^-1. Of a singular I = (t / 2) (1 - d d^T), t its trace, the square root of I^+ is I^+
    /// sqrt(t / 2).
    ///
    /// Roots and quotients are floats, as the variates are: in what chance makes, roundings of 1e-7 do not
    /// show. Minors, in which digits cancel, are doubles. Eigenvalues are no less than 1e-9 of the trace, and
    /// that is no less than some spacings of the grid of offsets: all of them are well within what floats
    /// are.
    [[nodiscard]] MPCFLOW_HD Vec3<float> thermal_velocity(Vec3<float> g) const {
        if (is_singular_)
            return vector_cast<float>(std::sqrt(moments_.trace()) * (*this)(vector_cast<double>(g)));
        const double xx = moments_.yy + moments_.zz;
        const double yy = moments_.xx + moments_.zz;
        const auto of_xx = 1.0F / static_cast<float>(xx);
        const auto of_minor = 1.0F / static_cast<float>(xx * yy - moments_.xy * moments_.xy);
        const auto yz = static_cast<float>(moments_.xy * moments_.xz + moments_.yz * xx);  // a cofactor of I
        const float z = std::sqrt(static_cast<float>(inverse_.zz)) * g.z;
        const float y = std::sqrt(static_cast<float>(xx) * of_minor) * g.y + (yz * of_minor) * z;
        const float x = std::sqrt(of_xx) * g.x +
                        of_xx * (static_cast<float>(moments_.xy) * y + static_cast<float>(moments_.xz) * z);
        return {x, y, z};
    }

    /// Sum m r r, of which it was made; nothing where that is rounding alone.
    [[nodiscard]] MPCFLOW_HD const SymmetricTensor& second_moments() const { return moments_; }

    /// Collinear particles have one less than others, those in one place none.
    [[nodiscard]] MPCFLOW_HD int rotational_freedoms() const {
        if (!is_singular_) return 3;
        return moments_.trace() > 0.0 ? 2 : 0;
    }

private:
    InverseInertia() = default;

    MPCFLOW_HD void make_singular(const SymmetricTensor& s, double least) {
        *this = {};
        const double t = s.trace();
        if (!(t >= least)) return;  // one place: no lever arm, no rotation
        moments_ = s;
        // sum m r r = t d d^T: the column of its largest diagonal element points along d.
        Vec3<double> line{s.xx, s.xy, s.xz};
        if (s.yy >= s.xx && s.yy >= s.zz) line = {s.xy, s.yy, s.yz};
        else if (s.zz >= s.xx && s.zz >= s.yy) line = {s.xz, s.yz, s.zz};
        const double norm = 1.0 / (t * dot(line, line));
        inverse_ = {1.0 / t - norm * line.x * line.x, 1.0 / t - norm * line.y * line.y,
                    1.0 / t - norm * line.z * line.z, -norm * line.x * line.y,
                    -norm * line.x * line.z,          -norm * line.y * line.z};
    }

    SymmetricTensor moments_;
    SymmetricTensor inverse_;
    bool is_singular_ = true;
};

}  // namespace mpcflow
