#pragma once
/// Programs (warp_programs.hpp) of what peers do: find each other, reduce, count groups.

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "gpu/warp/count_distinct.hpp"
#include "gpu/warp/hashed_peers.hpp"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {

/// The ways of finding peers, one after the other.
template <class Key>
struct FindPeers {
    using Scratch = warp::PeerTable<Key>;
    static constexpr int key_bits = 8 * sizeof(Key);
    static std::string name() {
        return (std::is_signed_v<Key> ? "find_peers_signed_" : "find_peers_") + std::to_string(key_bits);
    }
    struct Report {
        unsigned peers[warp::warp_size];
        unsigned by_votes[warp::warp_size];
        unsigned by_match[warp::warp_size];
        unsigned by_hash[warp::warp_size];
        unsigned by_hash_again[warp::warp_size];  ///< of other keys, in the table as the first call left it
        bool leads[warp::warp_size];
        unsigned distinct[warp::warp_size];
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch& table,
                                 Atomics atomics) {
        const unsigned lane = warp.lane();
        const Key key = static_cast<Key>(input.keys[lane]);
        report.peers[lane] = warp::find_peers(warp, input.mask, key);
        if constexpr (sizeof(Key) == 4)
            report.by_votes[lane] = warp::find_peers_by_votes(warp, input.mask, key);
        else report.by_votes[lane] = report.peers[lane];
        report.by_match[lane] = warp::find_peers_by_match(warp, input.mask, key);
        report.by_hash[lane] = warp::find_peers_by_hash(warp, atomics, input.mask, key, table);
        const Key other = static_cast<Key>(~input.keys[lane]);
        report.by_hash_again[lane] = warp::find_peers_by_hash(warp, atomics, input.mask, other, table);
        report.leads[lane] = warp::is_leader(report.peers[lane], lane);
        report.distinct[lane] = warp::count_distinct(warp, input.mask, key);
    }

    static void check(const WarpCase& input, const Report& report) {
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            const bool takes_part = (input.mask >> lane & 1u) != 0;
            const unsigned peers = takes_part ? expected_peers(input, lane) : 0;
            EXPECT_EQ(report.peers[lane], peers) << "lane " << lane;
            EXPECT_EQ(report.by_votes[lane], peers) << "lane " << lane;
            EXPECT_EQ(report.by_match[lane], peers) << "lane " << lane;
            EXPECT_EQ(report.by_hash[lane], peers) << "lane " << lane;
            EXPECT_EQ(report.by_hash_again[lane], peers) << "lane " << lane;
            const bool leads = takes_part && (peers & ((1u << lane) - 1)) == 0;
            EXPECT_EQ(report.leads[lane], leads) << "lane " << lane;
            EXPECT_EQ(report.distinct[lane], takes_part ? count_groups(input).count : 0) << "lane " << lane;
        }
    }
};

/// K sums of doubles, and for one integer the sum, the maximum and the last value.
template <int K>
struct ReducePeers {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "reduce_peers_" + std::to_string(K); }
    struct Report {
        double sums[warp::warp_size][K];
        std::uint32_t sum[warp::warp_size];
        std::uint32_t largest[warp::warp_size];
        std::uint32_t last[warp::warp_size];
        std::uint32_t smallest_to_all[warp::warp_size];
        double sums_to_all[warp::warp_size][K];
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Atomics) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp::find_peers(warp, input.mask, input.keys[lane]);
        double values[K];
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) values[k] = input.values[lane][k];
        warp::reduce_peers_to_all(warp, input.mask, peers, values);
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            report.sums_to_all[lane][k] = values[k];
            values[k] = input.values[lane][k];
        }
        warp::reduce_peers(warp, input.mask, peers, values);
        const std::uint32_t number = input.numbers[lane];
        const auto sum = warp::reduce_peers(warp, input.mask, peers, number);
        const auto largest = warp::reduce_peers(warp, input.mask, peers, number, warp::Maximum{});
        report.smallest_to_all[lane] =
            warp::reduce_peers_to_all(warp, input.mask, peers, number, warp::Minimum{});
        const auto last = warp::reduce_peers(warp, input.mask, peers, number, TakeRight{});
        if (warp::is_leader(peers, lane)) {
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) report.sums[lane][k] = values[k];
            report.sum[lane] = sum;
            report.largest[lane] = largest;
            report.last[lane] = last;
        }
    }

    static void check(const WarpCase& input, const Report& report) {
        Report expected{};
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) == 0) continue;
            const unsigned slot = slot_of(expected_peers(input, lane));
            const std::uint32_t number = input.numbers[lane];
            for (int k = 0; k < K; ++k) expected.sums[slot][k] += input.values[lane][k];
            expected.sum[slot] += number;
            expected.largest[slot] = number > expected.largest[slot] ? number : expected.largest[slot];
            expected.last[slot] = number;
            const bool is_first = slot == lane;
            expected.smallest_to_all[slot] =
                is_first ? number : std::min(expected.smallest_to_all[slot], number);
        }
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            for (int k = 0; k < K; ++k) {
                EXPECT_EQ(report.sums[lane][k], expected.sums[lane][k])
                    << "lane " << lane << " component " << k;
            }
            EXPECT_EQ(report.sum[lane], expected.sum[lane]) << "lane " << lane;
            EXPECT_EQ(report.largest[lane], expected.largest[lane]) << "lane " << lane;
            EXPECT_EQ(report.last[lane], expected.last[lane]) << "lane " << lane;
            if ((input.mask >> lane & 1u) != 0) {
                const unsigned slot = slot_of(expected_peers(input, lane));
                EXPECT_EQ(report.smallest_to_all[lane], expected.smallest_to_all[slot]) << "lane " << lane;
                for (int k = 0; k < K; ++k)
                    EXPECT_EQ(report.sums_to_all[lane][k], expected.sums[slot][k]) << "lane " << lane;
            }
        }
    }
};

}  // namespace mpcflow::test
