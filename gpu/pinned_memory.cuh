#pragma once
/// Memory of the host that the device copies to at the full speed of the bus.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "gpu/cuda_support.cuh"
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

/// An array in memory of the host that kernels read and write themselves. Owns it.
template <class T>
class PinnedArray {
public:
    PinnedArray() = default;
    explicit PinnedArray(std::int64_t size) : size_(size) {
        if (size > 0) MPCFLOW_CUDA(cudaMallocHost(&data_, size * sizeof(T)));
    }
    ~PinnedArray() { cudaFreeHost(data_); }
    PinnedArray(PinnedArray&& other) noexcept { swap(other); }
    PinnedArray& operator=(PinnedArray&& other) noexcept {
        swap(other);
        return *this;
    }
    PinnedArray(const PinnedArray&) = delete;
    PinnedArray& operator=(const PinnedArray&) = delete;

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::span<T> all() const { return {data_, static_cast<std::size_t>(size_)}; }

private:
    void swap(PinnedArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

}  // namespace mpcflow
