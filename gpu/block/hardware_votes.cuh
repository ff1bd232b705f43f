#pragma once
/// Votes of a block (votes.hpp) by the hardware's barrier, which counts them.

#include "gpu/block/cuda_block.cuh"

namespace mpcflow::block {

[[nodiscard]] __device__ __forceinline__ unsigned count_votes_at_barrier(bool vote) {
    return static_cast<unsigned>(__syncthreads_count(vote));
}
[[nodiscard]] __device__ __forceinline__ bool is_any_at_barrier(bool vote) {
    return __syncthreads_or(vote) != 0;
}
[[nodiscard]] __device__ __forceinline__ bool are_all_at_barrier(bool vote) {
    return __syncthreads_and(vote) != 0;
}

}  // namespace mpcflow::block
