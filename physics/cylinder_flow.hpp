#pragma once
/// What theory says of the flow in a pipe and between two cylinders of one axis.

#include <optional>

#include "physics/system.hpp"

namespace mpcflow::theory {

/// The steady flow in a cylinder or between two of one axis, along which a force drives it, a cylinder
/// slides, or about which cylinders turn. (Landau and Lifshitz, Fluid Mechanics, sections 17 and 18.)
struct CylinderFlow {
    int axis = 2;
    double inner_radius = 0.0;   ///< R1; 0: a pipe
    double outer_radius = 0.0;   ///< R2
    double acceleration = 0.0;   ///< g = force / mass, along the axis
    double viscosity = 0.0;      ///< predicted
    double inner_turning = 0.0;  ///< W1 and W2, angular velocities
    double outer_turning = 0.0;
    double inner_sliding = 0.0;  ///< V1 and V2, along the axis
    double outer_sliding = 0.0;

    [[nodiscard]] bool is_pipe() const { return inner_radius == 0.0; }
    [[nodiscard]] bool turns() const { return inner_turning != 0.0 || outer_turning != 0.0; }
    /// u(r) along the axis: of a pipe V2 + g (R2^2 - r^2) / (4 nu); between cylinders that and c ln(r / R2),
    /// c such that u(R1) = V1.
    [[nodiscard]] double velocity(double r) const;
    /// u(r) about the axis: A r + B / r with A = (W2 R2^2 - W1 R1^2) / (R2^2 - R1^2) and B = (W1 - W2) R1^2
    /// R2^2 / (R2^2 - R1^2); of a pipe W2 r.
    [[nodiscard]] double turning_velocity(double r) const;
    /// The torque of the fluid on the outer cylinder over its length, 4 pi eta B; as much against it on the
    /// inner one. `density` is M. Of fluids that conserve angular momentum.
    [[nodiscard]] double torque(double density, double mass) const;
    /// Of velocity(), in a pipe V2 + g R2^2 / (4 nu); between cylinders where its derivative is 0.
    [[nodiscard]] double maximum() const;
    /// Time for the flow to develop: of a pipe R2^2 / (5.783 nu), the square of the first zero of J_0;
    /// between cylinders about (R2 - R1)^2 / (pi^2 nu).
    [[nodiscard]] double development_time() const;
};

/// Empty where the system is no such flow: but for one or two cylinders of one axis, all of no slip or
/// thermal, with the fluid between them, there is nothing in the box, the force is along the axis, and
/// something drives it.
[[nodiscard]] std::optional<CylinderFlow> cylinder_flow(const System& system);

}  // namespace mpcflow::theory
