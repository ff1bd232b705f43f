#pragma once
/// Reduction over the threads of a block: each warp by shuffles, the warps through shared memory.

#include "gpu/block/block.hpp"
#include "gpu/warp/reduce.hpp"

namespace mpcflow::block {

/// A block's piece of shared memory for reduce: the results of its warps.
template <int K, warp::LaneValue T>
struct ReduceScratch {
    T values[K][largest_warp_count];
};

/// Combines `values` over the block, component by component; thread 0 then holds the result, the others hold
/// parts of it. `combine` is one of gpu/warp/operations.hpp, or is associative and commutative and has a
/// `neutral<T>`.
///
/// Called by all threads of the block; one that has nothing to bring brings neutral values. Nothing is asked
/// of `scratch` before, and nothing is left in it: the block may use it for something else at once.
template <int K, IsBlock Block, warp::LaneValue T, class Combine = warp::Add>
MPCFLOW_WARP void reduce(Block block, T (&values)[K], ReduceScratch<K, T>& scratch, Combine combine = {}) {
    const auto warp = block.warp();
    const unsigned lane = warp.lane();
    warp::reduce_down(warp, warp::full_mask, values, combine);
    if (lane == 0) {
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) scratch.values[k][warp_number(block)] = values[k];
    }
    block.sync();
    if (warp_number(block) == 0) {
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) {
            values[k] = Combine::template neutral<T>;
            if (lane < warp_count(block)) values[k] = scratch.values[k][lane];
        }
        warp::reduce_down(warp, warp::full_mask, values, combine);
    }
    block.sync();  // before the scratch is written again
}

/// The same for one value; the result is the return value in thread 0.
template <IsBlock Block, warp::LaneValue T, class Combine = warp::Add>
[[nodiscard]] MPCFLOW_WARP T reduce(Block block, T value, ReduceScratch<1, T>& scratch,
                                    Combine combine = {}) {
    T values[1] = {value};
    reduce(block, values, scratch, combine);
    return values[0];
}

}  // namespace mpcflow::block
