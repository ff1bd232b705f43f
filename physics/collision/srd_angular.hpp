#pragma once
/// SRD that conserves angular momentum (SRD+a), in one pass:
///   v' = V + R (v - V) + O x r,   O = I^-1 sum r x [(v - V) - R (v - V)],
/// r from the cell's centre of mass. Noguchi, Kikuchi and Gompper, EPL 78 (2007) 10005; Noguchi and
/// Gompper, Phys. Rev. E 78 (2008) 016706.
///
/// The rotation of a cell is drawn from a counter, so it is known before the sums are: a particle
/// contributes raw moments about the cell centre, those of its rotated velocity R v among them, and
/// `resolve` shifts them to the centre of mass. Nine sums are the angular part: the second moments
/// (6) and sum r x (v - R v) (3).
///
/// With a thermostat only the motion beyond the rigid rotation of the cell is scaled, or the angular
/// momentum would be lost:
///   v' = V + W x r + s [R (v - V) - W_R x r],  W = I^-1 L,  W_R = I^-1 L_R,
/// L the angular momentum before and L_R that of the rotated velocities. s = 1 is the law above.

#include <cmath>

#include "physics/collision/inertia.hpp"
#include "physics/collision/srd.hpp"
#include "physics/collision/virtual_particles.hpp"

namespace mpcflow {

template <class RealType, ThermostatKind thermostat>
class SrdAngular {
public:
    using Real = RealType;
    using Draw = typename Rotation<Real>::Axis;
    static constexpr bool is_thermostatted = thermostat == ThermostatKind::maxwell_boltzmann;
    /// Particles; velocity (3); offset (3); second moments (6); sum r x (v - R v) (3) or, with a
    /// thermostat, sum r x v (3), sum r x R v (3) and velocity squared.
    static constexpr int sum_count = is_thermostatted ? 20 : 16;
    using Sums = CellSums<sum_count>;
    static constexpr bool contributes_rotated = true;

    /// v' = constant + scale R v + spin x offset; scale 0 leaves the particle alone.
    struct alignas(4 * sizeof(Real)) Transform {
        Vec3<Real> constant;
        Real scale;
        Vec3<Real> spin;
        Real unused;
    };

    SrdAngular() = default;
    explicit SrdAngular(const System& system)
        : parameters_(system),
          rotation_(system.collision.angle),
          velocity_squared_spacing_(parameters_.rounding.velocity_squared.spacing()),
          offset_velocity_spacing_(parameters_.rounding.offset_velocity.spacing()) {}

    [[nodiscard]] MPCFLOW_HD const LawParameters& parameters() const { return parameters_; }

    MPCFLOW_HD static Draw draw(const CellKey& key) { return Rotation<Real>::draw_axis(key); }

    MPCFLOW_HD Sums contribute(Draw axis, Vec3<Real> velocity, Vec3<Real> offset) const {
        const CellRounding& grid = parameters_.rounding;
        const Vec3<double> v = vector_cast<double>(velocity);
        const Vec3<double> rv = vector_cast<double>(rotation_(axis, velocity));
        const Vec3<double> r = vector_cast<double>(offset);
        Sums sums;
        double* s = sums.value;
        s[0] = 1.0;
        put(s + 1, v, grid.velocity);
        put(s + 4, r, grid.offset);
        s[7] = grid.offset.round(r.x * r.x);
        s[8] = grid.offset.round(r.y * r.y);
        s[9] = grid.offset.round(r.z * r.z);
        s[10] = grid.offset.round(r.x * r.y);
        s[11] = grid.offset.round(r.x * r.z);
        s[12] = grid.offset.round(r.y * r.z);
        if constexpr (is_thermostatted) {
            put(s + 13, cross(r, v), grid.offset_velocity);
            put(s + 16, cross(r, rv), grid.offset_velocity);
            s[19] = grid.velocity_squared.round(dot(v, v));
        } else {
            put(s + 13, cross(r, v - rv), grid.offset_velocity);
        }
        return sums;
    }

    MPCFLOW_HD Transform resolve(const Sums& real_sums, Draw axis, const CellKey& key, const CellFill& fill) const {
        Sums sums = real_sums;
        if (fill.is_cut && parameters_.virtual_particles) add_virtual_particles(sums, axis, key, fill);
        const double* s = sums.value;
        const double count = s[0];
        if (count < 2.0) return {};
        const double per_particle = 1.0 / count;
        const Vec3<double> total{s[1], s[2], s[3]};
        const Vec3<double> mean = per_particle * total;
        const Vec3<double> centre = per_particle * Vec3<double>{s[4], s[5], s[6]};
        const SymmetricTensor moments{
            s[7] - count * centre.x * centre.x,  s[8] - count * centre.y * centre.y,
            s[9] - count * centre.z * centre.z,  s[10] - count * centre.x * centre.y,
            s[11] - count * centre.x * centre.z, s[12] - count * centre.y * centre.z};
        const InverseInertia inverse_inertia(moments, count == 2.0);
        const Vec3<double> rotated_mean = vector_cast<double>(rotation_(axis, vector_cast<Real>(mean)));
        const Vec3<double> rotated_total = count * rotated_mean;

        double scale = 1.0;
        Vec3<double> spin;
        if constexpr (is_thermostatted) {
            const Vec3<double> momentum = Vec3<double>{s[13], s[14], s[15]} - cross(centre, total);
            const Vec3<double> rotated_momentum = Vec3<double>{s[16], s[17], s[18]} - cross(centre, rotated_total);
            const Vec3<double> rotated_spin = inverse_inertia(rotated_momentum);
            const double energy_2 = s[19] - dot(total, mean) - dot(rotated_momentum, rotated_spin);
            const double uncertain = energy_rounding(count, s[19], std::sqrt(dot(rotated_spin, rotated_spin)));
            scale = thermostat_scale(count, energy_2, uncertain, inverse_inertia.is_singular(), key);
            spin = inverse_inertia(momentum) - scale * rotated_spin;
        } else {
            const Vec3<double> lost = Vec3<double>{s[13], s[14], s[15]} - cross(centre, total - rotated_total);
            spin = inverse_inertia(lost);
        }
        const Vec3<double> constant = mean - scale * rotated_mean - cross(spin, centre);
        return {vector_cast<Real>(constant), static_cast<Real>(scale), vector_cast<Real>(spin), static_cast<Real>(0)};
    }

    MPCFLOW_HD Vec3<Real> apply(const Transform& transform, Draw axis, Vec3<Real> velocity, Vec3<Real> offset) const {
        const Vec3<Real> rotated = rotation_(axis, velocity);
        const Vec3<Real> changed = transform.constant + transform.scale * rotated + cross(transform.spin, offset);
        return transform.scale == static_cast<Real>(0) ? velocity : changed;
    }

private:
    MPCFLOW_HD static void put(double* to, Vec3<double> v, const RoundingGrid& grid) {
        to[0] = grid.round(v.x);
        to[1] = grid.round(v.y);
        to[2] = grid.round(v.z);
    }

    /// How well `thermostat_scale`'s twice the energy is known, where `squared` is the sum of squared velocities and `spin`
    /// the angular velocity of the rotated ones. Rotated velocities have the relative rounding of Real, and contributions
    /// that of their grids; an error of angular momentum counts `spin` times.
    MPCFLOW_HD double energy_rounding(double count, double squared, double spin) const {
        constexpr double relative = sizeof(Real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
        return relative * (squared + spin * std::sqrt(count * squared)) +
               count * (velocity_squared_spacing_ + spin * offset_velocity_spacing_);
    }

    /// Maxwell-Boltzmann scaling of the motion beyond the rigid rotation, of which `energy_2` is twice
    /// the energy: 3 N - 6 degrees of freedom, 3 N - 5 for collinear particles.
    ///
    /// What is scaled is a difference of rounded velocities, so where it is small its energy is not known well. An
    /// energy that is too small by chance would make the scale too large: a pair of particles, with its one freedom, comes
    /// near rest often. So an energy that may be all rounding is left alone, `uncertain` being what a rounding makes of
    /// it; and no other one becomes that small, so that as many pairs stay near rest as belong there.
    MPCFLOW_HD double thermostat_scale(double count, double energy_2, double uncertain, bool is_collinear,
                                       const CellKey& key) const {
        const int freedoms = 3 * static_cast<int>(count) - (is_collinear ? 5 : 6);
        RandomSource source = key.source(Stream::thermostat);
        const double target_2 = 2.0 * parameters_.thermal_variance * thermal_energy(freedoms, source);
        const double least = 4.0 * uncertain;
        return energy_2 > least && target_2 > least ? std::sqrt(target_2 / energy_2) : 1.0;
    }

    /// Adds the virtual particles of a cell that a wall cuts, one by one, for here their places matter.
    MPCFLOW_HD void add_virtual_particles(Sums& sums, Draw axis, const CellKey& key, const CellFill& fill) const {
        RandomSource source = key.source(Stream::virtual_particles);
        const RandomBlock first = source.next();
        // A fraction of a particle is one particle with that probability.
        const double mean = virtual_particle_count(parameters_.density, fill);
        const int number = static_cast<int>(mean + uniform_open(first.word[0], first.word[1]));
        for (int i = 0; i < number; ++i) {
            const SolidPlace place = place_in_solid(source, fill);
            const WallState wall = fill.wall(place.axis);
            const Vec3<double> velocity = wall.velocity + std::sqrt(wall.thermal_variance) * gaussian_vector(source);
            sums += contribute(axis, vector_cast<Real>(velocity), vector_cast<Real>(place.offset));
        }
    }

    LawParameters parameters_;
    Rotation<Real> rotation_;
    double velocity_squared_spacing_ = 0.0;
    double offset_velocity_spacing_ = 0.0;
};

}  // namespace mpcflow
