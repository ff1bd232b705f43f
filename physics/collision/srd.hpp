#pragma once
/// Stochastic rotation dynamics (SRD): v' = V + R (v - V), V the mean velocity of the cell and R a
/// rotation by a fixed angle about a random axis. Malevanets and Kapral, J. Chem. Phys. 110 (1999) 8605.

#include <cmath>
#include <type_traits>

#include "physics/collision/law.hpp"
#include "physics/collision/mean_at_walls.hpp"
#include "physics/collision/rotation.hpp"
#include "physics/collision/thermostat.hpp"
#include "physics/collision/virtual_particles.hpp"

namespace mpcflow {

template <class RealType, Scaling scaling, Masses masses_of = Masses::equal>
class Srd {
public:
    using Real = RealType;
    using Draw = AxisDraw<Real>;
    static constexpr bool is_thermostatted = scaling == Scaling::by_thermostat;
    static constexpr Masses masses = masses_of;
    static constexpr SumWidth sum_width = SumWidth::wide;
    static constexpr LawNeeds needs{};
    static constexpr Energy energy = Energy::conserved;
    static constexpr bool conserves_angular_momentum = false;
    static constexpr bool has_angle = true;
    /// Particles; momentum (3); with a thermostat twice the energy; where masses differ the mass.
    static constexpr int sum_count = (is_thermostatted ? 5 : 4) + mass_sums<masses>;
    using Sums = CellSums<sum_count, masses>;
    static constexpr SumGrids<sum_count> grids{{SumGrid::number, 1},
                                               {SumGrid::velocity, 3},
                                               {SumGrid::velocity_squared, is_thermostatted ? 1 : 0},
                                               {SumGrid::mass, mass_sums<masses>}};

    /// v' = mean + scale R (v - mean); scale 0 leaves the particle alone. Where it is below 0, at walls, v' =
    /// mean + R v: what the mean velocity changes by is not that of a rotation there.
    struct alignas(16) Transform {
        Vec3<Real> mean;
        Real scale;
    };

    Srd() = default;
    explicit Srd(const System& system) : parameters_(system, sum_width), rotation_(system.collision.angle) {}

    static Relaxation relaxation(const Collision& collision) { return rotation_relaxation(collision); }
    [[nodiscard]] MPCFLOW_HD const LawParameters& parameters() const { return parameters_; }
    /// Nothing that a particle contributes to the next collision hangs on the temperature.
    void set_thermal_variances(double now, double /*next*/) { parameters_.thermal_variance = now; }

    MPCFLOW_HD static Draw draw(const CellKey& key) { return Draw::make(key); }

    MPCFLOW_HD Sums contribute(const InCell<Real>& in_cell, const Draw& /*axis*/,
                               const StepKey& /*key*/) const {
        const Vec3<double> v = vector_cast<double>(in_cell.velocity);
        Sums sums = Sums::of_one(in_cell.mass);
        sums.value[1] = in_cell.mass * v.x;
        sums.value[2] = in_cell.mass * v.y;
        sums.value[3] = in_cell.mass * v.z;
        if constexpr (is_thermostatted) sums.value[4] = in_cell.mass * dot(v, v);
        return sums;
    }

    using ResolveDraw = std::conditional_t<is_thermostatted, EnergyDrawnBefore, NoDraw>;
    template <bool with_energy>
    MPCFLOW_HD static ResolveDraw draw_to_resolve([[maybe_unused]] const CellKey& key) {
        if constexpr (is_thermostatted && with_energy)
            return ResolveDraw(key.source(RandomStream::thermostat).next());
        else return {};
    }

    MPCFLOW_HD Transform resolve(const Sums& sums, const Draw& axis, const CellKey& key,
                                 const CellFill& fill) const {
        return resolve(sums, axis, EnergyDrawnLate{}, key, fill);
    }
    template <class DrawnToResolve>
    MPCFLOW_HD Transform resolve(const Sums& sums, const Draw& axis,
                                 [[maybe_unused]] const DrawnToResolve& drawn, const CellKey& key,
                                 const CellFill& fill) const {
        const Vec3<double> total{sums.value[1], sums.value[2], sums.value[3]};
        // Without a thermostat: the mean takes on the temperature there, and whole cells see to the rest.
        if (is_at_walls_or_in_stream(parameters_, fill))
            return with_walls_and_stream({sums.mass(), total}, axis, key, fill);
        if (sums.number() < 2.0) return {};
        return about_mean(sums, [&](int freedoms, double square) {
            return thermal_square(parameters_, freedoms, square, drawn, key);
        });
    }

    /// Of cells of two particles and more where the first try of the energy is surely taken. Without a
    /// thermostat there is too little to do: columns of it are no faster.
    [[nodiscard]] bool resolves_at_once() const { return parameters_.draws_energy(); }
    MPCFLOW_HD bool resolve_at_once(const Sums& sums, const Draw& /*axis*/, const ResolveDraw& drawn,
                                    Transform& transform) const requires is_thermostatted {
        bool is_taken = false;
        transform = about_mean(sums, [&](int freedoms, double /*square*/) {
            return thermal_square_at_once(parameters_, freedoms, drawn, is_taken);
        });
        return is_taken & (sums.number() > 1.0);
    }

    MPCFLOW_HD Vec3<Real> apply(const Transform& transform, const Draw& axis, const InCell<Real>& in_cell,
                                const StepKey& /*key*/) const {
        constexpr auto none = static_cast<Real>(0);
        // At walls nothing is taken off before.
        const Vec3<Real> relative = in_cell.velocity - transform.mean;
        const Vec3<Real> rotated = rotation_(axis, transform.scale < none ? in_cell.velocity : relative);
        const Vec3<Real> changed = transform.mean + std::abs(transform.scale) * rotated;
        return transform.scale == none ? in_cell.velocity : changed;
    }

private:
    /// Of two particles and more; of fewer it means nothing. square_of(freedoms, square) is what becomes of a
    /// square by the thermostat.
    template <class SquareOf>
    MPCFLOW_HD Transform about_mean(const Sums& sums, [[maybe_unused]] const SquareOf& square_of) const {
        const Vec3<double> total{sums.value[1], sums.value[2], sums.value[3]};
        // Contributions are multiples of a grid's spacing, which is far above 1e-100, and sums begin with +0.
        const Vec3<double> mean = divided_at_once(total, sums.mass());
        auto scale = static_cast<Real>(1);
        if constexpr (is_thermostatted) {
            const double square = sums.value[4] - dot(total, mean);
            const int freedoms = 3 * (static_cast<int>(sums.number()) - 1);
            const double target = square_of(freedoms, square);
            // It is kept as Real, so that a root in Real is as good.
            // Particles at rest to each other (to the rounding of the sums) cannot be scaled.
            if (square > 2e-9 * parameters_.thermal_variance)
                scale = std::sqrt(static_cast<Real>(target / square));
        }
        return {vector_cast<Real>(mean), scale};
    }

    MPCFLOW_HD Transform with_walls_and_stream(const VirtualSum& real, const Draw& axis, const CellKey& key,
                                               const CellFill& fill) const {
        RandomSource source = key.source(RandomStream::virtual_particles);
        VirtualSum all = real;
        if (fill.stream_density > 0.0)
            all = add_stream<masses>(real, parameters_, 1.0, stream_number(fill), fill.stream, source);
        if (!is_at_walls(parameters_, fill))
            return {vector_cast<Real>((1.0 / all.mass) * all.momentum), static_cast<Real>(1)};
        if (real.mass == 0.0) return {};
        const Vec3<double> mean = (1.0 / real.mass) * real.momentum;
        const Vec3<double> mean_of_all = (1.0 / all.mass) * all.momentum;
        const Vec3<double> in_stream = mean_of_all + rotation_.in_double(axis, mean - mean_of_all);
        const MeanAtWalls walls = mean_at_walls<masses>(parameters_, rotation_.relaxation(), real.mass, fill);
        const Vec3<double> changed =
            walls.kept * in_stream + walls.constant + walls.noise(real.mass) * gaussian_vector(source);
        return {vector_cast<Real>(changed - rotation_.in_double(axis, mean)), static_cast<Real>(-1)};
    }

    LawParameters parameters_;
    Rotation<Real> rotation_;
};

}  // namespace mpcflow
