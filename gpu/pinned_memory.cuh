#pragma once
/// Memory of the host that the device copies to at the full speed of the bus.

#include <cuda_runtime.h>

#include <cstddef>

#include "physics/particle_records.hpp"

namespace mpcflow {

/// Takes page-locked memory, or, where the system gives none, ordinary memory: slower, but it does. Throws
/// std::bad_alloc.
inline HostBytes allocate_pinned_bytes(std::size_t count) {
    void* bytes = nullptr;
    if (cudaMallocHost(&bytes, count) != cudaSuccess) {
        cudaGetLastError();
        return allocate_host_bytes(count);
    }
    // At the end of the process the driver may be gone before this is called: nothing is left to be freed
    // then.
    return {static_cast<std::byte*>(bytes),
            [](std::byte* memory) { static_cast<void>(cudaFreeHost(memory)); }};
}

}  // namespace mpcflow
