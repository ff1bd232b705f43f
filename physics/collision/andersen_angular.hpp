#pragma once
/// AT that conserves angular momentum (AT+a):
///   v' = V + w - sum w / N + O x r,   O = I^-1 sum r x (v - w),
/// r from the cell's centre of mass. Noguchi, Kikuchi and Gompper, EPL 78 (2007) 10005; Noguchi and Gompper,
/// Phys. Rev. E 78 (2008) 016706. What is kept of v is its rigid motion, what is taken of w all but that, so
/// the velocities stay exactly Maxwellian.

#include <cmath>

#include "physics/collision/andersen.hpp"
#include "physics/collision/law.hpp"
#include "physics/collision/moments.hpp"
#include "physics/collision/virtual_particles.hpp"

namespace mpcflow {

template <class RealType, Scaling scaling, Masses masses_of = Masses::equal>
class AndersenAngular {
    static_assert(scaling == Scaling::none);

public:
    using Real = RealType;
    using Draw = NoDraw;
    static constexpr Masses masses = masses_of;
    static constexpr SumWidth sum_width = width_of_angular_sums<Real>;
    static constexpr LawNeeds needs{.offsets = true, .ids = true};
    static constexpr Energy energy = Energy::thermal;
    static constexpr bool conserves_angular_momentum = true;
    static constexpr bool has_angle = false;
    /// Moments, of v - w; sum m r x (v - w) (3); where masses differ the mass.
    static constexpr int sum_count = moment_sums + 3 + mass_sums<masses>;
    using Sums = CellSums<sum_count, masses>;
    static constexpr SumGrids<sum_count> grids{{SumGrid::number, 1},
                                               {SumGrid::velocity, 3},
                                               {SumGrid::offset, 9},
                                               {SumGrid::offset_velocity, 3},
                                               {SumGrid::mass, mass_sums<masses>}};

    /// Of w.
    using Transform = FilledRigidTransform<Real>;

    AndersenAngular() = default;
    explicit AndersenAngular(const System& system)
        : parameters_(system, sum_width),
          velocities_(parameters_.thermal_variance, parameters_.thermal_variance),
          offset_spacing_(parameters_.rounding.offset.spacing()) {}

    static Relaxation relaxation(const Collision& /*collision*/) { return {1.0, 1.0}; }
    [[nodiscard]] MPCFLOW_HD const LawParameters& parameters() const { return parameters_; }
    /// A particle contributes what it will take on in the next collision, at the temperature of that.
    void set_thermal_variances(double now, double next) {
        parameters_.thermal_variance = now;
        velocities_ = {now, next};
    }

    MPCFLOW_HD static Draw draw(const CellKey& /*key*/) { return {}; }

    /// As Andersen's.
    MPCFLOW_HD Vec3<Real> take(const InCell<Real>& in_cell, const StepKey& key) const {
        return velocities_.next(in_cell, key);
    }

    MPCFLOW_HD Sums contribute(const InCell<Real>& in_cell, const Draw& draw, const StepKey& key) const {
        return contribute_taking(in_cell, draw, take(in_cell, key));
    }
    MPCFLOW_HD Sums contribute_taking(const InCell<Real>& in_cell, const Draw& /*draw*/, Vec3<Real> w) const {
        return sums_of(in_cell.mass, vector_cast<double>(in_cell.velocity) - vector_cast<double>(w),
                       vector_cast<double>(in_cell.offset));
    }

    MPCFLOW_HD Transform resolve(const Sums& real_sums, const Draw& /*draw*/, const CellKey& key,
                                 const CellFill& fill) const {
        // Virtual particles, too, have a velocity and draw another one: of their difference the variance is
        // twice kT/m.
        Sums storage;
        const Sums& sums = with_virtual_particles<masses>(
            parameters_, 2.0, key, fill, real_sums, storage, [&](Vec3<double> offset, Vec3<double> change) {
                return rounded(*this, sums_of(parameters_.virtual_mass<masses>(), change, offset));
            });
        if (sums.number() == 0.0) return {};
        // One alone has no rigid rotation.
        if (sums.number() == 1.0)
            return {Transform::make((1.0 / sums.mass()) * CellMoments::vector_at(sums, 1), {}, {}), {}};
        return as_rigid_body({sums, offset_spacing_}, sums);
    }

    /// Of cells of three particles and more that are not on a line.
    [[nodiscard]] static bool resolves_at_once() { return true; }
    MPCFLOW_HD bool resolve_at_once(const Sums& sums, const Draw& /*draw*/, const NoDraw& /*drawn*/,
                                    Transform& transform) const {
        bool is_regular = false;
        transform = as_rigid_body({sums, offset_spacing_, is_regular}, sums);
        return is_regular & (sums.number() > 2.0);
    }

    MPCFLOW_HD Vec3<Real> apply(const Transform& transform, const Draw& /*draw*/, const InCell<Real>& in_cell,
                                const StepKey& key) const {
        return transform(in_cell, velocities_.now(in_cell, key));
    }

private:
    MPCFLOW_HD static Transform as_rigid_body(const CellMoments& cell, const Sums& sums) {
        const Vec3<double> spin = cell.inverse_inertia(
            cell.angular_momentum(CellMoments::vector_at(sums, moment_sums), cell.total));
        return {Transform::make(cell.mean, spin, cell.centre), {}};
    }

    MPCFLOW_HD static Sums sums_of(double mass, Vec3<double> change, Vec3<double> r) {
        Sums sums = Sums::of_one(mass);
        put_moments(sums.value, mass, change, r);
        put_vector(sums.value + moment_sums, mass * cross(r, change));
        return sums;
    }

    LawParameters parameters_;
    AndersenVelocities<Real> velocities_;
    double offset_spacing_ = 0.0;
};

}  // namespace mpcflow
