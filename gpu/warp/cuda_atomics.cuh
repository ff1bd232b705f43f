#pragma once
/// The atomics of the GPU: IsAtomics over CUDA's intrinsics.

#include "gpu/warp/atomics.hpp"

namespace mpcflow::warp {

/// Holds nothing.
struct CudaAtomics {
    template <class T>
    __device__ T add(T* to, T value) const {
        return atomicAdd(to, value);
    }
    /// Cards before compute capability 6.0 cannot add doubles.
    __device__ double add(double* to, double value) const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
        return atomicAdd(to, value);
#else
        return add_by_compare_and_swap(*this, to, value);
#endif
    }
    template <class T>
    __device__ T compare_and_swap(T* at, T expected, T desired) const {
        return atomicCAS(at, expected, desired);
    }
    template <class T>
    __device__ T exchange(T* at, T desired) const {
        return atomicExch(at, desired);
    }
    template <class T>
    __device__ T minimum(T* at, T value) const {
        return atomicMin(at, value);
    }
    template <class T>
    __device__ T maximum(T* at, T value) const {
        return atomicMax(at, value);
    }
    template <class T>
    __device__ T load(const T* at) const {
        return *static_cast<const volatile T*>(at);
    }
    __device__ std::uint32_t bit_or(std::uint32_t* at, std::uint32_t bits) const {
        return atomicOr(at, bits);
    }
};

static_assert(IsAtomics<CudaAtomics>);

}  // namespace mpcflow::warp
