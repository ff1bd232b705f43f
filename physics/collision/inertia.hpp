#pragma once
/// Angular velocity of a rigid body from its angular momentum, also where the body is singular.

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
    /// under 1e-9 of the trace counts as zero; so does all of I where the particles coincide. Of two
    /// particles (`is_pair`) the line is known to be singular, also where they are so close that the
    /// rounding of the sums is more than 1e-9 of the trace.
    MPCFLOW_HD explicit InverseInertia(const SymmetricTensor& s, bool is_pair = false) {
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
        // determinant / minors is close to the smallest eigenvalue where that one is small.
        is_singular_ = is_pair || !(determinant > 1e-9 * (2.0 * t) * minors);
        if (t < 1e-12) return;  // one place: no lever arm, no rotation
        if (is_singular_) {
            // sum m r r = t d d^T: the column of its largest diagonal element points along d.
            Vec3<double> line{s.xx, s.xy, s.xz};
            if (s.yy >= s.xx && s.yy >= s.zz) line = {s.xy, s.yy, s.yz};
            else if (s.zz >= s.xx && s.zz >= s.yy) line = {s.xz, s.yz, s.zz};
            const double norm = 1.0 / (t * dot(line, line));
            inverse_ = {1.0 / t - norm * line.x * line.x, 1.0 / t - norm * line.y * line.y,
                        1.0 / t - norm * line.z * line.z, -norm * line.x * line.y,
                        -norm * line.x * line.z,          -norm * line.y * line.z};
            return;
        }
        const double scale = 1.0 / determinant;
        inverse_ = {scale * cofactor_xx, scale * cofactor_yy, scale * cofactor_zz,
                    scale * cofactor_xy, scale * cofactor_xz, scale * cofactor_yz};
    }

    MPCFLOW_HD Vec3<double> operator()(Vec3<double> angular_momentum) const {
        const Vec3<double> l = angular_momentum;
        return {inverse_.xx * l.x + inverse_.xy * l.y + inverse_.xz * l.z,
                inverse_.xy * l.x + inverse_.yy * l.y + inverse_.yz * l.z,
                inverse_.xz * l.x + inverse_.yz * l.y + inverse_.zz * l.z};
    }

    /// True for collinear particles, which have one rotational freedom less.
    [[nodiscard]] MPCFLOW_HD bool is_singular() const { return is_singular_; }

private:
    SymmetricTensor inverse_;
    bool is_singular_ = true;
};

}  // namespace mpcflow
