/// Elementary functions against long double references: largest errors in units of the last place.

#include <bit>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <random>
#include <vector>

#include "physics/elementary.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

constexpr long double quarter = std::numbers::pi_v<long double> / 2;

// Words around every boundary of a quadrant, around the middles of quadrants, and at random.
std::vector<std::uint32_t> many_words(int random_ones) {
    std::vector<std::uint32_t> list;
    for (std::uint32_t eighth = 0; eighth < 8; ++eighth) {
        for (std::uint32_t near = 0; near < 200; ++near) {
            list.push_back((eighth << 29U) + near);
            list.push_back((eighth << 29U) - 1U - near);
        }
    }
    std::mt19937 engine(1);
    for (int i = 0; i < random_ones; ++i) list.push_back(static_cast<std::uint32_t>(engine()));
    return list;
}

// sin and cos of `turns` quarter turns and `rest` quarter turns more, |rest| <= 1/2. Not of their sum: near
// their zeros even long double has not enough digits of pi.
SinCos<long double> reference(int turns, long double rest) {
    const long double s = std::sin(rest * quarter);
    const long double c = std::cos(rest * quarter);
    const long double sines[4] = {s, c, -s, -c};
    return {sines[(turns + 4) % 4], sines[(turns + 5) % 4]};
}

double worst_error_on_the_circle() {
    double worst = 0.0;
    for (const std::uint32_t bits : many_words(500000)) {
        // The two highest bits are quarter turns, the rest the place within (-1/2, 1/2) of one.
        const long double place = (static_cast<long double>(bits & 0x3fffffffU) + 0.5L) * 0x1p-30L - 0.5L;
        const SinCos<long double> exact = reference(static_cast<int>(bits >> 30U), place);
        const SinCos<double> r = sin_cos_of_random_angle(bits);
        worst = std::max({worst, error_in_ulps(r.sin, exact.sin), error_in_ulps(r.cos, exact.cos)});
    }
    return worst;
}

// Of the argument pi / 2 and the product round, each to half an epsilon, which is up to one unit of the last
// place; then comes the sum of the series.
TEST(RandomAngle, within_two_and_a_half_units_of_the_last_place) {
    EXPECT_LT(worst_error_on_the_circle(), 2.5);
}

// Of the argument the constant and the product round, 2^-24 of up to pi/4 together; the series and its sum
// add the same once more.
TEST(RandomAngle, in_float_is_that_of_its_bits) {
    for (const std::uint32_t bits : many_words(500000)) {
        const long double place =
            (static_cast<long double>((bits & 0x3fffffffU) >> 6U) + 0.5L) * 0x1p-24L - 0.5L;
        const SinCos<long double> exact = reference(static_cast<int>(bits >> 30U), place);
        const SinCos<float> r = float_sin_cos_of_random_angle(bits);
        ASSERT_NEAR(r.sin, static_cast<double>(exact.sin), 1.5e-7) << bits;
        ASSERT_NEAR(r.cos, static_cast<double>(exact.cos), 1.5e-7) << bits;
        const long double half = (static_cast<long double>(bits >> 8U) + 0.5L) * 0x1p-24L - 0.5L;
        ASSERT_NEAR(float_sin_of_random_angle(bits), static_cast<double>(std::sin(2.0L * half * quarter)),
                    3e-7)
            << bits;
        // Of mirrored words all are the negative, so that no mean is anything but zero.
        ASSERT_EQ(float_sin_of_random_angle(~bits), -float_sin_of_random_angle(bits));
        ASSERT_EQ(float_sin_cos_of_random_angle(bits ^ 0x80000000U).sin, -r.sin);
        ASSERT_EQ(float_sin_cos_of_random_angle(bits ^ 0x80000000U).cos, -r.cos);
    }
}

TEST(RandomAngle, is_symmetric) {
    for (const std::uint32_t bits : many_words(1000)) {
        const SinCos<double> r = sin_cos_of_random_angle(bits);
        const SinCos<double> opposite = sin_cos_of_random_angle(bits ^ 0x80000000U);
        EXPECT_EQ(r.sin, -opposite.sin);
        EXPECT_EQ(r.cos, -opposite.cos);
        // 2^30 steps a quarter turn: the mirror image of a place within its quadrant.
        const SinCos<double> mirrored = sin_cos_of_random_angle((bits & 0xc0000000U) | (~bits & 0x3fffffffU));
        const bool odd = (bits & 0x40000000U) != 0;
        EXPECT_EQ(odd ? r.cos : r.sin, odd ? -mirrored.cos : -mirrored.sin);
        EXPECT_EQ(odd ? r.sin : r.cos, odd ? mirrored.sin : mirrored.cos);
    }
}

TEST(Degrees, multiples_of_a_quarter_turn_are_exact) {
    const auto expect = [](double degrees, double sine, double cosine) {
        const SinCos<double> r = sin_cos_degrees(degrees);
        EXPECT_EQ(r.sin, sine) << degrees;
        EXPECT_EQ(r.cos, cosine) << degrees;
    };
    expect(0.0, 0.0, 1.0);
    expect(90.0, 1.0, 0.0);
    expect(180.0, 0.0, -1.0);
    expect(-90.0, -1.0, 0.0);
    expect(-180.0, 0.0, -1.0);
}

// The remainder is exact, the factor pi / 180 and the product round: 1 ulp and the sum's half. Near a zero of
// one of them its relative error is that of the argument.
TEST(Degrees, within_two_units_of_the_last_place) {
    double worst = 0.0;
    std::vector<double> list{0x1p-40,   1e-9,      44.999999, 45.0,      45.000001,
                             89.999999, 90.000001, 135.0,     179.999999};
    for (int i = 1; i < 180000; ++i) list.push_back(0.001 * i);
    for (const double degrees : list) {
        for (const double signed_degrees : {degrees, -degrees}) {
            const SinCos<double> r = sin_cos_degrees(signed_degrees);
            const int turns = static_cast<int>(std::lround(signed_degrees / 90.0));
            const auto exact =
                reference(turns, (static_cast<long double>(signed_degrees) - 90.0L * turns) / 90.0L);
            worst = std::max({worst, error_in_ulps(r.sin, exact.sin), error_in_ulps(r.cos, exact.cos)});
        }
    }
    EXPECT_LT(worst, 2.0);
}

// As of degrees: the product with pi / 2 rounds, and the sum of the series.
TEST(Turns, within_two_units_of_the_last_place) {
    std::mt19937_64 engine(4);
    double worst = 0.0;
    for (int i = 0; i < 300000; ++i) {
        // Up to one turn, as of a place in a box, and up to many.
        const double most = i % 2 == 0 ? 1.0 : 0x1p28;
        const double turns = most * static_cast<double>(engine() >> 11U) * 0x1p-53;
        const double quarters = 4.0 * turns;
        const auto nearest = static_cast<std::int64_t>(std::floor(quarters + 0.5));
        const auto exact =
            reference(static_cast<int>(nearest % 4), static_cast<long double>(quarters) - nearest);
        const SinCos<double> r = sin_cos_turns(turns);
        worst = std::max({worst, error_in_ulps(r.sin, exact.sin), error_in_ulps(r.cos, exact.cos)});
    }
    EXPECT_LT(worst, 2.0);
}

TEST(Turns, multiples_of_a_quarter_turn_are_exact) {
    constexpr double sines[4] = {0.0, 1.0, 0.0, -1.0};
    for (int quarter_turns = 0; quarter_turns < 12; ++quarter_turns) {
        const SinCos<double> r = sin_cos_turns(0.25 * quarter_turns);
        EXPECT_EQ(r.sin, sines[quarter_turns % 4]);
        EXPECT_EQ(r.cos, sines[(quarter_turns + 1) % 4]);
    }
}

TEST(NaturalLog, within_two_units_of_the_last_place_away_from_1) {
    double worst = 0.0;
    std::mt19937_64 engine(2);
    std::vector<double> list{
        0x1p-1022, 0x1p-53,        0x1p-52,       0.5, 2.0, 1e300, 1.7976931348623157e308,
        1e-300,    std::sqrt(0.5), std::sqrt(2.0)};
    for (const double x : {0.7071067811865475, 1.4142135623730951, 0.3535533905932737}) {
        list.push_back(std::nextafter(x, 0.0));
        list.push_back(std::nextafter(x, 4.0));
    }
    // All exponents alike; then as the variates need them, uniform in (0, 1).
    for (int i = 0; i < 300000; ++i) {
        const std::uint64_t bits = engine();
        const std::uint64_t exponent = 1 + bits % 2046;
        list.push_back(std::bit_cast<double>((exponent << 52U) | (engine() >> 12U)));
        list.push_back((static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52);
    }
    for (const double x : list) {
        if (x > 0.5 && x < 2.0) continue;
        worst = std::max(worst, error_in_ulps(natural_log(x), std::log(static_cast<long double>(x))));
    }
    EXPECT_LT(worst, 2.0);
}

// For 1/2 < x < sqrt(1/2) log f is taken from log 2: half a unit of log 2 is up to one of the result, and log
// f and the difference round as well. From sqrt(1/2) on the series alone counts, so the relative error stays
// small down to the zero.
TEST(NaturalLog, within_three_units_of_the_last_place_near_1) {
    double worst = 0.0;
    std::vector<double> list;
    for (int i = 1; i < 200000; ++i) list.push_back(0.5 + 1.5 * i / 200000.0);
    for (int bit = 2; bit <= 52; ++bit) {
        list.push_back(1.0 + std::ldexp(1.0, -bit));
        list.push_back(1.0 - std::ldexp(1.0, -bit - 1));
    }
    for (const double x : list)
        if (x != 1.0)
            worst = std::max(worst, error_in_ulps(natural_log(x), std::log(static_cast<long double>(x))));
    EXPECT_LT(worst, 3.0);
    EXPECT_EQ(natural_log(1.0), 0.0);
}

// The polynomial errs by 3.2e-8 of the logarithm, a float by 6e-8, and a logarithm near zero is a difference
// of rounded ones of the same sign.
TEST(NaturalLog, in_float_within_2e_7) {
    for (std::uint32_t bits = std::bit_cast<std::uint32_t>(0x1p-33F); bits <= 0x3f800000U; bits += 61) {
        const auto x = std::bit_cast<float>(bits);
        const auto exact = static_cast<double>(std::log(static_cast<long double>(x)));
        ASSERT_NEAR(float_natural_log(x), exact, 2e-7 * std::abs(exact)) << x;
    }
    EXPECT_EQ(float_natural_log(1.0F), 0.0F);
}

}  // namespace
}  // namespace mpcflow::test
