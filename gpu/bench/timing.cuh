#pragma once
/// How every measurement of the benchmark is taken, and its results are checked.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "physics/host_device.hpp"

namespace mpcflow::bench {

/// Something to be called, held by whoever passes it: what takes this is compiled once, and not once for each
/// way that is measured.
class Call {
public:
    template <class Function>
    Call(const Function& function)  // NOLINT: a lambda is to be passed as it is
        : function_(&function), invoke_([](const void* at) { (*static_cast<const Function*>(at))(); }) {}
    void operator()() const { invoke_(function_); }

private:
    const void* function_;
    void (*invoke_)(const void*);
};

/// Times work on the device by events on its default stream.
class Stopwatch {
public:
    explicit Stopwatch(int repeats) : repeats_(repeats), flushed_(cache_bytes / sizeof(uint4)) {
        MPCFLOW_CUDA(cudaEventCreate(&begin_));
        MPCFLOW_CUDA(cudaEventCreate(&end_));
    }
    ~Stopwatch() {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

    /// Milliseconds that the device spends on `work`: the median of the repeats, after one that warms up.
    /// Before each, untimed, `prepare` runs and a write larger than any cache pushes out what earlier work
    /// left there.
    [[nodiscard]] double milliseconds(Call prepare, Call work) const {
        std::vector<float> times;
        for (int repeat = -1; repeat < repeats_; ++repeat) {
            prepare();
            flushed_.clear();
            MPCFLOW_CUDA(cudaEventRecord(begin_));
            work();
            MPCFLOW_CUDA(cudaGetLastError());
            MPCFLOW_CUDA(cudaEventRecord(end_));
            MPCFLOW_CUDA(cudaEventSynchronize(end_));
            float time = 0.0F;
            MPCFLOW_CUDA(cudaEventElapsedTime(&time, begin_, end_));
            if (repeat >= 0) times.push_back(time);
        }
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return static_cast<double>(*middle);
    }

private:
    static constexpr std::int64_t cache_bytes = 256 << 20;

    int repeats_;
    DeviceArray<uint4> flushed_;
    cudaEvent_t begin_ = nullptr;
    cudaEvent_t end_ = nullptr;
};

/// A way gave a wrong result: what was measured of it would be worth nothing.
inline void require(bool is_right, const std::string& what) {
    if (!is_right) throw std::runtime_error("bench kernels: a wrong result of " + what);
}

/// A 64-bit mix of a number (the finaliser of splitmix64): random words from counters, and checksums that do
/// not depend on order. Steele, Lea and Flood, OOPSLA 2014.
MPCFLOW_HD std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

}  // namespace mpcflow::bench
