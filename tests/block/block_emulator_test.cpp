/// The emulator of a block: warps that take turns, and a barrier that finds what is wrong with its use.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/block_emulator.hpp"

namespace mpcflow::test {
namespace {

using warp::full_mask;

void expect_error(unsigned threads, const std::string& what,
                  const std::function<void(EmulatedBlock&)>& program) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        try {
            run_block(seed, threads, program);
            ADD_FAILURE() << "no error for seed " << seed;
        } catch (const WarpError& error) {
            EXPECT_NE(std::string{error.what()}.find(what), std::string::npos) << error.what();
        }
    }
}

TEST(BlockEmulator, each_thread_runs_once_and_knows_its_place) {
    for (const unsigned threads : {32u, 64u, 512u, 1024u}) {
        std::vector<int> runs(threads);
        run_block(1, threads, [&](EmulatedBlock& block) {
            ++runs.at(block.thread());
            EXPECT_EQ(block.size(), threads);
            EXPECT_EQ(block.warp().lane(), block.thread() % 32);
            EXPECT_EQ(block::warp_number(block), block.thread() / 32);
            EXPECT_EQ(block::warp_count(block), threads / 32);
        });
        EXPECT_EQ(runs, std::vector<int>(threads, 1));
    }
}

TEST(BlockEmulator, warps_vote_and_shuffle_among_themselves) {
    const auto counts = run_block(2, 128, [](EmulatedBlock& block) {
        const auto warp = block.warp();
        EXPECT_EQ(warp.shfl(full_mask, block.thread(), 5), block.thread() / 32 * 32 + 5);
        EXPECT_EQ(warp.ballot(full_mask, block.thread() == 70), block.thread() / 32 == 2 ? 0x40u : 0u);
    });
    EXPECT_EQ(counts.of(Collective::shfl), 4u);
    EXPECT_EQ(counts.of(Collective::ballot), 4u);
    EXPECT_EQ(counts.of(Collective::block_sync), 0u);
}

TEST(BlockEmulator, sync_waits_for_all_and_counts_once) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        unsigned arrived = 0;
        const auto counts = run_block(seed, 96, [&](EmulatedBlock& block) {
            for (unsigned round = 1; round <= 3; ++round) {
                ++arrived;
                block.sync();
                EXPECT_EQ(arrived, 96 * round);
                block.sync();
            }
        });
        EXPECT_EQ(counts.of(Collective::block_sync), 6u);
    }
}

TEST(BlockEmulator, a_missing_sync_shows) {
    const auto is_wrong = [](std::uint64_t seed, bool synchronise) {
        int words[64] = {};
        int wrong = 0;
        run_block(seed, 64, [&](EmulatedBlock& block) {
            words[block.thread()] = 1;
            block.warp().sync(full_mask);  // not enough: it waits for one warp
            if (synchronise) block.sync();
            wrong += words[63 - block.thread()] != 1;
        });
        return wrong != 0;
    };
    int shown = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        shown += is_wrong(seed, false) ? 1 : 0;
        EXPECT_FALSE(is_wrong(seed, true));
    }
    EXPECT_GT(shown, 10);
}

// For some seeds the warps go on side by side, for others one warp is far ahead of another.
TEST(BlockEmulator, warps_take_turns_in_an_order_that_the_seed_decides) {
    const auto order_of = [](std::uint64_t seed) {
        std::vector<unsigned> order;
        run_block(
            seed, 128,
            [&](EmulatedBlock& block) {
                for (int i = 0; i < 20; ++i) {
                    order.push_back(block::warp_number(block));
                    block.warp().yield();
                }
            });
        return order;
    };
    const auto switches = [](const std::vector<unsigned>& order) {
        int count = 0;
        for (std::size_t i = 1; i < order.size(); ++i) {
            count += order[i] != order[i - 1] ? 1 : 0;
        }
        return count;
    };
    EXPECT_EQ(order_of(3), order_of(3));
    EXPECT_NE(order_of(3), order_of(4));
    int alike = 0;
    int ahead = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto order = order_of(seed);
        ASSERT_EQ(order.size(), 128u * 20);
        alike += switches(order) > 1500 ? 1 : 0;
        ahead += switches(order) < 200 ? 1 : 0;
    }
    EXPECT_GT(alike, 2);
    EXPECT_GT(ahead, 2);
    EXPECT_EQ(alike + ahead, 20);
}

TEST(BlockEmulatorFinds, threads_that_have_left_before_a_sync) {
    expect_error(
        64, "left", [](EmulatedBlock& block) {  // one lane
            if (block.thread() != 40) block.sync();
        });
    expect_error(96, "left", [](EmulatedBlock& block) {  // a whole warp
        if (block.thread() < 64) {
            block.sync();
        }
    });
}

TEST(BlockEmulatorFinds, syncs_at_different_places) {
    expect_error(
        64, " meets ", [](EmulatedBlock& block) {  // of whole warps
            if (block.thread() < 32) block.sync();
            else block.sync();
        });
    expect_error(64, " meets ", [](EmulatedBlock& block) {  // of lanes
        if (block.thread() % 2 == 0) {
            block.sync();
        } else {
            block.sync();
        }
    });
}

TEST(BlockEmulatorFinds, lanes_that_wait_for_one_that_is_at_the_sync) {
    expect_error(
        64, " meets ",
        [](EmulatedBlock& block) {
            if (block.thread() == 33) block.sync();
            block.warp().sync(full_mask);
        });
}

TEST(BlockEmulatorFinds, loops_that_run_unequally_often) {
    expect_error(
        128, "",
        [](EmulatedBlock& block) {
            for (unsigned i = 0; i <= block.thread() / 96; ++i) block.sync();
        });
}

TEST(BlockEmulatorFinds, what_is_wrong_in_a_warp_and_names_it) {
    expect_error(
        128, "warp 2 lane ",
        [](EmulatedBlock& block) {
            if (block.thread() != 70) block.warp().sync(full_mask);
        });
    expect_error(64, "block_emulator_test.cpp:" + std::to_string(__LINE__ + 2), [](EmulatedBlock& block) {
        if (block.thread() != 3) {
            block.sync();
        }
    });
}

TEST(BlockEmulatorFinds, warps_that_wait_for_memory_for_ever) {
    EXPECT_THROW(run_block(
                     1, 64,
                     [](EmulatedBlock& block) {
                         while (block.thread() < 32) block.warp().yield();
                         block.sync();
                     }),
                 WarpError);
}

TEST(BlockEmulatorFinds, blocks_of_parts_of_warps) {
    EXPECT_THROW(run_block(1, 48, [](EmulatedBlock&) {}), WarpError);
    EXPECT_THROW(run_block(1, 0, [](EmulatedBlock&) {}), WarpError);
    EXPECT_THROW(run_block(1, 1056, [](EmulatedBlock&) {}), WarpError);
}

TEST(BlockEmulator, throws_on_what_a_thread_throws_and_unwinds_the_others) {
    int alive = 0;
    struct Guard {
        int& count;
        explicit Guard(int& counter) : count{counter} { ++count; }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;
        ~Guard() { --count; }
    };
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_THROW(run_block(seed, 96,
                               [&](EmulatedBlock& block) {
                                   const Guard guard{alive};
                                   block.sync();
                                   if (block.thread() == 50) throw std::out_of_range{"thread 50"};
                                   block.sync();
                               }),
                     std::out_of_range);
        EXPECT_EQ(alive, 0);
    }
}

}  // namespace
}  // namespace mpcflow::test
