/// Streaming between walls: bounce-back at the moment and place of every hit.

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
class WallStreaming : public testing::Test {};
using Particles = testing::Types<ParticleDouble, ParticleMixed>;
TYPED_TEST_SUITE(WallStreaming, Particles);

/// A channel 8 wide along z, periodic and 8 long along x and y; h = 1.
System channel() { return box_of({8, 8, 8}, {false, false, true}, 1.0); }

template <class Particle>
void expect_flight(const System& system, Vec3<double> from, Vec3<double> velocity, Vec3<double> to,
                   Vec3<double> velocity_after) {
    Particle p = particle_at<Particle>(from, velocity);
    EXPECT_EQ(stream(system, p), StreamOutcome::inside);
    // The times of the hits round, and with them the length of the flight.
    expect_vector(p.position, to, 1.0 + std::sqrt(dot(velocity, velocity)) * system.collision.time_step);
    expect_vector(p.velocity, velocity_after);
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(p.image(axis), 0);
}

TYPED_TEST(WallStreaming, one_hit_reverses_the_whole_velocity_at_its_moment_and_place) {
    // Hits z = 0 at t = 1/4, x = 3.25; flies back for 3/4.
    expect_flight<TypeParam>(channel(), {3, 3, 0.5}, {1, 0, -2}, {2.5, 3, 1.5}, {-1, 0, 2});
    // Hits z = 8 at t = 1/2.
    expect_flight<TypeParam>(channel(), {3, 3, 7}, {1, -1, 2}, {3, 3, 7}, {-1, 1, -2});
    // Misses by a little.
    expect_flight<TypeParam>(channel(), {3, 3, 7}, {1, -1, 0.875}, {4, 2, 7.875}, {1, -1, 0.875});
}

// A particle that arrives on the wall at the end of the step has hit it; one that starts there and moves in
// flies freely, one that moves out turns at once.
TYPED_TEST(WallStreaming, exactly_on_the_wall) {
    expect_flight<TypeParam>(channel(), {3, 3, 1}, {0.5, 0, -1}, {3.5, 3, 0}, {-0.5, 0, 1});
    expect_flight<TypeParam>(channel(), {3, 3, 7}, {0.5, 0, 1}, {3.5, 3, 8}, {-0.5, 0, -1});
    expect_flight<TypeParam>(channel(), {3, 3, 0}, {0.5, 0, 1}, {3.5, 3, 1}, {0.5, 0, 1});
    expect_flight<TypeParam>(channel(), {3, 3, 8}, {0.5, 0, -1}, {3.5, 3, 7}, {0.5, 0, -1});
    expect_flight<TypeParam>(channel(), {3, 3, 0}, {0.5, 0, -1}, {2.5, 3, 1}, {-0.5, 0, 1});
    expect_flight<TypeParam>(channel(), {3, 3, 8}, {0.5, 0, 1}, {2.5, 3, 7}, {-0.5, 0, -1});
    // Arrives and goes on in the next step.
    TypeParam p = particle_at<TypeParam>({3, 3, 1}, {0.5, 0, -1});
    ASSERT_EQ(stream(channel(), p), StreamOutcome::inside);
    ASSERT_EQ(stream(channel(), p), StreamOutcome::inside);
    expect_vector(p.position, {3, 3, 1});
    // On the wall, moving along it, nothing turns it.
    expect_flight<TypeParam>(channel(), {3, 3, 8}, {1, 1, 0}, {4, 4, 8}, {1, 1, 0});
    expect_flight<TypeParam>(channel(), {3, 3, 0}, {1, 1, -0.0}, {4, 4, 0}, {1, 1, 0});
    // Across a wall-free face meanwhile.
    p = particle_at<TypeParam>({7.5, 3, 8}, {1, 0, 0});
    ASSERT_EQ(stream(channel(), p), StreamOutcome::inside);
    expect_vector(p.position, {0.5, 3, 8});
    EXPECT_EQ(p.image(0), 1);
}

TYPED_TEST(WallStreaming, two_hits_and_hundreds_in_one_step) {
    // From 1 down: hits 0 after 1, 8 after 9, then 3 more down to 5; twice turned.
    expect_flight<TypeParam>(channel(), {3, 3, 1}, {0, 0, -12}, {3, 3, 5}, {0, 0, -12});
    // Both walls and the sidewise way: there and back on one chord, from z = 1 at x = 3 along (1, 0, -12).
    expect_flight<TypeParam>(channel(), {3, 3, 1}, {1, 0, -12}, {3.0 - 4.0 / 12.0, 3, 5}, {1, 0, -12});
    // Three hits: 1 + 8 + 8 + 3.
    expect_flight<TypeParam>(channel(), {3, 3, 1}, {0, 0, -20}, {3, 3, 3}, {0, 0, 20});
    // 1 + 16 x 100 + 3: a hundred times to and fro, and one hit more.
    expect_flight<TypeParam>(channel(), {3, 3, 1}, {0, 0, -1604}, {3, 3, 3}, {0, 0, 1604});
    // Arrives exactly: 1 + 8 x 301.
    TypeParam p = particle_at<TypeParam>({3, 3, 1}, {0, 0, -2409});
    ASSERT_EQ(stream(channel(), p), StreamOutcome::inside);
    expect_vector(p.position, {3, 3, 8}, 2409);
}

// In a duct the chord ends at whichever wall comes first; the whole velocity turns at both.
TYPED_TEST(WallStreaming, corners_of_two_walls) {
    const System duct = box_of({8, 4, 4}, {false, true, true}, 1.0);
    // y = 0 at t = 1/2, then back along the same line.
    expect_flight<TypeParam>(duct, {3, 1, 2}, {0, -2, -1}, {3, 1, 2}, {0, 2, 1});
    // Into the corner along the diagonal: both walls at t = 1/2 at once.
    expect_flight<TypeParam>(duct, {3, 1, 1}, {0, -2, -2}, {3, 1, 1}, {0, 2, 2});
    // Exactly onto the corner.
    expect_flight<TypeParam>(duct, {3, 1, 1}, {0, -1, -1}, {3, 0, 0}, {0, 1, 1});
    // Across a corner: the chord from (y, z) = (0, 1.5) to (1.5, 0), of 1.5 either way; from the middle a
    // flight of 3.5 is 0.75 to the end, 1.5 back, and 1.25 again: 0.25 short of the first end.
    expect_flight<TypeParam>(duct, {3, 0.75, 0.75}, {0, 3.5, -3.5}, {3, 1.25, 0.25}, {0, 3.5, -3.5});
    // Out of the corner, and from the corner against one wall along the other.
    expect_flight<TypeParam>(duct, {3, 0, 0}, {0, 1, 2}, {3, 1, 2}, {0, 1, 2});
    expect_flight<TypeParam>(duct, {3, 0, 0}, {0, 1, 0}, {3, 1, 0}, {0, 1, 0});
    expect_flight<TypeParam>(duct, {3, 0, 0}, {0, -1, 0}, {3, 1, 0}, {0, 1, 0});
}

TYPED_TEST(WallStreaming, edges_and_corners_of_a_closed_box) {
    const System box = box_of({4, 4, 4}, {true, true, true}, 1.0);
    expect_flight<TypeParam>(box, {1, 1, 1}, {-2, -2, -2}, {1, 1, 1}, {2, 2, 2});
    expect_flight<TypeParam>(box, {1, 1, 1}, {-1, -1, -1}, {0, 0, 0}, {1, 1, 1});
    expect_flight<TypeParam>(box, {4, 4, 4}, {-1, -2, -3}, {3, 2, 1}, {-1, -2, -3});
    expect_flight<TypeParam>(box, {4, 4, 4}, {1, 1, 1}, {3, 3, 3}, {-1, -1, -1});
}

// In an edge, along a line that leaves the fluid both ways: nowhere to go, so it stays until a collision
// gives it another direction.
TYPED_TEST(WallStreaming, a_chord_of_length_0_holds_its_particle) {
    const System duct = box_of({8, 4, 4}, {false, true, true}, 1.0);
    for (const auto& [y, z, vy, vz] : {std::array{0.0, 0.0, 1.0, -1.0}, std::array{4.0, 0.0, 2.0, 1.0},
                                       std::array{0.0, 4.0, -1e-6, -1e6}, std::array{4.0, 4.0, -3.0, 1.0}}) {
        TypeParam p = particle_at<TypeParam>({3, y, z}, {0.5, vy, vz});
        for (int step = 0; step < 5; ++step) {
            ASSERT_EQ(stream(duct, p), StreamOutcome::inside);
            EXPECT_EQ(static_cast<double>(p.position.x), 3.0);
            EXPECT_EQ(static_cast<double>(p.position.y), y);
            EXPECT_EQ(static_cast<double>(p.position.z), z);
            EXPECT_NEAR(std::abs(static_cast<double>(p.velocity.y)), std::abs(vy), 1e-6 * std::abs(vy));
        }
        p.velocity = {0, y == 0.0 ? 1.0F : -1.0F, z == 0.0 ? 1.0F : -1.0F};
        ASSERT_EQ(stream(duct, p), StreamOutcome::inside);
        expect_vector(p.position, {3, y == 0.0 ? 1.0 : 3.0, z == 0.0 ? 1.0 : 3.0});
    }
}

// A force along the walls: half a kick before the flight and half after it, which the bounce turns between.
TYPED_TEST(WallStreaming, the_second_half_of_a_kick_comes_after_the_bounce) {
    System system = channel();
    system.fluid.mass = 2.0;
    system.force = {0.5, 0, 0};  // g h / 2 = 1/8
    TypeParam p = particle_at<TypeParam>({3, 3, 0.5}, {0.375, 0, -2});
    ASSERT_EQ(stream(system, p), StreamOutcome::inside);
    expect_vector(p.position, {3.0 + 0.5 * 0.25 - 0.5 * 0.75, 3, 1.5});
    expect_vector(p.velocity, {-0.5 + 0.125, 0, 2});
}

/// Places and velocities to try hard: on walls, in edges, next to them; at rest to far too fast.
class WildParticles {
public:
    explicit WildParticles(const System& system) : system_(system) {}

    template <class Particle>
    Particle next() {
        using Real = typename Particle::Real;
        Vec3<double> x, v;
        for (int axis = 0; axis < 3; ++axis) {
            const double length = system_.box.size[axis];
            const bool periodic = system_.boundaries.faces[axis].is_periodic();
            const double u = uniform_(engine_);
            x[axis] = u * length * (1.0 - 1e-7);
            if (pick() < 0.1) x[axis] = 0.0;
            if (pick() < 0.1)
                x[axis] = std::nextafter(static_cast<Real>(length), static_cast<Real>(periodic ? 0 : length));
            if (pick() < 0.05) x[axis] = std::pow(10.0, -40.0 * u);
            x[axis] = std::min(x[axis], periodic ? length * (1.0 - 1e-7) : length);
            v[axis] = (pick() < 0.5 ? -1.0 : 1.0) * std::pow(10.0, -12.0 + 21.0 * pick());
            if (pick() < 0.1) v[axis] = 0.0;
            if (pick() < 0.1 && axis > 0) v[axis] = v[axis - 1];
        }
        return particle_at<Particle>(x, v);
    }

private:
    double pick() { return uniform_(engine_); }

    System system_;
    std::mt19937_64 engine_{7};
    std::uniform_real_distribution<double> uniform_;
};

template <class Real>
bool same_speed_along_all_axes(Vec3<Real> a, Vec3<Real> b) {
    const bool kept = a.x == b.x && a.y == b.y && a.z == b.z;
    const bool turned = a.x == -b.x && a.y == -b.y && a.z == -b.z;
    return kept || turned;
}

TYPED_TEST(WallStreaming, nothing_ever_leaves_the_fluid_and_all_keep_their_energy) {
    using Real = typename TypeParam::Real;
    for (const auto& [size, has_walls] : {std::pair{std::array{4, 4, 4}, std::array{true, true, true}},
                                          std::pair{std::array{1, 7, 3}, std::array{true, true, false}},
                                          std::pair{std::array{5, 2, 64}, std::array{false, false, true}}}) {
        const System system = box_of(size, has_walls, 0.7);
        const Streaming<Real> streaming(system);
        WildParticles wild(system);
        for (int i = 0; i < 350000; ++i) {
            TypeParam p = wild.template next<TypeParam>();
            const TypeParam before = p;
            const StreamOutcome outcome = streaming.move(p, p.velocity);
            bool too_fast = false;
            for (int axis = 0; axis < 3; ++axis) {
                const Real length = static_cast<Real>(size[axis]);
                ASSERT_GE(p.position[axis], 0);
                ASSERT_TRUE(p.position[axis] < length || (has_walls[axis] && p.position[axis] == length));
                ASSERT_TRUE(!has_walls[axis] || p.image(axis) == 0);
                // A box of one, 0.7 x 1400: images up to 1000 fit in both precisions.
                too_fast = too_fast || (!has_walls[axis] && std::abs(before.velocity[axis]) > Real(1400));
            }
            ASSERT_TRUE(outcome == StreamOutcome::inside || too_fast);
            ASSERT_TRUE(same_speed_along_all_axes(p.velocity, before.velocity));
        }
    }
}

// Fly, turn around, fly again: back at the start, through any number of hits.
TYPED_TEST(WallStreaming, is_reversible) {
    using Real = typename TypeParam::Real;
    const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    std::mt19937_64 engine(11);
    std::uniform_real_distribution<double> uniform;
    for (const auto& has_walls :
         {std::array{false, false, true}, std::array{true, false, true}, std::array{true, true, true}}) {
        const System system = box_of({4, 6, 5}, has_walls, 0.5);
        const Streaming<Real> streaming(system);
        int turned = 0;
        for (int i = 0; i < 50000; ++i) {
            Vec3<double> x, v;
            const double speed = std::pow(10.0, -2.0 + 4.5 * uniform(engine));
            for (int axis = 0; axis < 3; ++axis) {
                x[axis] = (0.001 + 0.998 * uniform(engine)) * system.box.size[axis];
                v[axis] = speed * (2.0 * uniform(engine) - 1.0);
            }
            TypeParam p = particle_at<TypeParam>(x, v);
            const TypeParam start = p;
            ASSERT_EQ(streaming.move(p, p.velocity), StreamOutcome::inside);
            turned += p.velocity.x == start.velocity.x ? 0 : 1;
            p.velocity = -p.velocity;
            ASSERT_EQ(streaming.move(p, p.velocity), StreamOutcome::inside);
            ASSERT_TRUE(same_speed_along_all_axes(p.velocity, start.velocity));
            // A place rounds to half an epsilon of the box, and twice more on the way to the time of a hit.
            // What is wrong normal to a wall is doubled by every hit, and along the wall is more, the more
            // grazing the flight is. That is 4 epsilon of the box a hit, and there are two flights; v h
            // rounds too.
            double slowest = speed;
            double ahead = 1e30, behind = -1e30;
            for (int axis = 0; axis < 3; ++axis) {
                if (!has_walls[axis]) continue;
                slowest = std::min(slowest, std::abs(v[axis]));
                const double to_lower = -x[axis] / v[axis];
                const double to_upper = (system.box.size[axis] - x[axis]) / v[axis];
                ahead = std::min(ahead, std::max(to_lower, to_upper));
                behind = std::max(behind, std::min(to_lower, to_upper));
            }
            const double hits = 1.0 + 0.5 / (ahead - behind);
            const double tolerance =
                8.0 * epsilon * (hits * 6.0 * speed / slowest + 0.5 * std::sqrt(3.0) * speed);
            for (int axis = 0; axis < 3; ++axis) {
                const double there =
                    static_cast<double>(p.position[axis]) + p.image(axis) * system.box.size[axis];
                ASSERT_NEAR(there, static_cast<double>(start.position[axis]), tolerance);
            }
        }
        EXPECT_GT(turned, 5000);
    }
}

struct WallHits {
    int face_ahead = 0;
    int face_behind = 0;
    int ahead = 0;  ///< hits of that face
    int behind = 0;
};

template <class Particle>
void expect_hits(const System& system, Vec3<double> from, Vec3<double> velocity, const WallHits& expected) {
    using Real = typename Particle::Real;
    const Streaming<Real> streaming(system);
    std::array<int, face_count> hits{}, expected_hits{};
    expected_hits[expected.face_ahead] += expected.ahead;
    expected_hits[expected.face_behind] += expected.behind;
    Vec3<Real> place = vector_cast<Real>(from), end_velocity = vector_cast<Real>(velocity);
    if (streaming.meets_wall(place, end_velocity)) {
        streaming.fly_to_walls(
            place, end_velocity,
            [&](int face, Vec3<Real> before, Vec3<Real> after, int count) {
                hits[face] += count;
                EXPECT_TRUE(same_speed_along_all_axes(before, after));
                EXPECT_TRUE(face % 2 == 0 ? before[face / 2] < 0 : before[face / 2] > 0);
            });
    }
    EXPECT_EQ(hits, expected_hits);
    // An odd number of hits turns the particle.
    Particle p = particle_at<Particle>(from, velocity);
    ASSERT_EQ(stream(system, p), StreamOutcome::inside);
    const bool is_turned = (expected.ahead + expected.behind) % 2 == 1;
    expect_vector(p.velocity, is_turned ? -velocity : velocity);
}

TYPED_TEST(WallStreaming, hits_are_told_by_wall) {
    constexpr int below = 4, above = 5;  // of axis z
    expect_hits<TypeParam>(channel(), {3, 3, 4}, {9, 0, 3}, {});
    expect_hits<TypeParam>(channel(), {3, 3, 0.5}, {1, 0, -2}, {below, above, 1, 0});
    expect_hits<TypeParam>(channel(), {3, 3, 7}, {1, -1, 2}, {above, below, 1, 0});
    // On the wall: at the end, at the beginning inwards and outwards.
    expect_hits<TypeParam>(channel(), {3, 3, 1}, {0.5, 0, -1}, {below, above, 1, 0});
    expect_hits<TypeParam>(channel(), {3, 3, 0}, {0.5, 0, 1}, {});
    expect_hits<TypeParam>(channel(), {3, 3, 0}, {0.5, 0, -1}, {below, above, 1, 0});
    expect_hits<TypeParam>(channel(), {3, 3, 8}, {1, 1, 0}, {});
    // Two, three, and a hundred times to and fro and one more, of which only 64 times are told.
    expect_hits<TypeParam>(channel(), {3, 3, 1}, {0, 0, -12}, {below, above, 1, 1});
    expect_hits<TypeParam>(channel(), {3, 3, 1}, {0, 0, -20}, {below, above, 2, 1});
    expect_hits<TypeParam>(channel(), {3, 3, 1}, {0, 0, -1604}, {below, above, 65, 64});
    // Across a corner: first the wall at x = 0, then the one at y = 8, and again.
    const System corner = box_of({8, 8, 8}, {true, true, false}, 1.0);
    expect_hits<TypeParam>(corner, {1, 7, 4}, {-2, -2, 0}, {0, 3, 1, 0});
    expect_hits<TypeParam>(corner, {0.5, 7.5, 4}, {-2, -2, 1}, {0, 3, 1, 1});
}

}  // namespace
}  // namespace mpcflow::test
