#pragma once
/// Structs of numbers in columns, a column a number, of which loops over particles or cells become vectors;
/// and how what is in memory as structs gets into columns and back.

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "physics/host/vector_units.hpp"

namespace mpcflow {

namespace detail {

/// Calls function(i) for i = 0 to count - 1, each a constant. Not a loop: loops over a column must be the
/// innermost ones, and of a loop of more than sixteen turns GCC unrolls none.
template <int count, class Function>
void for_each_of(const Function& function) {
    [&]<int... i>(std::integer_sequence<int, i...>) { (function(std::integral_constant<int, i>{}), ...); }
    (std::make_integer_sequence<int, count>{});
}

// GCC 11 does not know how, and does with FourVectors.
#if MPCFLOW_HAS_VECTOR_UNITS && (defined(__clang__) || __GNUC__ >= 12)
#define MPCFLOW_SHUFFLES 1
#else
#define MPCFLOW_SHUFFLES 0
#endif

/// Four vectors of `lanes` numbers. Of each four lanes they are a square, of which transpose() makes rows
/// columns and columns rows.
template <class Number, int lanes>
class FourVectors {
public:
    void load(int i, const Number* from) {
        for (int k = 0; k < lanes; ++k) number_[i][k] = from[k];
    }
    void store(int i, Number* to) const {
        for (int k = 0; k < lanes; ++k) to[k] = number_[i][k];
    }
    /// The same by fours of numbers: four f is at address_of(f), or goes there.
    template <class AddressOf>
    void load_fours(int i, const AddressOf& address_of) {
        for (int k = 0; k < lanes; ++k) number_[i][k] = address_of(k / 4)[k % 4];
    }
    template <class AddressOf>
    void store_fours(int i, const AddressOf& address_of) const {
        for (int k = 0; k < lanes; ++k) address_of(k / 4)[k % 4] = number_[i][k];
    }
    void transpose() {
        for (int k = 0; k < lanes; ++k)
            for (int i = 0; i < k % 4; ++i) std::swap(number_[i][k], number_[k % 4][k - k % 4 + i]);
    }

private:
    Number number_[4][lanes];
};

#if MPCFLOW_SHUFFLES
/// The same for vector units. Left to itself GCC moves each number twice as often.
template <class Number, int lanes>
class FourShuffledVectors {
    using Vector [[gnu::vector_size(lanes * sizeof(Number)), gnu::aligned(sizeof(Number)), gnu::may_alias]] =
        Number;
    using Four [[gnu::vector_size(4 * sizeof(Number)), gnu::aligned(sizeof(Number)), gnu::may_alias]] =
        Number;
    static_assert(lanes == 4 || lanes == 8);

public:
    void load(int i, const Number* from) { vector_[i] = *reinterpret_cast<const Vector*>(from); }
    void store(int i, Number* to) const { *reinterpret_cast<Vector*>(to) = vector_[i]; }
    template <class AddressOf>
    void load_fours(int i, const AddressOf& address_of) {
        const auto four = [&](int f) { return reinterpret_cast<const Four*>(address_of(f)); };
        if constexpr (lanes == 4) vector_[i] = *four(0);
        else vector_[i] = __builtin_shufflevector(*four(0), *four(1), 0, 1, 2, 3, 4, 5, 6, 7);
    }
    template <class AddressOf>
    void store_fours(int i, const AddressOf& address_of) const {
        const auto four = [&](int f) { return reinterpret_cast<Four*>(address_of(f)); };
        *four(0) = __builtin_shufflevector(vector_[i], vector_[i], 0, 1, 2, 3);
        if constexpr (lanes == 8) *four(1) = __builtin_shufflevector(vector_[i], vector_[i], 4, 5, 6, 7);
    }
    void transpose() { transpose(std::make_integer_sequence<int, lanes>{}); }

private:
    template <int... i>
    void transpose(std::integer_sequence<int, i...>) {
        const Vector low_01 = __builtin_shufflevector(vector_[0], vector_[1], in_turns(i, 0)...);
        const Vector high_01 = __builtin_shufflevector(vector_[0], vector_[1], in_turns(i, 1)...);
        const Vector low_23 = __builtin_shufflevector(vector_[2], vector_[3], in_turns(i, 0)...);
        const Vector high_23 = __builtin_shufflevector(vector_[2], vector_[3], in_turns(i, 1)...);
        // Of doubles, two of which fill 16 bytes, low and high are the even and the odd ones.
        constexpr bool are_doubles = sizeof(Number) == sizeof(double);
        vector_[0] = __builtin_shufflevector(low_01, low_23, by_pairs(i, 0)...);
        vector_[are_doubles ? 2 : 1] = __builtin_shufflevector(low_01, low_23, by_pairs(i, 1)...);
        vector_[are_doubles ? 1 : 2] = __builtin_shufflevector(high_01, high_23, by_pairs(i, 0)...);
        vector_[3] = __builtin_shufflevector(high_01, high_23, by_pairs(i, 1)...);
    }
    /// Which number of two vectors becomes number i: in turns one of each, of the lower or the upper half of
    /// each 16 bytes, which is one instruction.
    static constexpr int in_turns(int i, int half) {
        constexpr int length = 16 / sizeof(Number);
        return i / length * length + half * length / 2 + i % length / 2 + i % 2 * lanes;
    }
    /// The same by pairs, of the lower or the upper half of each four.
    static constexpr int by_pairs(int i, int half) {
        return i / 4 * 4 + half * 2 + i % 2 + i % 4 / 2 * lanes;
    }

    Vector vector_[4];
};
#endif

/// What transposes `lanes` structs at a time on `units`: of doubles as many as a vector has, of floats eight,
/// which are two fours put together.
template <VectorUnits units, class Number>
struct Transposing {
    static constexpr int lanes =
        units == VectorUnits::plain || (sizeof(Number) == sizeof(double) && units < VectorUnits::avx512) ? 4
                                                                                                         : 8;
#if MPCFLOW_SHUFFLES
    using Square = std::conditional_t<units == VectorUnits::plain, FourVectors<Number, lanes>,
                                      FourShuffledVectors<Number, lanes>>;
#else
    using Square = FourVectors<Number, lanes>;
#endif
};

}  // namespace detail

/// `size` structs of `Number`s alone, a column a number. Empty ones take no room.
template <class Struct, class Number, int size>
class Columns {
    static constexpr int width = sizeof(Struct) / sizeof(Number);
    static_assert(sizeof(Struct) == width * sizeof(Number) && size % 8 == 0);

public:
    void set(int k, const Struct& value) {
        const auto* words = reinterpret_cast<const Number*>(&value);
        for_all([&](auto w) { column_[w][k] = words[w]; });
    }
    [[nodiscard]] Struct operator[](int k) const {
        Struct value;
        auto* words = reinterpret_cast<Number*>(&value);
        for_all([&](auto w) { words[w] = column_[w][k]; });
        return value;
    }
    /// All of them, struct k being at address_of(k).
    template <VectorUnits units, class AddressOf>
    void gather(const AddressOf& address_of) {
        const auto row = [&](int k) { return reinterpret_cast<const Number*>(address_of(k)); };
        if constexpr (width < 4) {
            // By way of a piece of memory, vectors both: from where they are each number would come by
            // itself.
            alignas(64) Number rows[size][width];
            for (int k = 0; k < size; ++k) std::memcpy(rows[k], row(k), sizeof(rows[k]));
            for_all([&](auto w) {
                for (int k = 0; k < size; ++k) column_[w][k] = rows[k][w];
            });
        } else {
            using Transposing = detail::Transposing<units, Number>;
            for (int k = 0; k < size; k += Transposing::lanes) {
                for_all_fours([&](auto w) {
                    typename Transposing::Square square;
                    for (int i = 0; i < 4; ++i)
                        square.load_fours(
                            i, [&](int f) { return row(k + 4 * f + i) + w; });
                    square.transpose();
                    for (int i = 0; i < 4; ++i) square.store(i, column_[w + i] + k);
                });
            }
        }
    }
    /// All of them to `structs`, which follow each other.
    template <VectorUnits units>
    void put(Struct (&structs)[size]) const {
        if constexpr (width < 4) {
            for (int k = 0; k < size; ++k) structs[k] = (*this)[k];
        } else {
            using Transposing = detail::Transposing<units, Number>;
            const auto row = [&](int k) { return reinterpret_cast<Number*>(structs + k); };
            for (int k = 0; k < size; k += Transposing::lanes) {
                for_all_fours([&](auto w) {
                    typename Transposing::Square square;
                    for (int i = 0; i < 4; ++i) square.load(i, column_[w + i] + k);
                    square.transpose();
                    for (int i = 0; i < 4; ++i)
                        square.store_fours(
                            i, [&](int f) { return row(k + 4 * f + i) + w; });
                });
            }
        }
    }
    /// The first `count` of a column, from memory and to it.
    void load(int column, const Number* from, int count) { copy(from, column_[column], count); }
    void store(int column, Number* to, int count) const { copy(column_[column], to, count); }
    [[nodiscard]] Number at(int column, int k) const { return column_[column][k]; }

private:
    template <class Function>
    static void for_all(const Function& function) {
        detail::for_each_of<width>(function);
    }
    /// With the first of each four columns; where four do not divide their number, the last four overlap
    /// those before.
    template <class Function>
    static void for_all_fours(const Function& function) {
        detail::for_each_of<(width + 3) / 4>([&](auto f) {
            function(std::integral_constant<int, std::min(4 * static_cast<int>(f), width - 4)>{});
        });
    }

    /// All of them in pieces that are vectors: of one as long as a column the compiler makes a call.
    static void copy(const Number* from, Number* to, int count) {
        constexpr int piece = 64 / sizeof(Number);
        static_assert(size % piece == 0);
        if (count < size) std::copy_n(from, count, to);
        else
            for (int k = 0; k < size; k += piece) std::memcpy(to + k, from + k, piece * sizeof(Number));
    }

    alignas(64) Number column_[width][size];
};
template <class Struct, class Number, int size>
requires std::is_empty_v<Struct>
class Columns<Struct, Number, size> {
public:
    void set(int /*k*/, const Struct& /*value*/) {}
    [[nodiscard]] Struct operator[](int /*k*/) const { return {}; }
};

/// The contributions of `size` particles. They are set in columns; make_rows() then transposes squares of
/// four sums of four particles where they are, for vector units add four sums of a particle at once. A rest
/// stays in columns. (All sums of a particle side by side would not be stored as vectors, were they 5 or 17.)
template <class Sums, int size>
class ContributionColumns {
public:
    void set(int k, const Sums& sums) {
        detail::for_each_of<count>([&](auto s) { column_[s][k] = sums.value[s]; });
    }
    template <VectorUnits units>
    void make_rows() {
        using Transposing = detail::Transposing<units, double>;
        for (int g = 0; g < groups; ++g) {
            for (int k = 0; k < size; k += Transposing::lanes) {
                typename Transposing::Square square;
                for (int i = 0; i < 4; ++i) square.load(i, column_[4 * g + i] + k);
                square.transpose();
                for (int i = 0; i < 4; ++i) square.store(i, column_[4 * g + i] + k);
            }
        }
    }
    template <VectorUnits units>
    void add_to(Sums& sums, int k) const {
        add_to<units>(sums.value, k);
    }
    /// To as many numbers.
    template <VectorUnits units>
    void add_to(double* sums, int k) const {
        for (int g = 0; g < groups; ++g)
            AddFour<units>::add(sums + 4 * g, column_[4 * g + k % 4] + k / 4 * 4);
        for (int s = 4 * groups; s < count; ++s) sums[s] += column_[s][k];
    }
    [[nodiscard]] Sums operator[](int k) const {
        Sums sums;
        add_to<VectorUnits::plain>(sums, k);
        return sums;
    }

private:
    static constexpr int count = sizeof(Sums) / sizeof(double);
    static constexpr int groups = count / 4;
    static_assert(size % 8 == 0);

    alignas(64) double column_[count][size];
};

}  // namespace mpcflow
