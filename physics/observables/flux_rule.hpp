#pragma once
/// The flux of momentum of a whole fluid, as it is asked for. How it is measured: momentum_flux.hpp.

#include <array>
#include <vector>

#include "physics/system.hpp"

namespace mpcflow {

/// What a surface in the box takes in a step, by hits and by collisions.
struct ToSurface {
    std::array<double, 3> momentum{};
    std::array<double, 3> angular_momentum{};  ///< about its centre, or a point of a cylinder's axis
    double energy = 0.0;                       ///< kinetic
};

/// The flux of momentum in the step to come: V P_ab = kinetic + collisional, momentum along a in direction b
/// (physics/observables/momentum_flux.hpp).
struct MomentumFlux {
    std::array<double, 9> kinetic{};      ///< [3 a + b]: sum m u_a u_b over all particles, u of their flight
    std::array<double, 9> collisional{};  ///< [3 a + b]: (1/h) sum m dv_a r_b
    std::array<double, 3> momentum{};     ///< sum m v in the middle of the flight
    /// Momentum given to the faces with walls in the step, by hits and by collisions: [2 axis + (0 lower, 1
    /// upper)].
    std::array<std::array<double, 3>, 6> to_walls{};
    std::array<double, 6> energy_to_walls{};  ///< the same of kinetic energy
    std::vector<ToSurface> to_surfaces{};     ///< of each surface of the input
};

/// Measures the step to come, which stays to come. What a particle adds, in the arithmetic of a solver, is
/// MomentumFluxRule.
struct FluxRule {
    using Result = MomentumFlux;
    explicit FluxRule(const System&) {}
};

}  // namespace mpcflow
