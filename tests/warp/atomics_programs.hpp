#pragma once
/// Programs (warp_programs.hpp) of memory that many lanes write at the same time.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "gpu/warp/atomics.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {

/// Every operation of IsAtomics, by all lanes on one word. What the old values must be does not depend on
/// the order of the lanes: each addition of 1 has seen another number, each exchange another lane.
template <class Word>
struct WordAtomics {
    using Scratch = NoScratch;
    static constexpr int key_bits = 64;
    static std::string name() {
        return (std::is_signed_v<Word> ? "atomics_signed_" : "atomics_") + std::to_string(8 * sizeof(Word));
    }
    struct Report {
        Word count;
        Word last;  ///< the lane that came last to the exchange, plus 1
        Word smallest;
        Word largest;
        Word rounds;  ///< raised by compare-and-swap
        std::uint32_t bits;
        Word old_count[warp::warp_size];
        Word old_last[warp::warp_size];
        std::uint32_t old_bits[warp::warp_size];
    };

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&,
                                 Atomics atomics) {
        const unsigned lane = warp.lane();
        const Word key = static_cast<Word>(input.keys[lane]);
        report.old_count[lane] = atomics.add(&report.count, Word{1});
        report.old_last[lane] = atomics.exchange(&report.last, static_cast<Word>(lane + 1));
        atomics.exchange(&report.smallest, std::numeric_limits<Word>::max());
        atomics.exchange(&report.largest, std::numeric_limits<Word>::min());
        warp.sync(input.mask);
        atomics.minimum(&report.smallest, key);
        atomics.maximum(&report.largest, key);
        report.old_bits[lane] = atomics.bit_or(&report.bits, warp::lane_bit(lane));
        Word seen = 0;
        Word expected = 0;
        do {
            expected = seen;
            seen = atomics.compare_and_swap(&report.rounds, expected, expected + 2);
        } while (seen != expected);
    }

    static void check(const WarpCase& input, const Report& report) {
        const unsigned lanes = warp::popc(input.mask);
        unsigned counts_seen = 0;
        std::uint64_t lasts_seen = 0;
        Word smallest = lanes == 0 ? 0 : std::numeric_limits<Word>::max();
        Word largest = lanes == 0 ? 0 : std::numeric_limits<Word>::min();
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) != 0) {
                const Word key = static_cast<Word>(input.keys[lane]);
                smallest = key < smallest ? key : smallest;
                largest = key > largest ? key : largest;
                ASSERT_LT(static_cast<std::uint64_t>(report.old_count[lane]), lanes);
                counts_seen |= 1u << report.old_count[lane];
                ASSERT_LE(static_cast<std::uint64_t>(report.old_last[lane]), warp::warp_size);
                lasts_seen |= std::uint64_t{1} << report.old_last[lane];
                EXPECT_EQ(report.old_bits[lane] >> lane & 1u, 0u);
            }
        }
        EXPECT_EQ(report.count, static_cast<Word>(lanes));
        EXPECT_EQ(counts_seen, warp::first_lanes(lanes));
        const std::uint64_t lasts =
            (std::uint64_t{input.mask} << 1 | 1u) & ~(std::uint64_t{1} << report.last);
        EXPECT_EQ(lasts_seen, lanes == 0 ? 0 : lasts);
        EXPECT_EQ(report.smallest, smallest);
        EXPECT_EQ(report.largest, largest);
        EXPECT_EQ(report.rounds, static_cast<Word>(2 * lanes));
        EXPECT_EQ(report.bits, input.mask);
    }
};

/// The ways of adding doubles: all lanes of a key to one place.
struct AddDoubles {
    using Scratch = NoScratch;
    static constexpr int key_bits = 32;
    static std::string name() { return "add_doubles"; }
    struct Report {
        double native[warp::warp_size];
        double by_compare_and_swap[warp::warp_size];
        double old_value[warp::warp_size];
        warp::TwoFloats two_floats[warp::warp_size];
        unsigned peers[warp::warp_size];
    };
    static constexpr int adds = 4;  ///< of each lane

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch&,
                                 Atomics atomics) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp.match_any(input.mask, input.keys[lane]);
        const unsigned slot = slot_of(peers);
        report.peers[lane] = peers;
        for (int i = 0; i < adds; ++i) {
            const double value = input.values[lane][i];
            atomics.add(&report.native[slot], value);
            report.old_value[lane] =
                warp::add_by_compare_and_swap(atomics, &report.by_compare_and_swap[slot], value);
            warp::add_two_floats(atomics, &report.two_floats[slot], value);
        }
    }

    static void check(const WarpCase& input, const Report& report) {
        double sums[warp::warp_size] = {};
        double magnitudes[warp::warp_size] = {};  // no partial sum is larger
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            for (int i = 0; i < adds && (input.mask >> lane & 1u) != 0; ++i) {
                sums[slot_of(report.peers[lane])] += input.values[lane][i];
                magnitudes[slot_of(report.peers[lane])] += std::abs(input.values[lane][i]);
            }
        }
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            EXPECT_EQ(report.native[lane], sums[lane]) << "slot " << lane;
            EXPECT_EQ(report.by_compare_and_swap[lane], sums[lane]) << "slot " << lane;
            const unsigned n = adds * warp::popc(report.peers[lane]);
            const double bound = n * (n + 5.0) * 0x1p-48 * magnitudes[lane] + n * 0x1p-123;
            EXPECT_NEAR(report.two_floats[lane].value(), sums[lane], bound) << "slot " << lane;
            if (warp::popc(report.peers[lane]) == 1) {  // else it depends on the order of the peers
                const double old_value = sums[lane] - input.values[lane][adds - 1];
                EXPECT_EQ(report.old_value[lane], old_value) << "lane " << lane;
            }
        }
    }
};

}  // namespace mpcflow::test
