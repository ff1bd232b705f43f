#pragma once
/// Random variates, from counters and our own elementary functions: the same bits everywhere.

#include <cmath>

#include "physics/elementary.hpp"
#include "physics/random.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// A unit vector uniform on the sphere: z is uniform in (-1, 1), the azimuth on the circle (Archimedes).
///
/// Made in double and rounded once: made in float its length errs by 1.6e-9 on average, and a rotation
/// about it lets the energy of a fluid in mixed precision drift.
template <class Real>
MPCFLOW_HD Vec3<Real> unit_vector(const RandomBlock& bits) {
    const double z = (static_cast<std::int32_t>(bits.word[1] - 0x80000000U) + 0.5) * 0x1p-31;
    const SinCos<double> azimuth = sin_cos_of_random_angle(bits.word[0]);
    const double radius = std::sqrt((1.0 - z) * (1.0 + z));
    return vector_cast<Real>(Vec3<double>{radius * azimuth.cos, radius * azimuth.sin, z});
}

/// Two independent Gaussian variates of variance 1 from one block (Box and Muller, 1958).
MPCFLOW_HD SinCos<double> gaussian_pair(const RandomBlock& bits) {
    const double radius = std::sqrt(-2.0 * natural_log(uniform_open(bits.word[0], bits.word[1])));
    const SinCos<double> angle = sin_cos_of_random_angle(bits.word[2]);
    return {radius * angle.sin, radius * angle.cos};
}

/// Three independent Gaussian variates of variance 1; takes two blocks.
MPCFLOW_HD Vec3<double> gaussian_vector(RandomSource& source) {
    const SinCos<double> a = gaussian_pair(source.next());
    const SinCos<double> b = gaussian_pair(source.next());
    return {a.sin, a.cos, b.sin};
}

/// The same from one block. Radii are made of 32 bits, so none is beyond 6.8.
MPCFLOW_HD Vec3<double> gaussian_vector(const RandomBlock& bits) {
    const auto radius = [](std::uint32_t word) {
        const double uniform = (static_cast<std::int32_t>(word - 0x80000000U) + (0x1p31 + 0.5)) * 0x1p-32;
        return std::sqrt(-2.0 * natural_log(uniform));
    };
    const SinCos<double> angle = sin_cos_of_random_angle(bits.word[1]);
    const double a = radius(bits.word[0]);
    return {a * angle.sin, a * angle.cos, radius(bits.word[2]) * sin_cos_of_random_angle(bits.word[3]).sin};
}

/// The same made in float, of 31 bits for a radius, so that none is beyond 6.7, and 26 and 24 for angles: for
/// what is drawn for every particle in every step. Its variance is 1 to within 1e-6.
MPCFLOW_HD Vec3<float> float_gaussian_vector(const RandomBlock& bits) {
    const auto radius = [](std::uint32_t word) {
        // Not above 1, where its logarithm is 0.
        const float uniform = (static_cast<float>(static_cast<std::int32_t>(word >> 1U)) + 0.5F) * 0x1p-31F;
        return std::sqrt(-2.0F * natural_log(uniform));
    };
    const SinCos<float> angle = float_sin_cos_of_random_angle(bits.word[1]);
    const float a = radius(bits.word[0]);
    return {a * angle.sin, a * angle.cos, radius(bits.word[2]) * float_sin_of_random_angle(bits.word[3])};
}

/// A variate of Gamma(freedoms / 2, scale 1): the kinetic energy / kT of `freedoms` >= 1 degrees of freedom.
///
/// Marsaglia and Tsang, ACM Trans. Math. Softw. 26 (2000) 363, for shapes of 1 and more; one degree of
/// freedom is half a squared Gaussian.
MPCFLOW_HD double thermal_energy(int freedoms, RandomSource& source) {
    if (freedoms == 1) {
        const double g = gaussian_pair(source.next()).sin;
        return 0.5 * g * g;
    }
    const double d = 0.5 * freedoms - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    // Each try is taken with a probability over 95 %; 60 tries fail with one under 1e-78.
    for (int attempt = 0; attempt < 60; ++attempt) {
        const RandomBlock bits = source.next();
        const RandomBlock more = source.next();
        const double x = gaussian_pair(bits).sin;
        const double t = 1.0 + c * x;
        if (t <= 0.0) continue;
        const double v = t * t * t;
        const double u = uniform_open(more.word[0], more.word[1]);
        // With y = c x what log u must be below is d times the sum of -3 (-y)^k / k from k = 4 on, which for
        // |y| < 1/2 is no less than -3/2 y^4; and log u is below u - 1. So most tries are taken without a
        // logarithm.
        const double y = c * x;
        const double y2 = y * y;
        if (y2 < 0.25 && u < 1.0 - 1.5 * d * (y2 * y2)) return d * v;
        if (natural_log(u) < 0.5 * x * x + d - d * v + d * natural_log(v)) return d * v;
    }
    return 0.5 * freedoms;
}

}  // namespace mpcflow
