/// The rotation of SRD: its constants, its axes, and that it is one.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "physics/collision/rotation.hpp"
#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

template <class Real>
class Rotations : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(Rotations, Reals);

// The rotation matrix n n^T + cos (1 - n n^T) + sin [n]x, applied in long double.
Point rotated(Point n, Point v, long double angle) {
    const long double c = std::cos(angle);
    return c * v + (1.0L - c) * dot(n, v) * n + std::sin(angle) * cross(n, v);
}

template <class Real, class Axis>
void expect_turned() {
    const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    CellMaker maker(1);
    for (const double angle : {1.0, 10.0, 60.0, 90.0, 130.0, 170.0, 180.0}) {
        const Rotation<Real> rotation(angle);
        for (std::uint64_t step = 0; step < 500; ++step) {
            const auto axis = Axis::make({1, step, 0});
            const Vec3<Real> v = maker.make<Real>(1, 1.0)[0].velocity;
            const Point n = vector_cast<long double>(axis.unit());
            const Point exact =
                rotated(n, vector_cast<long double>(v), angle / 180.0L * std::numbers::pi_v<long double>);
            const Point found = vector_cast<long double>(rotation(axis, v));
            const double speed = length(vector_cast<long double>(v));
            // Twice two cross products and sums, the axis' own length; and the neighbour of the angle that
            // keeps lengths best, which in versine is up to 4000 (double) or 250 (float) units of the last
            // place away, and in the angle by 1 / sin more, or where that is zero its root.
            const double units = std::is_same_v<Real, float> ? 250.0 : 4000.0;
            const double sine = std::max(std::sin(angle * M_PI / 180.0), 0.01);
            ASSERT_LE(length(found - exact), (20.0 + (angle == 180.0 ? 0.0 : units / sine)) * epsilon * speed)
                << angle;
        }
    }
}

TYPED_TEST(Rotations, turn_by_the_angle_about_the_axis_right_handed) {
    expect_turned<TypeParam, AxisDraw<TypeParam>>();
    if constexpr (std::is_same_v<TypeParam, float>) expect_turned<float, ShortAxisDraw>();
}

// z by x and y: as long as an axis of three floats, and the same one, but for z where it is small, which is
// then off by the root of what the square is. Of x the last bit is lost.
TEST(ShortAxis, is_the_axis) {
    constexpr double epsilon = std::numeric_limits<float>::epsilon();
    int below = 0;
    Moments length;  // an axis that is longer on average would heat
    for (std::uint64_t step = 0; step < 20000; ++step) {
        const CellKey key{3, step, 5};
        const Vec3<double> axis = vector_cast<double>(AxisDraw<float>::make(key).unit());
        const Vec3<double> shorter = vector_cast<double>(ShortAxisDraw::make(key).unit());
        ASSERT_NEAR(dot(shorter, shorter), 1.0, 2.0 * epsilon);
        length.add(dot(shorter, shorter) - 1.0);
        ASSERT_NEAR(shorter.x, axis.x, epsilon);
        ASSERT_EQ(shorter.y, axis.y);
        ASSERT_NEAR(shorter.z * shorter.z, axis.z * axis.z, 4.0 * epsilon);
        if (std::abs(axis.z) > 1e-3) ASSERT_EQ(shorter.z < 0.0, axis.z < 0.0);
        below += shorter.z < 0.0 ? 1 : 0;
    }
    // 4.5 standard errors of 20000 halves.
    EXPECT_NEAR(below, 10000, 4.5 * std::sqrt(20000 * 0.25));
    EXPECT_TRUE(has_mean(length, 0.0));
    EXPECT_LT(std::abs(length.mean()), epsilon / 100.0);
}

/// s^2 + v^2 - 2 v, which is 0 for a rotation. The squares' own roundings from fused multiplication, which is
/// exact; the sums in long double, where v^2 - 2 v and s^2 nearly cancel.
double orthogonality_miss(double s, double v) {
    const double s2 = s * s;
    const double v2 = v * v;
    const long double squares = (static_cast<long double>(v2) - 2.0L * v) + s2;
    return static_cast<double>(squares + std::fma(s, s, -s2) + std::fma(v, v, -v2));
}

// A miss enters every collision with the same sign. s is rounded to half a unit of its last place, so any
// miss is up to epsilon s^2, and the best of n neighbours of the angle about n times better: 4000 in double,
// 250 in float. It is less where the slope ds/dv is a simple ratio and the misses repeat (in float 8/5 at 32
// degrees), and at 45 and 135 degrees, where s and v move in steps of one size, there is nothing to choose.
TYPED_TEST(Rotations, constants_keep_lengths_far_better_than_one_rounding) {
    const double epsilon = static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    const bool is_float = std::is_same_v<TypeParam, float>;
    for (int i = 1; i <= 360; ++i) {
        const double angle = 0.5 * i;
        const auto constants = rotation_constants<TypeParam>(angle);
        const double sine = constants.sine;
        const double share = angle == 45.0 || angle == 135.0 ? 1.0 : (is_float ? 0.15 : 0.005);
        // The search keeps close to the angle, so near 0 and 180 degrees it has fewer neighbours to choose
        // from; what is missed there is small beside a rounding of the length all the same.
        const double scale = std::max(sine * sine, 0.01);
        EXPECT_LE(std::abs(orthogonality_miss(sine, constants.versine)), share * epsilon * scale) << angle;
        EXPECT_NEAR(std::atan2(std::abs(sine), 1.0 - static_cast<double>(constants.versine)) * 180.0 / M_PI,
                    angle, is_float ? 0.02 : 1e-9)
            << angle;
    }
    EXPECT_EQ(rotation_constants<TypeParam>(180.0).sine, 0);
    EXPECT_EQ(rotation_constants<TypeParam>(180.0).versine, 2);
}

// In double a collision neither heats nor cools on average, to what 1e5 of them can show.
TEST(Energy, does_not_drift_in_double) {
    for (const double angle : {60.0, 130.0, 180.0}) {
        System system;
        system.collision.angle = angle;
        const Rotation<double> rotation(angle);
        CellMaker maker(2);
        Moments change;
        for (std::uint64_t step = 0; step < 100000; ++step) {
            const Vec3<double> v = maker.make<double>(1, 1.0)[0].velocity;
            const Point before = vector_cast<long double>(v);
            const Point after = vector_cast<long double>(rotation(AxisDraw<double>::make({2, step, 0}), v));
            change.add(static_cast<double>(dot(after, after) / dot(before, before) - 1.0L));
        }
        EXPECT_TRUE(has_mean(change, 0.0)) << angle;
        EXPECT_LT(std::abs(change.mean()), 0x1p-52 / 100.0) << angle;
    }
}

TYPED_TEST(Rotations, axes_are_uniform_and_new_for_every_cell_step_and_seed) {
    std::array<Moments, 9> cosines, squares;
    std::vector<double> heights;
    for (std::uint64_t step = 0; step < 200; ++step) {
        for (std::int64_t cell = 0; cell < 200; ++cell) {
            const auto axis = [](std::uint64_t seed, std::uint64_t s, std::int64_t c) {
                return vector_cast<double>(AxisDraw<TypeParam>::make({seed, s, c}).unit());
            };
            const Vec3<double> n = axis(1, step, cell);
            heights.push_back(n.x);
            // The neighbours in every coordinate, and where two coordinates are exchanged.
            const Vec3<double> others[]{axis(1, step, cell + 1),
                                        axis(1, step + 1, cell),
                                        axis(2, step, cell),
                                        axis(1, step + 1, cell - 1),
                                        axis(1, step, cell + (std::int64_t{1} << 32)),
                                        axis(1, step + (std::uint64_t{1} << 32), cell),
                                        axis(1 + (std::uint64_t{1} << 32), step, cell),
                                        axis(1, step + 200, cell),
                                        axis(1, step, cell + 200)};
            for (std::size_t k = 0; k < 9; ++k) {
                const double c = dot(n, others[k]);
                cosines[k].add(c);
                squares[k].add(c * c);
            }
        }
    }
    for (std::size_t k = 0; k < 9; ++k) {
        // The cosine between independent axes is uniform in (-1, 1).
        EXPECT_TRUE(has_mean(cosines[k], 0.0)) << k;
        EXPECT_TRUE(has_mean(squares[k], 1.0 / 3.0)) << k;
    }
    EXPECT_GT(kolmogorov_p_value(heights, [](double x) { return 0.5 * (x + 1.0); }), least_p_value);
}

}  // namespace
}  // namespace mpcflow::test
