/// The warp algorithms on the card: the programs and checks of tests/warp, a warp a case.

#include <vector>

#include <gtest/gtest.h>

#include "gpu/warp/cuda_atomics.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "tests/support/device_array.hpp"
#include "tests/support/gpu_required.hpp"
#include "tests/warp/warp_programs.hpp"

namespace mpcflow::test {
namespace {

constexpr int warps_in_block = 4;

// A warp runs case i of `first` in the lanes of that case and, apart from them, case i of `second` in the
// lanes of that one; the two have no lane in common. All arrays: `count` long.
template <class Program>
__global__ void run_cases(const WarpCase* first, const WarpCase* second,
                          typename Program::Report* first_reports, typename Program::Report* second_reports,
                          int count) {
    __shared__ typename Program::Scratch scratch[warps_in_block][2];
    const int warp_in_block = static_cast<int>(threadIdx.x / warp::warp_size);
    const int i = static_cast<int>(blockIdx.x) * warps_in_block + warp_in_block;
    const warp::CudaWarp warp;
    const unsigned me = warp::lane_bit(warp.lane());
    if (i >= count) return;
    if ((first[i].mask & me) != 0)
        Program::run(warp, first[i], first_reports[i], scratch[warp_in_block][0], warp::CudaAtomics{});
    else if ((second[i].mask & me) != 0)
        Program::run(warp, second[i], second_reports[i], scratch[warp_in_block][1], warp::CudaAtomics{});
}

template <class Program>
class WarpProgramsOnGpu : public GpuTest {};
TYPED_TEST_SUITE(WarpProgramsOnGpu, AllPrograms, ProgramNames);

// Each pair of cases in one warp: the check of all that it reports.
template <class Program>
void run_and_check(const std::vector<WarpCase>& first, const std::vector<WarpCase>& second) {
    using Report = typename Program::Report;
    const std::size_t size = first.size();
    const int count = static_cast<int>(size);
    std::vector<Report> first_reports(size);  // all zero
    std::vector<Report> second_reports(size);
    DeviceArray<WarpCase> device_first(size);
    DeviceArray<WarpCase> device_second(size);
    DeviceArray<Report> device_first_reports(size);
    DeviceArray<Report> device_second_reports(size);
    device_first.copy_from(first);
    device_second.copy_from(second);
    device_first_reports.copy_from(first_reports);
    device_second_reports.copy_from(second_reports);
    run_cases<Program><<<(count + warps_in_block - 1) / warps_in_block, warps_in_block * warp::warp_size>>>(
        device_first.data(), device_second.data(), device_first_reports.data(), device_second_reports.data(),
        count);
    require(cudaGetLastError());
    device_first_reports.copy_to(first_reports);
    device_second_reports.copy_to(second_reports);
    for (std::size_t i = 0; i < size; ++i) {
        Program::check(first[i], first_reports[i]);
        Program::check(second[i], second_reports[i]);
        ASSERT_FALSE(testing::Test::HasFailure())
            << "case " << i << " with masks " << std::hex << first[i].mask << " and " << second[i].mask;
    }
}

TYPED_TEST(WarpProgramsOnGpu, agree_with_plain_loops) {
    for (std::uint64_t seed = 100; seed < 110; ++seed) {
        const std::vector<WarpCase> cases = make_cases(seed, TypeParam::key_bits);
        std::vector<WarpCase> no_lanes = cases;
        for (WarpCase& input : no_lanes) input.mask = 0;
        run_and_check<TypeParam>(cases, no_lanes);
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
}

TYPED_TEST(WarpProgramsOnGpu, agree_with_plain_loops_when_two_parts_of_the_warp_enter_apart) {
    for (std::uint64_t seed = 200; seed < 205; ++seed) {
        std::vector<WarpCase> first;
        std::vector<WarpCase> second;
        for (const WarpCase& input : make_cases(seed, TypeParam::key_bits)) {
            const auto parts = split_case(input);
            first.push_back(parts.first);
            second.push_back(parts.second);
        }
        run_and_check<TypeParam>(first, second);
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
}

// All warps of the grid work off one queue, and all add to the same two sums.
__global__ void work_off_and_add(warp::WorkQueue<unsigned> queue, unsigned* visits, double* sum,
                                 warp::TwoFloats* two_floats) {
    const warp::CudaAtomics atomics;
    warp::work_off(warp::CudaWarp{}, atomics, warp::full_mask, queue, 64, [&](unsigned item) {
        atomics.add(visits + item, 1u);
        warp::add_by_compare_and_swap(atomics, sum, static_cast<double>(item));
        warp::add_two_floats(atomics, two_floats, item % 2 == 0 ? 0.1 : -0.3);
    });
}

class ManyWarpsOnGpu : public GpuTest {};

TEST_F(ManyWarpsOnGpu, share_a_queue_and_sums) {
    constexpr unsigned count = 100'003;
    std::vector<unsigned> visits(count);
    std::vector<double> sum(1);
    std::vector<unsigned> taken(1);
    std::vector<warp::TwoFloats> two_floats(1);
    DeviceArray<unsigned> device_visits(count);
    DeviceArray<double> device_sum(1);
    DeviceArray<unsigned> device_taken(1);
    DeviceArray<warp::TwoFloats> device_two_floats(1);
    device_visits.copy_from(visits);
    device_sum.copy_from(sum);
    device_taken.copy_from(taken);
    device_two_floats.copy_from(two_floats);
    work_off_and_add<<<64, 128>>>({device_taken.data(), count}, device_visits.data(), device_sum.data(),
                                  device_two_floats.data());
    require(cudaGetLastError());
    device_visits.copy_to(visits);
    device_sum.copy_to(sum);
    device_taken.copy_to(taken);
    device_two_floats.copy_to(two_floats);
    EXPECT_EQ(visits, std::vector<unsigned>(count, 1u));
    EXPECT_GE(taken[0], count);
    EXPECT_EQ(sum[0], 0.5 * count * (count - 1.0));
    const double n = count;
    const double expected = (n + 1) / 2 * 0.1 - (n - 1) / 2 * 0.3;
    const double largest = 0.15 * n;  // partial sum
    EXPECT_NEAR(two_floats[0].value(), expected, n * (n + 5) * 0x1p-48 * largest);
    EXPECT_NEAR(two_floats[0].value(), expected, 0.05);  // in any order: 0.005; one float: 4
}

}  // namespace
}  // namespace mpcflow::test
