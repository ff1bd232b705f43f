#pragma once
/// The block of the GPU: IsBlock over CUDA's built-in variables.

#include "gpu/block/block.hpp"
#include "gpu/warp/cuda_warp.cuh"

namespace mpcflow::block {

/// Holds nothing. For blocks of one dimension, of whole warps.
struct CudaBlock {
    __device__ unsigned thread() const { return threadIdx.x; }
    __device__ unsigned size() const { return blockDim.x; }
    __device__ warp::CudaWarp warp() const { return {}; }
    __device__ void sync() const { __syncthreads(); }
};

static_assert(IsBlock<CudaBlock>);

}  // namespace mpcflow::block
