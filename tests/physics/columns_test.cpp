/// Structs in columns and back, and sums in columns made rows, for every kind of vector units.

#include "physics/host/columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "physics/four_floats.hpp"
#include "physics/observables/sums.hpp"

namespace mpcflow::test {
namespace {

constexpr int size = 32;

template <class Number, int width>
struct Numbers {
    Number value[width];
};

/// Number w of struct k: all are different.
template <class Number>
Number number(int k, int w) {
    return static_cast<Number>(1000 * (w + 1) + k);
}

/// Not a template, as there are many of these tests.
void expect_same(const std::vector<double>& found, const std::vector<double>& expected, int width) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(found[i], expected[i]) << width << " numbers, at " << i;
}

/// Where squares are transposed as for `of`: in pieces, as any processor does it,
template <VectorUnits of>
struct InPieces {
    static constexpr VectorUnits units = of;
    static constexpr VectorUnits adding = VectorUnits::plain;
    template <class Function>
    static void run(const Function& function) {
        function();
    }
};
#if MPCFLOW_HAS_VECTOR_UNITS
/// or on these units.
struct OnAvx2 {
    static constexpr VectorUnits units = VectorUnits::avx2;
    static constexpr VectorUnits adding = units;
    template <class Function>
    MPCFLOW_AVX2 MPCFLOW_FLATTEN static void run(const Function& function) {
        function();
    }
};
struct OnAvx512 {
    static constexpr VectorUnits units = VectorUnits::avx512;
    static constexpr VectorUnits adding = units;
    template <class Function>
    MPCFLOW_AVX512 MPCFLOW_FLATTEN static void run(const Function& function) {
        function();
    }
};
#endif

template <class Units, class Number, int width>
void check_columns() {
    using Struct = Numbers<Number, width>;
    // In memory they are apart, in an order of their own, and the last one ends what is allocated; but for
    // the lanes at the end, which are of one struct, as those beyond the last particle.
    std::vector<Struct> memory(3 * size - 2);
    const auto place_of = [](int k) { return (7 * std::min(k, size - 3) + 5) % size * 3; };
    for (int k = 0; k < size; ++k)
        for (int w = 0; w < width; ++w)
            memory[place_of(k)].value[w] = number<Number>(std::min(k, size - 3), w);
    Columns<Struct, Number, size> columns;
    struct {
        Struct before{};
        Struct all[size]{};
        Struct behind{};
    } back;
    const auto address_of = [&](int k) { return &memory[place_of(k)]; };
    Units::run([&] {
        columns.template gather<Units::units>(address_of);
        columns.template put<Units::units>(back.all);
    });
    std::vector<double> found, expected;
    for (int k = 0; k < size; ++k) {
        const Struct one = columns[k];
        for (int w = 0; w < width; ++w) {
            const Number own = number<Number>(std::min(k, size - 3), w);
            found.insert(found.end(), {columns.at(w, k), one.value[w], back.all[k].value[w]});
            expected.insert(expected.end(), {own, own, own});
        }
    }
    for (int w = 0; w < width; ++w) {
        found.insert(found.end(), {back.before.value[w], back.behind.value[w]});
        expected.insert(expected.end(), {0.0, 0.0});
    }
    expect_same(found, expected, width);
}

template <class Units, int count>
void check_contributions() {
    using Sums = SumsOf<count>;
    ContributionColumns<Sums, size> columns;
    for (int k = 0; k < size; ++k) {
        Sums sums;
        for (int s = 0; s < count; ++s) sums.value[s] = number<double>(k, s);
        columns.set(k, sums);
    }
    Units::run([&] { columns.template make_rows<Units::units>(); });
    std::vector<double> found, expected;
    for (int k = 0; k < size; ++k) {
        Sums sums;
        for (int s = 0; s < count; ++s) sums.value[s] = 0.5;
        Units::run([&] { columns.template add_to<Units::adding>(sums, k); });
        const Sums own = columns[k];
        for (int s = 0; s < count; ++s) {
            found.insert(found.end(), {sums.value[s], own.value[s]});
            expected.insert(expected.end(), {number<double>(k, s) + 0.5, number<double>(k, s)});
        }
    }
    expect_same(found, expected, count);
}

template <class Units, int... width>
void check_widths(std::integer_sequence<int, width...>) {
    (check_columns<Units, double, width>(), ...);
    (check_columns<Units, float, width>(), ...);
}
template <class Units, int... count>
void check_counts(std::integer_sequence<int, count...>) {
    (check_contributions<Units, count>(), ...);
}

template <class Units>
void check() {
    check_widths<Units>(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 20>{});
    check_counts<Units>(std::integer_sequence<int, 4, 5, 16, 20, 21>{});
}

TEST(Columns, take_structs_of_any_width_and_give_them_back) {
    check<InPieces<VectorUnits::plain>>();
    check<InPieces<VectorUnits::avx512>>();
#if MPCFLOW_HAS_VECTOR_UNITS
    if (vector_units() >= VectorUnits::avx2) check<OnAvx2>();
    if constexpr (is_avx512_compiled) {
        if (vector_units() == VectorUnits::avx512) check<OnAvx512>();
    }
#endif
}

template <int count>
void check_zero() {
    struct {
        double numbers[count];
        double behind = 1.0;
    } all;
    std::fill_n(all.numbers, count, 2.0);
    set_zero(all.numbers);
    for (const double number : all.numbers) EXPECT_EQ(number, 0.0) << count;
    EXPECT_EQ(all.behind, 1.0) << count;
}

TEST(Columns, numbers_become_zero_as_many_as_they_are) {
    check_zero<1>();
    check_zero<4>();
    check_zero<7>();
    check_zero<21>();
}

// Whatever their bits: as doubles two floats may be no number.
template <class Real>
void check_four_floats() {
    const float quiet = std::numeric_limits<float>::quiet_NaN();
    const std::array<float, 5> all{-1.5F, std::bit_cast<float>(0x7fa00001U), quiet, 3e-41F, -0.0F};
    std::vector<FourFloats<Real>> memory;
    for (int k = 0; k < size; ++k)
        memory.emplace_back(all[k % 5], all[(k + 1) % 5], all[(k + 2) % 5], all[(k + 3) % 5]);
    Columns<FourFloats<Real>, Real, size> columns;
    columns.template gather<VectorUnits::avx2>([&](int k) { return &memory[k]; });
    const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
    for (int k = 0; k < size; ++k) {
        const FourFloats<Real> found = columns[k];
        EXPECT_EQ(bits(found.template get<0>()), bits(all[k % 5])) << k;
        EXPECT_EQ(bits(found.template get<1>()), bits(all[(k + 1) % 5])) << k;
        EXPECT_EQ(bits(found.template get<2>()), bits(all[(k + 2) % 5])) << k;
        EXPECT_EQ(bits(found.template get<3>()), bits(all[(k + 3) % 5])) << k;
    }
    const FourFloats<Real> none{};
    EXPECT_EQ(none.template get<3>(), 0.0F);
}

TEST(FourFloats, keep_their_bits_in_columns_of_doubles_and_of_floats) {
    check_four_floats<double>();
    check_four_floats<float>();
}

}  // namespace
}  // namespace mpcflow::test
