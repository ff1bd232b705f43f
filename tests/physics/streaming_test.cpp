/// Streaming without walls: free flight, periodic faces, a uniform force, image counts.

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "physics/particle.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/physics/streaming_cases.hpp"

namespace mpcflow::test {
namespace {

template <class Particle>
class PeriodicStreaming : public testing::Test {};
using Particles = testing::Types<ParticleDouble, ParticleMixed>;
TYPED_TEST_SUITE(PeriodicStreaming, Particles);

TYPED_TEST(PeriodicStreaming, flies_straight) {
    using Real = typename TypeParam::Real;
    const System system = box_of({8, 9, 10}, {false, false, false}, 0.25);
    TypeParam p = particle_at<TypeParam>({1, 2, 3}, {2, -1, 0.5});
    EXPECT_EQ(stream(system, p), StreamOutcome::inside);
    expect_vector(p.position, {1.5, 1.75, 3.125});
    expect_vector(p.velocity, {2, -1, 0.5});
    EXPECT_EQ(p.image(0) | p.image(1) | p.image(2), 0);
    EXPECT_EQ(static_cast<double>(p.position.x), static_cast<double>(static_cast<Real>(1.5)));
}

struct WrapCase {
    double from, velocity, to;
    int image;
};

// h = 1, L = 8.
TYPED_TEST(PeriodicStreaming, wraps_at_both_faces_and_counts_images) {
    using Real = typename TypeParam::Real;
    const Real tiny = std::numeric_limits<Real>::min();
    for (const WrapCase& c : {WrapCase{7.5, 1.0, 0.5, 1}, WrapCase{0.5, -1.0, 7.5, -1},
                              WrapCase{7.5, 0.5, 0.0, 1},   // exactly L is 0 of the next image
                              WrapCase{0.5, -0.5, 0.0, 0},  // exactly 0 stays
                              WrapCase{0.0, 0.0, 0.0, 0},
                              WrapCase{0.0, -tiny, 0.0, 0},  // -tiny + L rounds to L, which is 0 one image up
                              WrapCase{1.0, 24.0, 1.0, 3}, WrapCase{1.0, -23.5, 1.5, -3},
                              WrapCase{1.0, -25.0, 0.0, -3}, WrapCase{1.0, 8.0 * 1000 + 0.5, 1.5, 1000}}) {
        for (int axis = 0; axis < 3; ++axis) {
            const System system = box_of({8, 8, 8}, {false, false, false}, 1.0);
            Vec3<double> x{3, 3, 3}, v;
            x[axis] = c.from;
            v[axis] = c.velocity;
            TypeParam p = particle_at<TypeParam>(x, v);
            EXPECT_EQ(stream(system, p), StreamOutcome::inside);
            EXPECT_EQ(static_cast<double>(p.position[axis]), c.to) << c.from << " + " << c.velocity;
            EXPECT_EQ(p.image(axis), c.image) << c.from << " + " << c.velocity;
            EXPECT_EQ(p.image((axis + 1) % 3) | p.image((axis + 2) % 3), 0);
            EXPECT_EQ(static_cast<double>(p.velocity[axis]),
                      static_cast<double>(static_cast<Real>(c.velocity)));
        }
    }
}

// The unwrapped place, position + image x L, moves by v h; the position is always in [0, L).
TYPED_TEST(PeriodicStreaming, unwrapped_places_move_by_v_h_at_any_speed) {
    using Real = typename TypeParam::Real;
    const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    const System system = box_of({1, 7, 32}, {false, false, false}, 0.3);
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> uniform;
    for (int i = 0; i < 100000; ++i) {
        Vec3<double> x, v;
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = uniform(engine) * 0.9999 * system.box.size[axis];
            v[axis] = (uniform(engine) < 0.5 ? -1.0 : 1.0) * std::pow(10.0, -20.0 + 23.0 * uniform(engine));
        }
        TypeParam p = particle_at<TypeParam>(x, v);
        const TypeParam before = p;
        ASSERT_EQ(stream(system, p), StreamOutcome::inside);
        for (int axis = 0; axis < 3; ++axis) {
            const double length = system.box.size[axis];
            const double flight =
                static_cast<double>(static_cast<Real>(0.3)) * static_cast<double>(before.velocity[axis]);
            ASSERT_TRUE(p.position[axis] >= 0 && p.position[axis] < static_cast<Real>(length));
            const double unwrapped = static_cast<double>(p.position[axis]) + p.image(axis) * length;
            // Roundings of v h, of the sum, of boxes x L and of the difference.
            ASSERT_NEAR(unwrapped, static_cast<double>(before.position[axis]) + flight,
                        2.0 * epsilon * (std::abs(flight) + length));
        }
    }
}

TYPED_TEST(PeriodicStreaming, reports_an_image_that_does_not_fit_and_stays_in_the_box) {
    using Real = typename TypeParam::Real;
    const System system = box_of({8, 8, 8}, {false, false, false}, 1.0);
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double v : {8.0 * TypeParam::Images::limit, -8.0 * TypeParam::Images::limit - 8.0, 1e9, -1e30,
                           infinity, -infinity, std::nan("")}) {
        TypeParam p = particle_at<TypeParam>({1, 1, 1}, {0, v, 0});
        EXPECT_EQ(stream(system, p), StreamOutcome::fault) << v;
        EXPECT_TRUE(p.position.y >= 0 && p.position.y < Real(8)) << v;
    }
    // The last that fits, by jumps of at most a million boxes.
    const int half = TypeParam::Images::limit / 2;
    TypeParam p = particle_at<TypeParam>({1, 1, 1}, {0, 8.0 * half, 0});
    EXPECT_EQ(stream(system, p), StreamOutcome::inside);
    p.velocity.y = static_cast<Real>(8.0 * (half - 1));
    EXPECT_EQ(stream(system, p), StreamOutcome::inside);
    EXPECT_EQ(p.image(1), TypeParam::Images::limit - 1);
    p.velocity.y = Real(8);
    EXPECT_EQ(stream(system, p), StreamOutcome::fault);
    EXPECT_EQ(p.image(1), TypeParam::Images::limit - 1);
}

// x = x0 + v h + g h^2 / 2 and v = v0 + g h with g = force / mass, at once and after many steps.
TYPED_TEST(PeriodicStreaming, a_uniform_force_gives_the_exact_parabola) {
    using Real = typename TypeParam::Real;
    const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    System system = box_of({64, 64, 64}, {false, false, false}, 0.1);
    system.fluid.mass = 4.0;
    system.force = {0.5, -0.2, 0.05};
    const std::array<double, 3> g{0.125, -0.05, 0.0125};
    TypeParam p = particle_at<TypeParam>({10, 60, 30}, {1, 0.5, -2});
    const TypeParam start = p;
    constexpr int steps = 100;
    for (int step = 1; step <= steps; ++step) {
        ASSERT_EQ(stream(system, p), StreamOutcome::inside);
        const double t = 0.1 * step;
        for (int axis = 0; axis < 3; ++axis) {
            const double v0 = static_cast<double>(start.velocity[axis]);
            const double x0 = static_cast<double>(start.position[axis]);
            const double unwrapped = static_cast<double>(p.position[axis]) + p.image(axis) * 64.0;
            // Every step rounds velocities of up to 3 and places of up to 64 a few times, and h itself.
            ASSERT_NEAR(static_cast<double>(p.velocity[axis]), v0 + g[axis] * t,
                        3.0 * epsilon * (2.0 * step));
            ASSERT_NEAR(unwrapped, x0 + v0 * t + 0.5 * g[axis] * t * t, 3.0 * epsilon * (64.0 * step));
        }
    }
}

// Without a force velocities are the same bits, so streaming alone keeps momentum and energy.
TYPED_TEST(PeriodicStreaming, keeps_the_velocity_to_the_bit) {
    const System system = box_of({3, 3, 3}, {false, false, false}, 0.1);
    TypeParam p = particle_at<TypeParam>({1, 2, 0.5}, {0.1, -1.3, 1e-20});
    const auto before = p.velocity;
    for (int step = 0; step < 1000; ++step) ASSERT_EQ(stream(system, p), StreamOutcome::inside);
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(p.velocity[axis], before[axis]);
}

}  // namespace
}  // namespace mpcflow::test
