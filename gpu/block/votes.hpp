#pragma once
/// Votes of a block: those of its warps, which meet in shared memory. (The hardware counts the votes of a
/// block, too, at its barrier: hardware_votes.cuh.)

#include <cstdint>

#include "gpu/block/block.hpp"
#include "gpu/warp/reduce.hpp"

namespace mpcflow::block {

/// A block's piece of shared memory for its votes: the ballots of its warps.
struct VoteScratch {
    std::uint32_t ballots[largest_warp_count];
};

namespace detail {

/// The ballot of warp i in lane i of every warp, and `of_others` in lanes that stand for no warp.
template <IsBlock Block>
[[nodiscard]] MPCFLOW_WARP std::uint32_t collect_ballots(Block block, bool vote, VoteScratch& scratch,
                                                         std::uint32_t of_others) {
    const auto warp = block.warp();
    const unsigned lane = warp.lane();
    const std::uint32_t ballot = warp.ballot(warp::full_mask, vote);
    if (lane == 0) scratch.ballots[warp_number(block)] = ballot;
    block.sync();
    const std::uint32_t collected = lane < warp_count(block) ? scratch.ballots[lane] : of_others;
    block.sync();  // before the scratch is written again
    return collected;
}

}  // namespace detail

/// In how many threads of the block the vote is true; in all threads. Costs a ballot, 5 shuffles, 2 syncs.
///
/// Called, as the other votes are, by all threads of the block. Nothing is asked of `scratch` before, and
/// nothing is left in it: the block may use it for something else at once.
template <IsBlock Block>
[[nodiscard]] MPCFLOW_WARP unsigned count_votes(Block block, bool vote, VoteScratch& scratch) {
    const std::uint32_t ballot = detail::collect_ballots(block, vote, scratch, 0u);
    return warp::reduce_butterfly(block.warp(), warp::full_mask, std::uint32_t{warp::popc(ballot)});
}

/// Whether the vote is true in some thread. Costs a ballot, a vote of the warp, 2 syncs.
template <IsBlock Block>
[[nodiscard]] MPCFLOW_WARP bool is_any(Block block, bool vote, VoteScratch& scratch) {
    const std::uint32_t ballot = detail::collect_ballots(block, vote, scratch, 0u);
    return block.warp().any(warp::full_mask, ballot != 0);
}

/// Whether the vote is true in all threads. Costs the same.
template <IsBlock Block>
[[nodiscard]] MPCFLOW_WARP bool are_all(Block block, bool vote, VoteScratch& scratch) {
    const std::uint32_t ballot = detail::collect_ballots(block, vote, scratch, warp::full_mask);
    return block.warp().all(warp::full_mask, ballot == warp::full_mask);
}

}  // namespace mpcflow::block
