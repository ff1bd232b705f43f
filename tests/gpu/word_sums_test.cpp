/// Sums of cells in words of shared memory: exact, whatever is added up to the limits that the solvers
/// enforce.

#include "gpu/word_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "physics/collision/laws.hpp"

namespace mpcflow::test {
namespace {

/// Sums of `number` numbers made by `next`, in words and in doubles: the same.
template <class Next>
void expect_exact(const WordSplit& split, const RoundingGrid& grid, std::uint32_t number, const Next& next) {
    const auto bits_of = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    double sum = 0.0;
    for (std::uint32_t i = 0; i < number; ++i) {
        const double x = next();
        const std::uint64_t bits = bits_of(x + grid.magic());
        low += split.low(bits);
        high += split.high(bits);
        sum += grid.round(x);
    }
    const WideSum joined{0, 0, grid.spacing(), split.high(bits_of(grid.magic()))};
    ASSERT_EQ(joined(split, low, high, number), sum) << number;
}

TEST(WideSum, is_that_of_doubles_for_all_occupancies) {
    std::mt19937_64 random(3);
    for (const double occupancy : {2.0, 31.0, 200.0, 256.0, 257.0, 920.0, 1024.0, 1025.0, 8000.0}) {
        const WordSplit split(occupancy);
        EXPECT_EQ(split.is_enough(), occupancy <= 1024.0) << occupancy;
        if (split.is_enough()) EXPECT_GE(split.most(), occupancy);
        // As CellRounding makes it: room for twice as many. Just below 32, the sums come as near to what they
        // may reach as can be.
        for (const double fastest : {32.0, std::nextafter(32.0, 0.0)}) {
            const RoundingGrid grid(2.0 * occupancy * fastest);
            const auto most = static_cast<std::uint32_t>(std::min(occupancy, 1.0 * split.most()));
            for (const std::uint32_t number : {std::uint32_t{0}, std::uint32_t{1}, most / 2, most}) {
                std::uniform_real_distribution<double> any(-fastest, fastest);
                expect_exact(
                    split, grid, number, [&] { return any(random); });
                expect_exact(
                    split, grid, number, [&] { return fastest; });
                expect_exact(
                    split, grid, number, [&] { return -fastest; });
                expect_exact(
                    split, grid, number, [&] { return -grid.spacing(); });
                expect_exact(split, grid, number, [&] { return std::ldexp(any(random), -40); });
            }
        }
    }
}

TEST(WideSum, holds_as_many_particles_as_it_says_and_no_more) {
    // Numbers whose low words are all ones: the sum of one more overflows.
    const WordSplit split(1.0);
    const RoundingGrid grid(2.0 * split.most() * 32.0);
    const double x = -grid.spacing();
    for (const std::uint32_t number : {split.most(), split.most() + 1}) {
        std::uint32_t low = 0;
        std::uint32_t high = 0;
        for (std::uint32_t i = 0; i < number; ++i) {
            low += split.low(std::bit_cast<std::uint64_t>(x + grid.magic()));
            high += split.high(std::bit_cast<std::uint64_t>(x + grid.magic()));
        }
        const WideSum joined{0, 0, 1.0, split.high(std::bit_cast<std::uint64_t>(grid.magic()))};
        EXPECT_EQ(joined(split, low, high, number) == -1.0 * number, number == split.most()) << number;
    }
}

/// The sums that were added up in words: what a box of cells does with one of its cells.
template <class Law>
class CellInWords {
public:
    explicit CellInWords(const Law& law) : words_(law) {}

    void add(const typename Law::Sums& contribution) {
        total_[0] += words_.first_word(contribution);
        words_.for_each_word(contribution, [&](int word, std::uint32_t value) { total_[word] += value; });
    }
    [[nodiscard]] std::uint32_t number() const { return words_.number(total_[0]); }
    [[nodiscard]] double sum(int k) const {
        const auto sum = words_.sum(k);
        return sum(words_.split(), k == 0 ? number() : total_[sum.low_word],
                   k == 0 ? 0U : total_[sum.high_word], number());
    }
    [[nodiscard]] const WordSplit& split() const { return words_.split(); }

private:
    WordSums<Law> words_;
    std::array<std::uint32_t, WordSums<Law>::count> total_{};
};

/// Contributions of random particles by a law, in words and as doubles.
template <class Law>
void expect_words_of(const System& system) {
    using Real = typename Law::Real;
    const Law law(system);
    CellInWords<Law> cell(law);
    std::mt19937_64 random(11);
    std::normal_distribution<double> gaussian;
    std::uniform_real_distribution<double> within(-0.5, 0.5);
    typename Law::Sums expected{};
    const typename Law::Draw draw = Law::draw({system.seed, 4, 17});
    constexpr int number = 37;
    for (int i = 0; i < number; ++i) {
        InCell<Real> in_cell;
        for (int axis = 0; axis < 3; ++axis) {
            in_cell.velocity[axis] = static_cast<Real>(gaussian(random));
            in_cell.offset[axis] = static_cast<Real>(within(random));
        }
        in_cell.id = static_cast<std::uint64_t>(i);
        const auto sums = law.contribute(in_cell, draw, {system.seed, 4});
        cell.add(sums);
        expected += rounded(law, sums);
    }
    for (int k = 0; k < Law::sum_count; ++k) EXPECT_EQ(cell.sum(k), expected.value[k]) << "sum " << k;
}

TEST(WordSums, of_all_laws_are_their_rounded_sums) {
    for (const LawInfo& info : all_laws) {
        System system;
        info.choose(system.collision);
        for (const double density : {3.0, 10.0, 100.0}) {
            system.fluid.density = density;
            for (const ThermostatKind kind : {ThermostatKind::none, ThermostatKind::maxwell_boltzmann}) {
                if (info.energy == Energy::thermal && kind != ThermostatKind::none) continue;
                system.thermostat.kind = kind;
                visit_law<double>(
                    system, [&]<class Law>(const Law&) { expect_words_of<Law>(system); });
                visit_law<float>(system, [&]<class Law>(const Law&) { expect_words_of<Law>(system); });
            }
        }
    }
}

/// The largest contribution to a narrow sum that the words have room for, in spacings of its grid.
double most_of_narrow(const CellRounding& rounding) {
    return std::ldexp(1.0, narrow_bits(rounding.crowd_bits)) - 1.0;
}

template <class Law, class Next>
void expect_narrow(const Law& law, std::uint32_t number, const Next& next) {
    CellInWords<Law> cell(law);
    typename Law::Sums expected{};
    for (std::uint32_t i = 0; i < number; ++i) {
        typename Law::Sums sums = Law::Sums::of_one(1.0);
        for (int k = 1; k < Law::sum_count; ++k) sums.value[k] = next(k) * WordSums<Law>(law).sum(k).spacing;
        cell.add(sums);
        expected += rounded(law, sums);
    }
    ASSERT_EQ(cell.number(), number);
    for (int k = 0; k < Law::sum_count; ++k)
        ASSERT_EQ(cell.sum(k), expected.value[k]) << "sum " << k << " of " << number;
}

template <class Law>
void expect_narrow_at_the_limit(double density) {
    System system;
    system.fluid.density = density;
    const Law law(system);
    const CellRounding& rounding = law.parameters().rounding;
    const std::uint32_t room = WordSums<Law>(law).split().most();
    ASSERT_EQ(room, 1U << static_cast<unsigned>(rounding.crowd_bits));
    const double most = most_of_narrow(rounding);
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> any(-most, most);
    for (const std::uint32_t number : {0U, 1U, 2U, 31U, room - 1, room}) {
        for (const double first : {most, -most, -1.0, 1.0, 0.0}) {
            for (const double second : {most, -most, -1.0}) {
                const auto of_pair = [&](int k) { return k % 2 == 0 ? first : second; };
                expect_narrow(law, number, of_pair);
            }
        }
        expect_narrow(
            law, number, [&](int /*k*/) { return any(random); });
        expect_narrow(law, number, [&](int /*k*/) { return std::ldexp(any(random), -33); });
    }
}

TEST(NarrowSum, is_that_of_doubles_up_to_what_it_has_room_for) {
    for (const double density : {0.5, 3.0, 10.0, 30.0, 100.0, 900.0}) {
        expect_narrow_at_the_limit<SrdAngular<float, Scaling::none>>(density);
        expect_narrow_at_the_limit<SrdAngular<float, Scaling::by_thermostat>>(density);
        expect_narrow_at_the_limit<AndersenAngular<float, Scaling::none>>(density);
    }
}

/// The power of the test above: of one particle more the low words overflow, or the high half.
TEST(NarrowSum, has_room_for_no_more) {
    const SrdAngular<float, Scaling::none> law{System{}};
    const std::uint32_t room = WordSums<SrdAngular<float, Scaling::none>>(law).split().most();
    for (const double x : {-1.0, most_of_narrow(law.parameters().rounding) + 1.0}) {
        CellInWords<SrdAngular<float, Scaling::none>> cell(law);
        const double spacing = law.parameters().rounding.velocity.spacing();
        SrdAngular<float, Scaling::none>::Sums sums{{1.0, 0.0, x * spacing}};
        for (std::uint32_t i = 0; i < room + 1; ++i) cell.add(sums);
        EXPECT_NE(cell.sum(2), (room + 1) * x * spacing) << x;
    }
}

/// Pairs of sums share words in mixed precision, where all have the same mass and there are many sums.
TEST(WordSums, are_as_few_as_the_law_allows) {
    EXPECT_EQ((WordSums<SrdAngular<float, Scaling::none>>::count), 23);
    EXPECT_EQ((WordSums<SrdAngular<float, Scaling::by_thermostat>>::count), 29);
    EXPECT_EQ((WordSums<AndersenAngular<float, Scaling::none>>::count), 23);
    EXPECT_EQ((WordSums<SrdAngular<double, Scaling::none>>::count), 31);
    EXPECT_EQ((WordSums<SrdAngular<float, Scaling::none, Masses::by_species>>::count), 33);
}

}  // namespace
}  // namespace mpcflow::test
