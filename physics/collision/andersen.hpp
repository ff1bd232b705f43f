#pragma once
/// Andersen's thermostat as a collision (AT): v' = V + w - sum w / N, w drawn anew from the Maxwellian at kT
/// for each particle. Allahyarov and Gompper, Phys. Rev. E 66 (2002) 036702; Noguchi, Kikuchi and Gompper,
/// EPL 78 (2007) 10005.
///
/// w comes from a counter, of the particle's id and the step, so it is known before the sums are: a particle
/// contributes v - w and then takes v' = w + sum (v - w) / N, without a pass in between. What it had, v, it
/// does not need any more: a solver may leave w in its place, that it need not be drawn again.

#include <cmath>

#include "physics/collision/law.hpp"
#include "physics/collision/mean_at_walls.hpp"
#include "physics/collision/virtual_particles.hpp"
#include "physics/distributions.hpp"

namespace mpcflow {

/// The velocity w that a particle takes on in the collision of a step; `thermal_speed` is sqrt(kT/m) of the
/// fluid's mass. Its variate is a float in double precision, too: it is noise, and what particles give each
/// other is as exact with it as with any other.
template <class Real>
MPCFLOW_HD Vec3<Real> andersen_velocity(double thermal_speed, const StepKey& key,
                                        const InCell<Real>& in_cell) {
    const Vec3<float> variate = float_gaussian_vector(key.source(RandomStream::andersen, in_cell.id).next());
    return static_cast<Real>(thermal_speed / std::sqrt(in_cell.mass)) * vector_cast<Real>(variate);
}

/// These velocities at the temperatures of a step and of the next one.
template <class Real>
class AndersenVelocities {
public:
    AndersenVelocities() = default;
    /// kT/m of the fluid.
    AndersenVelocities(double variance, double next_variance)
        : speed_(std::sqrt(variance)), next_speed_(std::sqrt(next_variance)) {}

    /// In the collision of step `key`, which is the plan's.
    MPCFLOW_HD Vec3<Real> now(const InCell<Real>& in_cell, const StepKey& key) const {
        return in_cell.has_taken ? in_cell.velocity : andersen_velocity<Real>(speed_, key, in_cell);
    }
    /// In the next one, whose key is given.
    MPCFLOW_HD Vec3<Real> next(const InCell<Real>& in_cell, const StepKey& key) const {
        return andersen_velocity<Real>(next_speed_, key, in_cell);
    }

private:
    double speed_ = 0.0;  ///< sqrt(kT/m)
    double next_speed_ = 0.0;
};

template <class RealType, Scaling scaling, Masses masses_of = Masses::equal>
class Andersen {
    static_assert(scaling == Scaling::none);

public:
    using Real = RealType;
    using Draw = NoDraw;
    static constexpr Masses masses = masses_of;
    static constexpr SumWidth sum_width = SumWidth::wide;
    static constexpr LawNeeds needs{.ids = true};
    static constexpr Energy energy = Energy::thermal;
    static constexpr bool conserves_angular_momentum = false;
    static constexpr bool has_angle = false;
    /// Particles; m (v - w) (3); where masses differ the mass.
    static constexpr int sum_count = 4 + mass_sums<masses>;
    using Sums = CellSums<sum_count, masses>;
    static constexpr SumGrids<sum_count> grids{
        {SumGrid::number, 1}, {SumGrid::velocity, 3}, {SumGrid::mass, mass_sums<masses>}};

    /// v' = w + shift; or shift - w, at walls that turn the mean velocity farther than to their own.
    struct alignas(4 * sizeof(Real)) Transform {
        Vec3<Real> shift;
        Real is_back;  ///< 1 in place of 0 for the latter
    };

    Andersen() = default;
    explicit Andersen(const System& system)
        : parameters_(system, sum_width),
          velocities_(parameters_.thermal_variance, parameters_.thermal_variance) {}

    static Relaxation relaxation(const Collision& /*collision*/) { return {1.0, 1.0}; }
    [[nodiscard]] MPCFLOW_HD const LawParameters& parameters() const { return parameters_; }
    /// A particle contributes what it will take on in the next collision, at the temperature of that.
    void set_thermal_variances(double now, double next) {
        parameters_.thermal_variance = now;
        velocities_ = {now, next};
    }

    MPCFLOW_HD static Draw draw(const CellKey& /*key*/) { return {}; }

    /// The velocity w that a particle takes on in the next collision.
    MPCFLOW_HD Vec3<Real> take(const InCell<Real>& in_cell, const StepKey& key) const {
        return velocities_.next(in_cell, key);
    }

    MPCFLOW_HD Sums contribute(const InCell<Real>& in_cell, const Draw& draw, const StepKey& key) const {
        return contribute_taking(in_cell, draw, take(in_cell, key));
    }
    /// The same of a particle that takes on `w`.
    MPCFLOW_HD Sums contribute_taking(const InCell<Real>& in_cell, const Draw& /*draw*/, Vec3<Real> w) const {
        const Vec3<double> change = vector_cast<double>(in_cell.velocity) - vector_cast<double>(w);
        Sums sums = Sums::of_one(in_cell.mass);
        sums.value[1] = in_cell.mass * change.x;
        sums.value[2] = in_cell.mass * change.y;
        sums.value[3] = in_cell.mass * change.z;
        return sums;
    }

    MPCFLOW_HD Transform resolve(const Sums& sums, const Draw& /*draw*/, const CellKey& key,
                                 const CellFill& fill) const {
        const VirtualSum real{sums.mass(), {sums.value[1], sums.value[2], sums.value[3]}};
        RandomSource source = key.source(RandomStream::virtual_particles);
        VirtualSum all = real;
        // Its virtual particles have a velocity and draw another one: the difference has twice the variance.
        if (fill.stream_density > 0.0)
            all = add_stream<masses>(real, parameters_, 2.0, stream_number(fill), fill.stream, source);
        if (all.mass == 0.0) return {};
        const Vec3<double> shift = (1.0 / all.mass) * all.momentum;
        if (!is_at_walls(parameters_, fill) || real.mass == 0.0)
            return {vector_cast<Real>(shift), static_cast<Real>(0)};
        return at_walls(shift, real.mass, real.mass / all.mass, fill, source);
    }

    MPCFLOW_HD Vec3<Real> apply(const Transform& transform, const Draw& /*draw*/, const InCell<Real>& in_cell,
                                const StepKey& key) const {
        const Real sign = transform.is_back == static_cast<Real>(0) ? 1 : -1;
        return transform.shift + sign * velocities_.now(in_cell, key);
    }

private:
    /// `shift` brings the mean w of what the particles draw to a mean velocity U = w + shift, of which the
    /// fluid's own is the part `own`. What walls make of it must not hang on w, and U alone is not known; but
    /// as w is thermal and knows nothing of V, it may take the place of noise. With the sign of rho, s,
    ///   s w + rho (U - w) + a Gaussian of variance 2 |rho| (1 - |rho|) own kT / (N m)
    /// has the variance kT / (N m) when U has, V own + w (1 - own) and noise; a wall's kT is in it alone.
    MPCFLOW_HD Transform at_walls(Vec3<double> shift, double mass, double own, const CellFill& fill,
                                  RandomSource& source) const {
        constexpr double relaxation = 1.0;
        const MeanAtWalls walls = mean_at_walls<masses>(parameters_, relaxation, mass, fill);
        const double size = std::abs(walls.kept);
        const double noise = std::sqrt(2.0 * size * (1.0 - size) * own * walls.thermal_variance / mass);
        return {vector_cast<Real>(walls.kept * shift + walls.constant + noise * gaussian_vector(source)),
                static_cast<Real>(walls.kept < 0.0 ? 1 : 0)};
    }

    LawParameters parameters_;
    AndersenVelocities<Real> velocities_;
};

}  // namespace mpcflow
