#pragma once
/// Prefix sums over the threads of a block that start anew at each head, as those of a warp do
/// (gpu/warp/segmented_scan.hpp); segments may go on from warp to warp.
///
/// What a stretch of items (of a thread, a warp, a block) means to those behind it is its tail: the sum from
/// its last head on, or of all its items where it has no head. Tails are combined like values: one with a
/// head forgets what was before. That operation is associative, and a scan by it is the segmented scan
/// (G. E. Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990).

#include <cstdint>

#include "gpu/block/block.hpp"
#include "gpu/warp/segmented_scan.hpp"

namespace mpcflow::block {

template <warp::LaneValue T>
struct Tail {
    T sum;
    bool has_head;
};

/// The tails of what lies before the caller in the block, and of the whole block.
template <warp::LaneValue T>
struct BlockTails {
    Tail<T> before;
    Tail<T> of_block;
};

/// A block's piece of shared memory for scan_tails.
template <warp::LaneValue T>
struct TailScratch {
    T sums[largest_warp_count];
    std::uint32_t have_heads[largest_warp_count];
};

/// Combines the tails of the threads of a block in their order. `combine` is one of gpu/warp/operations.hpp,
/// or is associative, need not be commutative, and has a `neutral<T>`. Costs two syncs.
///
/// Called by all threads of the block; one without items brings a neutral value and no head. Nothing is asked
/// of `scratch` before, and nothing is left in it: the block may use it for something else at once.
template <IsBlock Block, warp::LaneValue T, class Combine = warp::Add>
[[nodiscard]] MPCFLOW_WARP BlockTails<T> scan_tails(Block block, Tail<T> own, TailScratch<T>& scratch,
                                                    Combine combine = {}) {
    constexpr T neutral = Combine::template neutral<T>;
    const auto warp = block.warp();
    const unsigned lane = warp.lane();
    const unsigned number = warp_number(block);

    // Of the warp: the first lane may be taken for a head, since nothing of the warp is before it.
    const unsigned heads = warp.ballot(warp::full_mask, own.has_head);
    const T in_warp = warp::scan_segments(warp, warp::full_mask, heads | 1u, own.sum, combine);
    T lanes_before = warp.shfl_up(warp::full_mask, in_warp, 1);
    if (lane == 0) lanes_before = neutral;
    if (lane == warp::warp_size - 1) {
        scratch.sums[number] = in_warp;
        scratch.have_heads[number] = heads != 0 ? 1 : 0;
    }
    block.sync();

    // Of the block: each warp scans the tails of all, lane i that of warp i, which saves a sync.
    const bool is_warp = lane < warp_count(block);
    const unsigned warps_with_heads = warp.ballot(warp::full_mask, is_warp && scratch.have_heads[lane] != 0);
    const T in_block = warp::scan_segments(warp, warp::full_mask, warps_with_heads | 1u,
                                           is_warp ? scratch.sums[lane] : neutral, combine);
    const T of_block = warp.shfl(warp::full_mask, in_block, warp_count(block) - 1);
    T warps_before = warp.shfl(warp::full_mask, in_block, number > 0 ? number - 1 : 0);
    if (number == 0) warps_before = neutral;
    block.sync();  // before the scratch is written again

    const bool lanes_have_head = (heads & warp::lanes_below(lane)) != 0;
    const bool warps_have_head = (warps_with_heads & warp::lanes_below(number)) != 0;
    const T before = lanes_have_head ? lanes_before : combine(warps_before, lanes_before);
    return {{before, lanes_have_head || warps_have_head}, {of_block, warps_with_heads != 0}};
}

/// Combines the values from the head of the caller's segment up to the caller itself, in the order of the
/// threads. The first thread is a head, whether it says so or not. Called as scan_tails is.
template <IsBlock Block, warp::LaneValue T, class Combine = warp::Add>
[[nodiscard]] MPCFLOW_WARP T scan_segments(Block block, bool is_head, T value, TailScratch<T>& scratch,
                                           Combine combine = {}) {
    const T before = scan_tails(block, Tail<T>{value, is_head}, scratch, combine).before.sum;
    return is_head ? value : combine(before, value);
}

}  // namespace mpcflow::block
