/// The warp algorithms in the emulator: right results for every pattern of keys and lanes, and the number
/// of collectives that their comments promise.

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/emulated_atomics.hpp"
#include "tests/support/warp_emulator.hpp"
#include "tests/warp/warp_programs.hpp"

namespace mpcflow::test {
namespace {

template <class Program>
class WarpPrograms : public testing::Test {};
TYPED_TEST_SUITE(WarpPrograms, AllPrograms, ProgramNames);

TYPED_TEST(WarpPrograms, agree_with_plain_loops_in_any_order_of_lanes) {
    const auto cases = make_cases(7, TypeParam::key_bits);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const WarpCase& input = cases[i];
        typename TypeParam::Report report{};
        typename TypeParam::Scratch scratch{};
        run_warp(i, input.mask, [&](EmulatedWarp& warp) {
            TypeParam::run(warp, input, report, scratch, EmulatedAtomics{warp});
        });
        TypeParam::check(input, report);
        ASSERT_FALSE(testing::Test::HasFailure())
            << "in case " << i << " with mask " << std::hex << input.mask;
    }
}

TYPED_TEST(WarpPrograms, agree_with_plain_loops_when_two_parts_of_the_warp_enter_apart) {
    const auto cases = make_cases(8, TypeParam::key_bits);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto [first, second] = split_case(cases[i]);
        typename TypeParam::Report reports[2]{};
        typename TypeParam::Scratch scratches[2]{};
        run_warp(i, cases[i].mask, [&, &a = first, &b = second](EmulatedWarp& warp) {
            if ((a.mask & warp::lane_bit(warp.lane())) != 0)
                TypeParam::run(warp, a, reports[0], scratches[0], EmulatedAtomics{warp});
            else TypeParam::run(warp, b, reports[1], scratches[1], EmulatedAtomics{warp});
        });
        TypeParam::check(first, reports[0]);
        TypeParam::check(second, reports[1]);
        ASSERT_FALSE(testing::Test::HasFailure())
            << "in case " << i << " with mask " << std::hex << cases[i].mask;
    }
}

// Which (cell, component) pairs a lane adds, one after the other.
using Adds = std::vector<std::pair<unsigned, int>>;

// At each turn consecutive lanes of the mask add consecutive components, without a gap, until the rows of
// one staging are used up.
template <int K, int Group>
void check_order_of_adds(unsigned mask, unsigned leaders) {
    std::vector<unsigned> workers;
    std::vector<unsigned> cells;
    for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
        if ((mask >> lane & 1u) != 0) workers.push_back(lane);
        if ((leaders >> lane & 1u) != 0) cells.push_back(100 + lane);
    }
    std::vector<Adds> expected(warp::warp_size);
    for (std::size_t first = 0; first < cells.size(); first += Group) {
        std::size_t worker = 0;
        for (std::size_t row = first; row < cells.size() && row < first + Group; ++row) {
            for (int k = 0; k < K; ++k) {
                expected[workers[worker]].emplace_back(cells[row], k);
                worker = (worker + 1) % workers.size();
            }
        }
    }

    std::vector<Adds> adds(warp::warp_size);
    const auto scratch = std::make_unique<warp::SumScratch<K, Group, unsigned>>();
    const auto counts = run_warp(mask, mask, [&](EmulatedWarp& warp) {
        const unsigned lane = warp.lane();
        const double sums[K] = {};
        warp::add_staged(warp, mask, (leaders >> lane & 1u) != 0, 100 + lane, sums, *scratch,
                         [&](unsigned cell, int k, double) { adds[lane].emplace_back(cell, k); });
    });
    EXPECT_EQ(adds, expected) << std::hex << "mask " << mask << " leaders " << leaders;
    const auto stagings = static_cast<unsigned>((cells.size() + Group - 1) / Group);
    EXPECT_EQ(counts.of(Collective::sync), 2 * stagings);
    EXPECT_EQ(counts.of(Collective::ballot), 1u);
}

TEST(Staging, consecutive_lanes_add_consecutive_components) {
    std::mt19937_64 random{17};
    for (const unsigned mask : make_masks(random)) {
        for (const unsigned leaders :
             {mask, mask & (0u - mask), static_cast<unsigned>(random()) & mask, 0u}) {
            check_order_of_adds<9, 8>(mask, leaders);
            check_order_of_adds<16, 8>(mask, leaders);
            check_order_of_adds<4, 3>(mask, leaders);
        }
    }
}

// Among 16 rows, what the hardware serves at a time of 8-byte words, no two may share a pair of banks.
template <int K>
void check_banks() {
    std::vector<bool> is_taken(16);
    for (int row = 0; row < 16; ++row) {
        const auto bank_pair =
            static_cast<std::size_t>(row * warp::SumScratch<K, 16, unsigned>::row_length % 16);
        EXPECT_FALSE(is_taken[bank_pair]) << "K " << K << " row " << row;
        is_taken[bank_pair] = true;
    }
}

TEST(Staging, leaders_write_to_different_banks) {
    check_banks<4>();
    check_banks<7>();
    check_banks<9>();
    check_banks<10>();
    check_banks<16>();
}

TEST(LaneMasks, follow_their_definitions) {
    for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
        unsigned below = 0;
        unsigned above = 0;
        for (unsigned other = 0; other < warp::warp_size; ++other) {
            below |= other < lane ? 1u << other : 0u;
            above |= other > lane ? 1u << other : 0u;
        }
        EXPECT_EQ(warp::lanes_below(lane), below);
        EXPECT_EQ(warp::lanes_above(lane), above);
        EXPECT_EQ(warp::lanes_at_or_below(lane), below | 1u << lane);
        EXPECT_EQ(warp::lanes_at_or_above(lane), above | 1u << lane);
        EXPECT_EQ(warp::first_lanes(lane), below);
        EXPECT_TRUE(warp::are_first_lanes(below));
        EXPECT_EQ(warp::are_first_lanes(above), lane == 31);
        EXPECT_EQ(warp::popc(below), lane);
        EXPECT_EQ(warp::lowest_lane(above | warp::lane_bit(lane)), lane);
        EXPECT_EQ(warp::highest_lane(below | warp::lane_bit(lane)), lane);
        EXPECT_EQ(warp::rank_in(0x55555555u, lane), (lane + 1) / 2);
    }
    std::mt19937_64 random{19};
    for (const unsigned mask : make_masks(random)) {
        for (unsigned lane = 0; lane < warp::warp_size; ++lane)
            if ((mask >> lane & 1u) != 0)
                EXPECT_EQ(warp::lane_of_rank(mask, warp::rank_in(mask, lane)), lane);
    }
    EXPECT_EQ(warp::first_lanes(32), warp::full_mask);
    EXPECT_EQ(warp::first_lanes(1000), warp::full_mask);
}

}  // namespace
}  // namespace mpcflow::test
