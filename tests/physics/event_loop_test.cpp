/// The loop over the hits of a flight (physics/boundary/surface.hpp), between faces of the box that move.

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "physics/boundary/faces.hpp"
#include "physics/boundary/surface.hpp"
#include "physics/particle.hpp"
#include "tests/physics/streaming_cases.hpp"

namespace mpcflow::test {
namespace {

/// What a hit was.
struct Heard {
    int face;
    Vec3<double> change;  ///< of the velocity
};

template <class Real>
struct End {
    Vec3<Real> place;
    Vec3<Real> velocity;
    std::vector<Heard> hits;
};

template <class Real>
End<Real> fly(const System& system, Vec3<double> from, Vec3<double> velocity, double time) {
    End<Real> end{vector_cast<Real>(from), vector_cast<Real>(velocity), {}};
    fly_among(Faces<Real>(system), end.place, end.velocity, static_cast<Real>(time),
              [&](int face, Vec3<Real> before, Vec3<Real> after, int count) {
                  EXPECT_EQ(count, 1);
                  end.hits.push_back({face, vector_cast<double>(after) - vector_cast<double>(before)});
              });
    return end;
}

template <class Real>
class EventLoop : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(EventLoop, Reals);

/// 8 wide along z; the lower wall moves along x, the upper one along -y.
System moving_channel() {
    System system = box_of({8, 8, 8}, {false, false, true}, 1.0);
    system.boundaries.faces[2] = {Face{FaceKind::no_slip, {0.25, 0, 0}},
                                  Face{FaceKind::no_slip, {0, -0.5, 0}}};
    return system;
}

template <class Real>
void expect_end(const System& system, Vec3<double> from, Vec3<double> velocity, double time, Vec3<double> to,
                Vec3<double> velocity_after, std::vector<int> faces) {
    const End<Real> end = fly<Real>(system, from, velocity, time);
    expect_vector(end.place, to, 8.0 * static_cast<double>(1 + faces.size()));
    expect_vector(end.velocity, velocity_after);
    std::vector<int> hit;
    for (const Heard& heard : end.hits) hit.push_back(heard.face);
    EXPECT_EQ(hit, faces);
}

TYPED_TEST(EventLoop, moving_walls_turn_the_velocity_relative_to_theirs) {
    const System system = moving_channel();
    expect_end<TypeParam>(system, {3, 3, 4}, {1, 0, 1}, 1.0, {4, 3, 5}, {1, 0, 1}, {});
    // z = 0 at t = 1/4, x = 3.25: v = (1, 0, -2) -> (-0.5, 0, 2).
    expect_end<TypeParam>(system, {3, 3, 0.5}, {1, 0, -2}, 1.0, {2.875, 3, 1.5}, {-0.5, 0, 2}, {4});
    // z = 8 at t = 1/2: (1, 0, 2) -> (-1, -1, -2).
    expect_end<TypeParam>(system, {3, 3, 7}, {1, 0, 2}, 1.0, {3, 2.5, 7}, {-1, -1, -2}, {5});
}

TYPED_TEST(EventLoop, exactly_on_the_wall) {
    const System system = moving_channel();
    // Arrives at the end of its time: has been hit. Leaves: has not. Along the wall: nothing.
    expect_end<TypeParam>(system, {3, 3, 1}, {0, 0, -1}, 1.0, {3, 3, 0}, {0.5, 0, 1}, {4});
    expect_end<TypeParam>(system, {3, 3, 0}, {1, 0, 1}, 1.0, {4, 3, 1}, {1, 0, 1}, {});
    expect_end<TypeParam>(system, {3, 3, 8}, {1, 0, 0}, 1.0, {4, 3, 8}, {1, 0, 0}, {});
    // Outwards: turned at once.
    expect_end<TypeParam>(system, {3, 3, 0}, {0, 0, -1}, 1.0, {3.5, 3, 1}, {0.5, 0, 1}, {4});
    expect_end<TypeParam>(system, {3, 3, 8}, {0, 0, 1}, 1.0, {3, 2, 7}, {0, -1, -1}, {5});
}

TYPED_TEST(EventLoop, to_and_fro_many_times) {
    // Each round trip of 16 adds 2 (V_lower - V_upper) to the velocity: v -> 2 V1 - v -> 2 V0 - 2 V1 + v.
    System system = moving_channel();
    for (const int rounds : {1, 3, 15}) {
        const End<TypeParam> end = fly<TypeParam>(system, {3, 3, 4}, {0, 0, 16}, rounds);
        ASSERT_EQ(static_cast<int>(end.hits.size()), 2 * rounds);
        expect_vector(end.velocity, {0.5 * rounds, 1.0 * rounds, 16});
        EXPECT_NEAR(static_cast<double>(end.place.z), 4.0,
                    256.0 * rounds * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
    }
}

TYPED_TEST(EventLoop, edges_are_hits_one_after_the_other) {
    System duct = box_of({8, 4, 4}, {false, true, true}, 1.0);
    duct.boundaries.faces[1].lower = Face{FaceKind::no_slip, {0.5, 0, 0}};
    // Into the edge along its diagonal: the wall at y = 0 turns it away from that at z = 0.
    expect_end<TypeParam>(duct, {3, 1, 1}, {0, -2, -2}, 1.0, {3.5, 1, 1}, {1, 2, 2}, {2});
    // First z = 0 at t = 1/4, at y = 1/2, which turns it; then y stays inside.
    expect_end<TypeParam>(duct, {3, 1, 0.5}, {0, -2, -2}, 1.0, {3, 2, 1.5}, {0, 2, 2}, {4});
    // Across the corner: y = 0 at t = 1/4, z = 1; z = 0 at t = 3/4, y = 1; and back.
    expect_end<TypeParam>(duct, {3, 0.5, 0.5}, {0, -2, 2}, 1.0, {3.25, 0.5, 0.5}, {-1, -2, 2}, {2, 4});
    // In the edge, with no way out along its line: as many hits as there may be, and it is still in the edge.
    const End<TypeParam> end = fly<TypeParam>(duct, {3, 0, 0}, {0, 1, -1}, 1.0);
    EXPECT_EQ(end.hits.size(), static_cast<std::size_t>(Faces<TypeParam>(duct).most_hits()));
    EXPECT_EQ(end.place.y, 0);
    EXPECT_EQ(end.place.z, 0);
    // What the walls add to it is bounded: 4 thermal speeds.
    EXPECT_LE(std::abs(static_cast<double>(end.velocity.x)), 4.0);
}

/// A duct along x with a sticky floor; the other walls are of slip.
System slippery_duct() {
    System system = box_of({8, 4, 4}, {false, true, true}, 1.0);
    system.boundaries.faces[1] = {FaceKind::slip, FaceKind::slip};
    system.boundaries.faces[2].upper = FaceKind::slip;
    return system;
}

TYPED_TEST(EventLoop, slip_turns_the_normal_part_alone) {
    const System duct = slippery_duct();
    expect_end<TypeParam>(duct, {3, 3, 2}, {1, 2, 0.5}, 1.0, {4, 3, 2.5}, {1, -2, 0.5}, {3});
    expect_end<TypeParam>(duct, {3, 1, 3}, {1, -0.5, 2}, 1.0, {4, 0.5, 3}, {1, -0.5, -2}, {5});
    // The edge of two faces of slip turns both parts, one after the other or at once.
    expect_end<TypeParam>(duct, {3, 1, 3}, {1, -2, 2}, 1.0, {4, 1, 3}, {1, 2, -2}, {2, 5});
    expect_end<TypeParam>(duct, {3, 1, 3.5}, {1, -2, 2}, 1.0, {4, 1, 2.5}, {1, 2, -2}, {5, 2});
    // A sticky floor turns all: y = 0 at t = 1/4, z = 0 at t = 1/2, and back the same way, by y = 0 at t =
    // 3/4.
    expect_end<TypeParam>(duct, {3, 0.5, 1}, {1, -2, -2}, 1.0, {3, 0.5, 1}, {-1, 2, 2}, {2, 4, 2});
    // Exactly on the face, outwards and along it.
    expect_end<TypeParam>(duct, {3, 4, 2}, {1, 1, 0}, 1.0, {4, 3, 2}, {1, -1, 0}, {3});
    expect_end<TypeParam>(duct, {3, 4, 2}, {1, 0, 0}, 1.0, {4, 4, 2}, {1, 0, 0}, {});
    // To and fro twenty times.
    expect_end<TypeParam>(duct, {3, 1, 2}, {0, 80, 0}, 1.0, {3, 1, 2}, {0, 80, 0},
                          {3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2});
}

// To the last bit: no part of a velocity changes but for its sign.
TYPED_TEST(EventLoop, slip_keeps_the_energy) {
    System box = box_of({3, 4, 5}, {true, true, true}, 1.0);
    for (AxisFaces& faces : box.boundaries.faces) faces = {FaceKind::slip, FaceKind::slip};
    std::mt19937_64 engine(9);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < 10000; ++i) {
        Vec3<double> from, velocity;
        for (int a = 0; a < 3; ++a) {
            from[a] = static_cast<TypeParam>((0.5 + 0.499 * uniform(engine)) * box.box.size[a]);
            velocity[a] = static_cast<TypeParam>(8.0 * uniform(engine));
        }
        const End<TypeParam> end = fly<TypeParam>(box, from, velocity, 1.0);
        for (int a = 0; a < 3; ++a) {
            ASSERT_EQ(std::abs(static_cast<double>(end.velocity[a])), std::abs(velocity[a]));
            // Unfolded at the mirrors, the flight is straight.
            const double length = box.box.size[a];
            const double there = std::abs(std::remainder(from[a] + velocity[a], 2.0 * length));
            ASSERT_NEAR(static_cast<double>(end.place[a]), there,
                        200.0 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
        }
    }
}

/// The same flight in long double by the smallest steps of logic: a list of planes, each tried at every
/// event.
struct Reference {
    std::array<long double, 3> place, velocity;
    int hits = 0;
    long double nearest = 1e9L;  ///< how close an event was to being another one

    void fly(const System& system, long double time) {
        for (; hits < 60; ++hits) {
            std::vector<std::pair<long double, int>> events;
            for (int face = 0; face < 6; ++face) {
                const auto axis = static_cast<std::size_t>(face / 2);
                if (system.boundaries.faces[axis].is_periodic()) continue;
                const long double at = face % 2 == 0 ? 0.0L : system.box.size[axis];
                const bool is_towards = face % 2 == 0 ? velocity[axis] < 0 : velocity[axis] > 0;
                if (is_towards) events.emplace_back((at - place[axis]) / velocity[axis], face);
            }
            std::sort(events.begin(), events.end());
            if (events.size() > 1) nearest = std::min(nearest, events[1].first - events[0].first);
            if (!events.empty()) nearest = std::min(nearest, std::abs(events[0].first - time));
            const long double step = events.empty() ? time : std::min(time, events[0].first);
            for (std::size_t a = 0; a < 3; ++a) place[a] += step * velocity[a];
            time -= step;
            if (time <= 0) return;
            const int face = events[0].second;
            const auto axis = static_cast<std::size_t>(face / 2);
            const Face& wall = system.boundaries.faces[axis][face % 2];
            place[axis] = face % 2 == 0 ? 0.0L : system.box.size[axis];
            if (wall.kind == FaceKind::slip) velocity[axis] = -velocity[axis];
            else
                for (std::size_t a = 0; a < 3; ++a) velocity[a] = 2.0L * wall.velocity[a] - velocity[a];
        }
    }
};

// Places of hits round to epsilon of the box, and what is wrong there grows with the ratio of the speeds
// along and across the wall at every hit after it. Flights whose order of events rounding may change are left
// out.
TYPED_TEST(EventLoop, random_flights_end_where_a_reference_does) {
    const double epsilon = static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    int compared = 0, with_hits = 0;
    for (const auto& has_walls :
         {std::array{false, false, true}, std::array{true, false, true}, std::array{true, true, true}}) {
        System system = box_of({3, 4, 5}, has_walls, 1.0);
        for (int axis = 0; axis < 3; ++axis) {
            if (!has_walls[axis]) continue;
            for (Face* const face :
                 {&system.boundaries.faces[axis].lower, &system.boundaries.faces[axis].upper}) {
                if (uniform(engine) < -0.5) *face = FaceKind::slip;
                else
                    for (int a = 0; a < 3; ++a)
                        face->velocity[a] = a == axis ? 0.0 : static_cast<float>(0.03 * uniform(engine));
            }
        }
        for (int i = 0; i < 20000; ++i) {
            Vec3<double> from, velocity;
            for (int a = 0; a < 3; ++a) {
                from[a] = static_cast<TypeParam>((0.5 + 0.499 * uniform(engine)) * system.box.size[a]);
                velocity[a] = static_cast<TypeParam>(6.0 * uniform(engine));
                if (std::abs(velocity[a]) < 0.5) velocity[a] = 0.5;
            }
            Reference reference{{from.x, from.y, from.z}, {velocity.x, velocity.y, velocity.z}};
            reference.fly(system, 1.0L);
            if (reference.hits > 8 || reference.nearest < 1e3L * epsilon) continue;
            ++compared;
            with_hits += reference.hits > 0 ? 1 : 0;
            const End<TypeParam> end = fly<TypeParam>(system, from, velocity, 1.0);
            ASSERT_EQ(end.hits.size(), static_cast<std::size_t>(reference.hits));
            for (int a = 0; a < 3; ++a) {
                const auto at = static_cast<std::size_t>(a);
                // 8 hits, each with a few roundings of places up to 5 and times up to 1 at speeds up to 12.
                ASSERT_NEAR(static_cast<double>(end.velocity[a]), static_cast<double>(reference.velocity[at]),
                            100.0 * epsilon);
                ASSERT_NEAR(static_cast<double>(end.place[a]), static_cast<double>(reference.place[at]),
                            4000.0 * epsilon);
            }
        }
    }
    EXPECT_GT(compared, 40000);
    EXPECT_GT(with_hits, 20000);
}

// Walls at rest: hit by hit, the chord's end is the same.
TYPED_TEST(EventLoop, is_the_flight_on_the_chord_where_walls_rest) {
    const double epsilon = static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    const System system = box_of({3, 4, 5}, {true, true, true}, 1.0);
    const Faces<TypeParam> faces(system);
    ASSERT_TRUE(faces.only_turn_back());
    std::mt19937_64 engine(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    int compared = 0;
    for (int i = 0; i < 20000; ++i) {
        Vec3<TypeParam> from, velocity;
        for (int a = 0; a < 3; ++a) {
            from[a] = static_cast<TypeParam>((0.5 + 0.4 * uniform(engine)) * system.box.size[a]);
            velocity[a] = static_cast<TypeParam>(5.0 * uniform(engine));
        }
        Vec3<TypeParam> place = from, end_velocity = velocity;
        int hits = 0;
        fly_on_chord(faces, place, end_velocity, TypeParam{1},
                     [&](int, Vec3<TypeParam>, Vec3<TypeParam>, int n) { hits += n; });
        const End<TypeParam> end =
            fly<TypeParam>(system, vector_cast<double>(from), vector_cast<double>(velocity), 1.0);
        // Short chords across a corner amplify what rounding does to them.
        if (hits > 4 || static_cast<int>(end.hits.size()) != hits) continue;
        ++compared;
        for (int a = 0; a < 3; ++a) {
            ASSERT_EQ(end.velocity[a], end_velocity[a]);
            ASSERT_NEAR(static_cast<double>(end.place[a]), static_cast<double>(place[a]), 1000.0 * epsilon);
        }
    }
    EXPECT_GT(compared, 19000);
}

TYPED_TEST(EventLoop, nothing_ever_leaves_the_fluid) {
    using Particle = std::conditional_t<std::is_same_v<TypeParam, double>, ParticleDouble, ParticleMixed>;
    std::mt19937_64 engine(7);
    std::uniform_real_distribution<double> uniform;
    System system = box_of({1, 3, 4}, {true, true, true}, 0.7);
    for (int axis = 0; axis < 3; ++axis)
        for (Face* const face : {&system.boundaries.faces[axis].lower, &system.boundaries.faces[axis].upper})
            face->velocity[(axis + 1) % 3] = uniform(engine) - 0.5;
    const Streaming<TypeParam> streaming(system);
    for (int i = 0; i < 200000; ++i) {
        Vec3<double> x, v;
        for (int a = 0; a < 3; ++a) {
            const double where = uniform(engine);
            x[a] = where < 0.1 ? 0.0 : (where < 0.2 ? 1.0 : uniform(engine)) * system.box.size[a];
            if (uniform(engine) < 0.05) x[a] = std::pow(10.0, -40.0 * uniform(engine));
            v[a] = (uniform(engine) < 0.5 ? -1.0 : 1.0) * std::pow(10.0, -12.0 + 18.0 * uniform(engine));
            if (uniform(engine) < 0.1) v[a] = 0.0;
            if (uniform(engine) < 0.1 && a > 0) v[a] = v[a - 1];
        }
        Particle p = particle_at<Particle>(x, v);
        ASSERT_EQ(streaming.move(p, p.velocity), StreamOutcome::inside);
        for (int a = 0; a < 3; ++a) {
            ASSERT_GE(p.position[a], 0);
            ASSERT_LE(p.position[a], static_cast<TypeParam>(system.box.size[a]));
        }
    }
}

}  // namespace
}  // namespace mpcflow::test
