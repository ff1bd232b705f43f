#pragma once
/// Random variates, from counters and our own elementary functions: the same bits everywhere.

#include <bit>
#include <cmath>
#include <cstdint>

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

namespace detail {

/// The length of a vector of two Gaussian variates of variance 1, of 31 bits, so that none is beyond 6.7.
MPCFLOW_HD float float_radius(std::uint32_t bits) {
    // Not above 1, where its logarithm is 0.
    const float uniform = (static_cast<float>(static_cast<std::int32_t>(bits >> 1U)) + 0.5F) * 0x1p-31F;
    return std::sqrt(-2.0F * float_natural_log(uniform));
}

}  // namespace detail

/// A Gaussian variate of variance 1 made in float, for what is drawn for every particle or cell in every
/// step, in double precision, too: its variance is right to 1e-6, and it need be no finer.
MPCFLOW_HD float float_gaussian(std::uint32_t radius, std::uint32_t angle) {
    return detail::float_radius(radius) * float_sin_of_random_angle(angle);
}
/// Three of them, independent, from one block.
MPCFLOW_HD Vec3<float> float_gaussian_vector(const RandomBlock& bits) {
    const SinCos<float> angle = float_sin_cos_of_random_angle(bits.word[1]);
    const float radius = detail::float_radius(bits.word[0]);
    return {radius * angle.sin, radius * angle.cos, float_gaussian(bits.word[2], bits.word[3])};
}

/// What a try of thermal_energy() is drawn of: a Gaussian variate of variance 1, and two words of a uniform
/// one. Words alone, so that columns of them can be made of many at once.
struct ThermalDraw {
    std::uint32_t gaussian;  ///< a float
    std::uint32_t uniform[2];

    MPCFLOW_HD static ThermalDraw make(const RandomBlock& bits) {
        return {std::bit_cast<std::uint32_t>(float_gaussian(bits.word[0], bits.word[1])),
                {bits.word[2], bits.word[3]}};
    }
};

/// Three Gaussian variates of variance 1, made in float, beside a ThermalDraw of the same block and
/// independent of it: the other one of the pair that its Gaussian is of, and a pair of the last word, on
/// which a ThermalDraw hangs once in 2^32 times. That pair's radius is of 20 bits, so that neither is beyond
/// 5.4 and their kurtosis is right to 1e-5, and its angle one of 4096 at equal distances, whose moments are
/// those of all angles up to any order that counts.
MPCFLOW_HD Vec3<float> float_gaussians_beside_thermal_draw(const RandomBlock& bits) {
    const float sine = float_sin_of_random_angle(bits.word[1]);
    const float square = 1.0F - sine * sine;
    const float cosine = std::sqrt(square > 0.0F ? square : 0.0F);  // of half the circle: it has no sign
    const float other = detail::float_radius(bits.word[0]) * cosine;
    const float radius = detail::float_radius((bits.word[3] & 0xfffff000U) | 0x800U);
    const SinCos<float> angle = float_sin_cos_of_random_angle(bits.word[3] << 20U);
    return {(bits.word[1] & 1U) != 0 ? -other : other, radius * angle.sin, radius * angle.cos};
}

namespace detail {

/// The tries of thermal_energy() for 2 freedoms and more: t = 1 + c x, with x a Gaussian variate, is taken
/// where log u is below x^2 / 2 + d - d t^3 + d log t^3, u uniform in (0, 1).
class ThermalTries {
public:
    struct Try {
        float x;
        float y;             ///< c x
        double cube;         ///< t^3
        std::uint32_t u[2];  ///< the words of u
    };

    MPCFLOW_HD explicit ThermalTries(int freedoms)
        : d_(0.5 * freedoms - 1.0 / 3.0), c_(1.0F / std::sqrt(9.0F * static_cast<float>(d_))) {}

    [[nodiscard]] MPCFLOW_HD Try make(const ThermalDraw& drawn) const {
        const auto x = std::bit_cast<float>(drawn.gaussian);
        const float y = c_ * x;
        const double t = 1.0 + static_cast<double>(y);
        return {x, y, t * t * t, {drawn.uniform[0], drawn.uniform[1]}};
    }

    /// Whether a try is taken; where false, that is not known. What log u must be below is d times the sum of
    /// -3 (-y)^k / k from k = 4 on, which for |y| < 1/2 is no less than -3/2 y^4; and log u is below u - 1.
    /// So most tries are taken without a logarithm, and in float.
    ///
    /// The margin of 2^-20 = 9.5e-7 is for what that leaves out. The second word of u: 2.3e-10. Rounding in
    /// float: 4.2e-7 of the term with y^4, which is below 1 where the answer is true, and 1.2e-7 of the rest.
    /// That c and y are rounded, by less than e = 1.8e-7 of y together, makes x^2 / 2 and 9/2 d y^2 differ by
    /// up to e x^2, of which x^4 / (108 d), half of what the bound gives away, makes good but 27 d
    /// e^2: 1.1e-7 at d = 2^17, beyond which it says nothing.
    [[nodiscard]] MPCFLOW_HD bool is_surely_taken(const Try& one) const {
        const float y2 = one.y * one.y;
        const float d = static_cast<float>(d_);
        const float bound = 1.0F - 0x1p-20F - 1.5F * d * (y2 * y2);
        return (d < 0x1p17F) & (y2 < 0.25F) & (static_cast<float>(one.u[0]) * 0x1p-32F < bound);
    }
    [[nodiscard]] MPCFLOW_HD bool is_taken(const Try& one) const {
        return is_below(uniform_open(one.u[0], one.u[1]), static_cast<double>(one.x), d_, one.cube);
    }
    [[nodiscard]] MPCFLOW_HD double result(const Try& one) const { return d_ * one.cube; }

private:
    /// Of numbers, not of a Try, which it would send to memory on a device.
    [[nodiscard]] MPCFLOW_HD_RARE static bool is_below(double u, double x, double d, double cube) {
        return cube > 0.0 && natural_log(u) < 0.5 * x * x + d - d * cube + d * natural_log(cube);
    }

    double d_;
    float c_;
};

/// Of one degree of freedom.
MPCFLOW_HD double thermal_energy_of_one(const ThermalDraw& drawn) {
    const auto g = static_cast<double>(std::bit_cast<float>(drawn.gaussian));
    return 0.5 * g * g;
}

/// Makes up to `most` tries of the blocks that `source` has left, until one is taken.
MPCFLOW_HD double try_thermal_energy(const ThermalTries& tries, int freedoms, int most,
                                     RandomSource& source) {
    for (int attempt = 0; attempt < most; ++attempt) {
        const auto one = tries.make(ThermalDraw::make(source.next()));
        if (tries.is_surely_taken(one) || tries.is_taken(one)) return tries.result(one);
    }
    return 0.5 * freedoms;
}

/// Each try is taken with a probability over 95 %; so many fail with one under 1e-78.
inline constexpr int most_thermal_tries = 60;

}  // namespace detail

/// A variate of Gamma(freedoms / 2, scale 1): the kinetic energy / kT of `freedoms` >= 1 degrees of freedom.
///
/// Marsaglia and Tsang, ACM Trans. Math. Softw. 26 (2000) 363, for shapes of 1 and more; one degree of
/// freedom is half a squared Gaussian.
MPCFLOW_HD double thermal_energy(int freedoms, RandomSource& source) {
    if (freedoms == 1) return detail::thermal_energy_of_one(ThermalDraw::make(source.next()));
    const detail::ThermalTries tries(freedoms);
    return detail::try_thermal_energy(tries, freedoms, detail::most_thermal_tries, source);
}
/// The same, where `drawn` was made of the next block of `source`, which is skipped.
MPCFLOW_HD double thermal_energy(int freedoms, const ThermalDraw& drawn, RandomSource& source) {
    source.skip();
    if (freedoms == 1) return detail::thermal_energy_of_one(drawn);
    const detail::ThermalTries tries(freedoms);
    const auto first = tries.make(drawn);
    if (tries.is_surely_taken(first) || tries.is_taken(first)) return tries.result(first);
    return detail::try_thermal_energy(tries, freedoms, detail::most_thermal_tries - 1, source);
}
/// The same for 2 freedoms and more, without a branch, where the first try is surely taken, as most are;
/// where it is not, `is_taken` becomes false, and this means nothing.
MPCFLOW_HD double thermal_energy_at_once(int freedoms, const ThermalDraw& drawn, bool& is_taken) {
    const detail::ThermalTries tries(freedoms);
    const auto first = tries.make(drawn);
    is_taken = tries.is_surely_taken(first);
    return tries.result(first);
}

}  // namespace mpcflow
