/// The emulator of a warp: right collectives give what CUDA's give, wrong ones are found.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/warp_emulator.hpp"

namespace mpcflow::test {
namespace {

using warp::full_mask;

// Runs the program in several orders of lanes: each must end in a WarpError that says `what`.
void expect_error(unsigned mask, const std::string& what, const std::function<void(EmulatedWarp&)>& program) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        try {
            run_warp(seed, mask, program);
            ADD_FAILURE() << "no error for seed " << seed;
        } catch (const WarpError& error) {
            EXPECT_NE(std::string{error.what()}.find(what), std::string::npos) << error.what();
        }
    }
}

TEST(WarpEmulator, votes) {
    for (const unsigned mask : {full_mask, 0x1u, 0x0ff0u}) {
        run_warp(
            1, mask,
            [&](EmulatedWarp& warp) {
                const unsigned lane = warp.lane();
                EXPECT_EQ(warp.ballot(mask, lane % 3 == 0), 0x49249249u & mask);
                EXPECT_EQ(warp.any(mask, lane == 5), (mask >> 5 & 1u) != 0);
                EXPECT_FALSE(warp.any(mask, false));
                EXPECT_TRUE(warp.all(mask, true));
                EXPECT_EQ(warp.all(mask, lane != 5), (mask >> 5 & 1u) == 0);
            });
    }
}

TEST(WarpEmulator, shuffles_of_all_types) {
    run_warp(
        2, full_mask,
        [](EmulatedWarp& warp) {
            const unsigned lane = warp.lane();
            EXPECT_EQ(warp.shfl(full_mask, lane * 10, 31 - lane), (31 - lane) * 10);
            EXPECT_EQ(warp.shfl(full_mask, -1 - static_cast<int>(lane), 3), -4);
            EXPECT_EQ(warp.shfl(full_mask, (std::uint64_t{lane} << 40) + 1, 7), (std::uint64_t{7} << 40) + 1);
            EXPECT_EQ(warp.shfl(full_mask, 0.5 * lane, lane / 2), 0.5 * (lane / 2));
            EXPECT_EQ(warp.shfl(full_mask, 0.5f * static_cast<float>(lane), 9), 4.5f);
            EXPECT_EQ(warp.shfl_up(full_mask, lane, 3), lane < 3 ? lane : lane - 3);
            EXPECT_EQ(warp.shfl_down(full_mask, lane, 3), lane > 28 ? lane : lane + 3);
            EXPECT_EQ(warp.shfl_xor(full_mask, lane, 16), lane ^ 16u);
        });
}

TEST(WarpEmulator, match) {
    run_warp(
        3, full_mask,
        [](EmulatedWarp& warp) {
            const unsigned lane = warp.lane();
            EXPECT_EQ(warp.match_any(full_mask, lane & 1u), lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau);
            EXPECT_EQ(warp.match_any(full_mask, std::uint64_t{lane / 16} << 32),
                      lane < 16 ? 0xffffu : 0xffff0000u);
        });
}

TEST(WarpEmulator, or_of_all_lanes_of_the_mask) {
    run_warp(
        9, 0xffu, [](EmulatedWarp& warp) { EXPECT_EQ(warp.reduce_or(0xffu, 1u << warp.lane()), 0xffu); });
}

TEST(WarpEmulator, counts_each_collective_once) {
    const auto counts = run_warp(4, full_mask, [](EmulatedWarp& warp) {
        for (int i = 0; i < 5; ++i) warp.sync(full_mask);
        EXPECT_TRUE(warp.any(full_mask, true));
    });
    EXPECT_EQ(counts.of(Collective::sync), 5u);
    EXPECT_EQ(counts.of(Collective::any), 1u);
    EXPECT_EQ(counts.of(Collective::ballot), 0u);
}

TEST(WarpEmulator, parts_of_a_warp_may_go_different_ways) {
    const auto counts = run_warp(5, full_mask, [](EmulatedWarp& warp) {
        const unsigned lane = warp.lane();
        if (lane < 8) {
            EXPECT_EQ(warp.ballot(0xffu, true), 0xffu);
            EXPECT_EQ(warp.shfl(0xffu, lane, 7), 7u);
        } else {
            EXPECT_EQ(warp.ballot(0xffffff00u, lane == 8), 0x100u);
        }
        warp.sync(full_mask);
    });
    EXPECT_EQ(counts.of(Collective::ballot), 2u);
}

TEST(WarpEmulator, lanes_take_turns_in_an_order_that_the_seed_decides) {
    const auto order_of = [](std::uint64_t seed) {
        std::vector<unsigned> order;
        run_warp(seed, full_mask, [&](EmulatedWarp& warp) {
            order.push_back(warp.lane());
            warp.sync(full_mask);
            order.push_back(warp.lane());
        });
        return order;
    };
    const auto order = order_of(6);
    ASSERT_EQ(order.size(), 64u);
    EXPECT_EQ(order, order_of(6));
    EXPECT_NE(order, order_of(7));
    const std::vector<unsigned> starts(order.begin(), order.begin() + 32);
    const std::vector<unsigned> ends(order.begin() + 32, order.end());
    EXPECT_NE(starts, ends);
}

TEST(WarpEmulator, a_missing_sync_shows) {
    const auto is_wrong = [](std::uint64_t seed, bool synchronise) {
        int words[32] = {};
        int wrong = 0;
        run_warp(seed, full_mask, [&](EmulatedWarp& warp) {
            words[warp.lane()] = 1;
            if (synchronise) warp.sync(full_mask);
            wrong += words[31 - warp.lane()] != 1;
        });
        return wrong != 0;
    };
    EXPECT_TRUE(is_wrong(8, false));
    EXPECT_FALSE(is_wrong(8, true));
}

TEST(WarpEmulator, a_lane_that_yields_lets_others_go_on) {
    bool was_ever_interrupted = false;
    bool was_ever_not = false;
    run_warp(10, full_mask, [&, turn = 0](EmulatedWarp& warp) mutable {
        for (int i = 0; i < 10; ++i) {
            const int before = ++turn;
            warp.yield();
            was_ever_interrupted = was_ever_interrupted || turn != before;
            was_ever_not = was_ever_not || turn == before;
        }
        warp.sync(full_mask);
    });
    EXPECT_TRUE(was_ever_interrupted);
    EXPECT_TRUE(was_ever_not);
}

TEST(WarpEmulator, active_mask_is_some_of_the_lanes_here_and_can_be_used) {
    bool was_ever_a_part = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        unsigned taken = 0;
        const auto counts = run_warp(seed, full_mask, [&](EmulatedWarp& warp) {
            const unsigned lane = warp.lane();
            if (lane % 2 == 0) {
                const unsigned active = warp.active_mask();
                EXPECT_EQ(active & 0xaaaaaaaau, 0u);
                EXPECT_NE(active >> lane & 1u, 0u);
                EXPECT_EQ(warp.ballot(active, true), active);
                taken |= active;
            }
        });
        EXPECT_EQ(taken, 0x55555555u);
        was_ever_a_part = was_ever_a_part || counts.of(Collective::active_mask) > 1;
    }
    EXPECT_TRUE(was_ever_a_part);
}

TEST(WarpEmulatorFinds, active_mask_taken_for_the_whole_warp) {
    bool is_found = false;
    for (std::uint64_t seed = 0; seed < 20 && !is_found; ++seed) {
        try {
            run_warp(
                seed, full_mask,
                [](EmulatedWarp& warp) { static_cast<void>(warp.shfl(warp.active_mask(), 1.0, 0)); });
        } catch (const WarpError&) {
            is_found = true;
        }
    }
    EXPECT_TRUE(is_found);
}

TEST(WarpEmulatorFinds, a_lane_outside_its_own_mask) {
    expect_error(
        full_mask, "not in its own mask", [](EmulatedWarp& warp) { warp.sync(0xfffffffeu); });
}

TEST(WarpEmulatorFinds, masks_that_differ) {
    expect_error(
        full_mask, " meets ",
        [](EmulatedWarp& warp) {
            static_cast<void>(warp.ballot(warp.lane() < 4 ? full_mask : 0xfffffffeu, true));
        });
}

TEST(WarpEmulatorFinds, a_mask_of_lanes_that_were_never_there) {
    expect_error(
        0x7fffffffu, "waits for lanes that have left: 0x80000000",
        [](EmulatedWarp& warp) { static_cast<void>(warp.any(full_mask, true)); });
}

TEST(WarpEmulatorFinds, lanes_that_have_left) {
    expect_error(
        full_mask, "left",
        [](EmulatedWarp& warp) {
            if (warp.lane() != 13) warp.sync(full_mask);
        });
}

TEST(WarpEmulatorFinds, the_same_collective_in_two_branches) {
    expect_error(
        full_mask, " meets ",
        [](EmulatedWarp& warp) {
            if (warp.lane() % 2 == 0) warp.sync(full_mask);
            else warp.sync(full_mask);
        });
    expect_error(full_mask, " meets ", [](EmulatedWarp& warp) {  // both in one line
        static_cast<void>(warp.lane() == 3 ? warp.any(full_mask, true) : warp.any(full_mask, true));
    });
}

TEST(WarpEmulatorFinds, different_collectives) {
    expect_error(
        full_mask, " meets ",
        [](EmulatedWarp& warp) {
            if (warp.lane() == 31) static_cast<void>(warp.all(full_mask, true));
            else static_cast<void>(warp.any(full_mask, true));
        });
}

TEST(WarpEmulatorFinds, loops_that_run_unequally_often) {
    expect_error(
        full_mask, "",
        [](EmulatedWarp& warp) {
            for (unsigned i = 0; i <= warp.lane() / 31; ++i) warp.sync(full_mask);
        });
}

TEST(WarpEmulatorFinds, a_ring_of_lanes_that_wait_for_the_next) {
    expect_error(
        0x7u, "deadlock",
        [](EmulatedWarp& warp) {
            switch (warp.lane()) {
                case 0: warp.sync(0x3u); break;
                case 1: warp.sync(0x6u); break;
                default: warp.sync(0x5u); break;
            }
        });
}

TEST(WarpEmulatorFinds, shuffles_from_outside_the_mask) {
    expect_error(
        0xffu, "outside of the mask",
        [](EmulatedWarp& warp) { static_cast<void>(warp.shfl(0xffu, 1.0, warp.lane() + 1)); });
    expect_error(
        0xffu, "outside of the mask",
        [](EmulatedWarp& warp) { static_cast<void>(warp.shfl_down(0xffu, 1u, 1)); });
    expect_error(
        0xf0u, "outside of the mask",
        [](EmulatedWarp& warp) { static_cast<void>(warp.shfl_up(0xf0u, 1u, 1)); });
    expect_error(
        0xffu, "outside of the mask",
        [](EmulatedWarp& warp) { static_cast<void>(warp.shfl_xor(0xffu, 1u, 8)); });
    expect_error(full_mask, "outside of the warp",
                 [](EmulatedWarp& warp) { static_cast<void>(warp.shfl(full_mask, 1.0, warp.lane() + 1)); });
}

TEST(WarpEmulatorFinds, collectives_that_do_not_end) {
    EXPECT_THROW(run_warp(
                     1, 0x1u,
                     [](EmulatedWarp& warp) {
                         while (warp.any(0x1u, true)) {}
                     }),
                 WarpError);
}

TEST(WarpEmulatorFinds, a_lane_that_yields_for_ever) {
    expect_error(
        0x3u, "do not end",
        [](EmulatedWarp& warp) {
            while (warp.lane() == 1) warp.yield();
            warp.sync(0x3u);
        });
}

TEST(WarpEmulatorFinds, the_place_and_says_it) {
    expect_error(
        full_mask, "warp_emulator_test.cpp:" + std::to_string(__LINE__ + 1),
        [](EmulatedWarp& warp) { warp.sync(0x1u << (warp.lane() ^ 1u)); });
}

TEST(WarpEmulator, throws_on_what_a_lane_throws_and_unwinds_the_others) {
    int alive = 0;
    struct Guard {
        int& count;
        explicit Guard(int& counter) : count{counter} { ++count; }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;
        ~Guard() { --count; }
    };
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_THROW(run_warp(seed, full_mask,
                              [&](EmulatedWarp& warp) {
                                  const Guard guard{alive};
                                  warp.sync(full_mask);
                                  if (warp.lane() == 9) throw std::out_of_range{"lane 9"};
                                  warp.sync(full_mask);
                              }),
                     std::out_of_range);
        EXPECT_EQ(alive, 0);
    }
}

}  // namespace
}  // namespace mpcflow::test
