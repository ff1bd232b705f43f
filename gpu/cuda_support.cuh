#pragma once
/// CUDA's C interface behind C++: errors as exceptions, memory that frees itself.

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "physics/errors.hpp"

namespace mpcflow {

/// Throws for any CUDA error: EnvironmentError, since memory, driver or hardware are at fault, unless a
/// kernel of ours did what is illegal.
inline void throw_on_cuda_error(cudaError_t error, const char* expression, const char* file, int line) {
    if (error == cudaSuccess) return;
    const std::string text = std::string("CUDA: ") + cudaGetErrorString(error) + " (" + expression + ", " +
                             file + ":" + std::to_string(line) + ")";
    const bool ours = error == cudaErrorIllegalAddress || error == cudaErrorMisalignedAddress ||
                      error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration ||
                      error == cudaErrorAssert;
    if (ours) throw std::runtime_error(text);
    throw EnvironmentError(text);
}

#define MPCFLOW_CUDA(expression) ::mpcflow::throw_on_cuda_error((expression), #expression, __FILE__, __LINE__)

/// Makes a device the current one of the thread; returns it.
inline int use_device(int device) {
    MPCFLOW_CUDA(cudaSetDevice(device));
    return device;
}

[[nodiscard]] inline cudaDeviceProp properties_of(int device) {
    cudaDeviceProp properties{};
    MPCFLOW_CUDA(cudaGetDeviceProperties(&properties, device));
    return properties;
}

/// An array in device memory, not initialised. Owns it.
template <class T>
class DeviceArray {
public:
    DeviceArray() = default;
    explicit DeviceArray(std::int64_t size) : size_(size) {
        if (size == 0) return;
        const cudaError_t error = cudaMalloc(&data_, bytes());
        if (error == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            std::size_t free = 0;
            std::size_t total = 0;
            cudaMemGetInfo(&free, &total);
            throw EnvironmentError(
                "not enough device memory: " + std::to_string(bytes() >> 20) + " MiB more wanted, " +
                std::to_string(free >> 20) + " of " + std::to_string(total >> 20) +
                " MiB free; use a smaller box.size, a lower fluid.density or precision: mixed");
        }
        MPCFLOW_CUDA(error);
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(DeviceArray&& other) noexcept { swap(other); }
    DeviceArray& operator=(DeviceArray&& other) noexcept {
        swap(other);
        return *this;
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

    /// Sets all bytes to zero.
    void clear() const {
        if (size_ > 0) MPCFLOW_CUDA(cudaMemset(data_, 0, bytes()));
    }
    /// Copies `count` elements from `first` on to the host; waits for them.
    void download(T* to, std::int64_t first, std::int64_t count) const {
        if (count > 0) MPCFLOW_CUDA(cudaMemcpy(to, data_ + first, count * sizeof(T), cudaMemcpyDeviceToHost));
    }
    /// The first element; waits for it.
    [[nodiscard]] T first() const {
        T value{};
        download(&value, 0, 1);
        return value;
    }
    /// Copies `count` elements from the host to the beginning, or to `first` on.
    void upload(const T* from, std::int64_t count, std::int64_t first = 0) const {
        if (count > 0)
            MPCFLOW_CUDA(cudaMemcpy(data_ + first, from, count * sizeof(T), cudaMemcpyHostToDevice));
    }
    void swap(DeviceArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

private:
    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

/// A stream whose kernels begin before those that wait in the default stream, and do not wait for these.
class UrgentStream {
public:
    UrgentStream() {
        int least = 0;
        int greatest = 0;
        MPCFLOW_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        MPCFLOW_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
    }
    ~UrgentStream() { cudaStreamDestroy(stream_); }
    UrgentStream(const UrgentStream&) = delete;
    UrgentStream& operator=(const UrgentStream&) = delete;

    [[nodiscard]] cudaStream_t get() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

/// A moment in a stream, to wait for.
class DeviceEvent {
public:
    DeviceEvent() { MPCFLOW_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~DeviceEvent() { cudaEventDestroy(event_); }
    DeviceEvent(const DeviceEvent&) = delete;
    DeviceEvent& operator=(const DeviceEvent&) = delete;

    void record(cudaStream_t stream = nullptr) const { MPCFLOW_CUDA(cudaEventRecord(event_, stream)); }
    /// Waits until the device has reached it.
    void wait() const { MPCFLOW_CUDA(cudaEventSynchronize(event_)); }
    /// Whether the device has reached it.
    [[nodiscard]] bool has_come() const {
        const cudaError_t answer = cudaEventQuery(event_);
        if (answer == cudaErrorNotReady) return false;
        MPCFLOW_CUDA(answer);
        return true;
    }
    /// Lets a stream wait for it, nullptr being the default one.
    void hold(cudaStream_t stream) const { MPCFLOW_CUDA(cudaStreamWaitEvent(stream, event_)); }

private:
    cudaEvent_t event_ = nullptr;
};

/// Measures time on the device: what lies between start() and stop() in the default stream.
class DeviceTimer {
public:
    DeviceTimer() {
        MPCFLOW_CUDA(cudaEventCreate(&start_));
        MPCFLOW_CUDA(cudaEventCreate(&stop_));
    }
    ~DeviceTimer() {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
    }
    DeviceTimer(const DeviceTimer&) = delete;
    DeviceTimer& operator=(const DeviceTimer&) = delete;

    void start() const { MPCFLOW_CUDA(cudaEventRecord(start_)); }
    void stop() const { MPCFLOW_CUDA(cudaEventRecord(stop_)); }
    /// Waits until stop() is reached.
    [[nodiscard]] double milliseconds() const {
        float result = 0.0F;
        MPCFLOW_CUDA(cudaEventSynchronize(stop_));
        MPCFLOW_CUDA(cudaEventElapsedTime(&result, start_, stop_));
        return result;
    }

private:
    cudaEvent_t start_ = nullptr;
    cudaEvent_t stop_ = nullptr;
};

inline constexpr int block_size = 256;
inline constexpr int warps_in_block = block_size / 32;

/// `blocks` of them, or as many as a multiprocessor has threads for: 1024 with compute capability 7.5, 1536
/// or more with others.
constexpr int at_most_resident([[maybe_unused]] int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
    return blocks < 1024 / block_size ? blocks : 1024 / block_size;
#else
    return blocks;
#endif
}

/// Lets a kernel's blocks have a `Memory` of dynamic shared memory, which above 48 KiB must be asked for;
/// cards of compute capability 7.5, which have the least, give a block 64.
template <class Memory, class... Arguments>
void give_shared_memory(void (*kernel)(Arguments...)) {
    static_assert(sizeof(Memory) <= 64 << 10);
    MPCFLOW_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int{sizeof(Memory)}));
}

/// Blocks of one thread for each of `items`; at least one, for a launch of none is an error.
inline unsigned block_count(std::int64_t items) {
    return items > 0 ? static_cast<unsigned>((items + block_size - 1) / block_size) : 1U;
}

}  // namespace mpcflow
