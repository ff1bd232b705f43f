#pragma once
/// The warp of the GPU: IsWarp over CUDA's intrinsics.

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

/// Holds nothing. The intrinsics' own overloads take 4- and 8-byte integers, float and double.
struct CudaWarp {
    /// Not threadIdx.x % 32, which is right in blocks of one dimension only.
    __device__ unsigned lane() const {
        unsigned lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        return lane;
    }
    __device__ unsigned active_mask() const { return __activemask(); }
    __device__ unsigned ballot(unsigned mask, bool vote) const { return __ballot_sync(mask, vote); }
    __device__ bool any(unsigned mask, bool vote) const { return __any_sync(mask, vote) != 0; }
    __device__ bool all(unsigned mask, bool vote) const { return __all_sync(mask, vote) != 0; }
    template <LaneValue T>
    __device__ T shfl(unsigned mask, T value, unsigned source_lane) const {
        return __shfl_sync(mask, value, static_cast<int>(source_lane));
    }
    template <LaneValue T>
    __device__ T shfl_up(unsigned mask, T value, unsigned delta) const {
        return __shfl_up_sync(mask, value, delta);
    }
    template <LaneValue T>
    __device__ T shfl_down(unsigned mask, T value, unsigned delta) const {
        return __shfl_down_sync(mask, value, delta);
    }
    template <LaneValue T>
    __device__ T shfl_xor(unsigned mask, T value, unsigned lane_bits) const {
        return __shfl_xor_sync(mask, value, static_cast<int>(lane_bits));
    }
    template <PeerKey Key>
    __device__ unsigned match_any(unsigned mask, Key key) const {
        return __match_any_sync(mask, key);
    }
    __device__ std::uint32_t reduce_or(unsigned mask, std::uint32_t bits) const {
#if __CUDA_ARCH__ >= 800
        return __reduce_or_sync(mask, bits);
#else
        std::uint32_t result = 0;
        for (unsigned bit = 1; bit != 0; bit <<= 1) result |= __any_sync(mask, (bits & bit) != 0) ? bit : 0;
        return result;
#endif
    }
    __device__ void sync(unsigned mask) const { __syncwarp(mask); }
};

static_assert(IsWarp<CudaWarp>);

}  // namespace mpcflow::warp
