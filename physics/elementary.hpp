#pragma once
/// Elementary functions made of + - * / and sqrt alone.
///
/// The C library's log, sin and cos differ between machines in the last bit, and a run must give the
/// same bits everywhere. These are Taylor series on short intervals, truncated below half a unit of
/// the last place; every operation is a correctly rounded IEEE one.

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

}  // namespace detail

/// sin and cos of an angle of uniform distribution on the circle, made of 32 random bits: the two
/// highest choose the quadrant, the rest the place in it.
MPCFLOW_HD SinCos<double> sin_cos_of_random_angle(std::uint32_t bits) {
    // The place within a quadrant in (-1/2, 1/2) quarter turns, symmetric about 0.
    const auto place = static_cast<std::int32_t>(bits & 0x3fffffffU) - (1 << 29);
    const SinCos<double> r = detail::sin_cos_reduced((place + 0.5) * 0x1p-30 * 1.5707963267948966);
    const bool swap = (bits & 0x40000000U) != 0;
    const double sign = (bits & 0x80000000U) != 0 ? -1.0 : 1.0;
    // A quarter turn on: (sin, cos) -> (cos, -sin).
    return {sign * (swap ? r.cos : r.sin), sign * (swap ? -r.sin : r.cos)};
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

}  // namespace mpcflow
