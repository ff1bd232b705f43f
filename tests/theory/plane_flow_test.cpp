/// Flows between plates: Poiseuille, Couette, slip.

#include <gtest/gtest.h>

#include "physics/theory.hpp"
#include "tests/theory/theory_cases.hpp"

namespace mpcflow {
namespace {

// ------------------------------------------------------------------------------------ Poiseuille

System slit(int wall_axis, int flow_axis, double force) {
    System system = srd(130, 0.1, 10);
    system.box.size = {16, 24, 32};
    system.boundaries.faces[wall_axis] = {FaceKind::no_slip, FaceKind::no_slip};
    system.force[flow_axis] = force;
    return system;
}

TEST(Poiseuille, is_found_along_any_pair_of_axes) {
    for (int wall = 0; wall < 3; ++wall) {
        for (int along = 0; along < 3; ++along) {
            const auto flow = theory::plane_flow(slit(wall, along, -0.002));
            ASSERT_EQ(flow.has_value(), wall != along);
            if (flow) {
                EXPECT_EQ(flow->wall_axis, wall);
                EXPECT_EQ(flow->flow_axis, along);
                EXPECT_DOUBLE_EQ(flow->width, 16.0 + 8.0 * wall);
                EXPECT_DOUBLE_EQ(flow->acceleration, -0.002);
            }
        }
    }
}

TEST(Poiseuille, profile) {
    System system = slit(2, 0, 0.004);
    system.fluid.mass = 2.0;
    const auto flow = theory::plane_flow(system);
    ASSERT_TRUE(flow.has_value());
    EXPECT_DOUBLE_EQ(flow->acceleration, 0.002);
    EXPECT_DOUBLE_EQ(flow->viscosity, theory::predicted_viscosity(system));
    EXPECT_DOUBLE_EQ(flow->maximum(), 0.002 * 32.0 * 32.0 / (8.0 * flow->viscosity));
    EXPECT_DOUBLE_EQ(flow->velocity(16.0), flow->maximum());
    EXPECT_EQ(flow->velocity(0.0), 0.0);
    EXPECT_EQ(flow->velocity(32.0), 0.0);
    // The slowest mode sin(pi y / L) decays as exp(-nu (pi / L)^2 t).
    EXPECT_DOUBLE_EQ(flow->development_time(),
                     1024.0 / (std::numbers::pi * std::numbers::pi * flow->viscosity));
}

TEST(Poiseuille, is_no_other_flow) {
    EXPECT_FALSE(theory::plane_flow(srd(130, 0.1, 10)).has_value());  // no walls, no force
    EXPECT_FALSE(theory::plane_flow(slit(2, 0, 0.0)).has_value());    // walls, no force
    System two_walls = slit(2, 0, 0.001);
    two_walls.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::no_slip};
    EXPECT_FALSE(theory::plane_flow(two_walls).has_value());
    System oblique = slit(2, 0, 0.001);
    oblique.force[1] = 0.001;
    EXPECT_FALSE(theory::plane_flow(oblique).has_value());
}

System moving_slit(double lower, double upper, double force) {
    System system = slit(2, 0, force);
    system.boundaries.faces[2].lower.velocity[0] = lower;
    system.boundaries.faces[2].upper.velocity[0] = upper;
    return system;
}

TEST(Couette, is_linear_between_the_walls) {
    const auto flow = theory::plane_flow(moving_slit(-0.1, 0.3, 0.0));
    ASSERT_TRUE(flow.has_value());
    EXPECT_FALSE(flow->is_poiseuille());
    EXPECT_EQ(flow->wall_axis, 2);
    EXPECT_EQ(flow->flow_axis, 0);
    EXPECT_DOUBLE_EQ(flow->velocity(0.0), -0.1);
    EXPECT_DOUBLE_EQ(flow->velocity(8.0), 0.0);
    EXPECT_DOUBLE_EQ(flow->velocity(32.0), 0.3);
    EXPECT_DOUBLE_EQ(flow->shear_rate(5.0), 0.4 / 32.0);
    EXPECT_DOUBLE_EQ(flow->maximum(), 0.3);
    EXPECT_DOUBLE_EQ(flow->mean(), 0.1);
    // Walls that move along different axes, or along another than the force, make no plane flow.
    System oblique = moving_slit(0.1, 0.0, 0.0);
    oblique.boundaries.faces[2].upper.velocity[1] = 0.1;
    EXPECT_FALSE(theory::plane_flow(oblique).has_value());
    oblique = moving_slit(0.1, 0.0, 0.0);
    oblique.force[1] = 0.1;
    EXPECT_FALSE(theory::plane_flow(oblique).has_value());
}

TEST(Couette, adds_to_the_flow_of_a_force) {
    const auto force = theory::plane_flow(slit(2, 0, 0.002));
    const auto walls = theory::plane_flow(moving_slit(-0.1, 0.05, 0.0));
    const auto both = theory::plane_flow(moving_slit(-0.1, 0.05, 0.002));
    ASSERT_TRUE(force && walls && both);
    double sum = 0.0, fastest = 0.0;
    constexpr int points = 3200;
    for (int i = 0; i < points; ++i) {
        const double y = (i + 0.5) * 32.0 / points;
        EXPECT_NEAR(both->velocity(y), force->velocity(y) + walls->velocity(y), 1e-14);
        EXPECT_NEAR(both->shear_rate(y), force->shear_rate(y) + walls->shear_rate(y), 1e-14);
        sum += both->velocity(y);
        fastest = std::max(fastest, std::abs(both->velocity(y)));
    }
    // The midpoint rule is off by u'' dy^2 / 24, g / nu being 0.0023.
    EXPECT_NEAR(both->mean(), sum / points, 1e-7);
    EXPECT_NEAR(both->maximum(), fastest, 1e-7);
    EXPECT_NEAR(both->shear_rate(3.0), (both->velocity(3.0 + 1e-4) - both->velocity(3.0 - 1e-4)) / 2e-4,
                1e-9);
}

TEST(Slip, mirrors_the_flow) {
    System system = slit(2, 0, 0.002);
    system.boundaries.faces[2].upper = FaceKind::slip;
    const auto flow = theory::plane_flow(system);
    ASSERT_TRUE(flow.has_value());
    EXPECT_FALSE(flow->is_poiseuille());
    EXPECT_EQ(flow->velocity(0.0), 0.0);
    EXPECT_NEAR(flow->shear_rate(32.0), 0.0, 1e-15);
    EXPECT_DOUBLE_EQ(flow->velocity(32.0), 0.002 * 32.0 * 32.0 / (2.0 * flow->viscosity));
    EXPECT_DOUBLE_EQ(flow->maximum(), flow->velocity(32.0));
    EXPECT_DOUBLE_EQ(flow->mean(), 0.002 * 32.0 * 32.0 / (3.0 * flow->viscosity));
    EXPECT_DOUBLE_EQ(flow->development_time(),
                     4096.0 / (std::numbers::pi * std::numbers::pi * flow->viscosity));
    // The other way round, and carried along by its wall.
    system.boundaries.faces[2] = {FaceKind::slip, Face{FaceKind::no_slip, {0.1, 0, 0}}};
    const auto other = theory::plane_flow(system);
    ASSERT_TRUE(other.has_value());
    for (const double y : {0.0, 3.0, 17.0, 32.0})
        EXPECT_NEAR(other->velocity(y), 0.1 + flow->velocity(32.0 - y), 1e-14);
    // Two of them hold nothing.
    system.boundaries.faces[2] = {FaceKind::slip, FaceKind::slip};
    EXPECT_FALSE(theory::plane_flow(system).has_value());
}

}  // namespace
}  // namespace mpcflow
