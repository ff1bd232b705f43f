/// Which block size is best, and how many blocks a multiprocessor: sums by match, a reduction and a histogram
/// with each.

#include <utility>

#include "gpu/bench/measure.hpp"
#include "gpu/bench/run_keys.cuh"
#include "gpu/bench/sum_kernels.cuh"
#include "gpu/block/grid_reduce.hpp"
#include "gpu/block/histogram.hpp"

namespace mpcflow {

namespace bench {

namespace {

using block::CudaBlock;
using block::GridItems;

constexpr int components = 9;
constexpr int bins = 4096;
using SumScratch = MatchWay::Scratch<components>;

// One kernel for all sizes of blocks, so that they differ in nothing else: it may have no more registers than
// the largest block allows.

/// The grid strides over the particles, a warp's worth at a time.
__global__ void __launch_bounds__(block::largest_block)
    add_striding(std::int64_t count, const std::int32_t* __restrict__ cells, double* __restrict__ rows) {
    extern __shared__ __align__(16) unsigned char shared[];
    SumScratch& scratch = reinterpret_cast<SumScratch*>(shared)[threadIdx.x / 32];
    const unsigned lane = warp::CudaWarp{}.lane();
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        const unsigned mask =
            warp::first_lanes(static_cast<unsigned>(min(count - (i - lane), std::int64_t{warp::warp_size})));
        double values[components];
        contributions(i, values);
        MatchWay::for_each_sum(
            cells[i], values, mask, scratch, [rows](std::int32_t cell, int component, double sum) {
                MatchWay::add_to_memory(rows + std::int64_t{cell} * sector_stride<components> + component,
                                        sum);
            });
    }
}

/// Small whole numbers, of which 2^32 have an exact sum, and keys of all bins.
__global__ void __launch_bounds__(block_size) fill(std::int64_t count, double* numbers, std::int32_t* keys) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const std::uint64_t random = mix(static_cast<std::uint64_t>(i));
    numbers[i] = static_cast<double>(random >> 44U);
    keys[i] = static_cast<std::int32_t>(random % bins);
}

/// The sum and the counts, by plain atomics.
__global__ void __launch_bounds__(block_size)
    reduce_plainly(std::int64_t count, const double* numbers, const std::int32_t* keys,
                   unsigned long long* sum, unsigned* counts) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    atomicAdd(sum, static_cast<unsigned long long>(numbers[i]));
    atomicAdd(counts + keys[i], 1U);
}

__global__ void __launch_bounds__(block::largest_block)
    reduce_striding(std::int64_t count, const double* __restrict__ numbers, double* sum) {
    __shared__ block::ReduceScratch<1, double> scratch;
    block::reduce_grid<double>(
        CudaBlock{}, GridItems{count, blockIdx.x, gridDim.x}, [=](std::int64_t i) { return numbers[i]; },
        warp::Add{}, scratch, [=](double part) { atomicAdd(sum, part); });
}

__global__ void __launch_bounds__(block::largest_block)
    count_striding(std::int64_t count, const std::int32_t* __restrict__ keys, unsigned* __restrict__ counts) {
    __shared__ std::uint32_t counts_of_block[bins];
    block::count_in_shared_bins(
        CudaBlock{}, warp::CudaAtomics{}, GridItems{count, blockIdx.x, gridDim.x},
        [=](std::int64_t i) { return keys[i]; }, {counts_of_block, bins},
        [=](std::int32_t bin, std::uint32_t number) { atomicAdd(counts + bin, number); });
}

constexpr unsigned block_sizes[] = {64, 128, 256, 512, 1024};
/// 0: as many blocks as give each item a thread.
constexpr unsigned blocks_of_multiprocessor[] = {1, 2, 4, 8, 16, 32, 0};

/// A table of what measure(blocks, threads) says of each size of block and grid.
template <class Measure>
BenchTable sweep(int device, const char* unit, std::int64_t items, const Measure& measure) {
    int multiprocessors = 0;
    MPCFLOW_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    BenchTable table;
    table.items = items;
    table.x = {"threads", "in a block"};
    for (const unsigned blocks : blocks_of_multiprocessor)
        table.columns.push_back({blocks == 0 ? "an item" : std::to_string(blocks), unit});
    for (const unsigned threads : block_sizes) {
        BenchRow row{static_cast<double>(threads), {}};
        for (const unsigned blocks : blocks_of_multiprocessor) {
            const auto enough = static_cast<unsigned>((items + threads - 1) / threads);
            const unsigned wanted = blocks * static_cast<unsigned>(multiprocessors);
            row.values.push_back(measure(blocks == 0 ? enough : std::min(enough, wanted), threads));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

BenchTable sweep_sums(const KernelBenchOptions& options, const Stopwatch& watch) {
    const int edge = options.size == BenchSize::full ? 100 : 11;
    const std::vector<AgedKeys> keys = keys_of_run(edge, {0});
    const DeviceArray<std::int32_t>& cells = keys.front().cells;
    const SumsBench<components> sums(watch, cells, edge * edge * edge);
    BenchTable table = sweep(options.device, "ms", cells.size(), [&](unsigned blocks, unsigned threads) {
        const auto launch = [&](double* rows) {
            add_striding<<<blocks, threads, threads / warp::warp_size * sizeof(SumScratch)>>>(
                cells.size(), cells.data(), rows);
        };
        return sums.time("match, blocks of " + std::to_string(threads), SumWords::doubles, launch);
    });
    table.name = "launches_of_sums";
    table.title = "Nine double sums by match, " + std::to_string(cells.size()) +
                  " particles, just re-ordered, by blocks a multiprocessor: ms";
    table.note =
        "A block's threads stride over the items with the grid. an item: as many blocks as give each item a "
        "thread.";
    return table;
}

/// The reduction and the histogram of the same number of items.
std::vector<BenchTable> sweep_arrays(const KernelBenchOptions& options, const Stopwatch& watch) {
    const std::int64_t count = options.size == BenchSize::full ? 100'000'000 : 100'003;
    const DeviceArray<double> numbers(count);
    const DeviceArray<std::int32_t> keys(count);
    const DeviceArray<unsigned long long> expected_sum(1);
    const DeviceArray<unsigned> counts(bins);
    const DeviceArray<double> sum(1);
    const auto found_counts = [&] {
        std::vector<unsigned> result(bins);
        counts.download(result.data(), 0, bins);
        return result;
    };
    fill<<<block_count(count), block_size>>>(count, numbers.data(), keys.data());
    MPCFLOW_CUDA(cudaGetLastError());
    expected_sum.clear();
    counts.clear();
    reduce_plainly<<<block_count(count), block_size>>>(count, numbers.data(), keys.data(),
                                                       expected_sum.data(), counts.data());
    MPCFLOW_CUDA(cudaGetLastError());
    const auto expected = static_cast<double>(expected_sum.first());
    const std::vector<unsigned> expected_counts = found_counts();

    const auto rate = [&](const auto& array, Call clear, Call work) {
        return static_cast<double>(array.bytes()) / (1e-3 * watch.milliseconds(clear, work)) / 0x1p30;
    };
    BenchTable sums = sweep(options.device, "GiB/s", count, [&](unsigned blocks, unsigned threads) {
        const double result = rate(
            numbers, [&] { sum.clear(); },
            [&] { reduce_striding<<<blocks, threads>>>(count, numbers.data(), sum.data()); });
        require(sum.first() == expected, "sums in blocks of " + std::to_string(threads));
        return result;
    });
    sums.name = "launches_of_reductions";
    sums.title = "Sum of " + std::to_string(count) + " doubles in four levels, the same: GiB/s read";
    BenchTable histograms = sweep(options.device, "GiB/s", count, [&](unsigned blocks, unsigned threads) {
        const double result = rate(
            keys, [&] { counts.clear(); },
            [&] { count_striding<<<blocks, threads>>>(count, keys.data(), counts.data()); });
        require(found_counts() == expected_counts, "histograms in blocks of " + std::to_string(threads));
        return result;
    });
    histograms.name = "launches_of_histograms";
    histograms.title = "Histogram of " + std::to_string(count) + " uniform keys in " + std::to_string(bins) +
                       " bins in shared memory, the same: GiB/s read";
    return {sums, histograms};
}

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_launches(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const Stopwatch watch(options.size == BenchSize::full ? 5 : 1);
    std::vector<BenchTable> tables{sweep_sums(options, watch)};
    for (BenchTable& table : sweep_arrays(options, watch)) tables.push_back(std::move(table));
    return tables;
}

}  // namespace mpcflow
