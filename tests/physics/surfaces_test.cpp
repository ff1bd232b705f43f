/// Cylinders and spheres: where flights hit them, that no particle gets behind them, and how much is solid.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "physics/boundary/surface_flight.hpp"
#include "physics/boundary/surface_map.hpp"
#include "physics/cell_grid.hpp"
#include "physics/initial_state.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"
#include "tests/physics/slow_flight.hpp"
#include "tests/physics/streaming_cases.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

using enum FluidSide;
constexpr double pi = std::numbers::pi;

double time_to(const System& system, Vec3<double> from, Vec3<double> flight) {
    return view_of_surfaces(system).surfaces[0].time_to_hit(from, flight);
}

TEST(TimeToHit, is_that_of_closed_forms) {
    const System ball = box_with({20, 20, 20}, {sphere({10, 10, 10}, 3, outside)});
    const System hollow = box_with({20, 20, 20}, {sphere({10, 10, 10}, 3, inside)});
    const System pipe = box_with({20, 20, 20}, {cylinder(2, {10, 10, 0}, 3, inside)});
    const System rod = box_with({20, 20, 20}, {cylinder(0, {0, 10, 10}, 3, outside)});
    // The first of a ball's images is not the one in the box.
    const auto views = view_of_surfaces(ball);
    const auto centre = std::find_if(views.surfaces, views.surfaces + ball.surfaces.map->surfaces().size(),
                                     [](const CurvedSurface& s) { return s.centre.x == 10; });
    EXPECT_DOUBLE_EQ(centre->time_to_hit({2, 10, 10}, {1, 0, 0}), 5.0);
    EXPECT_DOUBLE_EQ(centre->time_to_hit({2, 10, 12}, {2, 0, 0}), 0.5 * (8 - std::sqrt(5.0)));
    EXPECT_LT(centre->time_to_hit({2, 10, 13.001}, {1, 0, 0}), 0.0);  // passes by
    EXPECT_LT(centre->time_to_hit({2, 10, 10}, {-1, 0, 0}), 0.0);     // away
    EXPECT_LT(centre->time_to_hit({7, 10, 10}, {-1, 5, 0}), 0.0);     // leaves it
    EXPECT_EQ(centre->time_to_hit({7, 10, 10}, {1, 5, 0}), 0.0);      // would enter it
    EXPECT_DOUBLE_EQ(time_to(hollow, {10, 10, 10}, {0, 0, -2}), 1.5);
    EXPECT_DOUBLE_EQ(time_to(hollow, {10, 12, 10}, {1, 0, 0}), std::sqrt(5.0));
    EXPECT_DOUBLE_EQ(time_to(hollow, {7, 10, 10}, {1, 0, 0}), 6.0);  // a chord, having just left
    EXPECT_DOUBLE_EQ(time_to(hollow, {7, 10, 10}, {1, 1, 0}), 3.0);
    EXPECT_EQ(time_to(hollow, {7, 10, 10}, {-1, 0, 0}), 0.0);
    EXPECT_LT(time_to(hollow, {9, 10, 10}, {0, 0, 0}), 0.0);
    EXPECT_DOUBLE_EQ(time_to(pipe, {10, 10, 5}, {3, 0, 100}), 1.0);
    EXPECT_LT(time_to(pipe, {9, 10, 5}, {0, 0, 100}), 0.0);  // along it
    EXPECT_DOUBLE_EQ(time_to(rod, {1, 10, 10 - 8}, {9, 0, 4}), 1.25);
}

Vec3<double> random_fluid_place(const System& system, std::mt19937_64& engine) {
    const SurfaceView view = view_of_surfaces(system);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    while (true) {
        Vec3<double> place;
        for (int a = 0; a < 3; ++a)
            place[a] = static_cast<float>(uniform(engine) * system.box.size[static_cast<std::size_t>(a)]);
        if (place.x < system.box.size[0] && place.y < system.box.size[1] && place.z < system.box.size[2] &&
            view.is_fluid(place))
            return place;
    }
}

TEST(Surfaces, know_where_the_fluid_is) {
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (const Geometry& geometry : all_geometries()) {
        const SurfaceView view = view_of_surfaces(geometry.system);
        const Reference reference{geometry.system};
        for (int i = 0; i < 4000; ++i) {
            Vec3<double> place;
            for (int a = 0; a < 3; ++a)
                place[a] = uniform(engine) * geometry.system.box.size[static_cast<std::size_t>(a)];
            const long double height = reference.lowest(wide(place)).first;
            if (std::abs(height) < 1e-9L) continue;
            ASSERT_EQ(view.is_fluid(place), height > 0) << geometry.name;
        }
    }
}

TEST(SurfaceFlights, end_where_a_slow_reference_does) {
    std::mt19937_64 engine(5);
    std::normal_distribution<double> gauss;
    int compared = 0;
    int hits = 0;
    for (Geometry geometry : all_geometries()) {
        System& system = geometry.system;
        for (Surface& surface : system.surfaces.list) {
            surface.velocity = surface.angular_velocity = {};
            if (surface.kind == FaceKind::thermal) surface.kind = FaceKind::no_slip;
        }
        for (AxisFaces& axis : system.boundaries.faces)
            for (Face* face : {&axis.lower, &axis.upper})
                if (face->kind == FaceKind::thermal || face->is_moving()) *face = FaceKind::no_slip;
        system.collision.time_step = 2.0;
        system.map_surfaces();
        const SurfaceView view = view_of_surfaces(system);
        for (int i = 0; i < 60; ++i) {
            const Vec3<double> start = random_fluid_place(system, engine);
            const Vec3<double> velocity{2 * gauss(engine), 2 * gauss(engine), 2 * gauss(engine)};
            SlowFlight slow{system, wide(start), wide(velocity)};
            slow.fly(2.0L);
            if (slow.is_doubtful) continue;
            const FlightEnd<double> end =
                fly_among_surfaces(view, start, velocity, 2.0, HitDraws{}, NoRecord{});
            ++compared;
            hits += slow.hits;
            for (int a = 0; a < 3; ++a) {
                const auto axis = static_cast<std::size_t>(a);
                const double place = end.place[a] + (system.boundaries.faces[axis].is_periodic()
                                                         ? end.images[a] * system.box.size[axis]
                                                         : 0.0);
                // The normal of the reference is known to 1e-7, and each hit may grow what is wrong.
                ASSERT_NEAR(place, static_cast<double>(slow.place[axis]), 1e-4) << geometry.name;
                ASSERT_NEAR(end.velocity[a], static_cast<double>(slow.velocity[axis]), 1e-4);
            }
        }
    }
    EXPECT_GT(compared, 300);
    EXPECT_GT(hits, 300);
}

template <class Real>
class NoParticleIsLost : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(NoParticleIsLost, Reals);

// Fast flights of many hits, of particles that are kept as they are stored; edges and narrow gaps among them.
TYPED_TEST(NoParticleIsLost, in_any_geometry_at_any_speed) {
    using Particle = ParticleOf<TypeParam, Masses::equal>;
    std::mt19937_64 engine(7);
    std::normal_distribution<double> gauss;
    for (const Geometry& geometry : all_geometries()) {
        const SurfaceView view = view_of_surfaces(geometry.system);
        const Streaming<TypeParam> streaming(geometry.system);
        for (int i = 0; i < 40; ++i) {
            Particle p = particle_at<Particle>(random_fluid_place(geometry.system, engine), {});
            for (int step = 0; step < 200; ++step) {
                const double speed = step % 3 == 0 ? 30.0 : 1.0;
                const Vec3<double> v{speed * gauss(engine), speed * gauss(engine), speed * gauss(engine)};
                static_cast<void>(
                    streaming.move(p, vector_cast<TypeParam>(v), {1, static_cast<std::uint64_t>(step)}));
                for (int a = 0; a < 3; ++a) {
                    ASSERT_GE(p.position[a], 0) << geometry.name;
                    ASSERT_LE(p.position[a], geometry.system.box.size[static_cast<std::size_t>(a)]);
                }
                ASSERT_TRUE(view.is_fluid(vector_cast<double>(p.position))) << geometry.name << " " << step;
            }
        }
    }
}

/// Counts the hits of a flight.
struct HitCount {
    int* hits;
    template <class Real>
    void operator()(int, Vec3<Real>, Vec3<Real>, int) const {
        ++*hits;
    }
};

template <class Real>
class FreeFlights : public testing::Test {};
TYPED_TEST_SUITE(FreeFlights, Reals);

// What passes for free meets nothing when it is followed hit by hit, and ends at the same place to the bit.
// Most of what meets nothing passes: of flights this short, one in ten comes within the margin.
TYPED_TEST(FreeFlights, are_those_that_meet_nothing) {
    std::mt19937_64 engine(11);
    std::normal_distribution<double> gauss;
    for (const Geometry& geometry : all_geometries()) {
        const SurfaceView view = view_of_surfaces(geometry.system);
        int free = 0, meet_nothing = 0;
        for (int i = 0; i < 3000; ++i) {
            const auto start = vector_cast<TypeParam>(random_fluid_place(geometry.system, engine));
            const auto velocity =
                vector_cast<TypeParam>(Vec3<double>{gauss(engine), gauss(engine), gauss(engine)});
            const auto time = static_cast<TypeParam>(0.1);
            Vec3<double> place = vector_cast<double>(start);
            Vec3<double> flown = vector_cast<double>(velocity);
            if (view.is_free(start, start + time * velocity)) continue;
            int hits = 0;
            SurfaceFlight flight(view);
            fly_among(flight, place, flown, static_cast<double>(time), HitCount{&hits}, HitDraws{});
            const Vec3<TypeParam> end = flight.template end<TypeParam>(start, place);
            if (hits == 0 && dot(flight.images(), flight.images()) == 0) ++meet_nothing;
            Vec3<TypeParam> free_end;
            if (!flies_freely(view, start, velocity, time, free_end)) continue;
            ++free;
            ASSERT_EQ(hits, 0) << geometry.name;
            for (int a = 0; a < 3; ++a) ASSERT_EQ(free_end[a], end[a]) << geometry.name;
        }
        EXPECT_GE(free, 0.8 * meet_nothing) << geometry.name;
    }
}

// In a cell where the map says so, a flight of the length that it says meets nothing.
TEST(SurfaceMap, tells_true_how_far_a_flight_is_free) {
    std::mt19937_64 engine(9);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (const Geometry& geometry : all_geometries()) {
        const SurfaceView view = view_of_surfaces(geometry.system);
        const Reference reference{geometry.system};
        int free = 0;
        for (int i = 0; i < 2000; ++i) {
            const Vec3<double> from = random_fluid_place(geometry.system, engine);
            const Vec3<double> way{uniform(engine), uniform(engine), uniform(engine)};
            if (!view.is_free(from, from + way)) continue;
            ++free;
            bool is_by_faces = false;
            for (int a = 0; a < 3; ++a)
                is_by_faces |= !geometry.system.boundaries.faces[static_cast<std::size_t>(a)].is_periodic();
            const auto [height, surface] = reference.lowest(wide(from + way));
            if (!is_by_faces || surface >= face_count) ASSERT_GT(height, 0) << geometry.name;
        }
        EXPECT_GT(free, geometry.name == "sphere_at_a_corner" ? 100 : -1);
    }
}

TEST(FluidVolume, is_that_of_closed_forms) {
    const auto volume = [](std::vector<Surface> surfaces, std::array<int, 3> size = {20, 18, 16}) {
        return box_with(size, std::move(surfaces)).fluid_volume();
    };
    const double box = 20.0 * 18.0 * 16.0;
    EXPECT_NEAR(volume({cylinder(2, {10, 9, 0}, 8, inside)}) / (pi * 64 * 16), 1.0, 1e-3);
    EXPECT_NEAR(volume({cylinder(0, {0, 9.3, 7.7}, 5.1, outside)}) / (box - pi * 5.1 * 5.1 * 20), 1.0, 1e-3);
    EXPECT_NEAR(volume({sphere({10, 9, 8}, 6.5, inside)}) / (4.0 / 3.0 * pi * 6.5 * 6.5 * 6.5), 1.0, 1e-3);
    // What is solid is right to 1 % down to a radius of one cell.
    for (const double radius : {1.0, 1.7, 3.0})
        EXPECT_NEAR((box - volume({sphere({10.2, 9.4, 8.1}, radius, outside)})) /
                        (4.0 / 3.0 * pi * radius * radius * radius),
                    1.0, 0.01)
            << radius;
    // Over a corner of the box its images are whole.
    EXPECT_NEAR((box - volume({sphere({0.5, 17.5, 0}, 3, outside)})) / (36 * pi), 1.0, 2e-3);
    // Two spheres of radius R at a distance d share pi (4 R + d) (2 R - d)^2 / 12.
    const double lens = pi * (4 * 4.0 + 3.0) * (8.0 - 3.0) * (8.0 - 3.0) / 12.0;
    EXPECT_NEAR((box - volume({sphere({8, 9, 8}, 4, outside), sphere({11, 9, 8}, 4, outside)})) /
                    (2 * 4.0 / 3.0 * pi * 64 - lens),
                1.0, 2e-3);
    EXPECT_NEAR(
        volume({cylinder(1, {10, 0, 8}, 7, inside), cylinder(1, {10, 0, 8}, 3, outside)}) / (pi * 40 * 18),
        1.0, 1e-3);
}

TEST(FluidVolume, must_not_be_nothing) {
    EXPECT_THROW(box_with({8, 8, 8}, {sphere({4, 4, 4}, 8, outside)}), std::invalid_argument);
    EXPECT_THROW(box_with({20, 8, 8}, {sphere({4, 4, 4}, 2, inside), sphere({14, 4, 4}, 2, inside)}),
                 std::invalid_argument);
    System system;
    system.surfaces.list = {sphere({4, 4, 4}, 2, outside)};
    EXPECT_THROW(static_cast<void>(system.particle_count()), std::logic_error);
}

TEST(InitialState, is_in_the_fluid_and_even) {
    for (const Geometry& geometry : all_geometries()) {
        const SurfaceView view = view_of_surfaces(geometry.system);
        const InitialState initial(geometry.system);
        int lower = 0;
        const std::int64_t count = geometry.system.particle_count();
        for (std::int64_t id = 0; id < count; ++id) {
            const auto p = initial.particle<ParticleMixed>(static_cast<std::uint64_t>(id));
            ASSERT_TRUE(view.is_fluid(vector_cast<double>(p.position))) << geometry.name;
            lower += p.position.x < 6.5F ? 1 : 0;
        }
        // A box that its middle plane halves.
        if (geometry.name == "pipe" || geometry.name == "annulus") {
            EXPECT_NEAR(lower, 0.5 * static_cast<double>(count),
                        4.5 * 0.5 * std::sqrt(static_cast<double>(count)));
        }
    }
}

// v exp(-v^2 / 2) along the normal: mean sqrt(pi / 2), mean square 2, of which the variance is 4; across it
// Gaussians of variance 1, the square of which has the variance 2.
TEST(ThermalHits, leave_as_particles_of_a_gas_do) {
    const Vec3<double> normal{0.6, 0.0, -0.8};
    constexpr int n = 200000;
    double mean = 0, square = 0, across = 0, sideways = 0, least = 1;
    for (int i = 0; i < n; ++i) {
        HitDraws draws{RandomSource{1, RandomStream::thermal_wall, 0, static_cast<std::uint64_t>(i)}, 0.5};
        const Vec3<double> v = draws.leaving(normal, 2.0);  // 2 x 0.5: of variance 1
        const double away = dot(v, normal);
        least = std::min(least, away);
        mean += away / n;
        square += away * away / n;
        across += v.y * v.y / n;
        sideways += (0.8 * v.x + 0.6 * v.z) / n;
    }
    EXPECT_GT(least, 0.0);
    const double sigma = 4.5 / std::sqrt(static_cast<double>(n));
    EXPECT_NEAR(mean, std::sqrt(pi / 2), sigma * std::sqrt(2 - pi / 2));
    EXPECT_NEAR(square, 2.0, sigma * 2.0);
    EXPECT_NEAR(across, 1.0, sigma * std::sqrt(2.0));
    EXPECT_NEAR(sideways, 0.0, sigma);
}

}  // namespace
}  // namespace mpcflow::test
