#pragma once
/// Extremes of particles and cells that are reported. Taken of squared speeds and of counts, they do not
/// depend on any order.

#include <cmath>
#include <cstdint>

#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The extremes of a state; equal on every machine.
struct Extremes {
    double maximum_speed = 0.0;  ///< of a particle
    /// Fewest and most particles in a collision cell of the next collision, of the whole cells that is, which
    /// no wall cuts; both 0 where there is no such cell.
    std::int64_t minimum_occupancy = 0;
    std::int64_t maximum_occupancy = 0;
};

/// Square of a particle's speed in double precision, of either precision's particles.
template <class Particle>
MPCFLOW_HD double speed_squared(const Particle& particle) {
    const Vec3<double> v = vector_cast<double>(particle.velocity);
    return dot(v, v);
}

/// Extremes so far of some particles and cells; at first those of none.
struct ExtremesSoFar {
    double speed_squared = 0.0;
    std::uint32_t minimum = ~std::uint32_t{0};
    std::uint32_t maximum = 0;

    /// A cell that holds `count` particles.
    MPCFLOW_HD void add_cell(double count) {
        const auto number = static_cast<std::uint32_t>(count);
        minimum = number < minimum ? number : minimum;
        maximum = number > maximum ? number : maximum;
    }
    MPCFLOW_HD void add_speed_squared(double value) {
        speed_squared = value > speed_squared ? value : speed_squared;
    }
    MPCFLOW_HD void add(const ExtremesSoFar& other) {
        add_speed_squared(other.speed_squared);
        minimum = other.minimum < minimum ? other.minimum : minimum;
        maximum = other.maximum > maximum ? other.maximum : maximum;
    }

    [[nodiscard]] Extremes extremes() const {
        const bool is_any_cell = minimum <= maximum;
        return {std::sqrt(speed_squared), is_any_cell ? std::int64_t{minimum} : 0, std::int64_t{maximum}};
    }
};

/// Of all particles, and of the whole cells of the next collision.
struct ExtremesRule {
    using Result = Extremes;
    explicit ExtremesRule(const System&) {}
};

}  // namespace mpcflow
