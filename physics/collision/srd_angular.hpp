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

#include "physics/collision/law.hpp"
#include "physics/collision/moments.hpp"
#include "physics/collision/rotation.hpp"
#include "physics/collision/thermostat.hpp"
#include "physics/collision/virtual_particles.hpp"

namespace mpcflow {

template <class RealType, Scaling scaling, Masses masses_of = Masses::equal>
class SrdAngular {
public:
    using Real = RealType;
    using Draw = AxisDraw<Real>;
    static constexpr bool is_thermostatted = scaling == Scaling::by_thermostat;
    static constexpr Masses masses = masses_of;
    static constexpr LawNeeds needs{.draws_before_sums = true, .offsets = true};
    static constexpr Energy energy = Energy::drifts;
    static constexpr bool conserves_angular_momentum = true;
    static constexpr bool has_angle = true;
    /// Moments; sum m r x (v - R v) (3) or, with a thermostat, sum m r x v (3), sum m r x R v (3) and twice
    /// the energy; where masses differ the mass.
    static constexpr int sum_count = moment_sums + (is_thermostatted ? 7 : 3) + mass_sums<masses>;
    using Sums = CellSums<sum_count, masses>;
    static constexpr SumGrids<sum_count> grids{{SumGrid::number, 1},
                                               {SumGrid::velocity, 3},
                                               {SumGrid::offset, 9},
                                               {SumGrid::offset_velocity, is_thermostatted ? 6 : 3},
                                               {SumGrid::velocity_squared, is_thermostatted ? 1 : 0},
                                               {SumGrid::mass, mass_sums<masses>}};

    /// Of the rotated velocity R v.
    using Transform = RigidTransform<Real>;

    SrdAngular() = default;
    explicit SrdAngular(const System& system)
        : parameters_(system),
          rotation_(system.collision.angle),
          velocity_squared_spacing_(parameters_.rounding.velocity_squared.spacing()),
          offset_velocity_spacing_(parameters_.rounding.offset_velocity.spacing()) {}

    static Relaxation relaxation(const Collision& collision) { return rotation_relaxation(collision); }
    [[nodiscard]] MPCFLOW_HD const LawParameters& parameters() const { return parameters_; }
    /// Nothing that a particle contributes to the next collision hangs on the temperature.
    void set_thermal_variances(double now, double /*next*/) { parameters_.thermal_variance = now; }

    MPCFLOW_HD static Draw draw(const CellKey& key) { return Draw::make(key); }

    MPCFLOW_HD Sums contribute(const InCell<Real>& in_cell, const Draw& axis, const StepKey& /*key*/) const {
        const Vec3<double> v = vector_cast<double>(in_cell.velocity);
        const Vec3<double> rv = vector_cast<double>(rotation_(axis, in_cell.velocity));
        const Vec3<double> r = vector_cast<double>(in_cell.offset);
        const double mass = in_cell.mass;
        Sums sums = Sums::of_one(mass);
        double* s = sums.value;
        put_moments(s, mass, v, r);
        if constexpr (is_thermostatted) {
            put_vector(s + moment_sums, mass * cross(r, v));
            put_vector(s + moment_sums + 3, mass * cross(r, rv));
            s[moment_sums + 6] = mass * dot(v, v);
        } else {
            put_vector(s + moment_sums, mass * cross(r, v - rv));
        }
        return sums;
    }

    MPCFLOW_HD Transform resolve(const Sums& real_sums, const Draw& axis, const CellKey& key,
                                 const CellFill& fill) const {
        Sums sums = real_sums;
        if (fill.is_cut && parameters_.virtual_particles) {
            for_each_virtual_particle<masses>(
                parameters_, 1.0, key, fill,
                [&](Vec3<double> offset, Vec3<double> velocity) {
                    const InCell<Real> in_cell{vector_cast<Real>(velocity), vector_cast<Real>(offset),
                                               parameters_.virtual_mass<masses>()};
                    sums += rounded(*this, contribute(in_cell, axis, {}));
                });
        }
        if (sums.number() < 2.0) return {};
        const CellMoments cell(sums);
        const Vec3<double> rotated_mean = vector_cast<double>(rotation_(axis, vector_cast<Real>(cell.mean)));
        const Vec3<double> rotated_total = cell.mass * rotated_mean;

        double scale = 1.0;
        Vec3<double> spin;
        if constexpr (is_thermostatted) {
            const double squared = sums.value[moment_sums + 6];
            const Vec3<double> momentum =
                cell.angular_momentum(CellMoments::vector_at(sums, moment_sums), cell.total);
            const Vec3<double> rotated_momentum =
                cell.angular_momentum(CellMoments::vector_at(sums, moment_sums + 3), rotated_total);
            const Vec3<double> rotated_spin = cell.inverse_inertia(rotated_momentum);
            const double energy_2 =
                squared - dot(cell.total, cell.mean) - dot(rotated_momentum, rotated_spin);
            const double uncertain =
                energy_rounding(sums.number(), squared, std::sqrt(dot(rotated_spin, rotated_spin)));
            scale =
                thermostat_scale(sums.number(), energy_2, uncertain, cell.inverse_inertia.is_singular(), key);
            spin = cell.inverse_inertia(momentum) - scale * rotated_spin;
        } else {
            spin = cell.inverse_inertia(
                cell.angular_momentum(CellMoments::vector_at(sums, moment_sums), cell.total - rotated_total));
        }
        return Transform::make(cell.mean - scale * rotated_mean, scale, spin, cell.centre);
    }

    MPCFLOW_HD Vec3<Real> apply(const Transform& transform, const Draw& axis, const InCell<Real>& in_cell,
                                const StepKey& /*key*/) const {
        return transform(in_cell, rotation_(axis, in_cell.velocity));
    }

private:
    /// How well `thermostat_scale`'s twice the energy is known, where `squared` is the sum of squared
    /// velocities and `spin` the angular velocity of the rotated ones. Rotated velocities have the relative
    /// rounding of Real, and contributions that of their grids; an error of angular momentum counts `spin`
    /// times.
    MPCFLOW_HD double energy_rounding(double count, double squared, double spin) const {
        constexpr double relative = sizeof(Real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
        return relative * (squared + spin * std::sqrt(count * squared)) +
               count * (velocity_squared_spacing_ + spin * offset_velocity_spacing_);
    }

    /// The scaling of the motion beyond the rigid rotation, of which `energy_2` is twice
    /// the energy: 3 N - 6 degrees of freedom, 3 N - 5 for collinear particles.
    ///
    /// What is scaled is a difference of rounded velocities, so where it is small its energy is not known
    /// well. An energy that is too small by chance would make the scale too large: a pair of particles, with
    /// its one freedom, comes near rest often. So an energy that may be all rounding is left alone,
    /// `uncertain` being what a rounding makes of it; and no other one becomes that small, so that as many
    /// pairs stay near rest as belong there.
    MPCFLOW_HD double thermostat_scale(double count, double energy_2, double uncertain, bool is_collinear,
                                       const CellKey& key) const {
        const int freedoms = 3 * static_cast<int>(count) - (is_collinear ? 5 : 6);
        const double target_2 = thermal_square(parameters_, freedoms, energy_2, key);
        const double least = 4.0 * uncertain;
        return energy_2 > least && target_2 > least ? std::sqrt(target_2 / energy_2) : 1.0;
    }

    LawParameters parameters_;
    Rotation<Real> rotation_;
    double velocity_squared_spacing_ = 0.0;
    double offset_velocity_spacing_ = 0.0;
};

}  // namespace mpcflow
