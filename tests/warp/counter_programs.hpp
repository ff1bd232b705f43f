#pragma once
/// Programs (warp_programs.hpp) of lanes that share a counter: each gets a number of its own from one atomic.

#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "gpu/warp/aggregated_increment.hpp"
#include "gpu/warp/compact.hpp"
#include "gpu/warp/deferred.hpp"
#include "gpu/warp/peer_scan.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/work_queue.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {

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

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&,
                                 Atomics atomics) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp::find_peers(warp, input.mask, input.keys[lane]);
        const unsigned slot = slot_of(peers);
        const auto fetch_add = [&](unsigned count) {
            atomics.add(&report.adds[slot], 1u);
            return atomics.add(&report.counters[slot], static_cast<Count>(count));
        };
        report.first_place[lane] = warp::place_among_peers(warp, input.mask, peers, fetch_add);
        report.second_place[lane] = warp::place_among_peers(warp, input.mask, peers, fetch_add);
    }

    static void check(const WarpCase& input, const Report& report) {
        Count next[warp::warp_size] = {};
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) == 0) continue;
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

/// Sums of the lower peers, and the last value among them.
template <int K>
struct ScanPeers {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "scan_peers_" + std::to_string(K); }
    struct Report {
        double sums[warp::warp_size][K];
        std::uint32_t first[warp::warp_size];
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&, Atomics) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp::find_peers(warp, input.mask, input.keys[lane]);
        double values[K];
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) values[k] = input.values[lane][k];
        warp::scan_peers(warp, input.mask, peers, values);
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) report.sums[lane][k] = values[k];
        report.first[lane] = warp::scan_peers(warp, input.mask, peers, input.numbers[lane], TakeLeft{});
    }

    static void check(const WarpCase& input, const Report& report) {
        double sums[warp::warp_size][K] = {};
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) == 0) continue;
            const unsigned slot = slot_of(expected_peers(input, lane));
            for (int k = 0; k < K; ++k) {
                sums[slot][k] += input.values[lane][k];
                EXPECT_EQ(report.sums[lane][k], sums[slot][k]) << "lane " << lane << " component " << k;
            }
            EXPECT_EQ(report.first[lane], input.numbers[slot]) << "lane " << lane;
        }
    }
};

/// Each lane adds a number of its own to its key's sum, twice, and gets what it held before.
template <class T>
struct AddAmongPeers {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() {
        return (std::is_floating_point_v<T> ? "add_among_peers_floating_" : "add_among_peers_") +
               std::to_string(8 * sizeof(T));
    }
    struct Report {
        T sums[warp::warp_size];
        unsigned adds[warp::warp_size];
        T before[2][warp::warp_size];
    };

    static MPCFLOW_HD T number_of(const WarpCase& input, unsigned lane) {
        return std::is_floating_point_v<T> ? static_cast<T>(input.values[lane][3])
                                           : static_cast<T>(input.numbers[lane]);
    }

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&,
                                 Atomics atomics) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp::find_peers(warp, input.mask, input.keys[lane]);
        const unsigned slot = slot_of(peers);
        for (auto& before : report.before) {
            before[lane] = warp::add_among_peers(
                warp, input.mask, peers, number_of(input, lane),
                [&](T sum) {
                    atomics.add(&report.adds[slot], 1u);
                    return atomics.add(&report.sums[slot], sum);
                });
        }
    }

    static void check(const WarpCase& input, const Report& report) {
        Report expected{};
        for (int round = 0; round < 2; ++round) {
            for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
                if ((input.mask >> lane & 1u) == 0) continue;
                const unsigned slot = slot_of(expected_peers(input, lane));
                EXPECT_EQ(report.before[round][lane], expected.sums[slot])
                    << "lane " << lane << " round " << round;
                expected.sums[slot] += number_of(input, lane);
                expected.adds[slot] = 2;
            }
        }
        for (unsigned slot = 0; slot < warp::warp_size; ++slot) {
            EXPECT_EQ(report.sums[slot], expected.sums[slot]) << "slot " << slot;
            EXPECT_EQ(report.adds[slot], expected.adds[slot]) << "slot " << slot;
        }
    }
};

/// The lanes with odd numbers take places behind one counter, then none do, then all.
struct PlaceSelected {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "place_selected"; }
    struct Report {
        std::uint32_t counter;
        std::uint32_t adds;
        std::uint32_t places[warp::warp_size];
        std::uint32_t places_of_all[warp::warp_size];
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&,
                                 Atomics atomics) {
        const unsigned lane = warp.lane();
        const auto fetch_add = [&](unsigned count) {
            atomics.add(&report.adds, 1u);
            return atomics.add(&report.counter, count);
        };
        const bool is_odd = input.numbers[lane] % 2 == 1;
        const std::uint32_t place = warp::place_selected(warp, input.mask, is_odd, fetch_add);
        report.places[lane] = is_odd ? place : 0;
        static_cast<void>(warp::place_selected(warp, input.mask, false, fetch_add));
        report.places_of_all[lane] = warp::place_selected(warp, input.mask, true, fetch_add);
    }

    static void check(const WarpCase& input, const Report& report) {
        std::uint32_t next = 0;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            const bool is_selected = (input.mask >> lane & 1u) != 0 && input.numbers[lane] % 2 == 1;
            EXPECT_EQ(report.places[lane], is_selected ? next++ : 0) << "lane " << lane;
        }
        EXPECT_EQ(report.adds, (input.mask != 0 ? 1u : 0u) + (next != 0 ? 1u : 0u));
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            const bool takes_part = (input.mask >> lane & 1u) != 0;
            EXPECT_EQ(report.places_of_all[lane], takes_part ? next++ : 0) << "lane " << lane;
        }
        EXPECT_EQ(report.counter, next);
    }
};

/// In each round some lanes, other ones, put an item aside.
struct DeferItems {
    static constexpr unsigned rounds = 24;
    using Scratch = warp::DeferredItems<std::uint32_t>;
    static constexpr int key_bits = 32;
    static std::string name() { return "defer_items"; }
    struct Report {
        std::uint32_t done[rounds * warp::warp_size];
        std::uint32_t calls[warp::warp_size];
        std::uint32_t calls_without[warp::warp_size];
        std::uint32_t calls_apart;
    };

    static MPCFLOW_HD bool is_rare(const WarpCase& input, unsigned lane, unsigned round) {
        // Rounds without any, and rounds with all, too.
        const unsigned bits = input.numbers[lane] >> round;
        return round % 5 != 3 && ((bits & 3U) == 0 || round % 7 == 2);
    }

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch& scratch,
                                 Atomics atomics) {
        const unsigned lane = warp.lane();
        const auto work = [&](bool has_item, std::uint32_t item) {
            if (has_item) atomics.add(&report.done[item], 1u);
            ++report.calls[lane];
            report.calls_without[lane] += has_item ? 0 : 1;
            if (warp.ballot(input.mask, true) != input.mask) atomics.add(&report.calls_apart, 1u);
        };
        warp::Deferred<std::uint32_t> deferred(input.mask, scratch);
        for (unsigned round = 0; round < rounds; ++round)
            deferred.put(warp, is_rare(input, lane, round), round * warp::warp_size + lane, work);
        deferred.finish(warp, work);
        deferred.finish(warp, work);
    }

    static void check(const WarpCase& input, const Report& report) {
        unsigned items = 0;
        for (unsigned i = 0; i < rounds * warp::warp_size; ++i) {
            const unsigned lane = i % warp::warp_size;
            const bool takes_part = (input.mask >> lane & 1u) != 0;
            const bool is_item = takes_part && is_rare(input, lane, i / warp::warp_size);
            EXPECT_EQ(report.done[i], is_item ? 1u : 0u) << "item " << i;
            items += is_item ? 1 : 0;
        }
        const unsigned lanes = warp::popc(input.mask);
        unsigned without = 0;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            const bool takes_part = (input.mask >> lane & 1u) != 0;
            EXPECT_EQ(report.calls[lane], takes_part ? (items + lanes - 1) / lanes : 0) << "lane " << lane;
            without += report.calls_without[lane];
        }
        EXPECT_EQ(without, lanes == 0 ? 0 : (lanes - items % lanes) % lanes);
        EXPECT_EQ(report.calls_apart, 0u);
    }
};

/// The lanes work off a queue of their own, of a random length, in batches of 1 to 64 items.
template <class Number>
struct WorkOff {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "work_off_" + std::to_string(8 * sizeof(Number)); }
    static constexpr unsigned most_items = 512;
    struct Report {
        Number taken;
        unsigned visits[most_items];
        bool was_empty_after[warp::warp_size];
    };

    static MPCFLOW_HD Number items_of(const WarpCase& input) { return input.numbers[0] % most_items; }
    static MPCFLOW_HD Number batch_of(const WarpCase& input) { return 1 + input.numbers[1] % 64; }

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&,
                                 Atomics atomics) {
        const warp::WorkQueue<Number> queue{&report.taken, items_of(input)};
        warp::work_off(warp, atomics, input.mask, queue, batch_of(input),
                       [&](Number item) { atomics.add(&report.visits[item], 1u); });
        report.was_empty_after[warp.lane()] =
            warp::take_items(warp, atomics, input.mask, queue, batch_of(input)).is_empty();
    }

    static void check(const WarpCase& input, const Report& report) {
        for (unsigned item = 0; item < most_items; ++item) {
            const bool is_visited = input.mask != 0 && item < items_of(input);
            ASSERT_EQ(report.visits[item], is_visited ? 1u : 0u) << "item " << item;
        }
        for (unsigned lane = 0; lane < warp::warp_size; ++lane)
            EXPECT_EQ(report.was_empty_after[lane], (input.mask >> lane & 1u) != 0) << "lane " << lane;
    }
};

}  // namespace mpcflow::test
