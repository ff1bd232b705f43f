#pragma once
/// Stochastic rotation dynamics (SRD): v' = V + R (v - V), V the mean velocity of the cell and R a
/// rotation by a fixed angle about a random axis. Malevanets and Kapral, J. Chem. Phys. 110 (1999) 8605.
///
/// A collision law is parameters and a few pure functions, for host and device alike:
///   draw        what the cell's key alone decides (the rotation axis),
///   contribute  what one particle adds to the sums of its cell,
///   resolve     sums -> what the cell does to its particles,
///   apply       that, to one particle.
/// It knows nothing of how the sums are made. Velocities are summed, not momenta: all particles have
/// the same mass.

#include <cmath>

#include "physics/cell_grid.hpp"
#include "physics/collision/rotation.hpp"
#include "physics/collision/virtual_particles.hpp"
#include "physics/distributions.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// What every law is told about its fluid.
struct LawParameters {
    double density;           ///< M
    double thermal_variance;  ///< kT/m, of one velocity component
    CellRounding rounding;
    bool virtual_particles;

    LawParameters() = default;
    explicit LawParameters(const System& system)
        : density(system.fluid.density),
          thermal_variance(system.fluid.temperature / system.fluid.mass),
          rounding(system.fluid),
          virtual_particles(system.boundaries.virtual_particles) {}
};

/// The sums of a cell: `count` doubles, of which element 0 is the number of particles.
template <int count>
struct CellSums {
    double value[count]{};

    MPCFLOW_HD CellSums& operator+=(const CellSums& other) {
        for (int i = 0; i < count; ++i) value[i] += other.value[i];
        return *this;
    }
};

template <class RealType, ThermostatKind thermostat>
class Srd {
public:
    using Real = RealType;
    using Draw = typename Rotation<Real>::Axis;
    static constexpr bool is_thermostatted = thermostat == ThermostatKind::maxwell_boltzmann;
    /// Particles; velocity (3); with a thermostat velocity squared.
    static constexpr int sum_count = is_thermostatted ? 5 : 4;
    using Sums = CellSums<sum_count>;
    /// Only laws whose contributions hold rotated velocities need the draw before the sums.
    static constexpr bool contributes_rotated = false;

    /// v' = mean + scale R (v - mean); scale 0 leaves the particle alone.
    struct alignas(4 * sizeof(Real)) Transform {
        Vec3<Real> mean;
        Real scale;
    };

    Srd() = default;
    explicit Srd(const System& system) : parameters_(system), rotation_(system.collision.angle) {}

    [[nodiscard]] MPCFLOW_HD const LawParameters& parameters() const { return parameters_; }

    MPCFLOW_HD static Draw draw(const CellKey& key) { return Rotation<Real>::draw_axis(key); }

    MPCFLOW_HD Sums contribute(Draw /*axis*/, Vec3<Real> velocity, Vec3<Real> /*offset*/) const {
        const Vec3<double> v = vector_cast<double>(velocity);
        const CellRounding& grid = parameters_.rounding;
        Sums sums;
        sums.value[0] = 1.0;
        sums.value[1] = grid.velocity.round(v.x);
        sums.value[2] = grid.velocity.round(v.y);
        sums.value[3] = grid.velocity.round(v.z);
        if constexpr (is_thermostatted) sums.value[4] = grid.velocity_squared.round(dot(v, v));
        return sums;
    }

    MPCFLOW_HD Transform resolve(const Sums& sums, Draw /*axis*/, const CellKey& key, const CellFill& fill) const {
        const double count = sums.value[0];
        const Vec3<double> total{sums.value[1], sums.value[2], sums.value[3]};
        if (fill.is_cut && parameters_.virtual_particles) {
            // All that the law needs of the virtual particles is their summed velocity, Gaussian of mean n V and
            // variance n kT/m. They are at the wall's temperature, so such a cell needs no thermostat.
            const double number = virtual_particle_count(parameters_.density, fill);
            const WallState wall = fill.mean_wall();
            RandomSource source = key.source(Stream::virtual_particles);
            const double width = std::sqrt(number * wall.thermal_variance);
            const Vec3<double> sum = total + number * wall.velocity + width * gaussian_vector(source);
            return {vector_cast<Real>((1.0 / (count + number)) * sum), static_cast<Real>(1)};
        }
        if (count < 2.0) return {};
        const Vec3<double> mean{total.x / count, total.y / count, total.z / count};
        double scale = 1.0;
        if constexpr (is_thermostatted) {
            // Maxwell-Boltzmann scaling: Huang et al., J. Comput. Phys. 229 (2010) 168.
            const double relative_energy = 0.5 * (sums.value[4] - dot(total, mean));
            const int freedoms = 3 * (static_cast<int>(count) - 1);
            RandomSource source = key.source(Stream::thermostat);
            const double target = parameters_.thermal_variance * thermal_energy(freedoms, source);
            // Particles at rest to each other (to the rounding of the sums) cannot be scaled.
            const double least = 1e-9 * parameters_.thermal_variance;
            if (relative_energy > least) scale = std::sqrt(target / relative_energy);
        }
        return {vector_cast<Real>(mean), static_cast<Real>(scale)};
    }

    MPCFLOW_HD Vec3<Real> apply(const Transform& transform, Draw axis, Vec3<Real> velocity, Vec3<Real> /*offset*/) const {
        const Vec3<Real> rotated = rotation_(axis, velocity - transform.mean);
        const Vec3<Real> changed = transform.mean + transform.scale * rotated;
        return transform.scale == static_cast<Real>(0) ? velocity : changed;
    }

private:
    LawParameters parameters_;
    Rotation<Real> rotation_;
};

}  // namespace mpcflow
