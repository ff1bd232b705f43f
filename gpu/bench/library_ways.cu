#include "gpu/bench/library_ways.cuh"

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "gpu/cuda_support.cuh"

namespace mpcflow::bench::library {

namespace {

using Word = std::uint32_t;
constexpr int group = 32;  ///< elements that belong together: those of a warp

__device__ __forceinline__ std::int64_t number_of_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
}

struct IsSelected {
    SelectionRule rule;
    ParticleColumns<ParticleDouble> particles;
    __device__ bool operator()(std::int64_t i) const { return rule.contains(particles[i]); }
};
struct RecordOf {
    ParticleColumns<ParticleDouble> particles;
    __device__ ParticleDouble operator()(std::int64_t i) const { return particles[i]; }
};

struct Less {
    __device__ bool operator()(Word a, Word b) const { return a < b; }
};

/// A merge sort of a group by 32 / items threads, which hold `items` keys each.
template <int items>
__global__ void __launch_bounds__(block_size)
    sort_keys_of_groups(const Word* __restrict__ from, Word* __restrict__ to) {
    constexpr int threads = group / items;
    using Sort = cub::WarpMergeSort<Word, items, threads>;
    __shared__ typename Sort::TempStorage scratch[block_size / threads];
    const std::int64_t first = number_of_thread() * items;
    Word keys[items];
    for (int k = 0; k < items; ++k) keys[k] = from[first + k];
    Sort(scratch[threadIdx.x / threads]).Sort(keys, Less{});
    for (int k = 0; k < items; ++k) to[first + k] = keys[k];
}

template <int items>
__global__ void __launch_bounds__(block_size)
    sort_pairs_of_groups(const Word* __restrict__ from, Word* __restrict__ to, Word* __restrict__ values) {
    constexpr int threads = group / items;
    using Sort = cub::WarpMergeSort<Word, items, threads, Word>;
    __shared__ typename Sort::TempStorage scratch[block_size / threads];
    const std::int64_t first = number_of_thread() * items;
    Word keys[items];
    Word slots[items];
    for (int k = 0; k < items; ++k) {
        keys[k] = from[first + k];
        slots[k] = static_cast<Word>(first + k);
    }
    Sort(scratch[threadIdx.x / threads]).Sort(keys, slots, Less{});
    for (int k = 0; k < items; ++k) {
        to[first + k] = keys[k];
        values[first + k] = slots[k];
    }
}

__global__ void __launch_bounds__(block_size)
    scan_each_warp(const Word* __restrict__ from, Word* __restrict__ to) {
    using Scan = cub::WarpScan<Word>;
    __shared__ typename Scan::TempStorage scratch[warps_in_block];
    const std::int64_t i = number_of_thread();
    Scan(scratch[threadIdx.x / 32]).InclusiveSum(from[i], to[i]);
}

__global__ void __launch_bounds__(block_size)
    sum_each_warp(const Word* __restrict__ from, Word* __restrict__ to) {
    using Sum = cub::WarpReduce<Word>;
    __shared__ typename Sum::TempStorage scratch[warps_in_block];
    const std::int64_t i = number_of_thread();
    const Word sum = Sum(scratch[threadIdx.x / 32]).Sum(from[i]);
    if (threadIdx.x % 32 == 0) to[i / group] = sum;
}

struct HeadAndSum {
    Word is_head;
    Word sum;
};
struct CombineFromHead {
    __device__ HeadAndSum operator()(HeadAndSum a, HeadAndSum b) const {
        return {a.is_head | b.is_head, b.is_head != 0 ? b.sum : a.sum + b.sum};
    }
};

__global__ void __launch_bounds__(block_size)
    scan_each_block(std::int64_t count, const Word* __restrict__ keys, const Word* __restrict__ values,
                    Word* __restrict__ sums) {
    using Scan = cub::BlockScan<HeadAndSum, block_size>;
    __shared__ typename Scan::TempStorage scratch;
    const std::int64_t i = number_of_thread();
    const bool is_item = i < count;
    const bool is_head = is_item && (i == 0 || keys[i] != keys[i - 1]);
    HeadAndSum scanned{is_head ? 1U : 0U, is_item ? values[i] : 0U};
    Scan(scratch).InclusiveScan(scanned, scanned, CombineFromHead{});
    if (is_item) sums[i] = scanned.sum;
}

}  // namespace

void sum(void* scratch, std::size_t& bytes, const double* numbers, double* result, std::int64_t count) {
    MPCFLOW_CUDA(cub::DeviceReduce::Sum(scratch, bytes, numbers, result, count));
}

void maximum(void* scratch, std::size_t& bytes, const double* numbers, double* result, std::int64_t count) {
    MPCFLOW_CUDA(cub::DeviceReduce::Max(scratch, bytes, numbers, result, count));
}

void histogram(void* scratch, std::size_t& bytes, const std::int32_t* keys, unsigned* counts, int bins,
               std::int64_t count) {
    MPCFLOW_CUDA(cub::DeviceHistogram::HistogramEven(scratch, bytes, keys, counts, bins + 1, 0, bins,
                                                     static_cast<int>(count)));
}

void scan(void* scratch, std::size_t& bytes, const Word* from, Word* to, std::int64_t count) {
    MPCFLOW_CUDA(cub::DeviceScan::InclusiveSum(scratch, bytes, from, to, count));
}

void scan_by_key(void* scratch, std::size_t& bytes, const Word* keys, const Word* values, Word* sums,
                 std::int64_t count) {
    MPCFLOW_CUDA(cub::DeviceScan::InclusiveSumByKey(scratch, bytes, keys, values, sums, count));
}

void select(void* scratch, std::size_t& bytes, const Word* from, Word* to, unsigned* number,
            std::int64_t count, Below predicate) {
    MPCFLOW_CUDA(cub::DeviceSelect::If(scratch, bytes, from, to, number, count, predicate));
}

std::int64_t copy_if(const Word* from, Word* to, std::int64_t count, Below predicate) {
    return thrust::copy_if(thrust::device, from, from + count, to, predicate) - to;
}

void select_particles(void* scratch, std::size_t& bytes, const SelectionRule& rule,
                      const ParticleColumns<ParticleDouble>& particles, ParticleDouble* found,
                      unsigned long long* number, std::int64_t count) {
    MPCFLOW_CUDA(cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::int64_t>(0),
                                       thrust::make_transform_output_iterator(found, RecordOf{particles}),
                                       number, count, IsSelected{rule, particles}));
}

void sort_keys(SortShape shape, std::int64_t count, const Word* from, Word* to) {
    if (shape == SortShape::threads_32) sort_keys_of_groups<1><<<block_count(count), block_size>>>(from, to);
    else sort_keys_of_groups<4><<<block_count(count / 4), block_size>>>(from, to);
}

void sort_pairs(SortShape shape, std::int64_t count, const Word* from, Word* to, Word* values) {
    if (shape == SortShape::threads_32)
        sort_pairs_of_groups<1><<<block_count(count), block_size>>>(from, to, values);
    else sort_pairs_of_groups<4><<<block_count(count / 4), block_size>>>(from, to, values);
}

void scan_warps(std::int64_t count, const Word* from, Word* to) {
    scan_each_warp<<<block_count(count), block_size>>>(from, to);
}

void sum_warps(std::int64_t count, const Word* from, Word* to) {
    sum_each_warp<<<block_count(count), block_size>>>(from, to);
}

void scan_blocks_by_key(std::int64_t count, const Word* keys, const Word* values, Word* sums) {
    scan_each_block<<<block_count(count), block_size>>>(count, keys, values, sums);
}

}  // namespace mpcflow::bench::library
