/// What fills the cells that faces cut: how much of it is solid, where, and whose.

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "physics/boundary/cell_fill.hpp"
#include "physics/cell_grid.hpp"
#include "physics/collision/virtual_particles.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/physics/streaming_cases.hpp"

namespace mpcflow::test {
namespace {

/// A duct along x, whose walls move along it at 1, 2, 4 and 8 and have the temperatures 1.5, 2, 3 and 5.
System duct() {
    System system = box_of({3, 4, 5}, {false, true, true}, 0.1);
    const auto wall = [](double velocity, double temperature) {
        return Face{FaceKind::no_slip, {velocity, 0, 0}, temperature};
    };
    system.fluid.mass = 2.0;
    system.boundaries.faces[1] = {wall(1, 1.5), wall(2, 2)};
    system.boundaries.faces[2] = {wall(4, 3), wall(8, 5)};
    return system;
}

TEST(CellFill, has_the_velocity_and_temperature_of_its_face) {
    const System system = duct();
    const WallStates walls(system);
    const CellGrid<double> grid(system, 4);
    const Vec3<double> s = grid.shift();
    const auto at = [&](int y, int z) { return grid.fill(1 + 3 * (y + 5 * z), &walls); };
    EXPECT_FALSE(at(2, 2).is_cut);
    const auto expect_wall = [](const WallState& wall, double velocity, double temperature) {
        EXPECT_DOUBLE_EQ(wall.velocity.x, velocity);
        EXPECT_EQ(wall.velocity.y, 0.0);
        EXPECT_DOUBLE_EQ(wall.thermal_variance, 0.5 * temperature);
    };
    expect_wall(at(0, 2).mean_wall(), 1.0, 1.5);
    expect_wall(at(4, 2).mean_wall(), 2.0, 2.0);
    expect_wall(at(2, 0).mean_wall(), 4.0, 3.0);
    expect_wall(at(2, 5).mean_wall(), 8.0, 5.0);
    // In an edge by their thickness: s of a lower face, 1 - s of an upper one.
    const CellFill edge = at(0, 5);
    const double lower = s.y, upper = 1.0 - s.z;
    EXPECT_NEAR(edge.mean_wall().velocity.x, (lower * 1.0 + upper * 8.0) / (lower + upper), 1e-14);
    EXPECT_NEAR(edge.mean_wall().thermal_variance, 0.5 * (lower * 1.5 + upper * 5.0) / (lower + upper),
                1e-14);
    expect_wall(edge.wall(1), 1.0, 1.5);
    expect_wall(edge.wall(2), 8.0, 5.0);
}

// Not to 1e-16, but to the last bit: the hashes of runs between walls at rest depend on it.
TEST(CellFill, of_walls_that_are_alike_is_like_each) {
    System system = box_of({3, 4, 5}, {true, true, true}, 0.1);
    system.fluid.temperature = 0.7;
    system.fluid.mass = 1.3;
    const WallStates walls(system);
    for (std::uint64_t step = 0; step < 200; ++step) {
        const CellGrid<double> grid(system, step);
        for (int c = 0; c < grid.cell_count(); ++c) {
            const CellFill fill = grid.fill(c, &walls);
            if (!fill.is_cut) continue;
            ASSERT_EQ(fill.mean_wall().thermal_variance, 0.7 / 1.3);
            ASSERT_EQ(fill.mean_wall().velocity.x, 0.0);
        }
    }
}

// Each place is in the solid, and the wall that it is said to be of lies between it and the fluid.
TEST(CellFill, places_are_in_the_wall_that_they_are_of) {
    const System system = duct();
    const WallStates walls(system);
    const CellGrid<double> grid(system, 4);
    RandomSource source{1, RandomStream::virtual_particles, 2, 3};
    for (int c = 0; c < grid.cell_count(); ++c) {
        const CellFill fill = grid.fill(c, &walls);
        if (!fill.is_cut) continue;
        for (int i = 0; i < 200; ++i) {
            const SolidPlace place = place_in_solid(source, fill);
            const double x = place.offset[place.axis];
            ASSERT_TRUE(x <= fill.lower[place.axis] || x >= fill.upper[place.axis]);
            ASSERT_NE(fill.face[place.axis], no_surface);
            for (int a = 0; a < 3; ++a) ASSERT_LE(std::abs(place.offset[a]), 0.5);
        }
    }
}

TEST(CellFill, has_nothing_behind_a_face_of_slip) {
    System system = duct();
    system.boundaries.faces[2].upper = FaceKind::slip;
    const WallStates walls(system);
    for (std::uint64_t step = 0; step < 50; ++step) {
        const CellGrid<double> grid(system, step);
        const Vec3<double> s = grid.shift();
        const auto at = [&](int y, int z) { return grid.fill(1 + 3 * (y + 5 * z), &walls); };
        const CellFill above = at(2, 5);
        ASSERT_FALSE(above.is_cut);
        ASSERT_EQ(above.upper.z, s.z - 0.5);
        ASSERT_EQ(virtual_particle_count(10.0, above), 0.0);
        // In the edge with a wall the solid ends where the fluid does.
        const CellFill edge = at(0, 5);
        ASSERT_TRUE(edge.is_cut);
        ASSERT_NEAR(edge.solid_volume(), s.y * s.z, 1e-14);
        ASSERT_EQ(edge.mean_wall().velocity.x, 1.0);
        RandomSource source{1, RandomStream::virtual_particles, step, 3};
        Moments y, z;
        for (int i = 0; i < 100; ++i) {
            const SolidPlace place = place_in_solid(source, edge);
            ASSERT_EQ(place.axis, 1);
            ASSERT_LE(place.offset.y, edge.lower.y);
            ASSERT_LE(place.offset.z, edge.upper.z);
            y.add(place.offset.y + 0.5);
            z.add(place.offset.z + 0.5);
        }
        EXPECT_NEAR(y.mean(), 0.5 * s.y, sigmas * s.y / std::sqrt(1200.0));
        EXPECT_NEAR(z.mean(), 0.5 * s.z, sigmas * s.z / std::sqrt(1200.0));
    }
}

}  // namespace
}  // namespace mpcflow::test
