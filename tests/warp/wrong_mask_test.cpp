/// A mask that does not match the lanes that call is found in every algorithm that takes one.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/warp/aggregated_increment.hpp"
#include "gpu/warp/compact.hpp"
#include "gpu/warp/count_distinct.hpp"
#include "gpu/warp/hashed_peers.hpp"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/reduce.hpp"
#include "gpu/warp/scan.hpp"
#include "gpu/warp/segmented_scan.hpp"
#include "gpu/warp/sort.hpp"
#include "gpu/warp/staging.hpp"
#include "gpu/warp/work_queue.hpp"
#include "tests/support/emulated_atomics.hpp"
#include "tests/support/warp_emulator.hpp"

namespace mpcflow::test {
namespace {

// An algorithm, called with a mask by one lane. `Shared` is what the lanes of a warp share.
struct Shared {
    warp::PeerTable<unsigned> table;
    warp::SumScratch<2, 4, unsigned> staging;
    std::uint32_t taken = 0;
};
using Call = std::function<void(EmulatedWarp, unsigned mask, Shared&)>;

// Each lane is its own group, head and key, where it matters.
std::vector<std::pair<std::string, Call>> all_algorithms() {
    using W = EmulatedWarp;
    using S = Shared;
    const auto ignore = [](auto&&...) {};
    return {
        {"find_peers", [=](W w, unsigned mask, S&) { ignore(warp::find_peers(w, mask, w.lane())); }},
        {"find_peers_by_votes",
         [=](W w, unsigned mask, S&) { ignore(warp::find_peers_by_votes(w, mask, w.lane())); }},
        {"find_peers_by_match",
         [=](W w, unsigned mask, S&) { ignore(warp::find_peers_by_match(w, mask, w.lane())); }},
        {"find_peers_by_hash",
         [=](W w, unsigned mask, S& shared) {
             ignore(warp::find_peers_by_hash(w, EmulatedAtomics{w}, mask, w.lane(), shared.table));
         }},
        {"reduce_peers", [=](W w, unsigned mask, S&) { ignore(warp::reduce_peers(w, mask, mask, 1.0)); }},
        {"place_among_peers",
         [=](W w, unsigned mask, S&) {
             ignore(warp::place_among_peers(w, mask, mask, [](unsigned count) { return count; }));
         }},
        {"reduce_peers_to_all",
         [=](W w, unsigned mask, S&) { ignore(warp::reduce_peers_to_all(w, mask, mask, 1.0)); }},
        {"scan_peers", [=](W w, unsigned mask, S&) { ignore(warp::scan_peers(w, mask, mask, 1.0)); }},
        {"add_among_peers",
         [=](W w, unsigned mask, S&) {
             ignore(warp::add_among_peers(w, mask, mask, 1, [](int sum) { return sum; }));
         }},
        {"add_staged",
         [=](W w, unsigned mask, S& shared) {
             warp::add_staged(w, mask, true, w.lane(), {1.0, 2.0}, shared.staging, ignore);
         }},
        {"sort_keys", [=](W w, unsigned mask, S&) { ignore(warp::sort_keys(w, mask, 32 - w.lane())); }},
        {"sort_pairs",
         [=](W w, unsigned mask, S&) {
             ignore(warp::sort_pairs(w, mask, warp::KeyValue<int, double>{-static_cast<int>(w.lane()), 0.5}));
         }},
        {"is_run_head", [=](W w, unsigned mask, S&) { ignore(warp::is_run_head(w, mask, w.lane() / 4)); }},
        {"find_heads", [=](W w, unsigned mask, S&) { ignore(warp::find_heads(w, mask, w.lane() % 4 == 0)); }},
        {"count_groups", [=](W w, unsigned mask, S&) { ignore(warp::count_groups(w, mask, mask)); }},
        {"count_distinct", [=](W w, unsigned mask, S&) { ignore(warp::count_distinct(w, mask, w.lane())); }},
        {"place_selected",
         [=](W w, unsigned mask, S&) {
             ignore(warp::place_selected(w, mask, w.lane() % 2 == 0, [](unsigned count) { return count; }));
         }},
        {"reduce_down", [=](W w, unsigned mask, S&) { ignore(warp::reduce_down<8>(w, mask, 1.0)); }},
        {"reduce_butterfly",
         [=](W w, unsigned mask, S&) { ignore(warp::reduce_butterfly<8>(w, mask, 1.0)); }},
        {"scan_inclusive", [=](W w, unsigned mask, S&) { ignore(warp::scan_inclusive<8>(w, mask, 1.0)); }},
        {"scan_exclusive", [=](W w, unsigned mask, S&) { ignore(warp::scan_exclusive<8>(w, mask, 1.0)); }},
        {"broadcast", [=](W w, unsigned mask, S&) { ignore(warp::broadcast(w, mask, 1.0)); }},
        {"shfl_within", [=](W w, unsigned mask, S&) { ignore(warp::shfl_within<4>(w, mask, 1.0, 0)); }},
        {"shfl_up_within", [=](W w, unsigned mask, S&) { ignore(warp::shfl_up_within<4>(w, mask, 1.0, 1)); }},
        {"shfl_down_within",
         [=](W w, unsigned mask, S&) { ignore(warp::shfl_down_within<4>(w, mask, 1.0, 1)); }},
        {"work_off",
         [=](W w, unsigned mask, S& shared) {
             const warp::WorkQueue<std::uint32_t> queue{&shared.taken, 100};
             warp::work_off(w, EmulatedAtomics{w}, mask, queue, 32, ignore);
         }},
        {"scan_segments", [=](W w, unsigned mask, S&) { ignore(warp::scan_segments(w, mask, 1u, 1.0)); }},
    };
}

// Runs the program in several orders of lanes: each must end in a WarpError.
void expect_error(unsigned lanes, const std::function<void(EmulatedWarp&)>& program) {
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        EXPECT_THROW(run_warp(seed, lanes, program), WarpError) << "seed " << seed;
}

TEST(WrongMask, with_a_lane_that_does_not_call) {
    for (const auto& [name, call] : all_algorithms()) {
        SCOPED_TRACE(name);
        for (const unsigned absent : {0x80000000u, 0x00000100u, 0xffff0000u}) {
            Shared shared;
            expect_error(
                ~absent, [&, &run = call](EmulatedWarp& warp) { run(warp, warp::full_mask, shared); });
            expect_error(warp::full_mask, [&, &run = call](EmulatedWarp& warp) {  // there, but elsewhere
                if ((absent >> warp.lane() & 1u) == 0) {
                    run(warp, warp::full_mask, shared);
                } else {
                    warp.sync(absent);
                }
            });
        }
    }
}

TEST(WrongMask, without_a_lane_that_calls) {
    for (const auto& [name, call] : all_algorithms()) {
        SCOPED_TRACE(name);
        for (const unsigned mask : {0x7fffffffu, 0xfffffeffu, 0x0000ffffu}) {
            Shared shared;
            expect_error(warp::full_mask, [&, &run = call](EmulatedWarp& warp) { run(warp, mask, shared); });
        }
    }
}

TEST(WrongMask, that_is_not_the_same_in_all_lanes) {
    for (const auto& [name, call] : all_algorithms()) {
        SCOPED_TRACE(name);
        Shared shared;
        expect_error(warp::full_mask, [&, &run = call](EmulatedWarp& warp) {
            run(warp, warp.lane() < 16 ? warp::full_mask : 0xfffffff0u, shared);
        });
    }
}

}  // namespace
}  // namespace mpcflow::test
