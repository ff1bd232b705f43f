/// The numbers of collectives that the comments of the warp algorithms promise.

#include <gtest/gtest.h>

#include "gpu/warp/aggregated_increment.hpp"
#include "gpu/warp/compact.hpp"
#include "gpu/warp/count_distinct.hpp"
#include "gpu/warp/deferred.hpp"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peer_scan.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/reduce.hpp"
#include "gpu/warp/scan.hpp"
#include "gpu/warp/segmented_scan.hpp"
#include "gpu/warp/sort.hpp"
#include "tests/support/warp_emulator.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {
namespace {

// ceil(log2 count)
unsigned rounds_for(unsigned count) {
    unsigned rounds = 0;
    while ((1u << rounds) < count) ++rounds;
    return rounds;
}

TEST(WarpCost, finding_peers_takes_one_shuffle_and_one_ballot_a_distinct_key) {
    for (const WarpCase& input : make_cases(11, 64)) {
        const auto counts = run_warp(1, input.mask, [&](EmulatedWarp& warp) {
            EXPECT_NE(warp::find_peers(warp, input.mask, input.keys[warp.lane()]), 0u);
        });
        EXPECT_EQ(counts.of(Collective::shfl), count_groups(input).count);
        EXPECT_EQ(counts.of(Collective::ballot), count_groups(input).count);
    }
}

TEST(WarpCost, finding_peers_by_votes_takes_one_ballot_a_bit_that_varies) {
    for (const WarpCase& input : make_cases(12, 32)) {
        std::uint32_t varying = 0;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            const bool takes_part = (input.mask >> lane & 1u) != 0;
            const auto first = static_cast<std::uint32_t>(input.keys[warp::lowest_lane(input.mask)]);
            varying |= takes_part ? static_cast<std::uint32_t>(input.keys[lane]) ^ first : 0;
        }
        const auto counts = run_warp(1, input.mask, [&](EmulatedWarp& warp) {
            const auto key = static_cast<std::uint32_t>(input.keys[warp.lane()]);
            EXPECT_NE(warp::find_peers_by_votes(warp, input.mask, key), 0u);
        });
        EXPECT_EQ(counts.of(Collective::shfl), 1u);
        EXPECT_EQ(counts.of(Collective::reduce_or), 1u);
        EXPECT_EQ(counts.of(Collective::ballot), warp::popc(varying));
    }
}

TEST(WarpCost, reduction_takes_as_many_rounds_as_the_logarithm_of_the_largest_group) {
    constexpr unsigned k = 3;
    for (const WarpCase& input : make_cases(13, 32)) {
        const auto counts = run_warp(2, input.mask, [&](EmulatedWarp& warp) {
            double values[k] = {1, 2, 3};
            warp::reduce_peers(warp, input.mask, expected_peers(input, warp.lane()), values);
        });
        const unsigned rounds = rounds_for(count_groups(input).largest);
        EXPECT_EQ(counts.of(Collective::shfl), k * rounds);
        EXPECT_EQ(counts.of(Collective::ballot), rounds + 1);
    }
}

TEST(WarpCost, place_takes_one_shuffle) {
    const auto counts = run_warp(3, warp::full_mask, [](EmulatedWarp& warp) {
        EXPECT_EQ(
            warp::place_among_peers(warp, warp::full_mask, warp::full_mask, [](unsigned) { return 5u; }),
            5u + warp.lane());
    });
    EXPECT_EQ(counts.of(Collective::shfl), 1u);
    EXPECT_EQ(counts.of(Collective::ballot), 0u);
}

TEST(WarpCost, sorting_takes_a_shuffle_a_step_of_the_network) {
    std::mt19937_64 random{20};
    for (const unsigned mask : make_masks(random)) {
        const unsigned rounds = rounds_for(warp::popc(mask));
        const unsigned steps = rounds * (rounds + 1) / 2;
        auto counts = run_warp(4, mask, [&](EmulatedWarp& warp) {
            static_cast<void>(warp::sort_keys(warp, mask, 32 - warp.lane()));
        });
        EXPECT_EQ(counts.of(Collective::shfl), steps);
        counts = run_warp(4, mask, [&](EmulatedWarp& warp) {
            static_cast<void>(
                warp::sort_pairs(warp, mask, warp::KeyValue<int, double>{5, 1.0 * warp.lane()}));
        });
        EXPECT_EQ(counts.of(Collective::shfl), 2 * steps);
    }
}

TEST(WarpCost, segmented_scan_takes_as_many_rounds_as_the_logarithm_of_the_longest_segment) {
    constexpr unsigned k = 3;
    std::mt19937_64 random{21};
    for (const unsigned mask : make_masks(random)) {
        for (const unsigned votes : {0u, 0xffffffffu, 0x11111111u, static_cast<unsigned>(random())}) {
            const auto counts = run_warp(5, mask, [&](EmulatedWarp& warp) {
                const unsigned heads = warp::find_heads(warp, mask, (votes >> warp.lane() & 1u) != 0);
                double values[k] = {1, 2, 3};
                warp::scan_segments(warp, mask, heads, values);
            });
            unsigned longest = 0;
            unsigned length = 0;
            for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
                if ((mask >> lane & 1u) != 0) {
                    length = (votes >> lane & 1u) != 0 ? 1 : length + 1;
                    longest = length > longest ? length : longest;
                }
            }
            EXPECT_EQ(counts.of(Collective::ballot), 1u);
            if (warp::are_first_lanes(mask)) {
                EXPECT_EQ(counts.of(Collective::shfl), k * rounds_for(longest))
                    << std::hex << mask << " " << votes;
            } else {
                EXPECT_GE(counts.of(Collective::shfl), k * rounds_for(longest));
                EXPECT_LE(counts.of(Collective::shfl), k * 5);
            }
        }
    }
}

TEST(WarpCost, scan_of_peers_takes_as_many_rounds_as_the_logarithm_of_the_largest_group) {
    constexpr unsigned k = 3;
    for (const WarpCase& input : make_cases(14, 32)) {
        const auto counts = run_warp(6, input.mask, [&](EmulatedWarp& warp) {
            double values[k] = {1, 2, 3};
            warp::scan_peers(warp, input.mask, expected_peers(input, warp.lane()), values);
        });
        const unsigned rounds = rounds_for(count_groups(input).largest);
        EXPECT_EQ(counts.of(Collective::shfl), (k + 1) * rounds);
        EXPECT_EQ(counts.of(Collective::any), rounds + 1);
    }
}

TEST(WarpCost, reductions_and_scans_take_the_logarithm_of_the_width) {
    std::mt19937_64 random{22};
    for (const unsigned mask : make_masks(random)) {
        const auto shuffles_of = [&](auto algorithm) {
            const auto counts = run_warp(7, mask, algorithm);
            unsigned all = 0;
            for (const unsigned count : counts.counts) all += count;
            return all;
        };
        const auto ignore = [](auto) {};
        EXPECT_EQ(shuffles_of([&](auto& warp) { ignore(warp::reduce_down<8>(warp, mask, 1.0)); }), 3u);
        EXPECT_EQ(shuffles_of([&](auto& warp) { ignore(warp::reduce_butterfly(warp, mask, 1.0)); }), 5u);
        EXPECT_EQ(shuffles_of([&](auto& warp) { ignore(warp::scan_inclusive<16>(warp, mask, 1.0)); }), 4u);
        EXPECT_EQ(shuffles_of([&](auto& warp) { ignore(warp::scan_exclusive(warp, mask, 1.0)); }), 6u);
        EXPECT_EQ(shuffles_of([&](auto& warp) { ignore(warp::count_groups(warp, mask, mask)); }), 1u);
    }
}

template <int K>
unsigned shuffles_to_scatter() {
    const auto counts = run_warp(7, warp::full_mask, [](EmulatedWarp& warp) {
        double values[K] = {};
        static_cast<void>(warp::reduce_scatter(warp, values));
    });
    return counts.of(Collective::shfl_xor);
}

TEST(WarpCost, reductions_apart_take_fewer_shuffles_than_values_and_five) {
    EXPECT_EQ(shuffles_to_scatter<1>(), 5u);
    EXPECT_EQ(shuffles_to_scatter<5>(), 3u + 2 + 1 + 1 + 1);
    EXPECT_EQ(shuffles_to_scatter<9>(), 5u + 3 + 2 + 1 + 1);
    EXPECT_EQ(shuffles_to_scatter<17>(), 9u + 5 + 3 + 2 + 1);
    EXPECT_EQ(shuffles_to_scatter<32>(), 16u + 8 + 4 + 2 + 1);
}

TEST(WarpCost, compaction_takes_one_atomic_or_none) {
    for (const unsigned selected : {0u, 0x1u, 0x80000000u, 0x00ff00f0u, warp::full_mask}) {
        unsigned adds = 0;
        const auto counts = run_warp(8, warp::full_mask, [&](EmulatedWarp& warp) {
            const bool is_selected = (selected >> warp.lane() & 1u) != 0;
            static_cast<void>(warp::place_selected(warp, warp::full_mask, is_selected, [&](unsigned count) {
                EXPECT_EQ(count, warp::popc(selected));
                return ++adds;
            }));
        });
        EXPECT_EQ(adds, selected != 0 ? 1u : 0u);
        EXPECT_EQ(counts.of(Collective::ballot), 1u);
        EXPECT_EQ(counts.of(Collective::shfl), selected != 0 ? 1u : 0u);
    }
}

TEST(WarpCost, deferring_takes_a_ballot_a_round_and_two_synchronisations_a_full_warp) {
    for (const unsigned rare : {0u, 0x1u, 0x00ff00f0u, warp::full_mask}) {
        constexpr unsigned rounds = 8;
        warp::DeferredItems<unsigned> memory;
        const auto counts = run_warp(1, warp::full_mask, [&](EmulatedWarp& warp) {
            warp::Deferred<unsigned> deferred(warp::full_mask, memory);
            for (unsigned round = 0; round < rounds; ++round)
                deferred.put(warp, (rare >> warp.lane() & 1u) != 0, round, [](bool, unsigned) {});
        });
        EXPECT_EQ(counts.of(Collective::ballot), rounds);
        EXPECT_EQ(counts.of(Collective::sync), rounds * warp::popc(rare) / warp::warp_size * 2);
    }
}

}  // namespace
}  // namespace mpcflow::test
