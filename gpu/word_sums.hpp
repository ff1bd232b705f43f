#pragma once
/// The sums of a cell in 32-bit words, which a card's shared memory adds several times as fast as 64 bits.
/// Host and device share it, so that tests need no card.
///
/// x + magic has x, in whole multiples of its grid's spacing, in its lowest bits (physics/grid_rounding.hpp).
/// The low word of a sum adds the lowest bits of each contribution, and a high word what is above them. Sums
/// of low words do not overflow, of as many particles as there may be. Those of high words wrap around, since
/// they add the bits of magic as well, whose sum is known and taken off.

#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "physics/collision/law.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/host_device.hpp"

namespace mpcflow {

/// Which bits of a contribution its low word adds.
class WordSplit {
public:
    WordSplit() = default;
    /// Of wide sums, in cells of up to `occupancy` particles, or as many as there can be.
    explicit WordSplit(double occupancy) {
        while (low_bits_ > least_low_bits && static_cast<double>(most()) < occupancy) --low_bits_;
        is_enough_ = static_cast<double>(most()) >= occupancy;
    }
    /// Of narrow sums (SumWidth), in cells of up to `occupancy` particles, or 2^crowd_bits.
    WordSplit(double occupancy, int crowd_bits)
        : low_bits_(32U - static_cast<std::uint32_t>(crowd_bits)),
          is_enough_(static_cast<double>(most()) >= occupancy) {}

    /// Particles that a cell may have.
    [[nodiscard]] MPCFLOW_HD std::uint32_t most() const { return 1U << (32U - low_bits_); }
    /// Whether those are as many as were asked for.
    [[nodiscard]] MPCFLOW_HD bool is_enough() const { return is_enough_; }

    [[nodiscard]] MPCFLOW_HD std::uint32_t low(std::uint64_t bits) const {
        return static_cast<std::uint32_t>(bits) & ((1U << low_bits_) - 1U);
    }
    [[nodiscard]] MPCFLOW_HD std::uint32_t high(std::uint64_t bits) const {
        return static_cast<std::uint32_t>(bits >> low_bits_);
    }
    /// The sum in multiples of the spacing, of which `high` counts what is above the low words.
    [[nodiscard]] MPCFLOW_HD double join(std::uint32_t low, std::int32_t high) const {
        return static_cast<double>(static_cast<std::int64_t>(high) * (std::int64_t{1} << low_bits_) + low);
    }

private:
    /// CellRounding leaves a factor of two: the size of a wide sum is at most 2^52, and what is above these
    /// bits, with what the low words lend it, at most 2^30 and some.
    static constexpr std::uint32_t least_low_bits = 22;
    std::uint32_t low_bits_ = 24;
    bool is_enough_ = true;
};

/// A wide sum has a low and a high word of its own.
struct WideSum {
    int low_word;
    int high_word;
    double spacing;      ///< of its grid
    std::uint32_t bias;  ///< WordSplit::high() of the grid's magic number

    /// Of `number` particles, whose words add up to `low` and `high`.
    [[nodiscard]] MPCFLOW_HD double operator()(const WordSplit& split, std::uint32_t low, std::uint32_t high,
                                               std::uint32_t number) const {
        return split.join(low, static_cast<std::int32_t>(high - number * bias)) * spacing;
    }
};

/// Two narrow sums share a high word: what is above the low bits of one is in its lower half, and that of the
/// other in its upper half, which has lent it one where it is below zero.
struct NarrowSum {
    int low_word;
    int high_word;
    double spacing;
    std::uint32_t bias;    ///< of both: the upper one's in the upper half
    std::uint32_t factor;  ///< takes this one's half to the upper half,
    std::uint32_t loan;    ///< and this gives back what it lent

    /// As of a WideSum.
    [[nodiscard]] MPCFLOW_HD double operator()(const WordSplit& split, std::uint32_t low, std::uint32_t high,
                                               std::uint32_t number) const {
        const auto half = static_cast<std::int32_t>((high - number * bias) * factor + loan);
        return split.join(low, half >> 16) * spacing;
    }
};

/// The words of a law's sums of a cell. The first one counts the particles.
///
/// Wide sums, and where masses differ: the number; then two words for each other sum. Narrow sums, in pairs:
/// a high word for each two, of which the first has the number in its lower half; then a low word for each
/// sum but the number.
template <class Law>
class WordSums {
    // Where masses differ there is one sum more, so that they are no pairs.
    static constexpr bool is_paired = Law::sum_width == SumWidth::narrow && Law::masses == Masses::equal;
    static constexpr int sum_count = Law::sum_count;
    static_assert(!is_paired || sum_count % 2 == 0);

public:
    static constexpr int count = is_paired ? sum_count / 2 + sum_count - 1 : 2 * sum_count - 1;

    WordSums() = default;
    explicit WordSums(const Law& law) : split_(split_of(law.parameters().rounding)) {
        set_grids(law.parameters().rounding, std::make_integer_sequence<int, sum_count>{});
    }

    [[nodiscard]] MPCFLOW_HD const WordSplit& split() const { return split_; }

    /// What a contribution adds to the first word; it is not yet rounded, as below.
    [[nodiscard]] MPCFLOW_HD std::uint32_t first_word(const typename Law::Sums& sums) const {
        if constexpr (is_paired) return 1U + (split_.high(bits_of<1>(sums)) << 16U);
        else return 1U;
    }
    /// How many particles were counted by the first word.
    [[nodiscard]] MPCFLOW_HD static std::uint32_t number(std::uint32_t first_word) {
        return is_paired ? first_word & 0xffffU : first_word;
    }

    /// Calls add(word, value) for each word but the first: the same as if the contribution were rounded.
    template <class Add>
    MPCFLOW_HD void for_each_word(const typename Law::Sums& sums, const Add& add) const {
        if constexpr (is_paired)
            for_each_pair(sums, add, std::make_integer_sequence<int, sum_count / 2 - 1>{});
        else for_each_sum(sums, add, std::make_integer_sequence<int, sum_count - 1>{});
    }

    /// How the words of sum `k` become a double. The number of particles, which has neither, does with the
    /// number as low word, and 0 as high word where sums are wide.
    [[nodiscard]] MPCFLOW_HD auto sum(int k) const {
        if constexpr (is_paired) {
            const std::uint32_t bias = bias_[k / 2 * 2] + (bias_[k / 2 * 2 + 1] << 16U);
            if (k % 2 != 0) return NarrowSum{low_word(k), high_word(k), spacing_[k], bias, 1U, 1U << 15U};
            return NarrowSum{low_word(k), high_word(k), spacing_[k], bias, k == 0 ? 0U : 1U << 16U, 0U};
        } else {
            return WideSum{low_word(k), high_word(k), spacing_[k], bias_[k]};
        }
    }

private:
    [[nodiscard]] static WordSplit split_of(const CellRounding& rounding) {
        if (is_paired && rounding.crowd_bits == 0)
            throw std::logic_error("WordSums: the law has not given its sum_width to its LawParameters");
        if constexpr (is_paired) return {rounding.occupancy_limit, rounding.crowd_bits};
        else return WordSplit(rounding.occupancy_limit);
    }
    MPCFLOW_HD static constexpr int low_word(int k) { return is_paired ? sum_count / 2 + k - 1 : 2 * k - 1; }
    MPCFLOW_HD static constexpr int high_word(int k) { return is_paired ? k / 2 : 2 * k; }

    template <int k>
    MPCFLOW_HD std::uint64_t bits_of(const typename Law::Sums& sums) const {
        return std::bit_cast<std::uint64_t>(sums.value[k] + magic_[k]);
    }

    template <class Add, int... before>
    MPCFLOW_HD void for_each_sum(const typename Law::Sums& sums, const Add& add,
                                 std::integer_sequence<int, before...>) const {
        (add_words<before + 1>(sums, add), ...);
    }
    template <int k, class Add>
    MPCFLOW_HD void add_words(const typename Law::Sums& sums, const Add& add) const {
        const std::uint64_t bits = bits_of<k>(sums);
        add(low_word(k), split_.low(bits));
        add(high_word(k), split_.high(bits));
    }
    template <class Add, int... before>
    MPCFLOW_HD void for_each_pair(const typename Law::Sums& sums, const Add& add,
                                  std::integer_sequence<int, before...>) const {
        add(low_word(1), split_.low(bits_of<1>(sums)));
        (add_pair<2 * before + 2>(sums, add), ...);
    }
    template <int k, class Add>
    MPCFLOW_HD void add_pair(const typename Law::Sums& sums, const Add& add) const {
        const std::uint64_t lower = bits_of<k>(sums);
        const std::uint64_t upper = bits_of<k + 1>(sums);
        add(low_word(k), split_.low(lower));
        add(low_word(k + 1), split_.low(upper));
        add(high_word(k), split_.high(lower) + (split_.high(upper) << 16U));
    }

    template <int... k>
    void set_grids(const CellRounding& rounding, std::integer_sequence<int, k...>) {
        (set_grid<k>(rounding), ...);
    }
    template <int k>
    void set_grid(const CellRounding& rounding) {
        if constexpr (k == 0) {
            spacing_[k] = 1.0;
        } else {
            const RoundingGrid& grid = rounding.template grid<Law::grids.of[k]>();
            magic_[k] = grid.magic();
            spacing_[k] = grid.spacing();
            bias_[k] = split_.high(std::bit_cast<std::uint64_t>(grid.magic()));
        }
    }

    WordSplit split_;
    std::uint32_t bias_[sum_count]{};
    double magic_[sum_count]{};
    double spacing_[sum_count]{};
};

}  // namespace mpcflow
