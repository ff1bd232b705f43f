/// Vectors in three dimensions.

#include "physics/vector.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "physics/random.hpp"

namespace mpcflow::test {
namespace {

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

/// As a device divides.
Vec3<double> divided_once(Vec3<double> a, double b) {
    return detail::divided(
        a, b, 1.0 / b, [](double x, double y, double z) { return std::fma(x, y, z); });
}

void expect_the_quotients(Vec3<double> a, double b) {
    const Vec3<double> q = divided_once(a, b);
    for (int axis = 0; axis < 3; ++axis)
        ASSERT_EQ(bits_of(q[axis]), bits_of(a[axis] / b)) << a[axis] << " / " << b;
}

// Sums of up to 4096 particles, and masses of all bits: dividends of all bits, and those whose quotients are
// nearest to the middle between two numbers: of q + 1/2 unit, times b, and its neighbours.
TEST(VectorTest, of_one_division_quotients_are_those_of_three) {
    RandomSource source{5, RandomStream::initial_state, 0, 0};
    const auto number = [&] {
        const RandomBlock bits = source.next();
        const double size =
            std::ldexp(uniform_open(bits.word[0], bits.word[1]), static_cast<int>(bits.word[2] % 60) - 40);
        return (bits.word[3] & 1U) != 0 ? size : -size;
    };
    for (std::uint64_t i = 0; i < 20000; ++i) {
        source = {5, RandomStream::initial_state, 0, i};
        const double count = static_cast<double>(1 + i % 4096);
        const double mass = std::abs(number());
        for (const double b : {count, mass}) {
            expect_the_quotients({number(), 0.0, number()}, b);
            const double q = number();
            const double half = 0.5 * (std::nextafter(q, 2.0 * q) - q);
            const double middle = std::fma(q, b, half * b);
            expect_the_quotients({std::nextafter(middle, 0.0), middle, std::nextafter(middle, 2.0 * middle)},
                                 b);
        }
    }
}

}  // namespace
}  // namespace mpcflow::test
