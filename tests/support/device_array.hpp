#pragma once
/// Arrays in the memory of the GPU, for tests.

#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace mpcflow::test {

/// Throws what CUDA says was wrong.
inline void require(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error{std::string{"CUDA: "} + cudaGetErrorString(error)};
}

/// Frees its memory in any case. May be empty.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_{count} {
        require(cudaMalloc(&data_, count * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T>& source) : DeviceArray{source.size()} { copy_from(source); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    void copy_from(const std::vector<T>& source) {
        require(cudaMemcpy(data_, source.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    void copy_to(std::vector<T>& target) const {
        require(cudaMemcpy(target.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

}  // namespace mpcflow::test
