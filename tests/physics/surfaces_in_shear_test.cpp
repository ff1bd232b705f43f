/// Surfaces as near to sheared faces as they may be: flights across the shear are those of a box without
/// surfaces, and how far it is to the nearest surface is never said too long.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/boundary/surface_map.hpp"
#include "physics/particle.hpp"
#include "physics/streaming.hpp"
#include "physics/system.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

/// Sheared across `normal` along `along`; the gap at h = 0.02 is that of cells.
System sheared_box(int normal, int along, double time_step) {
    System system;
    system.box.size = {12, 12, 12};
    system.collision.time_step = time_step;
    system.boundaries.faces[normal].shear = {0.3, along};
    return system;
}

/// A sphere, and cylinders along the flow and across it.
std::vector<System> with_surfaces_at_the_gap(int normal, int along, double time_step) {
    const System system = sheared_box(normal, along, time_step);
    const GapAtShearedFaces gap(system);
    const double radius = 6.0 - std::max(gap.of_flights, gap.of_cells);
    std::array<double, 3> centre{1.0, 1.0, 1.0};
    centre[static_cast<std::size_t>(normal)] = 6.0;
    return {with_surfaces(system, {sphere(centre, radius, FluidSide::outside)}),
            with_surfaces(system, {cylinder(along, centre, radius, FluidSide::outside)}),
            with_surfaces(system, {cylinder(3 - normal - along, centre, radius, FluidSide::outside)})};
}

template <class Real>
class SurfacesInShear : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(SurfacesInShear, Reals);

TYPED_TEST(SurfacesInShear, do_not_change_flights_across_the_shear) {
    using Real = TypeParam;
    using Particle = ParticleOf<Real, Masses::equal>;
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> gaussian;
    std::int64_t across = 0;
    std::int64_t not_clear = 0;
    for (const double time_step : {0.02, 0.1}) {
        for (int normal = 0; normal < 3; ++normal) {
            const int along = (normal + 1) % 3;
            const System empty = sheared_box(normal, along, time_step);
            Streaming<Real> alone(empty);
            alone.end_at(ShearedFaces<Real>(empty, 2 * 1234));
            for (const System& system : with_surfaces_at_the_gap(normal, along, time_step)) {
                Streaming<Real> streaming(system);
                streaming.end_at(ShearedFaces<Real>(system, 2 * 1234));
                for (std::uint64_t id = 0; id < 20000; ++id) {
                    // Near a face, and as fast as any may be at most.
                    Vec3<Real> x, v;
                    for (int axis = 0; axis < 3; ++axis) {
                        x[axis] = static_cast<Real>(12.0 * uniform(engine));
                        v[axis] = static_cast<Real>(10.0 * gaussian(engine));
                    }
                    const double depth = 32.0 * time_step * uniform(engine);
                    x[normal] = static_cast<Real>(id % 2 == 0 ? depth : 12.0 - depth);
                    if (!(dot(v, v) < 32 * 32) || x[0] >= 12 || x[1] >= 12 || x[2] >= 12) continue;
                    const Vec3<Real> end = x + static_cast<Real>(time_step) * v;
                    if (end[normal] >= 0 && end[normal] < 12) continue;
                    ++across;
                    not_clear += streaming.is_clear_of_surfaces(x, end) ? 0 : 1;
                    Particle found = Particle::make(id, x, v);
                    Particle expected = found;
                    ASSERT_EQ(streaming.move(found, v), StreamOutcome::inside);
                    ASSERT_EQ(alone.move(expected, v), StreamOutcome::inside);
                    for (int axis = 0; axis < 3; ++axis) {
                        ASSERT_EQ(found.position[axis], expected.position[axis]);
                        ASSERT_EQ(found.velocity[axis], expected.velocity[axis]);
                        ASSERT_EQ(found.image(axis), expected.image(axis));
                    }
                    EXPECT_TRUE(streaming.surfaces().is_fluid(vector_cast<double>(found.position)));
                }
            }
        }
    }
    EXPECT_GT(across, 40000);
    // Of which the map alone does not know that they meet none.
    EXPECT_GT(not_clear, 1000);
}

TEST(DistanceInShear, is_no_longer_than_to_any_image) {
    std::mt19937_64 engine(4);
    std::uniform_real_distribution<double> uniform;
    for (int normal = 0; normal < 3; ++normal) {
        const int along = (normal + 2) % 3;
        for (const System& system : with_surfaces_at_the_gap(normal, along, 0.02)) {
            const Surface& surface = system.surfaces.list[0];
            const SurfaceMap& map = *system.surfaces.map;
            for (int trial = 0; trial < 2000; ++trial) {
                Vec3<double> x;
                for (int axis = 0; axis < 3; ++axis) x[axis] = 12.0 * uniform(engine);
                const double slide = 12.0 * uniform(engine);
                double inside = std::numeric_limits<double>::infinity();
                double beyond = inside;
                for (int i = -1; i <= 1; ++i)
                    for (int j = -1; j <= 1; ++j)
                        for (int k = -1; k <= 1; ++k) {
                            Vec3<double> d =
                                x - Vec3<double>{surface.centre[0] + 12.0 * i, surface.centre[1] + 12.0 * j,
                                                 surface.centre[2] + 12.0 * k};
                            const std::array<int, 3> boxes{i, j, k};
                            const int above = boxes[static_cast<std::size_t>(normal)];
                            d[along] = std::remainder(d[along] - above * slide, 12.0);
                            if (surface.shape == SurfaceShape::cylinder) d[surface.axis] = 0.0;
                            double& nearest = above == 0 ? inside : beyond;
                            nearest = std::min(nearest, std::sqrt(dot(d, d)) - surface.radius);
                        }
                if (inside < 0.0) continue;
                EXPECT_LE(map.distance(x), std::min(inside, beyond) + 1e-12);
                // To those in the box it is exact, where none beyond can be nearer.
                if (std::min(x[normal], 12.0 - x[normal]) > inside)
                    EXPECT_NEAR(map.distance(x), inside, 1e-12);
            }
        }
    }
}

}  // namespace
}  // namespace mpcflow::test
