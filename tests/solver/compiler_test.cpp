/// That the compiler, with the options of this build, does not leave out a rounding.
///
/// GCC 12.2 at -O2 and above takes the pair below for a vector and drops the conversion to float and back: it
/// then squares the doubles. SRD+a in mixed precision has such pairs. The golden hashes find that, too, but
/// not what it is.

#include <gtest/gtest.h>

namespace mpcflow::test {
namespace {

[[gnu::noinline]] void square_as_floats(const double* numbers, double* squares) {
    const auto a = static_cast<float>(numbers[0]);
    const auto b = static_cast<float>(numbers[1]);
    const double wide_a = a;
    const double wide_b = b;
    squares[0] = wide_a * wide_a;
    squares[1] = wide_b * wide_b;
}

[[gnu::noinline]] void square_all_as_floats(const double* numbers, double* squares, int count) {
    for (int i = 0; i < count; ++i) {
        const double wide = static_cast<float>(numbers[i]);
        squares[i] = wide * wide;
    }
}

double square_as_float(double number) {
    volatile float narrow = static_cast<float>(number);
    const double wide = narrow;
    return wide * wide;
}

[[gnu::noinline]] double multiply_and_add(double a, double b, double c) { return a * b + c; }

TEST(Compiler, rounds_to_float_where_it_is_told_to) {
    double numbers[16];
    double squares[16];
    for (int i = 0; i < 16; ++i) numbers[i] = 0.1 * (i + 1);
    square_as_floats(numbers, squares);
    EXPECT_EQ(squares[0], square_as_float(0.1));
    EXPECT_EQ(squares[1], square_as_float(0.2));
    square_all_as_floats(numbers, squares, 16);
    for (int i = 0; i < 16; ++i) EXPECT_EQ(squares[i], square_as_float(numbers[i]));
}

TEST(Compiler, rounds_products_before_it_adds) {
    // (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60, of which a double keeps the first two; contracted, 2^-60 is left.
    volatile double a = 1.0 + 0x1p-30;
    EXPECT_EQ(multiply_and_add(a, a, -(1.0 + 0x1p-29)), 0.0);
}

}  // namespace
}  // namespace mpcflow::test
