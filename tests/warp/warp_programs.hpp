#pragma once
/// What the tests of the warp algorithms let a warp do, and how they check what it reports. Each program is
/// a lane's body over a Warp, so that the same ones run in the emulator and on the card; the checks are
/// plain loops on the host.
///
/// A program has a name, the width of the keys to try, a Report (plain data, zero at the start), a Scratch (a
/// warp's own), run() and check().
/// `Memory` has fetch_add(counter, count), atomic, returning the old value, and add(sum, value), atomic.

#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "gpu/warp/aggregated_increment.hpp"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/staging.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {

struct NoScratch {};

/// Where the sums and counters of a lane's key are: at the number of its first lane.
MPCFLOW_HD unsigned slot_of(unsigned peers) { return warp::leader_of(peers); }

template <class Key>
struct FindPeers {
    using Scratch = NoScratch;
    static constexpr int key_bits = 8 * sizeof(Key);
    static std::string name() {
        return (std::is_signed_v<Key> ? "find_peers_signed_" : "find_peers_") + std::to_string(key_bits);
    }
    struct Report {
        unsigned peers[warp::warp_size];
        unsigned matched[warp::warp_size];
        unsigned by_votes[warp::warp_size];
        bool leads[warp::warp_size];
    };

    template <class Warp, class Memory>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Memory) {
        const unsigned lane = warp.lane();
        const Key key = static_cast<Key>(input.keys[lane]);
        report.peers[lane] = warp::find_peers(warp, input.mask, key);
        report.matched[lane] = warp.match_any(input.mask, key);
        if constexpr (sizeof(Key) == 4) {
            report.by_votes[lane] = warp::find_peers_by_votes(warp, input.mask, key);
        } else {
            report.by_votes[lane] = report.peers[lane];
        }
        report.leads[lane] = warp::is_leader(report.peers[lane], lane);
    }

    static void check(const WarpCase& input, const Report& report) {
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            const bool takes_part = (input.mask >> lane & 1u) != 0;
            const unsigned peers = takes_part ? expected_peers(input, lane) : 0;
            EXPECT_EQ(report.peers[lane], peers) << "lane " << lane;
            EXPECT_EQ(report.matched[lane], peers) << "lane " << lane;
            EXPECT_EQ(report.by_votes[lane], peers) << "lane " << lane;
            const bool leads = takes_part && (peers & ((1u << lane) - 1)) == 0;
            EXPECT_EQ(report.leads[lane], leads) << "lane " << lane;
        }
    }
};

/// The right one of two values: associative, not commutative.
struct TakeRight {
    template <class T>
    MPCFLOW_WARP T operator()(T, T right) const {
        return right;
    }
};

struct TakeLarger {
    template <class T>
    MPCFLOW_WARP T operator()(T a, T b) const {
        return a < b ? b : a;
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
    };

    template <class Warp, class Memory>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Memory) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp::find_peers(warp, input.mask, input.keys[lane]);
        double values[K];
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            values[k] = input.values[lane][k];
        }
        warp::reduce_peers(warp, input.mask, peers, values);
        const std::uint32_t number = input.numbers[lane];
        const auto sum = warp::reduce_peers(warp, input.mask, peers, number);
        const auto largest = warp::reduce_peers(warp, input.mask, peers, number, TakeLarger{});
        const auto last = warp::reduce_peers(warp, input.mask, peers, number, TakeRight{});
        if (warp::is_leader(peers, lane)) {
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) {
                report.sums[lane][k] = values[k];
            }
            report.sum[lane] = sum;
            report.largest[lane] = largest;
            report.last[lane] = last;
        }
    }

    static void check(const WarpCase& input, const Report& report) {
        Report expected{};
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) == 0) {
                continue;
            }
            const unsigned slot = slot_of(expected_peers(input, lane));
            const std::uint32_t number = input.numbers[lane];
            for (int k = 0; k < K; ++k) {
                expected.sums[slot][k] += input.values[lane][k];
            }
            expected.sum[slot] += number;
            expected.largest[slot] = number > expected.largest[slot] ? number : expected.largest[slot];
            expected.last[slot] = number;
        }
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            for (int k = 0; k < K; ++k) {
                EXPECT_EQ(report.sums[lane][k], expected.sums[lane][k]) << "lane " << lane << " component " << k;
            }
            EXPECT_EQ(report.sum[lane], expected.sum[lane]) << "lane " << lane;
            EXPECT_EQ(report.largest[lane], expected.largest[lane]) << "lane " << lane;
            EXPECT_EQ(report.last[lane], expected.last[lane]) << "lane " << lane;
        }
    }
};

/// Each lane takes a place behind its key's counter, twice.
template <class Count>
struct PlaceAmongPeers {
    using Scratch = NoScratch;
    static constexpr int key_bits = 64;
    static std::string name() { return "place_among_peers_" + std::to_string(8 * sizeof(Count)); }
    struct Report {
        Count counters[warp::warp_size];
        unsigned adds[warp::warp_size];
        Count first_place[warp::warp_size];
        Count second_place[warp::warp_size];
    };

    template <class Warp, class Memory>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Memory memory) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp::find_peers(warp, input.mask, input.keys[lane]);
        const unsigned slot = slot_of(peers);
        const auto fetch_add = [&](unsigned count) {
            memory.fetch_add(&report.adds[slot], 1u);
            return memory.fetch_add(&report.counters[slot], static_cast<Count>(count));
        };
        report.first_place[lane] = warp::place_among_peers(warp, input.mask, peers, fetch_add);
        report.second_place[lane] = warp::place_among_peers(warp, input.mask, peers, fetch_add);
    }

    static void check(const WarpCase& input, const Report& report) {
        Count next[warp::warp_size] = {};
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) == 0) {
                continue;
            }
            const unsigned slot = slot_of(expected_peers(input, lane));
            EXPECT_EQ(report.first_place[lane], next[slot]) << "lane " << lane;
            ++next[slot];
            EXPECT_EQ(report.adds[slot], 2u) << "lane " << lane;
        }
        Count second[warp::warp_size];
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            EXPECT_EQ(report.counters[lane], 2 * next[lane]) << "slot " << lane;
            second[lane] = next[lane];
        }
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) != 0) {
                const unsigned slot = slot_of(expected_peers(input, lane));
                EXPECT_EQ(report.second_place[lane], second[slot]++) << "lane " << lane;
            }
        }
    }
};

/// The whole way of a particle's contribution into its cell, as in the solver: peers, sub-tree sums, staged
/// atomics. Run twice, with the scratch used again at once.
template <int K, int Group>
struct AddStaged {
    using Scratch = warp::SumScratch<K, Group, unsigned>;
    static constexpr int key_bits = 32;
    static std::string name() { return "add_staged_" + std::to_string(K) + "_by_" + std::to_string(Group); }
    struct Report {
        double sums[warp::warp_size][K];
        unsigned adds[warp::warp_size][K];
    };

    template <class Warp, class Memory>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch& scratch,
                                 Memory memory) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp::find_peers(warp, input.mask, input.keys[lane]);
        double values[K];
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            values[k] = input.values[lane][k];
        }
        warp::reduce_peers(warp, input.mask, peers, values);
        const bool leads = warp::is_leader(peers, lane);
        const auto add = [&](unsigned cell, int component, double sum) {
            memory.add(&report.sums[cell][component], sum);
            memory.fetch_add(&report.adds[cell][component], 1u);
        };
        warp::add_staged(warp, input.mask, leads, slot_of(peers), values, scratch, add);
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            values[k] *= 2;
        }
        warp::add_staged(warp, input.mask, leads, slot_of(peers), values, scratch, add);
    }

    static void check(const WarpCase& input, const Report& report) {
        double sums[warp::warp_size][K] = {};
        unsigned adds[warp::warp_size] = {};
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) == 0) {
                continue;
            }
            const unsigned slot = slot_of(expected_peers(input, lane));
            adds[slot] = 2;
            for (int k = 0; k < K; ++k) {
                sums[slot][k] += 3 * input.values[lane][k];
            }
        }
        for (unsigned slot = 0; slot < warp::warp_size; ++slot) {
            for (int k = 0; k < K; ++k) {
                EXPECT_EQ(report.sums[slot][k], sums[slot][k]) << "slot " << slot << " component " << k;
                EXPECT_EQ(report.adds[slot][k], adds[slot]) << "slot " << slot << " component " << k;
            }
        }
    }
};

using AllPrograms =
    testing::Types<FindPeers<std::uint32_t>, FindPeers<std::int32_t>, FindPeers<std::uint64_t>, ReducePeers<1>,
                   ReducePeers<4>, ReducePeers<9>, ReducePeers<16>, PlaceAmongPeers<std::uint32_t>,
                   PlaceAmongPeers<unsigned long long>, AddStaged<1, 1>, AddStaged<4, 8>, AddStaged<9, 5>,
                   AddStaged<9, 8>, AddStaged<16, 8>, AddStaged<16, 32>>;

struct ProgramNames {
    template <class Program>
    static std::string GetName(int) {  // NOLINT: the name that GoogleTest asks for
        return Program::name();
    }
};

}  // namespace mpcflow::test
