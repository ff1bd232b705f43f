/// The hash table of find_peers_by_hash: its probes end soon, whatever the keys.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/warp/hashed_peers.hpp"
#include "tests/support/emulated_atomics.hpp"
#include "tests/support/warp_emulator.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {
namespace {

using warp::full_mask;

// Counts each lane's compare-and-swaps.
struct CountingAtomics : EmulatedAtomics {
    unsigned* swaps;
    CountingAtomics(const EmulatedWarp& warp, unsigned* counter) : EmulatedAtomics{warp}, swaps{counter} {}
    std::uint32_t compare_and_swap(std::uint32_t* at, std::uint32_t expected, std::uint32_t desired) const {
        ++*swaps;
        return EmulatedAtomics::compare_and_swap(at, expected, desired);
    }
    using EmulatedAtomics::compare_and_swap;
};

// The most probes that a lane needs, and those of all lanes.
struct Probes {
    unsigned most = 0;
    unsigned all = 0;
};

template <class Key>
Probes count_probes(std::uint64_t seed, unsigned mask, const std::vector<Key>& keys) {
    warp::PeerTable<Key> table;
    std::fill(std::begin(table.groups), std::end(table.groups), 0xdeadbeefu);  // nothing is asked of it
    unsigned swaps[warp::warp_size] = {};
    const auto counts = run_warp(seed, mask, [&](EmulatedWarp& warp) {
        const unsigned lane = warp.lane();
        const CountingAtomics atomics{warp, &swaps[lane]};
        const unsigned peers = warp::find_peers_by_hash(warp, atomics, mask, keys[lane], table);
        EXPECT_EQ(peers, warp.match_any(mask, keys[lane]));
    });
    EXPECT_EQ(counts.of(Collective::sync), 3u);
    Probes probes;
    for (const unsigned count : swaps) {
        probes.most = std::max(probes.most, count);
        probes.all += count;
    }
    return probes;
}

TEST(HashedPeers, probes_end_when_all_keys_start_in_one_slot) {
    for (const unsigned slot : {0u, 40u, 63u}) {  // 40 and 63: the probes go round the end of the table
        std::vector<std::uint32_t> keys;
        for (std::uint32_t key = 0; keys.size() < warp::warp_size; ++key)
            if (warp::PeerTable<std::uint32_t>::first_slot(key) == slot) keys.push_back(key);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Probes probes = count_probes(seed, full_mask, keys);
            EXPECT_EQ(probes.most, warp::warp_size);
            EXPECT_EQ(probes.all, warp::warp_size * (warp::warp_size + 1) / 2);
        }
    }
}

// Twice and a half the lanes; random keys take one and a half.
TEST(HashedPeers, strided_keys_collide_seldom) {
    for (int shift = 0; shift < 30; ++shift) {
        std::vector<std::uint32_t> keys(warp::warp_size);
        std::vector<std::uint64_t> long_keys(warp::warp_size);
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            keys[lane] = 12345u + (lane << shift);
            long_keys[lane] = 12345u + (std::uint64_t{lane} << (2 * shift));
        }
        EXPECT_LE(count_probes(1, full_mask, keys).all, 80u) << "stride 2^" << shift;
        EXPECT_LE(count_probes(1, full_mask, long_keys).all, 80u) << "stride 2^" << 2 * shift;
    }
}

TEST(HashedPeers, one_probe_a_lane_where_all_keys_are_the_same) {
    for (const std::uint32_t key : {0u, 1u, 0xffffffffu, 0xdeadbeefu}) {
        const Probes probes = count_probes(2, 0x7fffffffu, std::vector<std::uint32_t>(warp::warp_size, key));
        EXPECT_EQ(probes.all, 31u);
    }
}

}  // namespace
}  // namespace mpcflow::test
