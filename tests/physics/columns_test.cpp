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

/// What is to be done by units: as any processor does it in pieces (of AVX2 they are of the sizes of the
/// others),
template <VectorUnits units>
struct InPieces {
    template <class Columns, class AddressOf, class Struct>
    static void there_and_back(Columns& columns, const AddressOf& address_of, Struct (&back)[size]) {
        columns.template gather<units>(address_of);
        columns.template put<units>(back);
    }
    template <class Contributions>
    static void make_rows(Contributions& contributions) {
        contributions.template make_rows<units>();
    }
    template <class Contributions, class Sums>
    static void add(const Contributions& contributions, Sums& sums, int k) {
        contributions.template add_to<VectorUnits::plain>(sums, k);
    }
};
#if MPCFLOW_HAS_VECTOR_UNITS
/// or by these units.
struct OnAvx2 {
    template <class... Arguments>
    MPCFLOW_AVX2 MPCFLOW_FLATTEN static void there_and_back(Arguments&... all) {
        InPieces<VectorUnits::avx2>::there_and_back(all...);
    }
    template <class Contributions>
    MPCFLOW_AVX2 MPCFLOW_FLATTEN static void make_rows(Contributions& contributions) {
        contributions.template make_rows<VectorUnits::avx2>();
    }
    template <class Contributions, class Sums>
    MPCFLOW_AVX2 MPCFLOW_FLATTEN static void add(const Contributions& contributions, Sums& sums, int k) {
        contributions.template add_to<VectorUnits::avx2>(sums, k);
    }
};
struct OnAvx512 {
    template <class... Arguments>
    MPCFLOW_AVX512 MPCFLOW_FLATTEN static void there_and_back(Arguments&... all) {
        InPieces<VectorUnits::avx512>::there_and_back(all...);
    }
    template <class Contributions>
    MPCFLOW_AVX512 MPCFLOW_FLATTEN static void make_rows(Contributions& contributions) {
        contributions.template make_rows<VectorUnits::avx512>();
    }
    template <class Contributions, class Sums>
    MPCFLOW_AVX512 MPCFLOW_FLATTEN static void add(const Contributions& contributions, Sums& sums, int k) {
        contributions.template add_to<VectorUnits::avx512>(sums, k);
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
    Units::there_and_back(columns, address_of, back.all);
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
    Units::make_rows(columns);
    std::vector<double> found, expected;
    for (int k = 0; k < size; ++k) {
        Sums sums;
        for (int s = 0; s < count; ++s) sums.value[s] = 0.5;
        Units::add(columns, sums, k);
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
}

#if MPCFLOW_HAS_VECTOR_UNITS
TEST(Columns, do_so_on_the_vector_units_that_there_are) {
    const VectorUnits most = vector_units();
    if (most == VectorUnits::plain) GTEST_SKIP() << "this processor has none";
    check<OnAvx2>();
    if (most == VectorUnits::avx512) check<OnAvx512>();
}
#endif

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
