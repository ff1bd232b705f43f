/// What CUDA devices there are, and how fast one copies.

#include <algorithm>
#include <utility>

#include "gpu/bench/kernel_bench.hpp"
#include "gpu/copy_rate.hpp"
#include "gpu/cuda_support.cuh"
#include "gpu/device_solver.hpp"

namespace mpcflow {

namespace {

/// Why a device cannot be used, though it is there; empty where the reason is another one.
std::string why_refused(int index, cudaError_t error) {
    int mode = cudaComputeModeDefault;
    if (cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index) != cudaSuccess) cudaGetLastError();
    if (mode == cudaComputeModeProhibited) return "its compute mode is `prohibited`";
    if (error != cudaErrorDevicesUnavailable) return "";
    return mode == cudaComputeModeExclusiveProcess
               ? "its compute mode is `exclusive process`, and another process has it"
               : "it is busy or unavailable";
}

}  // namespace

DeviceList list_devices() {
    DeviceList list;
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        cudaGetLastError();
        list.reason = error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice || count == 0
                          ? "no NVIDIA GPU with a working driver was found"
                          : cudaGetErrorString(error);
        return list;
    }
    for (int index = 0; index < count; ++index) {
        cudaDeviceProp properties{};
        std::size_t free = 0;
        std::size_t total = 0;
        cudaError_t failure = cudaGetDeviceProperties(&properties, index);
        if (failure == cudaSuccess) failure = cudaSetDevice(index);
        if (failure == cudaSuccess) failure = cudaMemGetInfo(&free, &total);
        if (failure != cudaSuccess) {
            cudaGetLastError();
            list.reason = cudaGetErrorString(failure);
            if (std::string why = why_refused(index, failure); !why.empty())
                list.refused.push_back({index, properties.name, std::move(why)});
            continue;
        }
        list.devices.push_back({index, properties.name, properties.major, properties.minor,
                                properties.multiProcessorCount, static_cast<std::int64_t>(total),
                                static_cast<std::int64_t>(free)});
    }
    return list;
}

namespace {

__global__ void __launch_bounds__(block_size)
    copy_words(std::int64_t count, const uint4* __restrict__ from, uint4* __restrict__ to) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) to[i] = from[i];
}

}  // namespace

double measure_copy_rate(int device) {
    MPCFLOW_CUDA(cudaSetDevice(device));
    const std::int64_t words = std::int64_t{2} << 26;  // 2 GiB, many times any cache
    const DeviceArray<uint4> from(words);
    const DeviceArray<uint4> to(words);
    MPCFLOW_CUDA(cudaMemset(from.data(), 0x5a, from.bytes()));
    const DeviceTimer timer;
    double best = 0.0;
    for (int repeat = 0; repeat < 8; ++repeat) {
        timer.start();
        copy_words<<<block_count(words), block_size>>>(words, from.data(), to.data());
        timer.stop();
        best = std::max(best, 2.0 * static_cast<double>(from.bytes()) / (1e-3 * timer.milliseconds()));
    }
    return best;
}

std::string cuda_versions() {
    const auto text = [](int version) {
        return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    };
    int driver = 0;
    MPCFLOW_CUDA(cudaDriverGetVersion(&driver));
    return text(CUDART_VERSION) + ", driver " + text(driver);
}

}  // namespace mpcflow
