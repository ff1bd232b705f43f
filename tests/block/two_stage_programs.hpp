#pragma once
/// The programs of gpu/block/two_stage_sums.hpp.

#include <gtest/gtest.h>

#include "gpu/block/two_stage_sums.hpp"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "tests/block/block_programs.hpp"

namespace mpcflow::test {

/// Who hands in rows: the leaders of each warp's peers, as in the solver, or each thread for itself, which
/// is the most that there can be and gives a cell several rows in one warp.
enum class Leaders { of_peers, everyone };

/// Sums into cells, twice, with the scratch used again at once.
template <int K, int Threads, int Rows, Leaders leaders>
struct AddTwoStage {
    using Scratch = block::TwoStageScratch<K, Threads, Rows>;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static std::string name() {
        return "add_two_stage_" + std::to_string(K) + "_in_" + std::to_string(Threads) + "_by_" +
               std::to_string(Rows) + (leaders == Leaders::of_peers ? "_of_peers" : "_of_everyone");
    }
    static std::vector<std::uint32_t> counts() { return counts_up_to(threads); }

    struct Report {  // at the place of the first item of a cell
        double sums[Threads][K];
        unsigned adds[Threads][K];
    };

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        const bool has_item = block.thread() < items.count;
        const std::int32_t key = has_item ? items.keys[block.thread()] : -1;
        double values[K] = {};
        if (has_item) {
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) values[k] = items.values[block.thread()][k];
        }
        bool leads = has_item;
        if constexpr (leaders == Leaders::of_peers) {
            const unsigned peers = warp::find_peers(block.warp(), warp::full_mask, key);
            warp::reduce_peers(block.warp(), warp::full_mask, peers, values);
            leads = has_item && warp::is_leader(peers, block.warp().lane());
        }
        const auto add = [&](std::int32_t cell, int component, double sum) {
            const std::uint32_t place = first_with(items, cell);
            atomics.add(&report.sums[place][component], sum);
            atomics.add(&report.adds[place][component], 1u);
        };
        block::add_two_stage(block, atomics, leads, key, values, scratch, add);
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) values[k] *= 2;
        block::add_two_stage(block, atomics, leads, key, values, scratch, add);
    }

    static void check(const BlockCase& input, const Report& report) {
        Report expected{};
        for (std::uint32_t item = 0; item < input.count(); ++item) {
            const std::uint32_t place = first_with(input.items(), input.keys[item]);
            for (int k = 0; k < K; ++k) expected.sums[place][k] += 3 * input.values[item].values[k];
            expected.adds[place][0] += 2;
        }
        constexpr unsigned most_rounds = Threads / Rows + (Threads % Rows != 0 ? 1 : 0);
        for (std::uint32_t place = 0; place < input.count(); ++place) {
            const unsigned rows = expected.adds[place][0];  // of everyone, in both calls
            const unsigned adds = report.adds[place][0];
            if (rows != 0) {
                EXPECT_GE(adds, 2u) << "place " << place;
                EXPECT_LE(adds, 2 * most_rounds) << "place " << place;
                EXPECT_LE(adds, rows) << "place " << place;
            } else {
                EXPECT_EQ(adds, 0u) << "place " << place;
            }
            for (int k = 0; k < K; ++k) {
                EXPECT_EQ(report.sums[place][k], expected.sums[place][k])
                    << "place " << place << " component " << k;
                EXPECT_EQ(report.adds[place][k], adds) << "place " << place << " component " << k;
            }
        }
    }
};

using TwoStagePrograms =
    testing::Types<AddTwoStage<1, 32, 32, Leaders::everyone>, AddTwoStage<4, 64, 64, Leaders::of_peers>,
                   AddTwoStage<16, 128, 128, Leaders::everyone>, AddTwoStage<9, 256, 256, Leaders::of_peers>,
                   AddTwoStage<9, 256, 100, Leaders::everyone>, AddTwoStage<16, 256, 128, Leaders::of_peers>,
                   AddTwoStage<9, 512, 512, Leaders::everyone>, AddTwoStage<4, 512, 20, Leaders::of_peers>,
                   AddTwoStage<1, 64, 1, Leaders::of_peers>>;

}  // namespace mpcflow::test
