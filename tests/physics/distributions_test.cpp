/// Random variates as distributions.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "physics/distributions.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

RandomSource source_of(std::uint64_t index) { return {11, RandomStream::rotation_axis, 3, index}; }

template <class Real>
class UnitVector : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(UnitVector, Reals);

// Bands of equal height have equal areas (Archimedes); with the axes permuted all three directions are poles.
TYPED_TEST(UnitVector, is_uniform_on_the_sphere) {
    constexpr int bands = 12;
    constexpr int sectors = 16;
    for (int pole = 0; pole < 3; ++pole) {
        std::vector<double> counts(bands * sectors);
        for (std::uint64_t i = 0; i < 200000; ++i) {
            const Vec3<double> n = vector_cast<double>(unit_vector<TypeParam>(source_of(i).next()));
            const double height = n[pole];
            const double azimuth = std::atan2(n[(pole + 2) % 3], n[(pole + 1) % 3]) / (2.0 * M_PI) + 0.5;
            const int band = std::min(bands - 1, static_cast<int>(0.5 * (height + 1.0) * bands));
            const int sector = std::min(sectors - 1, static_cast<int>(azimuth * sectors));
            counts[band * sectors + sector] += 1.0;
        }
        EXPECT_GT(uniform_p_value(counts), least_p_value) << "pole " << pole;
    }
}

// In Real: 1 - z and 1 + z, their product, the root, sine and cosine (2.5 units each): under 6 epsilon.
TYPED_TEST(UnitVector, has_length_1_also_at_the_extremes_of_its_bits) {
    const double tolerance = 6.0 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    std::vector<RandomBlock> blocks;
    for (const std::uint32_t z : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xfffffffeU, 0xffffffffU})
        for (const std::uint32_t azimuth : {0U, 0x20000000U, 0x3fffffffU, 0x40000000U, 0xffffffffU})
            blocks.push_back({{azimuth, z, 0, 0}});
    for (std::uint64_t i = 0; i < 100000; ++i) blocks.push_back(source_of(i).next());
    for (const RandomBlock& bits : blocks) {
        const Vec3<double> n = vector_cast<double>(unit_vector<TypeParam>(bits));
        ASSERT_NEAR(dot(n, n), 1.0, tolerance);
    }
}

// A bias of the length, however small, is the same in every collision, and energy drifts with it.
TYPED_TEST(UnitVector, has_length_1_on_average) {
    constexpr int axes = 2000000;
    double sum = 0.0;
    double squares = 0.0;
    for (std::uint64_t i = 0; i < axes; ++i) {
        const Vec3<double> n = vector_cast<double>(unit_vector<TypeParam>(source_of(i).next()));
        // In units of epsilon, and before it cancels: |n|^2 - 1 of doubles rounds itself.
        const long double excess = static_cast<long double>(n.x) * n.x + static_cast<long double>(n.y) * n.y +
                                   static_cast<long double>(n.z) * n.z - 1.0L;
        const double e =
            static_cast<double>(excess) / static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
        sum += e;
        squares += e * e;
    }
    if (sizeof(TypeParam) == sizeof(float)) {
        EXPECT_LT(std::abs(sum), 4.5 * std::sqrt(squares));
    } else {
        // The errors of the series in double are not quite symmetric; 1e-3 epsilon is 2e-19.
        EXPECT_LT(std::abs(sum), 1e-2 * axes);
    }
}

TYPED_TEST(UnitVector, both_precisions_point_the_same_way) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const RandomBlock bits = source_of(i).next();
        const Vec3<double> difference =
            unit_vector<double>(bits) - vector_cast<double>(unit_vector<float>(bits));
        // Near the poles 1 - z^2 loses digits of z: sqrt(1 - z) errs by up to sqrt(epsilon).
        ASSERT_LT(std::abs(difference.z), 1e-7);
        ASSERT_LT(dot(difference, difference), 1e-7);
    }
}

TEST(GaussianPair, both_are_standard_gaussians_and_uncorrelated) {
    std::vector<double> first, second;
    Correlation plain, squares;
    for (std::uint64_t i = 0; i < 200000; ++i) {
        const SinCos<double> g = gaussian_pair(source_of(i).next());
        first.push_back(g.sin);
        second.push_back(g.cos);
        plain.add(g.sin, g.cos);
        squares.add(g.sin * g.sin - 1.0, g.cos * g.cos - 1.0);
    }
    EXPECT_TRUE(is_gaussian(first, 1.0));
    EXPECT_TRUE(is_gaussian(second, 1.0));
    EXPECT_TRUE(plain.is_zero());
    EXPECT_TRUE(squares.is_zero());
}

// Central moments 1 to 4: 0, 1, 0, 3; variances of the estimates from moments 2 to 8: 1, 2, 15, 96.
TEST(GaussianPair, moments_up_to_the_fourth) {
    std::array<double, 5> sums{};
    const std::array<double, 5> expected{1.0, 0.0, 1.0, 0.0, 3.0};
    const std::array<double, 5> variances{0.0, 1.0, 2.0, 15.0, 96.0};
    constexpr int n = 1000000;
    for (std::uint64_t i = 0; i < n / 2; ++i) {
        const SinCos<double> g = gaussian_pair(source_of(i).next());
        for (const double x : {g.sin, g.cos}) {
            double power = 1.0;
            for (double& sum : sums) {
                sum += power;
                power *= x;
            }
        }
    }
    for (std::size_t k = 1; k < sums.size(); ++k)
        EXPECT_TRUE(is_near(sums[k] / n, expected[k], std::sqrt(variances[k] / n))) << "moment " << k;
}

// The extremes of the bits are finite: log is never taken of 0, and the largest radius is sqrt(2 * 53 log 2).
TEST(GaussianPair, is_finite_for_all_bits) {
    for (const std::uint32_t a : {0U, 0xffffffffU}) {
        for (const std::uint32_t angle : {0U, 0x20000000U, 0xffffffffU}) {
            const SinCos<double> g = gaussian_pair({{a, a, angle, 0}});
            EXPECT_LE(g.sin * g.sin + g.cos * g.cos, 2.0 * 53.0 * std::log(2.0) * (1.0 + 1e-14));
        }
    }
}

/// Whether vectors have three independent Gaussian components of variance 1.
class GaussianComponents {
public:
    template <class Real>
    void add(Vec3<Real> g) {
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3;
            samples_[a].push_back(g[a]);
            plain_[a].add(g[a], g[b]);
            squares_[a].add(g[a] * g[a] - 1.0, g[b] * g[b] - 1.0);
        }
    }
    void expect() const {
        for (const auto& component : samples_) EXPECT_TRUE(is_gaussian(component, 1.0));
        for (const Correlation& c : plain_) EXPECT_TRUE(c.is_zero());
        for (const Correlation& c : squares_) EXPECT_TRUE(c.is_zero());
    }

private:
    std::array<std::vector<double>, 3> samples_;
    std::array<Correlation, 3> plain_, squares_;
};

TEST(GaussianVector, in_float_has_three_independent_gaussian_components) {
    GaussianComponents components;
    for (std::uint64_t i = 0; i < 200000; ++i) components.add(float_gaussian_vector(source_of(i).next()));
    components.expect();
    // The largest radius: of 2^-32.
    const Vec3<float> last = float_gaussian_vector(RandomBlock{{0, 0, 0, 0}});
    EXPECT_NEAR(std::sqrt(last.x * last.x + last.y * last.y), std::sqrt(64.0 * std::log(2.0)), 1e-5);
    for (const std::uint32_t word : {0U, 0xffffffffU}) {
        const Vec3<float> g = float_gaussian_vector(RandomBlock{{word, word, word, word}});
        for (int a = 0; a < 3; ++a) EXPECT_TRUE(std::isfinite(g[a])) << word;
    }
}

// Not of samples, but of words at equal distances, whose mean is the integral over all words but for what
// midpoints lack where the logarithm goes to infinity, 2e-7 of the second moment, 2, and 2e-5 of the
// fourth, 8. So a bias that no test of samples sees is seen here.
TEST(GaussianVector, in_float_has_the_second_and_fourth_moments_of_a_gaussian) {
    constexpr std::uint32_t n = 1U << 22U;
    std::array<double, 3> second{}, fourth{};
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t word = i * (0xffffffffU / n + 1U) + (1U << 9U);
        // Radii at a fixed angle, and angles at a fixed radius.
        const Vec3<float> of_radius = float_gaussian_vector({{word, 0x15555555U, word, 0x12345678U}});
        const Vec3<float> of_angle = float_gaussian_vector({{0x10000000U, word, 0x10000000U, word}});
        const double r =
            static_cast<double>(of_radius.x) * of_radius.x + static_cast<double>(of_radius.y) * of_radius.y;
        const double x = static_cast<double>(of_angle.x) * of_angle.x;
        const double z = static_cast<double>(of_angle.z) * of_angle.z;
        second[0] += r / n;
        fourth[0] += r * r / n;
        second[1] += x / n;
        fourth[1] += x * x / n;
        second[2] += z / n;
        fourth[2] += z * z / n;
    }
    EXPECT_NEAR(second[0], 2.0, 1e-6);
    EXPECT_NEAR(fourth[0], 8.0, 3e-5);
    // A sine's square has the mean 1/2, its fourth power 3/8; the radius is that of the word.
    const double radius_squared = -2.0 * std::log((0x08000000 + 0.5) * 0x1p-31);
    for (const int a : {1, 2}) {
        EXPECT_NEAR(second[a], radius_squared / 2.0, 1e-6 * radius_squared) << a;
        EXPECT_NEAR(fourth[a], 3.0 / 8.0 * radius_squared * radius_squared,
                    1e-6 * radius_squared * radius_squared)
            << a;
    }
}

TEST(GaussiansBesideAThermalDraw, are_independent_gaussian_variates_and_independent_of_the_draw) {
    GaussianComponents components;
    std::array<Correlation, 3> with_gaussian, with_its_square, with_uniform, with_turned;
    for (std::uint64_t i = 0; i < 200000; ++i) {
        const RandomBlock bits = source_of(i).next();
        const Vec3<float> g = float_gaussians_beside_thermal_draw(bits);
        const ThermalDraw drawn = ThermalDraw::make(bits);
        const double x = std::bit_cast<float>(drawn.gaussian);
        // Of variance 1.
        const double u = std::sqrt(12.0) * (uniform_open(drawn.uniform[0], drawn.uniform[1]) - 0.5);
        components.add(g);
        for (int a = 0; a < 3; ++a) {
            with_gaussian[a].add(g[a], x);
            with_its_square[a].add(g[a] * g[a] - 1.0, x * x - 1.0);
            with_uniform[a].add(g[a] * g[a] - 1.0, u);
            // An angle made of the words of u would show.
            with_turned[a].add(g[a], std::sqrt(2.0) * std::sin(6.283185307179586 / std::sqrt(12.0) * u));
            with_turned[a].add(g[a], std::sqrt(2.0) * std::cos(6.283185307179586 / std::sqrt(12.0) * u));
        }
    }
    components.expect();
    for (const auto& all : {with_gaussian, with_its_square, with_uniform, with_turned})
        for (const Correlation& c : all) EXPECT_TRUE(c.is_zero());
    for (const std::uint32_t word : {0U, 1U, 0x80000000U, 0xffffffffU}) {
        const Vec3<float> g = float_gaussians_beside_thermal_draw(RandomBlock{{word, word, word, word}});
        for (int a = 0; a < 3; ++a) EXPECT_TRUE(std::isfinite(g[a])) << word;
    }
}

// Of all words that the last one may be, but for its angle in 16 places: what midpoints lack is said above,
// of 2^20 of them 1e-6 of the second moment, 2, and 5e-5 of the fourth, 8. The first one's length is that of
// the pair that it shares with the draw, in which no digit is lost to its sign.
TEST(GaussiansBesideAThermalDraw, have_the_moments_of_gaussian_variates) {
    constexpr std::uint32_t n = 1U << 20U;
    std::array<double, 2> second{}, fourth{};
    for (std::uint32_t i = 0; i < n; ++i) {
        const Vec3<float> g = float_gaussians_beside_thermal_draw({{7, 9, 11, i << 12U | (i & 15U) << 8U}});
        const double square = static_cast<double>(g.y) * g.y + static_cast<double>(g.z) * g.z;
        second[0] += square / n;
        fourth[0] += square * square / n;
    }
    EXPECT_NEAR(second[0], 2.0, 3e-6);
    EXPECT_NEAR(fourth[0], 8.0, 1e-4);
    // At equal distances all angles of a circle have the moments 1/2 and 3/8.
    const double radius = -2.0 * std::log((0x00555c00 + 0.5) * 0x1p-31);
    for (std::uint32_t i = 0; i < 4096; ++i) {
        const Vec3<float> g = float_gaussians_beside_thermal_draw({{7, 9, 11, 0x00aab000U | i}});
        second[1] += static_cast<double>(g.z) * g.z / 4096.0;
        fourth[1] += std::pow(static_cast<double>(g.z), 4) / 4096.0;
    }
    EXPECT_NEAR(second[1], radius / 2.0, 1e-6 * radius);
    EXPECT_NEAR(fourth[1], 3.0 / 8.0 * radius * radius, 1e-6 * radius * radius);
    for (std::uint32_t i = 0; i < 4096; ++i) {
        const RandomBlock bits = source_of(i).next();
        const double other = float_gaussians_beside_thermal_draw(bits).x;
        const double x = std::bit_cast<float>(ThermalDraw::make(bits).gaussian);
        const double square = -2.0 * std::log(((bits.word[0] >> 1U) + 0.5) * 0x1p-31);
        // The logarithm of a float near 1 is right to its rounding.
        EXPECT_NEAR(other * other + x * x, square, 2e-6 * square + 2e-7);
    }
}

TEST(GaussianVector, components_are_gaussian_and_independent_also_of_the_next_vector) {
    GaussianComponents components;
    std::array<Correlation, 3> plain, squares;  // of two vectors
    for (std::uint64_t i = 0; i < 100000; ++i) {
        RandomSource source = source_of(i);
        const Vec3<double> g = gaussian_vector(source);
        const Vec3<double> next = gaussian_vector(source);
        components.add(g);
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3;
            plain[a].add(g[a], next[b]);
            squares[a].add(g[a] * g[a] - 1.0, next[a] * next[a] - 1.0);
        }
        ASSERT_EQ(source.next_block, 4u) << "two blocks a vector";
    }
    components.expect();
    for (const Correlation& c : plain) EXPECT_TRUE(c.is_zero());
    for (const Correlation& c : squares) EXPECT_TRUE(c.is_zero());
}

class ThermalEnergy : public testing::TestWithParam<int> {};

TEST_P(ThermalEnergy, follows_the_gamma_distribution) {
    const int freedoms = GetParam();
    std::vector<double> samples;
    for (std::uint64_t i = 0; i < 100000; ++i) {
        RandomSource source = source_of(i);
        RandomSource same = source;
        const ThermalDraw drawn = ThermalDraw::make(RandomSource(source).next());
        samples.push_back(thermal_energy(freedoms, source));
        ASSERT_EQ(thermal_energy(freedoms, drawn, same), samples.back());
        ASSERT_EQ(same.next_block, source.next_block);
    }
    EXPECT_TRUE(is_gamma(samples, 0.5 * freedoms, 1.0));
}

// With the largest u that the short cut takes, whose logarithm is nearest to what it must be below.
TEST_P(ThermalEnergy, what_is_taken_without_a_logarithm_is_taken_by_it) {
    const int freedoms = std::max(GetParam(), 2);
    const detail::ThermalTries tries(freedoms);
    int taken_at_all = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        RandomSource source = source_of(i);
        auto one = tries.make(ThermalDraw::make(source.next()));
        taken_at_all += tries.is_surely_taken(one) ? 1 : 0;
        std::uint32_t largest = 0;
        for (std::uint32_t bit = 0x80000000U; bit > 0; bit >>= 1U) {
            one.u[0] = largest | bit;
            if (tries.is_surely_taken(one)) largest |= bit;
        }
        one.u[0] = largest;
        one.u[1] = ~0U;
        ASSERT_TRUE(!tries.is_surely_taken(one) || tries.is_taken(one))
            << "x = " << one.x << ", u = " << largest;
    }
    // Of few particles many are beyond its |y|, and of as many as no cell has it says nothing.
    if (freedoms > 262000) EXPECT_EQ(taken_at_all, 0);
    else EXPECT_GT(taken_at_all, freedoms >= 27 ? 19800 : 10000);
}

// 1: two particles with angular momentum; 3: two without; 4: three collinear; 27: ten; 57: twenty; 2997: a
// thousand; then as many as the fullest cells have, where what the short cut leaves out matters, and more.
INSTANTIATE_TEST_SUITE_P(Freedoms, ThermalEnergy,
                         testing::Values(1, 2, 3, 4, 6, 27, 57, 2997, 55476, 234468, 300000),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace mpcflow::test
