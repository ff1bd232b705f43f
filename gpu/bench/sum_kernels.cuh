#pragma once
/// Timing of the ways of summing, and the check of what they sum.

#include <cstdint>
#include <string>

#include "gpu/bench/sum_ways.cuh"
#include "gpu/bench/timing.cuh"
#include "gpu/step_kernels.cuh"

namespace mpcflow::bench {

/// Scrambles 32 bits. C. Wellons' "lowbias32".
MPCFLOW_HD std::uint32_t scrambled(std::uint32_t x) {
    x = (x ^ (x >> 16U)) * 0x7feb352dU;
    x = (x ^ (x >> 15U)) * 0x846ca68bU;
    return x ^ (x >> 16U);
}

/// What a particle adds: random multiples of 2^-36 in [-1/2, 1/2), so that sums of up to 2^17 particles are exact
/// and every order of adding gives the same bits. Made in registers, so that the sums are measured and not the
/// reading of particles.
template <int K>
__device__ __forceinline__ void contributions(std::int64_t particle, double (&values)[K]) {
    const std::uint32_t number = scrambled(static_cast<std::uint32_t>(particle));
#pragma unroll
    for (int k = 0; k < K; ++k) {
        std::uint32_t x = (number + static_cast<std::uint32_t>(k) * 0x9e3779b9U) * 0x85ebca6bU;
        x ^= x >> 13U;
        // 36 bits behind the leading one of a number in [1, 2).
        const std::uint32_t low = (x << 20U) | ((x * 0xc2b2ae35U) >> 28U << 16U);
        values[k] = __hiloint2double(static_cast<int>(0x3ff00000U | (x >> 12U)), static_cast<int>(low)) - 1.5;
    }
}

template <class SumWay, int K>
__global__ void __launch_bounds__(block_size)
    add_contributions(std::int64_t count, const std::int32_t* __restrict__ cells, double* __restrict__ rows) {
    constexpr int scratches = SumWay::is_blockwide ? 1 : warps_in_block;
    __shared__ typename SumWay::template Scratch<K> scratch[scratches];
    const WarpItems items(count);
    const warp::CudaWarp warp;
    const bool has_particle = (items.mask & warp::lane_bit(warp.lane())) != 0;
    if (!SumWay::is_blockwide && !has_particle) return;
    const std::int64_t i = items.first + warp.lane();
    double values[K];
    contributions(i, values);
    SumWay::add(rows, has_particle ? cells[i] : 0, values, items.mask,
                scratch[SumWay::is_blockwide ? 0 : threadIdx.x / 32]);
}

/// The same sums as whole multiples of 2^-36, by integer atomics: the reference.
template <int K>
__global__ void __launch_bounds__(block_size)
    add_reference(std::int64_t count, const std::int32_t* __restrict__ cells, unsigned long long* __restrict__ rows) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    double values[K];
    contributions(i, values);
#pragma unroll
    for (int k = 0; k < K; ++k) {
        atomicAdd(rows + std::int64_t{cells[i]} * sum_stride_of<K> + k,
                  static_cast<unsigned long long>(static_cast<long long>(values[k] * 0x1p36)));
    }
}

/// Counts the sums that differ from the reference.
static __global__ void __launch_bounds__(block_size)
    count_different_sums(std::int64_t count, const double* sums, const unsigned long long* reference,
                         unsigned long long* different) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count && sums[i] != static_cast<double>(static_cast<long long>(reference[i])) * 0x1p-36) atomicAdd(different, 1ULL);
}

/// Adds K values a particle to cells, in any way, and checks the sums of each.
template <int K>
class SumsBench {
public:
    SumsBench(const Stopwatch& watch, const DeviceArray<std::int32_t>& cells, int cell_count)
        : watch_(watch),
          cells_(cells),
          rows_(std::int64_t{cell_count} * sum_stride_of<K>),
          reference_(rows_.size()),
          different_(1) {
        reference_.clear();
        add_reference<K><<<block_count(cells_.size()), block_size>>>(cells_.size(), cells_.data(), reference_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Milliseconds of one addition of all particles.
    template <class SumWay>
    [[nodiscard]] double time(const std::string& name) const {
        const double milliseconds = watch_.milliseconds([this] { rows_.clear(); }, [this] {
            add_contributions<SumWay, K>
                <<<block_count(cells_.size()), block_size>>>(cells_.size(), cells_.data(), rows_.data());
        });
        different_.clear();
        count_different_sums<<<block_count(rows_.size()), block_size>>>(rows_.size(), rows_.data(), reference_.data(),
                                                                        different_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        unsigned long long different = 0;
        different_.download(&different, 0, 1);
        require(different == 0, name + " with " + std::to_string(K) + " sums: " + std::to_string(different) + " of " +
                                    std::to_string(rows_.size()) + " differ");
        return milliseconds;
    }

private:
    const Stopwatch& watch_;
    const DeviceArray<std::int32_t>& cells_;
    DeviceArray<double> rows_;
    DeviceArray<unsigned long long> reference_;
    DeviceArray<unsigned long long> different_;
};

}  // namespace mpcflow::bench
