#pragma once
/// Sums over runs of equal keys along the threads of a block, from warp to block to grid: for ordered
/// particles, whose cells come in such runs.
///
/// In a warp a segmented scan leaves the sum of each run at its last lane. Where a run goes on over the edge
/// of a warp, the warp in which it ends takes in what the warps before it left in shared memory. What goes
/// on over the edge of a block meets in memory: each block adds its part there.

#include <cstdint>

#include "gpu/block/block.hpp"
#include "gpu/warp/segmented_scan.hpp"
#include "gpu/warp/staging.hpp"

namespace mpcflow::block {

/// A block's piece of shared memory for add_segmented, in blocks of `Threads` threads; `Group` is that of
/// warp::SumScratch.
template <int K, int Threads, int Group = (K > 8 ? 8 : 32)>
struct SegmentScratch {
    static_assert(Threads % static_cast<int>(warp::warp_size) == 0);
    static constexpr int warps = Threads / static_cast<int>(warp::warp_size);

    /// The last run of each warp, as far as it is in that warp.
    double tails[warps][K];
    warp::SumScratch<K, Group, std::int32_t> staging[warps];
    std::int32_t first_keys[warps];
    std::int32_t last_keys[warps];
    std::int32_t are_of_one_run[warps];  ///< 1 where the warp's last run is also its first
};

/// Calls `add(key, component, sum)` once for each run of equal keys and each of its K components, with the
/// sum over the run's threads, in a way that consecutive lanes add consecutive components. A key may come
/// in several runs. The order of calls is not specified.
///
/// Called by all threads of a block of `Threads` threads. `key`, at least 0, and `values` matter where
/// `is_valid` is true; a thread where it is not ends a run. Nothing is asked of `scratch` before, and
/// nothing is left in it: the block may use it for something else at once. `add` is called by a part of the
/// threads and must not use collectives.
template <int K, int Threads, int Group, IsBlock Block, class AddToKey>
MPCFLOW_WARP void add_segmented(Block block, bool is_valid, std::int32_t key, const double (&values)[K],
                                SegmentScratch<K, Threads, Group>& scratch, AddToKey&& add) {
    constexpr unsigned last_lane = warp::warp_size - 1;
    constexpr unsigned warps = SegmentScratch<K, Threads, Group>::warps;
    constexpr std::int32_t no_key = -1;
    const auto warp = block.warp();
    const unsigned lane = warp.lane();
    const unsigned number = warp_number(block);
    if (!is_valid) key = no_key;

    double sums[K];
    MPCFLOW_UNROLL
    for (int k = 0; k < K; ++k) sums[k] = values[k];
    const unsigned heads =
        warp::find_heads(warp, warp::full_mask, warp::is_run_head(warp, warp::full_mask, key));
    warp::scan_segments(warp, warp::full_mask, heads, sums);

    // The run that the warp's first lane is in has no head behind that lane.
    const bool is_in_first_run = (heads & (warp::lanes_below(lane) | warp::lane_bit(lane))) == 1;
    if (lane == 0) scratch.first_keys[number] = key;
    if (lane == last_lane) {
        scratch.last_keys[number] = key;
        scratch.are_of_one_run[number] = is_in_first_run ? 1 : 0;
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) scratch.tails[number][k] = sums[k];
    }
    block.sync();

    const bool goes_on = lane == last_lane && number + 1 < warps && scratch.first_keys[number + 1] == key;
    const bool ends = is_valid && warp::is_segment_end(warp::full_mask, heads, lane) && !goes_on;
    if (ends && is_in_first_run) {
        for (unsigned before = number; before > 0 && scratch.last_keys[before - 1] == key; --before) {
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) sums[k] += scratch.tails[before - 1][k];
            if (scratch.are_of_one_run[before - 1] == 0) break;
        }
    }
    warp::add_staged(warp, warp::full_mask, ends, key, sums, scratch.staging[number], add);
    block.sync();  // before the scratch is written again
}

}  // namespace mpcflow::block
