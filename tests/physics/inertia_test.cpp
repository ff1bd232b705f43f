/// The pseudo-inverse of the inertia tensor against an independent one by Jacobi's eigenvalues.

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "physics/collision/inertia.hpp"
#include "tests/physics/rigid_body.hpp"

namespace mpcflow::test {
namespace {

SymmetricTensor second_moments(const std::vector<Point>& places) {
    const Point c = centre_of(places);
    long double s[6]{};
    for (const Point& p : places) {
        const Point r = p - c;
        const long double products[6] = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
        for (int i = 0; i < 6; ++i) s[i] += products[i];
    }
    return {double(s[0]), double(s[1]), double(s[2]), double(s[3]), double(s[4]), double(s[5])};
}

/// Second moments above are known to double's own rounding, so nothing but that of particles in one place is
/// to be taken for zero.
constexpr double least = 1e-18;

double largest(Point p) { return static_cast<double>(std::sqrt(dot(p, p))); }

/// Compares the angular velocities of `places` moving at random velocities. Their angular momentum has no
/// component on the axis of a singular body, as in a collision.
void expect_same_angular_velocity(const std::vector<Point>& places, std::mt19937_64& engine) {
    std::normal_distribution<double> normal;
    std::vector<Point> velocities;
    for (std::size_t i = 0; i < places.size(); ++i)
        velocities.push_back({normal(engine), normal(engine), normal(engine)});
    const RigidBody body(places);
    const Point momentum = angular_momentum(places, velocities);
    const Point expected = body.angular_velocity(momentum);
    const InverseInertia inverse(second_moments(places), least);
    EXPECT_EQ(inverse.rotational_freedoms(), body.rotational_freedoms());
    const Point omega = vector_cast<long double>(inverse(vector_cast<double>(momentum)));
    // The entries of the tensor carry a rounding each, and the inverse multiplies that by its condition; the
    // cofactors' roundings do the same. 100 epsilon for a few dozen operations.
    const double tolerance = 100.0 * 2.2e-16 * body.condition() * (largest(expected) + 1e-300);
    EXPECT_LT(largest(omega - expected), tolerance)
        << places.size() << " places, condition " << body.condition();
}

std::vector<Point> random_places(int n, std::mt19937_64& engine) {
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    std::vector<Point> places;
    for (int i = 0; i < n; ++i) places.push_back({uniform(engine), uniform(engine), uniform(engine)});
    return places;
}

TEST(InverseInertia, of_random_sets) {
    std::mt19937_64 engine(1);
    for (const int n : {3, 4, 5, 10, 100})
        for (int i = 0; i < 300; ++i) expect_same_angular_velocity(random_places(n, engine), engine);
}

TEST(InverseInertia, of_planar_and_symmetric_sets) {
    std::mt19937_64 engine(2);
    for (int i = 0; i < 100; ++i) {
        std::vector<Point> planar = random_places(5, engine);
        for (Point& p : planar) p.z = 0.25L;
        expect_same_angular_velocity(planar, engine);
    }
    // A cube's corners: three equal eigenvalues; a square: two.
    std::vector<Point> cube, square;
    for (int corner = 0; corner < 8; ++corner) {
        cube.push_back({0.3L * (corner & 1), 0.3L * (corner >> 1 & 1), 0.3L * (corner >> 2)});
        if (corner < 4) square.push_back(cube.back());
    }
    expect_same_angular_velocity(cube, engine);
    expect_same_angular_velocity(square, engine);
}

TEST(InverseInertia, of_two_particles_at_any_distance) {
    std::mt19937_64 engine(3);
    for (const double distance : {1.0, 0.1, 1e-2, 1e-3, 1e-4}) {
        for (int i = 0; i < 100; ++i) {
            std::vector<Point> pair = random_places(2, engine);
            const Point along = pair[1] - pair[0];
            pair[1] = pair[0] + distance / std::sqrt(dot(along, along)) * along;
            expect_same_angular_velocity(pair, engine);
        }
    }
}

TEST(InverseInertia, of_collinear_sets_along_any_line) {
    std::mt19937_64 engine(4);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    std::vector<Point> directions{{1, 0, 0},  {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                                  {1, 0, -1}, {0, 1, 1}, {1, -1, 1}};
    for (int i = 0; i < 50; ++i) directions.push_back(random_places(1, engine)[0]);
    for (const Point& direction : directions) {
        const Point origin = 0.1L * random_places(1, engine)[0];
        std::vector<Point> places;
        for (int i = 0; i < 5; ++i)
            places.push_back(origin + static_cast<long double>(uniform(engine)) * direction);
        expect_same_angular_velocity(places, engine);
    }
}

// A body turning as a whole: O = I^-1 L is its own angular velocity, whatever the units of length.
TEST(InverseInertia, recovers_a_rigid_rotation) {
    std::mt19937_64 engine(5);
    const Point omega{0.3L, -1.1L, 0.7L};
    for (const long double size : {1.0L, 1e-2L}) {
        std::vector<Point> places = random_places(6, engine);
        std::vector<Point> velocities;
        for (Point& p : places) p = size * p;
        for (const Point& p : places) velocities.push_back(cross(omega, p));
        const InverseInertia inverse(second_moments(places), least);
        const Point found =
            vector_cast<long double>(inverse(vector_cast<double>(angular_momentum(places, velocities))));
        EXPECT_LT(largest(found - omega), 1e-13);
    }
}

TEST(InverseInertia, of_coincident_particles_is_zero) {
    const InverseInertia inverse(second_moments({{0.1L, 0.2L, 0.3L}, {0.1L, 0.2L, 0.3L}, {0.1L, 0.2L, 0.3L}}),
                                 least);
    EXPECT_EQ(inverse.rotational_freedoms(), 0);
    const Vec3<double> omega = inverse({1.0, 2.0, 3.0});
    EXPECT_EQ(dot(omega, omega), 0.0);
}

// Whose second moments rounding may make negative, or a body of their own.
TEST(InverseInertia, gives_coincident_particles_no_thermal_rotation) {
    for (const double rest : {-3e-13, -1e-16, 0.0, 2e-13}) {
        for (const bool is_pair : {false, true}) {
            const InverseInertia inverse({rest, rest, 0.5 * rest, 0.0, 0.1 * rest, 0.0}, 1e-12, is_pair);
            EXPECT_EQ(inverse.rotational_freedoms(), 0) << rest;
            const Vec3<float> omega = inverse.thermal_velocity({1.0F, -2.0F, 0.5F});
            EXPECT_EQ(dot(omega, omega), 0.0F) << rest;
        }
    }
}

// A line whose width is rounding, which may be less than nothing, too: of all three moments but the greatest,
// and of two of them. The angular velocity is that of a line, however small what is left is.
TEST(InverseInertia, takes_eigenvalues_that_are_rounding_for_zero) {
    constexpr double length = 1e-4, unknown = 1e-10;
    for (const double rest : {-9e-11, -1e-13, -1e-15, 0.0, 1e-15, 1e-13, 9e-11}) {
        const InverseInertia inverse({0.5 * rest, length, 0.5 * rest, 0.0, 0.0, 0.0}, unknown);
        EXPECT_EQ(inverse.rotational_freedoms(), 2) << rest;
        const Vec3<double> omega = inverse({1.0, 2.0, 3.0});
        // The trace is off by a millionth of itself at most, so is the quotient. None is along the line,
        // but for roundings of 2 / length.
        EXPECT_NEAR(omega.x * length, 1.0, 1e-6) << rest;
        EXPECT_NEAR(omega.z * length, 3.0, 3e-6) << rest;
        EXPECT_NEAR(omega.y * length, 0.0, 1e-15) << rest;
    }
    const InverseInertia wide({2.0 * unknown, length, 2.0 * unknown, 0.0, 0.0, 0.0}, unknown);
    EXPECT_EQ(wide.rotational_freedoms(), 3);
    // 5, -2 and -2, whose determinant is above zero, and 5, -1 and -3.
    EXPECT_EQ(InverseInertia({-4.5, 2.5, 2.5, 0.0, 0.0, 0.0}, unknown).rotational_freedoms(), 2);
    EXPECT_EQ(InverseInertia({-4.5, 1.5, 3.5, 0.0, 0.0, 0.0}, unknown).rotational_freedoms(), 2);
}

/// The covariance of thermal_velocity() is A A^T with A its matrix, which columns are what it makes of unit
/// vectors: it is to be I^+. Where I is regular, A^T I A = 1 says so of energies: in equilibrium each
/// direction has kT / 2, however small its eigenvalue. Of particles on a line A A^T L and I^+ L are compared,
/// of the angular momenta L of random velocities.
void expect_thermal_covariance(const std::vector<Point>& places, std::mt19937_64& engine) {
    std::normal_distribution<double> normal;
    const bool is_pair = places.size() == 2;
    const InverseInertia inverse(second_moments(places), least, is_pair);
    const Point columns[3] = {vector_cast<long double>(inverse.thermal_velocity({1, 0, 0})),
                              vector_cast<long double>(inverse.thermal_velocity({0, 1, 0})),
                              vector_cast<long double>(inverse.thermal_velocity({0, 0, 1}))};
    const RigidBody body(places);
    if (inverse.rotational_freedoms() == 3) {
        // A column is of floats of some roundings each. Along the least eigenvalue it is longer than across,
        // by the root of the condition at most, and so are its roundings, which count across.
        const double tolerance = 10.0 * 0x1p-24 * std::sqrt(body.condition());
        for (const Point& column : columns) {
            std::vector<Point> velocities;
            for (const Point& p : places) velocities.push_back(cross(column, p - centre_of(places)));
            const Point momentum = angular_momentum(places, velocities);
            for (const Point& other : columns)
                EXPECT_NEAR(static_cast<double>(dot(other, momentum)), &other == &column ? 1.0 : 0.0,
                            tolerance)
                    << places.size() << " places, condition " << body.condition();
        }
    }
    for (int i = 0; i < 10; ++i) {
        std::vector<Point> velocities;
        for (std::size_t k = 0; k < places.size(); ++k)
            velocities.push_back({normal(engine), normal(engine), normal(engine)});
        const Point momentum = angular_momentum(places, velocities);
        const Point expected = body.angular_velocity(momentum);
        Point found;
        for (const Point& column : columns) found += dot(column, momentum) * column;
        if (inverse.rotational_freedoms() < 3) {
            EXPECT_LT(largest(found - expected), 20.0 * 0x1p-24 * (largest(expected) + 1e-300))
                << places.size() << " places on a line";
        }
        // Linear: nothing is added to what is drawn.
        const auto g = vector_cast<float>(Vec3<double>{normal(engine), normal(engine), normal(engine)});
        const Point sum = static_cast<long double>(g.x) * columns[0] +
                          static_cast<long double>(g.y) * columns[1] +
                          static_cast<long double>(g.z) * columns[2];
        EXPECT_LT(largest(sum - vector_cast<long double>(inverse.thermal_velocity(g))),
                  10.0 * 0x1p-24 * (largest(columns[0]) + largest(columns[1]) + largest(columns[2])) * 4.0);
    }
}

TEST(InverseInertia, gives_a_thermal_rotation_the_covariance_of_the_canonical_ensemble) {
    std::mt19937_64 engine(6);
    for (const int n : {2, 3, 4, 10, 100})
        for (int i = 0; i < 100; ++i) expect_thermal_covariance(random_places(n, engine), engine);
    for (int axis = 0; axis < 3; ++axis) {
        // In a plane across the axis, and along it.
        for (int i = 0; i < 30; ++i) {
            std::vector<Point> planar = random_places(5, engine), line;
            for (Point& p : planar) {
                p[axis] = 0.25L;
                line.push_back({});
                line.back()[axis] = p[(axis + 1) % 3];
            }
            expect_thermal_covariance(planar, engine);
            expect_thermal_covariance(line, engine);
        }
    }
    // A line that is none of the axes, and nearly one: turns fast about itself.
    for (const long double off : {0.0L, 1e-4L, 1e-3L, 1e-2L}) {
        std::vector<Point> places = random_places(4, engine);
        for (Point& p : places) p = p.x * Point{0.6L, -0.3L, 0.5L} + off * p;
        expect_thermal_covariance(places, engine);
    }
    const InverseInertia nowhere(second_moments({{0.1L, 0.2L, 0.3L}, {0.1L, 0.2L, 0.3L}}), least, true);
    const Vec3<float> none = nowhere.thermal_velocity({1.0F, 2.0F, 3.0F});
    EXPECT_EQ(dot(none, none), 0.0F);
}

}  // namespace
}  // namespace mpcflow::test
