#pragma once
/// The end of a kernel in which each thread has added up something.

#include "gpu/block/cuda_block.cuh"
#include "gpu/block/reduce.hpp"

namespace mpcflow {

/// Adds the sums of a block's threads to `result`; called by all of them. One atomic a block and sum: those
/// to one address are done one after the other, and nearly all blocks end together.
template <int K, class T>
__device__ __forceinline__ void add_block_sums(T (&sums)[K], T* result) {
    __shared__ block::ReduceScratch<K, T> scratch;
    block::reduce(block::CudaBlock{}, sums, scratch);
    if (threadIdx.x != 0) return;
#pragma unroll
    for (int k = 0; k < K; ++k) atomicAdd(result + k, sums[k]);
}

}  // namespace mpcflow
