#include "physics/cylinder_flow.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "physics/theory.hpp"

namespace mpcflow::theory {

double CylinderFlow::velocity(double r) const {
    const double parabola = acceleration / (4.0 * viscosity);
    const double without = outer_sliding + parabola * (outer_radius * outer_radius - r * r);
    if (is_pipe()) return without;
    const double missing = inner_sliding - outer_sliding -
                           parabola * (outer_radius * outer_radius - inner_radius * inner_radius);
    return without + missing * std::log(r / outer_radius) / std::log(inner_radius / outer_radius);
}

double CylinderFlow::turning_velocity(double r) const {
    if (is_pipe()) return outer_turning * r;
    const double inner = inner_radius * inner_radius;
    const double outer = outer_radius * outer_radius;
    const double a = (outer_turning * outer - inner_turning * inner) / (outer - inner);
    const double b = (inner_turning - outer_turning) * inner * outer / (outer - inner);
    return a * r + b / r;
}

double CylinderFlow::torque(double density, double mass) const {
    if (is_pipe()) return 0.0;
    const double inner = inner_radius * inner_radius;
    const double outer = outer_radius * outer_radius;
    return 4.0 * std::numbers::pi * density * mass * viscosity * (inner_turning - outer_turning) * inner *
           outer / (outer - inner);
}

double CylinderFlow::maximum() const {
    double fastest = std::abs(inner_sliding) > std::abs(outer_sliding) ? inner_sliding : outer_sliding;
    if (acceleration == 0.0) return fastest;
    double at = 0.0;
    if (!is_pipe()) {
        // u' = -g r / (2 nu) + c / r.
        const double parabola = acceleration / (4.0 * viscosity);
        const double c = (inner_sliding - outer_sliding -
                          parabola * (outer_radius * outer_radius - inner_radius * inner_radius)) /
                         std::log(inner_radius / outer_radius);
        const double squared = 2.0 * viscosity * c / acceleration;
        if (squared < inner_radius * inner_radius || squared > outer_radius * outer_radius) return fastest;
        at = std::sqrt(squared);
    }
    return std::abs(velocity(at)) > std::abs(fastest) ? velocity(at) : fastest;
}

double CylinderFlow::development_time() const {
    constexpr double first_zero_squared = 5.783185962946784;
    if (is_pipe()) return outer_radius * outer_radius / (first_zero_squared * viscosity);
    const double gap = outer_radius - inner_radius;
    return gap * gap / (std::numbers::pi * std::numbers::pi * viscosity);
}

std::optional<CylinderFlow> cylinder_flow(const System& system) {
    const auto& surfaces = system.surfaces.list;
    if (surfaces.empty() || surfaces.size() > 2 || system.has_other_forces() || system.stream ||
        !is_known(system))
        return std::nullopt;
    const std::array<double, 3> force = system.steady_force();
    CylinderFlow flow;
    flow.axis = surfaces.front().axis;
    const auto axis = static_cast<std::size_t>(flow.axis);
    if (!system.boundaries.faces[axis].is_periodic()) return std::nullopt;
    bool has_outer = false;
    for (const Surface& surface : surfaces) {
        if (surface.shape != SurfaceShape::cylinder || surface.axis != flow.axis ||
            surface.centre != surfaces.front().centre || surface.kind == FaceKind::slip)
            return std::nullopt;
        const bool is_outer = surface.fluid == FluidSide::inside;
        if (is_outer ? has_outer : flow.inner_radius != 0.0) return std::nullopt;
        (is_outer ? flow.outer_radius : flow.inner_radius) = surface.radius;
        (is_outer ? flow.outer_turning : flow.inner_turning) = surface.angular_velocity[axis];
        (is_outer ? flow.outer_sliding : flow.inner_sliding) = surface.velocity[axis];
        has_outer = has_outer || is_outer;
    }
    if (!has_outer || flow.inner_radius >= flow.outer_radius) return std::nullopt;
    for (std::size_t other = 0; other < 3; ++other) {
        if (other == axis) continue;
        // The outer cylinder must be whole.
        const double centre = surfaces.front().centre[other];
        const bool is_cut = centre < flow.outer_radius || centre + flow.outer_radius > system.box.size[other];
        if (force[other] != 0.0 || (is_cut && !system.boundaries.faces[other].is_periodic()))
            return std::nullopt;
    }
    flow.acceleration = force[axis] / system.mean_mass();
    flow.viscosity = predicted_viscosity(system);
    const bool is_driven =
        flow.acceleration != 0.0 || flow.turns() || flow.inner_sliding != 0.0 || flow.outer_sliding != 0.0;
    if (!is_driven) return std::nullopt;
    return flow;
}

}  // namespace mpcflow::theory
