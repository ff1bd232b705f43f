#pragma once
/// Kernels that begin while the one ahead of them in their stream ends (the CUDA programming guide calls it
/// programmatic dependent launch). In small boxes that is up to a fifth of a step.
///
/// Blocks of a kernel that is launched so take the places that those of the one ahead leave, once none of
/// these waits for a place. The kernel
///   - waits (wait_for_kernel_ahead) before it reads what the one ahead writes, or writes what that one uses;
///   - reads until then only what kernels further ahead wrote, and past L1 (PastL1), in which may be what was
///     there before;
///   - lets the next one begin (let_next_kernel_begin) after it has waited, and no earlier. So when a kernel
///     begins, all but the one ahead have ended.
/// Behind a kernel that does not let it begin it begins at the end of that. A kernel that is launched in its
/// turn begins when all ahead have ended, and both functions do nothing in it.

#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/cuda_support.cuh"

namespace mpcflow {

__device__ __forceinline__ void wait_for_kernel_ahead() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
__device__ __forceinline__ void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Whether a kernel knows how to wait on the current device: the program may have been built for older ones
/// alone. What is so of one kernel is so of all, which are built for the same devices.
template <class... Parameters>
[[nodiscard]] bool can_begin_early(void (*kernel)(Parameters...)) {
    cudaFuncAttributes attributes{};
    MPCFLOW_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion >= 90;
}

[[nodiscard]] inline unsigned multiprocessors_of_current_device() {
    int device = 0;
    int count = 0;
    MPCFLOW_CUDA(cudaGetDevice(&device));
    MPCFLOW_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return static_cast<unsigned>(count);
}

/// Where and when a kernel begins.
struct LaunchPlace {
    cudaStream_t stream = nullptr;
    bool is_early = false;
};

/// Launches blocks of block_size threads with so many bytes of dynamic shared memory.
template <class... Parameters, class... Arguments>
void launch(LaunchPlace place, void (*kernel)(Parameters...), unsigned blocks, std::size_t shared_bytes,
            const Arguments&... arguments) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = block_size;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = place.stream;
    config.attrs = &early;
    config.numAttrs = place.is_early ? 1 : 0;
    MPCFLOW_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace mpcflow
