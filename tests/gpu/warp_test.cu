/// The warp algorithms on the card: the programs and checks of tests/warp, a warp a case.

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/warp/cuda_warp.cuh"
#include "tests/support/gpu_required.hpp"
#include "tests/warp/warp_programs.hpp"

namespace mpcflow::test {
namespace {

constexpr int warps_in_block = 4;

void require(cudaError_t error) {
    if (error != cudaSuccess) {
        throw std::runtime_error{std::string{"CUDA: "} + cudaGetErrorString(error)};
    }
}

struct DeviceMemory {
    static __device__ unsigned fetch_add(unsigned* counter, unsigned count) { return atomicAdd(counter, count); }
    static __device__ unsigned long long fetch_add(unsigned long long* counter, unsigned long long count) {
        return atomicAdd(counter, count);
    }
    static __device__ void add(double* sum, double value) { atomicAdd(sum, value); }
};

// cases and reports: `count` long.
template <class Program>
__global__ void run_cases(const WarpCase* cases, typename Program::Report* reports, int count) {
    __shared__ typename Program::Scratch scratch[warps_in_block];
    const int warp_in_block = static_cast<int>(threadIdx.x / warp::warp_size);
    const int number = static_cast<int>(blockIdx.x) * warps_in_block + warp_in_block;
    const warp::CudaWarp warp;
    if (number >= count || (cases[number].mask & warp::lane_bit(warp.lane())) == 0) {
        return;
    }
    Program::run(warp, cases[number], reports[number], scratch[warp_in_block], DeviceMemory{});
}

// Frees its memory in any case.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_{count} { require(cudaMalloc(&data_, count * sizeof(T))); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data_); }

    T* data() { return data_; }
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

template <class Program>
class WarpProgramsOnGpu : public GpuTest {};
TYPED_TEST_SUITE(WarpProgramsOnGpu, AllPrograms, ProgramNames);

TYPED_TEST(WarpProgramsOnGpu, agree_with_plain_loops) {
    using Report = typename TypeParam::Report;
    for (std::uint64_t seed = 100; seed < 110; ++seed) {
        const std::vector<WarpCase> cases = make_cases(seed, TypeParam::key_bits);
        const int count = static_cast<int>(cases.size());
        std::vector<Report> reports(cases.size());  // all zero
        DeviceArray<WarpCase> device_cases(cases.size());
        DeviceArray<Report> device_reports(cases.size());
        device_cases.copy_from(cases);
        device_reports.copy_from(reports);
        const int blocks = (count + warps_in_block - 1) / warps_in_block;
        run_cases<TypeParam>
            <<<blocks, warps_in_block * warp::warp_size>>>(device_cases.data(), device_reports.data(), count);
        require(cudaGetLastError());
        device_reports.copy_to(reports);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            TypeParam::check(cases[i], reports[i]);
            ASSERT_FALSE(testing::Test::HasFailure())
                << "seed " << seed << ", case " << i << " with mask " << std::hex << cases[i].mask;
        }
    }
}

}  // namespace
}  // namespace mpcflow::test
