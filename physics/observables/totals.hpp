#pragma once
/// Sums over all particles that are reported. Rounded to fixed grids before adding, like the sums of cells,
/// so their bits do not depend on the order.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "physics/grid_rounding.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/observables/sums.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Sums over all particles or those of a species; exact up to the last rounding, so equal on every machine.
/// In a sheared box velocities are relative to the flow that its faces impose: that momentum is conserved,
/// and that energy is heat.
struct Totals {
    std::int64_t particles = 0;
    double mass = 0.0;
    std::array<double, 3> momentum{};
    double kinetic_energy = 0.0;

    /// Temperature kT of the motion relative to the centre of mass: 2 E_rel / (3 (N - 1)); 0 for N < 2.
    [[nodiscard]] double temperature() const {
        if (particles < 2) return 0.0;
        double momentum_squared = 0.0;
        for (const double p : momentum) momentum_squared += p * p;
        const double relative = kinetic_energy - 0.5 * momentum_squared / mass;
        return 2.0 * relative / (3.0 * static_cast<double>(particles - 1));
    }
};

/// Sums over all particles of momentum (3) and twice the energy, in units of the fluid's mass, each as a
/// coarse part and the rest on a finer grid: exact in any order, and precise to the last digits of the result
/// all the same.
using TotalsSums = SumsOf<8>;

class TotalsRule {
public:
    using Sums = TotalsSums;
    using Result = Totals;

    TotalsRule() = default;
    explicit TotalsRule(const System& system) : TotalsRule(system, all_species) {}
    /// Of one of several species alone.
    TotalsRule(const System& system, int species) : flow_(system), mass_(system.fluid.mass) {
        for (int s = 0; s < system.species_count(); ++s) {
            if (species != all_species && s != species) continue;
            relative_mass_[s] = system.relative_mass(s);
            particles_ += system.count_of(s);
            mass_of_all_ += relative_mass_[s] * static_cast<double>(system.count_of(s));
        }
        const double n = static_cast<double>(system.particle_count()) * system.heaviest();
        const double speed = speed_limit(system.fluid);
        velocity_ = RoundingGrid(4.0 * n * speed);
        velocity_rest_ = RoundingGrid(4.0 * n * std::ldexp(1.0, -velocity_.bits()));
        squared_ = RoundingGrid(4.0 * n * speed * speed);
        squared_rest_ = RoundingGrid(4.0 * n * std::ldexp(1.0, -squared_.bits()));
    }

    template <class Particle>
    MPCFLOW_HD TotalsSums contribute(const Particle& particle) const {
        const Vec3<double> v =
            flow_.relative(vector_cast<double>(particle.position), vector_cast<double>(particle.velocity));
        double mass = 1.0;  // 0 of a species that is not asked for
        if constexpr (Particle::has_species) mass = relative_mass_[particle.species()];
        TotalsSums sums;
        split(mass * v.x, velocity_, velocity_rest_, sums.value);
        split(mass * v.y, velocity_, velocity_rest_, sums.value + 2);
        split(mass * v.z, velocity_, velocity_rest_, sums.value + 4);
        split(mass * dot(v, v), squared_, squared_rest_, sums.value + 6);
        return sums;
    }

    [[nodiscard]] Vec3<double> mean_velocity(const TotalsSums& s) const {
        const double m = mass_of_all_;
        return {(s.value[0] + s.value[1]) / m, (s.value[2] + s.value[3]) / m, (s.value[4] + s.value[5]) / m};
    }

    [[nodiscard]] Totals result(const TotalsSums& s) const {
        Totals totals;
        totals.particles = particles_;
        totals.mass = mass_ * mass_of_all_;
        for (int axis = 0; axis < 3; ++axis)
            totals.momentum[axis] = mass_ * (s.value[2 * axis] + s.value[2 * axis + 1]);
        totals.kinetic_energy = 0.5 * mass_ * (s.value[6] + s.value[7]);
        return totals;
    }

private:
    static constexpr int all_species = -1;

    MPCFLOW_HD static void split(double x, const RoundingGrid& coarse, const RoundingGrid& rest, double* to) {
        to[0] = coarse.round(x);
        to[1] = rest.round(x - to[0]);
    }

    ShearFlow flow_;
    std::int64_t particles_ = 0;
    double mass_ = 1.0;
    double mass_of_all_ = 0.0;  ///< in units of it
    double relative_mass_[SpeciesList::most]{};
    RoundingGrid velocity_, velocity_rest_, squared_, squared_rest_;
};

}  // namespace mpcflow
