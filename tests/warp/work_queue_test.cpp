/// A queue that several groups of lanes work off at the same time.

#include <vector>

#include <gtest/gtest.h>

#include "gpu/warp/work_queue.hpp"
#include "tests/support/emulated_atomics.hpp"
#include "tests/support/warp_emulator.hpp"

namespace mpcflow::test {
namespace {

TEST(WorkQueue, hands_each_item_out_once_however_the_workers_meet) {
    // Four workers of one warp stand for four warps.
    static constexpr unsigned workers[] = {0x000000ffu, 0x00000f00u, 0x7fff0000u, 0x8000f000u};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const unsigned count = static_cast<unsigned>(seed * 7);
        const unsigned batch = 1 + static_cast<unsigned>(seed % 10);
        unsigned taken = 0;
        std::vector<unsigned> visits(count);
        std::vector<unsigned> of_worker(4);
        run_warp(seed, warp::full_mask, [&](EmulatedWarp& warp) {
            for (std::size_t worker = 0; worker < 4; ++worker)
                if ((workers[worker] >> warp.lane() & 1u) != 0)
                    warp::work_off(warp, EmulatedAtomics{warp}, workers[worker],
                                   warp::WorkQueue<std::uint32_t>{&taken, count}, batch, [&](unsigned item) {
                                       ++visits.at(item);
                                       ++of_worker[worker];
                                   });
        });
        EXPECT_EQ(visits, std::vector<unsigned>(count, 1u)) << "seed " << seed;
        EXPECT_GE(taken, count);
        EXPECT_LT(taken, count + 4 * batch + batch);
        for (const unsigned visited : of_worker)
            EXPECT_TRUE(visited > 0 || count < 100) << "a worker got nothing, seed " << seed;
    }
}

TEST(WorkQueue, ends_at_the_count_among_the_largest_numbers) {
    unsigned long long taken = 0;
    const unsigned long long count = ~0ULL - 200;
    taken = count - 50;
    unsigned visited = 0;
    run_warp(1, warp::full_mask, [&](EmulatedWarp& warp) {
        warp::work_off(warp, EmulatedAtomics{warp}, warp::full_mask,
                       warp::WorkQueue<unsigned long long>{&taken, count}, 32, [&](unsigned long long item) {
                           EXPECT_LT(item, count);
                           ++visited;
                       });
    });
    EXPECT_EQ(visited, 50u);
}

}  // namespace
}  // namespace mpcflow::test
