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
/// momentum would be lost. Let w = v - V - W x r, W = I^-1 L, be that motion, and P take mean velocity and
/// rigid rotation off. Before it is turned, w is given another rigid rotation D, drawn from the canonical
/// distribution, a Gaussian of covariance kT I^-1:
///   v' = V + W x r + s P[R (w + D x r)].
/// The thermostat draws the energy of P[...] anew, which is the scaling s.
///
/// P R w alone would be too cold, for R turns a part of w into rigid rotation, and P takes it off. What comes
/// back by D makes good for it: in the mass-weighted velocities of a cell, with A = P R P and B = P R (1 -
/// P), A A^T + B B^T = P R R^T P = P. So where the places are what they may, a w of the canonical ensemble
/// gives another one, which knows nothing of V and W: the ensemble is stationary. Turned together with the
/// cell's own rotation instead, D = W, the motion beyond it would tell of that rotation ever after
/// (docs/decisions, 2026-11-25, has what came of it). Which D it is does not show in V and W, so momentum and
/// angular momentum are those from before; and as D is 0 on average, the mean of v' over all draws is that of
/// the law above.
///
/// In sums: P R (w + D x r) = P R (v + d x r), d = D - W, of which sum m r x R(d x r) follows from the second
/// moments.

#include <bit>
#include <cmath>
#include <type_traits>

#include "physics/collision/law.hpp"
#include "physics/collision/moments.hpp"
#include "physics/collision/rotation.hpp"
#include "physics/collision/thermostat.hpp"
#include "physics/collision/virtual_particles.hpp"
#include "physics/distributions.hpp"
#include "physics/four_floats.hpp"

namespace mpcflow {

template <class RealType, Scaling scaling, Masses masses_of = Masses::equal>
class SrdAngular {
public:
    using Real = RealType;
    using Draw = std::conditional_t<sizeof(Real) == sizeof(float), ShortAxisDraw, AxisDraw<Real>>;
    static constexpr bool is_thermostatted = scaling == Scaling::by_thermostat;
    static constexpr Masses masses = masses_of;
    static constexpr SumWidth sum_width = width_of_angular_sums<Real>;
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

    /// Of the rotated velocity R v; with a thermostat of scale R (v + added_spin x offset). Spin and scale
    /// are floats in double precision, too, and all else is made of them as they are: chance, which makes
    /// them, need be no finer, and an action is sixteen bytes shorter.
    struct SpunTransform : RigidTransform<Real> {
        FourFloats<Real> floats{};

        [[nodiscard]] MPCFLOW_HD Vec3<Real> added_spin() const {
            return vector_cast<Real>(
                Vec3<float>{floats.template get<0>(), floats.template get<1>(), floats.template get<2>()});
        }
        [[nodiscard]] MPCFLOW_HD Real scale() const { return static_cast<Real>(floats.template get<3>()); }
    };
    using Transform = std::conditional_t<is_thermostatted, SpunTransform, RigidTransform<Real>>;

    SrdAngular() = default;
    explicit SrdAngular(const System& system)
        : parameters_(system, sum_width),
          rotation_(system.collision.angle),
          velocity_squared_spacing_(parameters_.rounding.velocity_squared.spacing()),
          offset_spacing_(parameters_.rounding.offset.spacing()),
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

    /// What is drawn to resolve a cell with a thermostat: the energy, and three Gaussian variates of variance
    /// 1, of which D is made, from one block where energies are drawn. Both are drawn when they are asked
    /// for,
    struct DrawnLate : EnergyDrawnLate {
        CellKey key;
        bool with_energy;

        MPCFLOW_HD DrawnLate(const CellKey& of_cell, bool energy) : key(of_cell), with_energy(energy) {}
        [[nodiscard]] MPCFLOW_HD Vec3<float> gaussians() const {
            return float_gaussians_beside_thermal_draw(bits_to_resolve(key, with_energy));
        }
    };
    /// or before (EnergyDrawnBefore); the floats are kept as words.
    struct DrawnBefore : EnergyDrawnBefore {
        std::uint32_t words[3];

        DrawnBefore() = default;
        MPCFLOW_HD DrawnBefore(const RandomBlock& bits, const EnergyDrawnBefore& energy)
            : EnergyDrawnBefore(energy) {
            const Vec3<float> g = float_gaussians_beside_thermal_draw(bits);
            for (int axis = 0; axis < 3; ++axis) words[axis] = std::bit_cast<std::uint32_t>(g[axis]);
        }
        [[nodiscard]] MPCFLOW_HD Vec3<float> gaussians() const {
            return {std::bit_cast<float>(words[0]), std::bit_cast<float>(words[1]),
                    std::bit_cast<float>(words[2])};
        }
    };
    using ResolveDraw = std::conditional_t<is_thermostatted, DrawnBefore, NoDraw>;
    template <bool with_energy>
    MPCFLOW_HD static ResolveDraw draw_to_resolve([[maybe_unused]] const CellKey& key) {
        if constexpr (is_thermostatted) {
            const RandomBlock bits = bits_to_resolve(key, with_energy);
            return {bits, with_energy ? EnergyDrawnBefore(bits) : EnergyDrawnBefore{}};
        } else {
            return {};
        }
    }

    MPCFLOW_HD Transform resolve(const Sums& sums, const Draw& axis, const CellKey& key,
                                 const CellFill& fill) const {
        return resolve(sums, axis, DrawnLate(key, parameters_.draws_energy()), key, fill);
    }
    template <class DrawnToResolve>
    MPCFLOW_HD Transform resolve(const Sums& real_sums, const Draw& axis,
                                 [[maybe_unused]] const DrawnToResolve& drawn, const CellKey& key,
                                 const CellFill& fill) const {
        Sums storage;
        const Sums& sums = with_virtual_particles<masses>(
            parameters_, 1.0, key, fill, real_sums, storage, [&](Vec3<double> offset, Vec3<double> velocity) {
                const InCell<Real> in_cell{vector_cast<Real>(velocity), vector_cast<Real>(offset),
                                           parameters_.virtual_mass<masses>()};
                return rounded(*this, contribute(in_cell, axis, {}));
            });
        if (sums.number() < 2.0) return {};
        const CellMoments cell(sums, offset_spacing_);
        if constexpr (is_thermostatted) {
            return thermostatted(
                cell, sums, axis, drawn.gaussians(),
                [&](int freedoms, double square) {
                    return thermal_square(parameters_, freedoms, square, drawn, key);
                });
        } else {
            return rotated(cell, sums, axis);
        }
    }

    /// Of cells of three particles and more that are not on a line; with a thermostat, which must draw
    /// energies, where the first try is surely taken.
    [[nodiscard]] bool resolves_at_once() const { return !is_thermostatted || parameters_.draws_energy(); }
    MPCFLOW_HD bool resolve_at_once(const Sums& sums, const Draw& axis,
                                    [[maybe_unused]] const ResolveDraw& drawn, Transform& transform) const {
        bool is_regular = false;
        bool is_taken = true;
        const CellMoments cell(sums, offset_spacing_, is_regular);
        if constexpr (is_thermostatted) {
            transform = thermostatted(
                cell, sums, axis, drawn.gaussians(),
                [&](int freedoms, double /*square*/) {
                    return thermal_square_at_once(parameters_, freedoms, drawn, is_taken);
                });
        } else {
            transform = rotated(cell, sums, axis);
        }
        return is_regular & is_taken & (sums.number() > 2.0);
    }

    MPCFLOW_HD Vec3<Real> apply(const Transform& transform, const Draw& axis, const InCell<Real>& in_cell,
                                const StepKey& /*key*/) const {
        if constexpr (is_thermostatted) {
            const Vec3<Real> spun = in_cell.velocity + cross(transform.added_spin(), in_cell.offset);
            return transform(in_cell, transform.scale() * rotation_(axis, spun));
        } else {
            return transform(in_cell, rotation_(axis, in_cell.velocity));
        }
    }

private:
    /// Where no energy is drawn, the first block of the thermostat's stream is Monte Carlo's trial.
    MPCFLOW_HD static RandomBlock bits_to_resolve(const CellKey& key, bool with_energy) {
        return key.source(with_energy ? RandomStream::thermostat : RandomStream::rigid_rotation).next();
    }

    MPCFLOW_HD Transform rotated(const CellMoments& cell, const Sums& sums, const Draw& axis) const {
        const Vec3<double> rotated_mean = vector_cast<double>(rotation_(axis, vector_cast<Real>(cell.mean)));
        const Vec3<double> spin = cell.inverse_inertia(cell.angular_momentum(
            CellMoments::vector_at(sums, moment_sums), cell.total - cell.mass * rotated_mean));
        return Transform::make(cell.mean - rotated_mean, spin, cell.centre);
    }

    /// square_of(freedoms, square) is what becomes of a square by the thermostat.
    template <class SquareOf>
    MPCFLOW_HD Transform thermostatted(const CellMoments& cell, const Sums& sums, const Draw& axis,
                                       Vec3<float> gaussians, const SquareOf& square_of) const {
        const InverseInertia& inertia = cell.inverse_inertia;
        const double squared = sums.value[moment_sums + 6];
        const Vec3<double> momentum =
            cell.angular_momentum(CellMoments::vector_at(sums, moment_sums), cell.total);
        const Vec3<double> own_spin = inertia(momentum);
        const Vec3<double> drawn_spin = std::sqrt(parameters_.thermal_variance) *
                                        vector_cast<double>(inertia.thermal_velocity(gaussians));
        // As the particles will have it, here and below.
        const Vec3<float> added_spin = vector_cast<float>(drawn_spin - own_spin);
        const Vec3<double> d = vector_cast<double>(added_spin);
        const Vec3<double> added_momentum = inertia.angular_momentum(d);

        const Vec3<double> rotated_mean = rotation_.in_double(axis, cell.mean);
        const Vec3<double> spun_mean = rotated_mean + rotation_.in_double(axis, cross(d, cell.centre));
        const Vec3<double> spun_momentum =
            cell.angular_momentum(CellMoments::vector_at(sums, moment_sums + 3), cell.mass * rotated_mean) +
            rotation_.of_rigid_rotation(axis, inertia.second_moments(), d, added_momentum);
        const Vec3<double> spun_spin = inertia(spun_momentum);
        // Twice the energy of v - V + d x r, less that of the rigid rotation once it is turned.
        const double energy_2 = squared - dot(cell.total, cell.mean) +
                                dot(d, 2.0 * momentum + added_momentum) - dot(spun_momentum, spun_spin);
        const double uncertain =
            energy_rounding(sums.number(), squared, dot(d, d), dot(spun_spin, spun_spin));
        const auto rounded_scale = static_cast<float>(
            thermostat_scale(sums.number(), energy_2, uncertain, inertia.rotational_freedoms(), square_of));
        const double scale = rounded_scale;
        return {RigidTransform<Real>::make(cell.mean - scale * spun_mean, own_spin - scale * spun_spin,
                                           cell.centre),
                {added_spin.x, added_spin.y, added_spin.z, rounded_scale}};
    }

    /// How well `thermostat_scale`'s twice the energy is known, where `squared` is the sum of squared
    /// velocities, `added` the squared angular velocity that is added before the rotation and `spin` that of
    /// the one which is taken off afterwards. Rotated velocities have the relative rounding of Real, and
    /// contributions that of their grids; an error of angular momentum counts one or the other angular
    /// velocity times, one of the second moments times their product. What the added rotation is rounded by
    /// is in the velocities alone, and counts with its square.
    MPCFLOW_HD double energy_rounding(double count, double squared, double added, double spin) const {
        constexpr double relative = sizeof(Real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
        const double both = 2.0 * (added + spin);  // at least the square of their sum
        return relative * (squared + std::sqrt(spin * (count * squared))) +
               count * (velocity_squared_spacing_ + std::sqrt(both) * offset_velocity_spacing_ +
                        both * offset_spacing_ + relative * relative * added);
    }

    /// The scaling of the motion beyond the rigid rotation, of which `energy_2` is twice
    /// the energy: of the 3 N degrees of freedom neither the three of the mean velocity nor those of the
    /// rotation, which are three, two for collinear particles and none for particles in one place.
    ///
    /// What is scaled is a difference of rounded velocities, so where it is small its energy is not known
    /// well. An energy that is too small by chance would make the scale too large: a pair of particles, with
    /// its one freedom, comes near rest often. So an energy that may be all rounding is left alone,
    /// `uncertain` being what a rounding makes of it; and no other one becomes that small, so that as many
    /// pairs stay near rest as belong there.
    template <class SquareOf>
    MPCFLOW_HD double thermostat_scale(double count, double energy_2, double uncertain,
                                       int rotational_freedoms, const SquareOf& square_of) const {
        const int freedoms = 3 * static_cast<int>(count) - 3 - rotational_freedoms;
        const double target_2 = square_of(freedoms, energy_2);
        const double least = 4.0 * uncertain;
        return ((energy_2 > least) & (target_2 > least)) ? std::sqrt(target_2 / energy_2) : 1.0;
    }

    LawParameters parameters_;
    Rotation<Real> rotation_;
    double velocity_squared_spacing_ = 0.0;
    double offset_spacing_ = 0.0;
    double offset_velocity_spacing_ = 0.0;
};

}  // namespace mpcflow
