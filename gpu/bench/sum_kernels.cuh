#pragma once
/// Timing of the ways of summing, and the check of what they sum.

#include <cstdint>
#include <string>

#include "gpu/bench/sum_ways.cuh"
#include "gpu/bench/timing.cuh"
#include "gpu/cell_kernels.cuh"
#include "gpu/warp/reduce.hpp"

namespace mpcflow::bench {

/// Scrambles 32 bits. C. Wellons' "lowbias32".
MPCFLOW_HD std::uint32_t scrambled(std::uint32_t x) {
    x = (x ^ (x >> 16U)) * 0x7feb352dU;
    x = (x ^ (x >> 15U)) * 0x846ca68bU;
    return x ^ (x >> 16U);
}

/// One of the numbers that a particle adds: random multiples of 2^-36 in [-1/2, 1/2), so that sums of up to
/// 2^17 particles are exact and every order of adding gives the same bits. Made in registers, so that the
/// sums are measured and not the reading of particles. `number` is the particle's, scrambled.
__device__ __forceinline__ double contribution(std::uint32_t number, int component) {
    std::uint32_t x = (number + static_cast<std::uint32_t>(component) * 0x9e3779b9U) * 0x85ebca6bU;
    x ^= x >> 13U;
    // 36 bits behind the leading one of a number in [1, 2).
    const std::uint32_t low = (x << 20U) | ((x * 0xc2b2ae35U) >> 28U << 16U);
    return __hiloint2double(static_cast<int>(0x3ff00000U | (x >> 12U)), static_cast<int>(low)) - 1.5;
}

template <int K>
__device__ __forceinline__ void contributions(std::int64_t particle, double (&values)[K]) {
    const std::uint32_t number = scrambled(static_cast<std::uint32_t>(particle));
#pragma unroll
    for (int k = 0; k < K; ++k) values[k] = contribution(number, k);
}

/// Calls action(cell, component, sum) for all that the particles add to memory.
template <class SumWay, int K, class Action>
__device__ __forceinline__ void visit_additions(std::int64_t count, const std::int32_t* __restrict__ cells,
                                                Action&& action) {
    __shared__ typename SumWay::template Scratch<K> scratches[SumWay::is_blockwide ? 1 : warps_in_block];
    const WarpItems items(count);
    const warp::CudaWarp warp;
    const bool has_particle = (items.mask & warp::lane_bit(warp.lane())) != 0;
    if (!SumWay::is_blockwide && !has_particle) return;
    const std::int64_t i = items.first + warp.lane();
    double values[K];
    contributions(i, values);
    SumWay::for_each_sum(has_particle ? cells[i] : 0, values, items.mask,
                         scratches[SumWay::is_blockwide ? 0 : threadIdx.x / 32], action);
}

template <class SumWay, int K>
__global__ void __launch_bounds__(block_size)
    add_contributions(std::int64_t count, const std::int32_t* __restrict__ cells, double* __restrict__ rows) {
    visit_additions<SumWay, K>(
        count, cells,
        [rows](std::int32_t cell, int component, double sum) {
            SumWay::add_to_memory(rows + std::int64_t{cell} * sector_stride<K> + component, sum);
        });
}

/// Counts the atomics of add_contributions, each where it would be issued.
template <class SumWay, int K>
__global__ void __launch_bounds__(block_size)
    count_atomics(std::int64_t count, const std::int32_t* __restrict__ cells, unsigned long long* atomics) {
    unsigned number = 0;
    visit_additions<SumWay, K>(
        count, cells, [&number](std::int32_t, int, double) { number += SumWay::atomics_for_addition; });
    const warp::CudaWarp warp;
    number = warp::reduce_down(warp, warp::full_mask, number);
    if (warp.lane() == 0) atomicAdd(atomics, static_cast<unsigned long long>(number));
}

/// The same sums as whole multiples of 2^-36, by integer atomics, and the numbers of particles: the
/// reference, for any number of components, whose rows are `stride` words apart. (One kernel for all numbers
/// and ways: the ways are what there must be many of.)
static __global__ void __launch_bounds__(block_size)
    add_reference(std::int64_t count, const std::int32_t* __restrict__ cells, int components, int stride,
                  unsigned long long* __restrict__ rows, std::uint32_t* __restrict__ numbers) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const std::uint32_t number = scrambled(static_cast<std::uint32_t>(i));
    for (int k = 0; k < components; ++k) {
        atomicAdd(rows + std::int64_t{cells[i]} * stride + k,
                  static_cast<unsigned long long>(static_cast<long long>(contribution(number, k) * 0x1p36)));
    }
    atomicAdd(numbers + cells[i], 1U);
}

/// Sums that are not what they should be: other bits than the reference or, of words that hold two floats,
/// further from it than n (n + 5) 2^-48 M (warp::add_two_floats), where n particles add at most 1/2 each, so
/// that M = n / 2.
static __global__ void __launch_bounds__(block_size)
    count_wrong_sums(std::int64_t cells, int components, int stride, SumWords words, const double* rows,
                     const unsigned long long* reference, const std::uint32_t* numbers,
                     unsigned long long* wrong) {
    const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (cell >= cells) return;
    const double n = numbers[cell];
    const double bound = words == SumWords::two_floats ? n * (n + 5.0) * 0x1p-48 * (0.5 * n) : 0.0;
    for (int k = 0; k < components; ++k) {
        const std::int64_t at = cell * stride + k;
        const double expected = static_cast<double>(static_cast<long long>(reference[at])) * 0x1p-36;
        if (!(fabs(sum_of_word(words, rows[at]) - expected) <= bound)) atomicAdd(wrong, 1ULL);
    }
}

/// Adds K values a particle to cells, in any way, and checks the sums of each.
template <int K>
class SumsBench {
public:
    SumsBench(const Stopwatch& watch, const DeviceArray<std::int32_t>& cells, int cell_count)
        : watch_(watch),
          cells_(cells),
          rows_(std::int64_t{cell_count} * sector_stride<K>),
          reference_(rows_.size()),
          numbers_(cell_count),
          counter_(1) {
        reference_.clear();
        numbers_.clear();
        add_reference<<<blocks(), block_size>>>(cells_.size(), cells_.data(), K, sector_stride<K>,
                                                reference_.data(), numbers_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Milliseconds of one addition of all particles.
    template <class SumWay>
    [[nodiscard]] double time(const std::string& name) const {
        return time(
            name, SumWay::words,
            [this](double* rows) {
                add_contributions<SumWay, K><<<blocks(), block_size>>>(cells_.size(), cells_.data(), rows);
            });
    }

    /// The same for a launch that adds to `rows`.
    template <class Launch>
    [[nodiscard]] double time(const std::string& name, SumWords words, const Launch& launch) const {
        const double milliseconds =
            watch_.milliseconds([this] { rows_.clear(); }, [&] { launch(rows_.data()); });
        check(name, words);
        return milliseconds;
    }

    /// How many atomics all particles together issue.
    template <class SumWay>
    [[nodiscard]] double atomics() const {
        return static_cast<double>(counted([this] {
            count_atomics<SumWay, K><<<blocks(), block_size>>>(cells_.size(), cells_.data(), counter_.data());
        }));
    }

private:
    [[nodiscard]] unsigned blocks() const { return block_count(cells_.size()); }

    void check(const std::string& name, SumWords words) const {
        const unsigned long long wrong = counted([&] {
            count_wrong_sums<<<block_count(numbers_.size()), block_size>>>(
                numbers_.size(), K, sector_stride<K>, words, rows_.data(), reference_.data(), numbers_.data(),
                counter_.data());
        });
        require(wrong == 0, name + " with " + std::to_string(K) + " sums: " + std::to_string(wrong) + " of " +
                                std::to_string(K * numbers_.size()));
    }

    [[nodiscard]] unsigned long long counted(Call count) const {
        counter_.clear();
        count();
        MPCFLOW_CUDA(cudaGetLastError());
        unsigned long long result = 0;
        counter_.download(&result, 0, 1);
        return result;
    }

    const Stopwatch& watch_;
    const DeviceArray<std::int32_t>& cells_;
    DeviceArray<double> rows_;
    DeviceArray<unsigned long long> reference_;
    DeviceArray<std::uint32_t> numbers_;
    DeviceArray<unsigned long long> counter_;
};

}  // namespace mpcflow::bench
