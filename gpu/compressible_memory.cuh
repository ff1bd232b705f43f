#pragma once
/// Device memory that the card may compress.
///
/// A card of compute capability 8.0 and later keeps lines of such memory that are all zeros, or alike in
/// other ways, in a fraction of their bytes on the way between its L2 cache and its memory ("compute data
/// compression" in the CUDA documentation). The address space is as large as ever; what is read is what was
/// written.

#include <cstdint>
#include <utility>

#include "gpu/cuda_support.cuh"

namespace mpcflow {

/// Some bytes of it, not initialised, of the current device, which has been used before. Owns it. Only that
/// device can access it. Where its L2 cache holds as many, or device or driver have no such memory, it is of
/// the common kind.
class CompressibleMemory {
public:
    CompressibleMemory() = default;
    /// Throws as DeviceArray does where there is not enough.
    explicit CompressibleMemory(std::int64_t bytes);
    ~CompressibleMemory();
    CompressibleMemory(CompressibleMemory&& other) noexcept { swap(other); }
    CompressibleMemory& operator=(CompressibleMemory&& other) noexcept {
        swap(other);
        return *this;
    }
    CompressibleMemory(const CompressibleMemory&) = delete;
    CompressibleMemory& operator=(const CompressibleMemory&) = delete;

    [[nodiscard]] void* data() const { return mapped_ != 0 ? pointer(address_) : plain_.data(); }
    [[nodiscard]] bool is_compressible() const { return mapped_ != 0; }
    /// Whether the current device and its driver have such memory.
    [[nodiscard]] static bool exists();
    /// Those that it takes.
    [[nodiscard]] std::int64_t bytes() const {
        return mapped_ != 0 ? static_cast<std::int64_t>(mapped_) : plain_.bytes();
    }

private:
    /// Whether there is such memory; address_ and mapped_ are set then.
    [[nodiscard]] bool try_to_map(std::int64_t bytes);

    [[nodiscard]] static void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

    void swap(CompressibleMemory& other) noexcept {
        plain_.swap(other.plain_);
        std::swap(device_, other.device_);
        std::swap(address_, other.address_);
        std::swap(mapped_, other.mapped_);
    }

    DeviceArray<char> plain_;
    int device_ = 0;
    std::uint64_t address_ = 0;
    std::uint64_t mapped_ = 0;  ///< bytes at address_; none where the memory is plain_
};

/// An array in it.
template <class T>
class CompressibleArray {
public:
    explicit CompressibleArray(std::int64_t size)
        : size_(size), memory_(size * static_cast<std::int64_t>(sizeof(T))) {}

    [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }
    [[nodiscard]] std::int64_t bytes() const { return memory_.bytes(); }
    /// Sets all bytes to zero.
    void clear() const { MPCFLOW_CUDA(cudaMemset(memory_.data(), 0, size_ * sizeof(T))); }

private:
    std::int64_t size_;
    CompressibleMemory memory_;
};

}  // namespace mpcflow
