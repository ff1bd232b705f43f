#pragma once
/// Elementary functions made of + - * / and sqrt alone.
///
/// The C library's log, sin and cos differ between machines in the last bit, and a run must give the
/// same bits everywhere. These are Taylor series on short intervals, truncated below half a unit of
/// the last place, but for the logarithm in float; every operation is a correctly rounded IEEE one. Those in
/// float are for what is drawn for every particle or cell in every step.

#include <bit>
#include <cmath>
#include <cstdint>

#include "physics/host_device.hpp"

namespace mpcflow {

template <class Real>
struct SinCos {
    Real sin, cos;
};

namespace detail {

/// sin and cos of x for |x| <= pi / 4, double: terms up to x^17 and x^16, remainders under 1e-19.
MPCFLOW_HD SinCos<double> sin_cos_reduced(double x) {
    const double y = x * x;
    double s = 1.0 / 355687428096000.0;
    s = s * y - 1.0 / 1307674368000.0;
    s = s * y + 1.0 / 6227020800.0;
    s = s * y - 1.0 / 39916800.0;
    s = s * y + 1.0 / 362880.0;
    s = s * y - 1.0 / 5040.0;
    s = s * y + 1.0 / 120.0;
    s = s * y - 1.0 / 6.0;
    double c = 1.0 / 20922789888000.0;
    c = c * y - 1.0 / 87178291200.0;
    c = c * y + 1.0 / 479001600.0;
    c = c * y - 1.0 / 3628800.0;
    c = c * y + 1.0 / 40320.0;
    c = c * y - 1.0 / 720.0;
    c = c * y + 1.0 / 24.0;
    c = c * y - 0.5;
    return {x + x * (y * s), 1.0 + y * c};
}

/// The same in float: terms up to x^9 and x^8, remainders under 3e-8.
MPCFLOW_HD SinCos<float> sin_cos_reduced(float x) {
    const float y = x * x;
    float s = 1.0F / 362880.0F;
    s = s * y - 1.0F / 5040.0F;
    s = s * y + 1.0F / 120.0F;
    s = s * y - 1.0F / 6.0F;
    float c = 1.0F / 40320.0F;
    c = c * y - 1.0F / 720.0F;
    c = c * y + 1.0F / 24.0F;
    c = c * y - 0.5F;
    return {x + x * (y * s), 1.0F + y * c};
}

/// sin and cos of a place in [-pi/4, pi/4], turned by the quadrant that the two highest bits of a word
/// choose.
template <class Real>
MPCFLOW_HD SinCos<Real> turn_by_quadrant(std::uint32_t bits, const SinCos<Real>& r) {
    const bool swap = (bits & 0x40000000U) != 0;
    const Real sign = (bits & 0x80000000U) != 0 ? static_cast<Real>(-1) : static_cast<Real>(1);
    // A quarter turn on: (sin, cos) -> (cos, -sin).
    return {sign * (swap ? r.cos : r.sin), sign * (swap ? -r.sin : r.cos)};
}

}  // namespace detail

/// sin and cos of an angle of uniform distribution on the circle, made of 32 random bits: the two
/// highest choose the quadrant, the rest the place in it.
MPCFLOW_HD SinCos<double> sin_cos_of_random_angle(std::uint32_t bits) {
    // The place within a quadrant in (-1/2, 1/2) quarter turns, symmetric about 0.
    const auto place = static_cast<std::int32_t>(bits & 0x3fffffffU) - (1 << 29);
    return detail::turn_by_quadrant(bits,
                                    detail::sin_cos_reduced((place + 0.5) * 0x1p-30 * 1.5707963267948966));
}
/// The same in float, of the 26 highest bits: so many that a place is exact.
MPCFLOW_HD SinCos<float> float_sin_cos_of_random_angle(std::uint32_t bits) {
    const auto place = static_cast<std::int32_t>((bits & 0x3fffffffU) >> 6U) - (1 << 23);
    return detail::turn_by_quadrant(
        bits, detail::sin_cos_reduced((static_cast<float>(place) + 0.5F) * (0x1p-24F * 1.57079633F)));
}
/// sin of an angle of uniform distribution on half the circle, from -pi/2 to pi/2, whose sines are
/// distributed as those of all angles; made of the 24 highest bits. Terms up to x^13, remainder under 1e-9.
MPCFLOW_HD float float_sin_of_random_angle(std::uint32_t bits) {
    const auto place = static_cast<std::int32_t>(bits >> 8U) - (1 << 23);
    const float x = (static_cast<float>(place) + 0.5F) * (0x1p-24F * 3.14159265F);
    const float y = x * x;
    float s = 1.0F / 6227020800.0F;
    s = s * y - 1.0F / 39916800.0F;
    s = s * y + 1.0F / 362880.0F;
    s = s * y - 1.0F / 5040.0F;
    s = s * y + 1.0F / 120.0F;
    s = s * y - 1.0F / 6.0F;
    return x + x * (y * s);
}

/// sin and cos of an angle in degrees, [-180, 180]; to about one unit of the last place.
MPCFLOW_HD SinCos<double> sin_cos_degrees(double degrees) {
    // The nearest multiple of 90 is exact to subtract, so 90 and 180 degrees give exact zeros.
    const double turns =
        degrees < 0.0 ? -static_cast<int>(-degrees / 90.0 + 0.5) : static_cast<int>(degrees / 90.0 + 0.5);
    const SinCos<double> r = detail::sin_cos_reduced((degrees - 90.0 * turns) * (3.141592653589793 / 180.0));
    switch ((static_cast<int>(turns) + 4) % 4) {
        case 0: return r;
        case 1: return {r.cos, -r.sin};
        case 2: return {-r.sin, -r.cos};
        default: return {-r.cos, r.sin};
    }
}

/// sin and cos of `turns` full turns, 0 <= turns <= 2^28; to about one unit of the last place of 1.
MPCFLOW_HD SinCos<double> sin_cos_turns(double turns) {
    // Quarter turns are exact to multiply with and to subtract.
    const double quarters = 4.0 * turns;
    const auto nearest = static_cast<int>(quarters + 0.5);
    const SinCos<double> r = detail::sin_cos_reduced((quarters - nearest) * 1.5707963267948966);
    const bool is_odd = (nearest & 1) != 0;
    const double sine = is_odd ? r.cos : r.sin;
    const double cosine = is_odd ? r.sin : r.cos;
    return {(nearest & 2) != 0 ? -sine : sine, ((nearest + 1) & 2) != 0 ? -cosine : cosine};
}

/// Natural logarithm of a positive normal number; relative error under 3e-16 away from 1.
///
/// x = 2^k f with f in [sqrt(1/2), sqrt(2)); log f = 2 artanh(s), s = (f - 1)/(f + 1), |s| < 0.172.
MPCFLOW_HD double natural_log(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<int>(bits >> 52U) - 1023;
    double f = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
    if (f > 1.4142135623730951) {
        f *= 0.5;
        exponent += 1;
    }
    const double s = (f - 1.0) / (f + 1.0);
    const double y = s * s;
    double sum = 1.0 / 21.0;
    sum = sum * y + 1.0 / 19.0;
    sum = sum * y + 1.0 / 17.0;
    sum = sum * y + 1.0 / 15.0;
    sum = sum * y + 1.0 / 13.0;
    sum = sum * y + 1.0 / 11.0;
    sum = sum * y + 1.0 / 9.0;
    sum = sum * y + 1.0 / 7.0;
    sum = sum * y + 1.0 / 5.0;
    sum = sum * y + 1.0 / 3.0;
    const double log_f = 2.0 * (s + s * (y * sum));
    return exponent * 0.6931471805599453 + log_f;
}
/// The same in float; relative error under 2e-7.
///
/// log f = g - g^2/2 + g^3 P(g), g = f - 1, with P the polynomial of degree 6 whose largest error relative
/// to log f is least, 3.2e-8: there is no division.
MPCFLOW_HD float float_natural_log(float x) {
    constexpr std::uint32_t least = 0x3f3504f3U;  // the bits of sqrt(1/2)
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) - least;
    const auto exponent = static_cast<std::int32_t>(bits) >> 23;
    const float g = std::bit_cast<float>((bits & 0x007fffffU) + least) - 1.0F;
    const float y = g * g;
    float p = 0.08700419F;
    p = p * g - 0.14267489F;
    p = p * g + 0.14914773F;
    p = p * g - 0.16577584F;
    p = p * g + 0.19963063F;
    p = p * g - 0.25001337F;
    p = p * g + 0.33333911F;
    return static_cast<float>(exponent) * 0.69314718F + (g + (y * (g * p) - 0.5F * y));
}

}  // namespace mpcflow
