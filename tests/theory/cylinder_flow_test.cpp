/// Flows in pipes and between cylinders.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "physics/cylinder_flow.hpp"
#include "physics/theory.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

using enum FluidSide;

System pipe(double force) {
    System system;
    system.box.size = {12, 12, 6};
    system.fluid.mass = 2.0;
    system.force[2] = force;
    return with_surfaces(system, {cylinder(2, {6, 6, 0}, 5, inside)});
}

TEST(CylinderFlow, of_a_pipe_is_a_parabola) {
    const auto flow = theory::cylinder_flow(pipe(0.02));
    ASSERT_TRUE(flow.has_value());
    EXPECT_TRUE(flow->is_pipe());
    EXPECT_DOUBLE_EQ(flow->acceleration, 0.01);
    EXPECT_DOUBLE_EQ(flow->velocity(5), 0.0);
    EXPECT_DOUBLE_EQ(flow->maximum(), 0.01 * 25 / (4 * flow->viscosity));
    EXPECT_DOUBLE_EQ(flow->velocity(3), 0.01 * 16 / (4 * flow->viscosity));
    // J_0(sqrt(5.783)) = 0: the slowest mode.
    EXPECT_NEAR(std::cyl_bessel_j(0.0, std::sqrt(25 / (flow->development_time() * flow->viscosity))), 0.0,
                1e-12);
}

TEST(CylinderFlow, between_cylinders_solves_its_equations) {
    System system = pipe(0.02);
    Surface inner = cylinder(2, {6, 6, 0}, 2, outside);
    inner.angular_velocity[2] = 0.3;
    inner.velocity[2] = -0.05;
    system.surfaces.list.push_back(inner);
    system.surfaces.list[0].angular_velocity[2] = -0.1;
    system.map_surfaces();
    const auto flow = theory::cylinder_flow(system);
    ASSERT_TRUE(flow.has_value());
    EXPECT_NEAR(flow->velocity(2), -0.05, 1e-15);
    EXPECT_NEAR(flow->velocity(5), 0.0, 1e-15);
    EXPECT_NEAR(flow->turning_velocity(2), 0.6, 1e-15);
    EXPECT_NEAR(flow->turning_velocity(5), -0.5, 1e-15);
    // nu (u'' + u'/r) = -g along the axis, and u'' + u'/r - u/r^2 = 0 about it.
    const double d = 1e-3;
    const auto second = [&](auto u, double r) { return (u(r + d) - 2 * u(r) + u(r - d)) / (d * d); };
    const auto first = [&](auto u, double r) { return (u(r + d) - u(r - d)) / (2 * d); };
    const auto along = [&](double r) { return flow->velocity(r); };
    const auto about = [&](double r) { return flow->turning_velocity(r); };
    for (const double r : {2.5, 3.3, 4.6}) {
        EXPECT_NEAR(flow->viscosity * (second(along, r) + first(along, r) / r), -0.01, 1e-7);
        EXPECT_NEAR(second(about, r) + first(about, r) / r - about(r) / (r * r), 0.0, 1e-6);
    }
    // No velocity is of a larger size than the greatest.
    for (double r = 2.0; r <= 5.0; r += 0.01)
        EXPECT_LE(std::abs(flow->velocity(r)), std::abs(flow->maximum()) + 1e-15);
    // 2 pi r times the stress -eta r (u/r)', times r.
    const auto over_r = [&](double r) { return flow->turning_velocity(r) / r; };
    EXPECT_NEAR(flow->torque(10, 2), -2 * std::numbers::pi * 27 * 20 * flow->viscosity * first(over_r, 3),
                1e-3);
}

TEST(CylinderFlow, is_no_other_flow) {
    EXPECT_FALSE(theory::cylinder_flow(pipe(0)).has_value());  // nothing drives it
    EXPECT_FALSE(theory::cylinder_flow(System{}).has_value());
    System oblique = pipe(0.02);
    oblique.force[0] = 0.01;
    EXPECT_FALSE(theory::cylinder_flow(oblique).has_value());
    System slip = pipe(0.02);
    slip.surfaces.list[0].kind = FaceKind::slip;
    EXPECT_FALSE(theory::cylinder_flow(slip).has_value());
    System with_sphere = pipe(0.02);
    with_sphere.surfaces.list.push_back(sphere({6, 6, 3}, 1, outside));
    EXPECT_FALSE(theory::cylinder_flow(with_sphere).has_value());
    System apart = pipe(0.02);
    apart.surfaces.list.push_back(cylinder(2, {6, 7, 0}, 1, outside));
    EXPECT_FALSE(theory::cylinder_flow(apart).has_value());
    EXPECT_FALSE(theory::plane_flow(pipe(0.02)).has_value());
    System swinging = pipe(0.02);
    swinging.forces.add({.amplitude = {0.0, 0.0, 0.01}, .period = 100});
    EXPECT_FALSE(theory::cylinder_flow(swinging).has_value());
    System wave = pipe(0);
    wave.forces.add({.shape = ForceShape::sine, .amplitude = {0.0, 0.0, 0.01}, .along = 0});
    EXPECT_FALSE(theory::cylinder_flow(wave).has_value());
    EXPECT_FALSE(theory::wave_flow(wave).has_value());
}

TEST(CylinderFlow, is_that_of_gravity_too) {
    System system = pipe(0.02);
    system.forces.add({.shape = ForceShape::gravity, .amplitude = {0.0, 0.0, 0.005}});
    const auto flow = theory::cylinder_flow(system);
    ASSERT_TRUE(flow.has_value());
    EXPECT_DOUBLE_EQ(flow->acceleration, 0.015);
}

}  // namespace
}  // namespace mpcflow::test
