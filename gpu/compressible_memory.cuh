#pragma once
/// Device memory that the card may compress.
///
/// A card of compute capability 8.0 and later keeps lines of such memory that are all zeros, or alike in
/// other ways, in a fraction of their bytes on the way between its L2 cache and its memory ("compute data
/// compression" in the CUDA documentation). The address space is as large as ever; what is read is what was
/// written.

#include <cstdint>
#include <memory>

#include "gpu/cuda_support.cuh"

namespace mpcflow {

/// Some bytes of it, not initialised, of the current device, which has been used before. Owns it. Only that
/// device can access it. Where its L2 cache holds as many, or device or driver have no such memory, it is of
/// the common kind.
class CompressibleMemory {
public:
    /// Throws as DeviceArray does where there is not enough.
    explicit CompressibleMemory(std::int64_t bytes);

    [[nodiscard]] void* data() const { return is_compressible() ? mapped_.get() : plain_.data(); }
    [[nodiscard]] bool is_compressible() const { return mapped_ != nullptr; }
    /// Whether the current device and its driver have such memory.
    [[nodiscard]] static bool exists();
    /// Those that it takes.
    [[nodiscard]] std::int64_t bytes() const {
        return is_compressible() ? mapped_.get_deleter().bytes : plain_.bytes();
    }

private:
    /// Gives it back, after kernels that still use it.
    struct Unmap {
        int device;
        std::int64_t bytes;

        void operator()(void* address) const;
    };
    using Mapped = std::unique_ptr<void, Unmap>;

    /// None where there is no such memory.
    static Mapped map(std::int64_t bytes);

    Mapped mapped_;
    DeviceArray<char> plain_;  ///< where nothing is mapped
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
