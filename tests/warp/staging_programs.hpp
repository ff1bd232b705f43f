#pragma once
/// Programs (warp_programs.hpp) of sums on their way into cells.

#include <string>

#include <gtest/gtest.h>

#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/staging.hpp"
#include "tests/warp/warp_cases.hpp"

namespace mpcflow::test {

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

    template <class Warp, class Atomics>
    static MPCFLOW_WARP void run(Warp warp, const WarpCase& input, Report& report, Scratch& scratch,
                                 Atomics atomics) {
        const unsigned lane = warp.lane();
        const unsigned peers = warp::find_peers(warp, input.mask, input.keys[lane]);
        double values[K];
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) values[k] = input.values[lane][k];
        warp::reduce_peers(warp, input.mask, peers, values);
        const bool leads = warp::is_leader(peers, lane);
        const auto add = [&](unsigned cell, int component, double sum) {
            atomics.add(&report.sums[cell][component], sum);
            atomics.add(&report.adds[cell][component], 1u);
        };
        warp::add_staged(warp, input.mask, leads, slot_of(peers), values, scratch, add);
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) values[k] *= 2;
        warp::add_staged(warp, input.mask, leads, slot_of(peers), values, scratch, add);
    }

    static void check(const WarpCase& input, const Report& report) {
        double sums[warp::warp_size][K] = {};
        unsigned adds[warp::warp_size] = {};
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((input.mask >> lane & 1u) == 0) continue;
            const unsigned slot = slot_of(expected_peers(input, lane));
            adds[slot] = 2;
            for (int k = 0; k < K; ++k) sums[slot][k] += 3 * input.values[lane][k];
        }
        for (unsigned slot = 0; slot < warp::warp_size; ++slot) {
            for (int k = 0; k < K; ++k) {
                EXPECT_EQ(report.sums[slot][k], sums[slot][k]) << "slot " << slot << " component " << k;
                EXPECT_EQ(report.adds[slot][k], adds[slot]) << "slot " << slot << " component " << k;
            }
        }
    }
};

}  // namespace mpcflow::test
