#pragma once
/// Tests that need a GPU: they are skipped where there is none, and fail there with MPCFLOW_REQUIRE_GPU=1.

#include <cstdlib>
#include <string>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace mpcflow::test {

/// Why no CUDA device can be used; empty where one can.
inline std::string why_no_gpu() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) return std::string{"no CUDA device: "} + cudaGetErrorString(error);
    return count > 0 ? "" : "no CUDA device";
}

/// The base of test suites on the GPU.
class GpuTest : public testing::Test {
protected:
    void SetUp() override {
        const std::string reason = why_no_gpu();
        if (reason.empty()) return;
        const char* const required = std::getenv("MPCFLOW_REQUIRE_GPU");
        if (required != nullptr && std::string{required} == "1")
            FAIL() << reason << ", and MPCFLOW_REQUIRE_GPU is 1";
        GTEST_SKIP() << reason;
    }
};

}  // namespace mpcflow::test
