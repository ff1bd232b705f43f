/// Histograms, against CUB's.

#include <limits>

#include "gpu/bench/library_ways.cuh"
#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/block/cuda_block.cuh"
#include "gpu/block/histogram.hpp"
#include "gpu/warp/cuda_atomics.cuh"

namespace mpcflow {

namespace bench {

namespace {

using block::CudaBlock;
using block::GridItems;

enum class Keys {
    uniform,
    skewed  ///< u^8 of a uniform u in [0, 1): half of the keys in the lowest 1/256 of the bins
};

__global__ void __launch_bounds__(block_size)
    make_keys(std::int64_t count, Keys kind, int bins, std::int32_t* keys) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    double u = static_cast<double>(mix(static_cast<std::uint64_t>(i)) >> 11U) * 0x1p-53;
    if (kind == Keys::skewed)
        for (int k = 0; k < 3; ++k) u *= u;
    keys[i] = static_cast<std::int32_t>(u * bins);
}

__global__ void __launch_bounds__(block_size)
    count_plainly(std::int64_t count, const std::int32_t* keys, unsigned* counts) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) atomicAdd(counts + keys[i], 1U);
}

enum class Count { global, shared, warp };

template <Count way>
__global__ void __launch_bounds__(block_size)
    count_keys(std::int64_t count, const std::int32_t* __restrict__ keys, int bins,
               unsigned* __restrict__ counts) {
    extern __shared__ std::uint32_t shared_counts[];
    const GridItems items{count, blockIdx.x, gridDim.x};
    const auto bin_of = [=](std::int64_t i) { return keys[i]; };
    const auto add = [=](std::int32_t bin, std::uint32_t number) { atomicAdd(counts + bin, number); };
    if constexpr (way == Count::global) {
        block::count_in_bins(CudaBlock{}, items, bin_of, add);
    } else if constexpr (way == Count::shared) {
        block::count_in_shared_bins(CudaBlock{}, warp::CudaAtomics{}, items, bin_of, {shared_counts, bins},
                                    add);
    } else {
        block::count_in_bins_by_peers(CudaBlock{}, items, bin_of, add);
    }
}

class HistogramBench {
public:
    HistogramBench(const Stopwatch& watch, int device, std::int64_t count) : watch_(watch), keys_(count) {
        int multiprocessors = 0;
        MPCFLOW_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        blocks_ = std::min(block_count(count), static_cast<unsigned>(multiprocessors) * 8U);
        int most_bytes = 0;
        MPCFLOW_CUDA(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        MPCFLOW_CUDA(cudaFuncSetAttribute(count_keys<Count::shared>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes));
        most_shared_bins_ = most_bytes / static_cast<int>(sizeof(std::uint32_t));
    }

    [[nodiscard]] BenchRow measure(Keys kind, int bins) {
        make_keys<<<block_count(keys_.size()), block_size>>>(keys_.size(), kind, bins, keys_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        counts_ = DeviceArray<unsigned>(bins);
        counts_.clear();
        count_plainly<<<block_count(keys_.size()), block_size>>>(keys_.size(), keys_.data(), counts_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        expected_ = counts();
        BenchRow row{static_cast<double>(bins), {}};
        row.values.push_back(rate(
            "global", [&] { launch<Count::global>(bins, 0); }));
        row.values.push_back(
            bins > most_shared_bins_
                ? std::numeric_limits<double>::quiet_NaN()
                : rate(
                      "shared", [&] { launch<Count::shared>(bins, bins * sizeof(std::uint32_t)); }));
        row.values.push_back(rate("warp", [&] { launch<Count::warp>(bins, 0); }));
        std::size_t bytes = 0;
        const auto by_cub = [&](void* scratch) {
            library::histogram(scratch, bytes, keys_.data(), counts_.data(), bins, keys_.size());
        };
        by_cub(nullptr);
        const DeviceArray<char> scratch(static_cast<std::int64_t>(bytes));
        row.values.push_back(rate("cub", [&] { by_cub(scratch.data()); }));
        return row;
    }

private:
    template <Count way>
    void launch(int bins, std::size_t shared_bytes) const {
        count_keys<way>
            <<<blocks_, block_size, shared_bytes>>>(keys_.size(), keys_.data(), bins, counts_.data());
    }

    /// GiB/s of reading the keys.
    template <class Work>
    [[nodiscard]] double rate(const char* name, const Work& work) const {
        const double milliseconds = watch_.milliseconds([this] { counts_.clear(); }, work);
        require(counts() == expected_, std::string("histograms, ") + name);
        return static_cast<double>(keys_.bytes()) / (1e-3 * milliseconds) / 0x1p30;
    }

    [[nodiscard]] std::vector<unsigned> counts() const {
        std::vector<unsigned> result(static_cast<std::size_t>(counts_.size()));
        counts_.download(result.data(), 0, counts_.size());
        return result;
    }

    const Stopwatch& watch_;
    DeviceArray<std::int32_t> keys_;
    DeviceArray<unsigned> counts_;
    unsigned blocks_ = 1;
    int most_shared_bins_ = 0;  ///< that a block may have when it asks for all it can get
    std::vector<unsigned> expected_;
};

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_histograms(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const Stopwatch watch(is_full ? 5 : 1);
    const std::int64_t count = is_full ? 100'000'000 : 100'003;
    HistogramBench bench(watch, options.device, count);
    std::vector<BenchTable> tables;
    for (const Keys kind : {Keys::uniform, Keys::skewed}) {
        const bool is_uniform = kind == Keys::uniform;
        BenchTable table;
        table.name = is_uniform ? "histograms_uniform" : "histograms_skewed";
        table.title = std::string("Histogram of ") + (is_uniform ? "uniform" : "skewed") +
                      " keys: GiB/s read, " + std::to_string(count) + " keys of 4 bytes";
        table.note = is_uniform
                         ? "shared: as far as its bins fit into the shared memory that a block can ask for."
                         : "Half of the keys are in the lowest 1/256 of the bins.";
        table.items = count;
        table.x = {"bins", ""};
        for (const char* way : {"global", "shared", "warp", "cub"}) table.columns.push_back({way, "GiB/s"});
        for (const int bins : {8, 64, 512, 4096, 8192, 16384, 32768, 262144})
            table.rows.push_back(bench.measure(kind, bins));
        tables.push_back(std::move(table));
    }
    return tables;
}

}  // namespace mpcflow
