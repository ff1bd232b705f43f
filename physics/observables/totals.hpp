#pragma once
/// Sums over all particles that are reported. Rounded to fixed grids before adding, like the sums of cells,
/// so their bits do not depend on the order.

#include <cmath>
#include <cstdint>

#include "physics/grid_rounding.hpp"
#include "physics/solver.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Sums over all particles of velocity (3) and velocity squared, each as a coarse part and the rest
/// on a finer grid: exact in any order, and precise to the last digits of the result all the same.
struct TotalsSums {
    static constexpr int count = 8;
    double value[count]{};

    MPCFLOW_HD TotalsSums& operator+=(const TotalsSums& other) {
        for (int i = 0; i < count; ++i) value[i] += other.value[i];
        return *this;
    }
};

class TotalsRule {
public:
    TotalsRule() = default;
    explicit TotalsRule(const System& system)
        : particles_(system.particle_count()), mass_(system.fluid.mass) {
        const double n = static_cast<double>(particles_);
        const double speed = speed_limit(system.fluid);
        velocity_ = RoundingGrid(4.0 * n * speed);
        velocity_rest_ = RoundingGrid(4.0 * n * std::ldexp(1.0, -velocity_.bits()));
        squared_ = RoundingGrid(4.0 * n * speed * speed);
        squared_rest_ = RoundingGrid(4.0 * n * std::ldexp(1.0, -squared_.bits()));
    }

    template <class Particle>
    MPCFLOW_HD TotalsSums contribute(const Particle& particle) const {
        const Vec3<double> v = vector_cast<double>(particle.velocity);
        TotalsSums sums;
        split(v.x, velocity_, velocity_rest_, sums.value);
        split(v.y, velocity_, velocity_rest_, sums.value + 2);
        split(v.z, velocity_, velocity_rest_, sums.value + 4);
        split(dot(v, v), squared_, squared_rest_, sums.value + 6);
        return sums;
    }

    [[nodiscard]] Vec3<double> mean_velocity(const TotalsSums& s) const {
        const double n = static_cast<double>(particles_);
        return {(s.value[0] + s.value[1]) / n, (s.value[2] + s.value[3]) / n, (s.value[4] + s.value[5]) / n};
    }

    [[nodiscard]] Totals totals(const TotalsSums& s) const {
        Totals totals;
        totals.particles = particles_;
        totals.mass = mass_ * static_cast<double>(particles_);
        for (int axis = 0; axis < 3; ++axis)
            totals.momentum[axis] = mass_ * (s.value[2 * axis] + s.value[2 * axis + 1]);
        totals.kinetic_energy = 0.5 * mass_ * (s.value[6] + s.value[7]);
        return totals;
    }

private:
    MPCFLOW_HD static void split(double x, const RoundingGrid& coarse, const RoundingGrid& rest, double* to) {
        to[0] = coarse.round(x);
        to[1] = rest.round(x - to[0]);
    }

    std::int64_t particles_ = 0;
    double mass_ = 1.0;
    RoundingGrid velocity_, velocity_rest_, squared_, squared_rest_;
};

}  // namespace mpcflow
