/// Segmented scans of each warp, of each block and of a whole array, against CUB's.

#include <algorithm>

#include "gpu/bench/library_ways.cuh"
#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/block/cuda_block.cuh"
#include "gpu/block/grid_segmented_scan.hpp"
#include "gpu/warp/cuda_atomics.cuh"

namespace mpcflow {

namespace bench {

namespace {

using Word = std::uint32_t;
using GridScratch = block::GridScanScratch<Word>;
constexpr int items_of_thread = 8;  ///< of a tile of the whole array: two reads of 16 bytes
constexpr int tile_items = items_of_thread * block_size;

/// Keys of segments with `length` items on average, of 1 to 2 length - 1: a segment begins at a random place
/// of each `length` items.
__global__ void __launch_bounds__(block_size)
    fill(std::int64_t count, std::int64_t length, Word* keys, Word* values) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const std::int64_t stretch = i / length;
    const auto start = mix(static_cast<std::uint64_t>(stretch)) % static_cast<std::uint64_t>(length);
    const bool has_begun = i >= stretch * length + static_cast<std::int64_t>(start);
    keys[i] = static_cast<Word>(has_begun ? stretch + 1 : stretch);
    values[i] = static_cast<Word>(mix(static_cast<std::uint64_t>(i)));
}

__device__ __forceinline__ bool is_head_at(const Word* keys, std::int64_t i) {
    return i == 0 || keys[i] != keys[i - 1];
}

enum class Scan { warps, blocks };

/// An item for each thread; segments end with the warp or the block.
template <Scan way>
__global__ void __launch_bounds__(block_size)
    scan_groups(std::int64_t count, const Word* __restrict__ keys, const Word* __restrict__ values,
                Word* __restrict__ sums) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    const bool is_item = i < count;
    const bool is_head = is_item && is_head_at(keys, i);
    Word sum = is_item ? values[i] : 0;
    if constexpr (way == Scan::warps) {
        const warp::CudaWarp warp;
        const unsigned heads = warp::find_heads(warp, warp::full_mask, is_head);
        sum = warp::scan_segments(warp, warp::full_mask, heads, sum);
    } else {
        __shared__ block::TailScratch<Word> scratch;
        sum = block::scan_segments(block::CudaBlock{}, is_head, sum, scratch);
    }
    if (is_item) sums[i] = sum;
}

__global__ void __launch_bounds__(block_size)
    scan_all(std::int64_t count, const Word* __restrict__ keys, const Word* __restrict__ values,
             block::TileStates states, Word* __restrict__ sums) {
    using Own = block::OwnItems<items_of_thread, Word>;
    __shared__ GridScratch scratch;
    const auto load = [=](std::int64_t first) {
        Own own{};
        Word own_keys[items_of_thread] = {};
        const bool is_whole = first + items_of_thread <= count;
        if (is_whole) {
#pragma unroll
            for (int part = 0; part < items_of_thread / 4; ++part) {
                const uint4 four = reinterpret_cast<const uint4*>(values + first)[part];
                const uint4 four_keys = reinterpret_cast<const uint4*>(keys + first)[part];
                const Word four_values[] = {four.x, four.y, four.z, four.w};
                const Word keys_of_four[] = {four_keys.x, four_keys.y, four_keys.z, four_keys.w};
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    own.values[4 * part + i] = four_values[i];
                    own_keys[4 * part + i] = keys_of_four[i];
                }
            }
        } else {
#pragma unroll
            for (int i = 0; i < items_of_thread; ++i) {
                if (first + i >= count) continue;
                own.values[i] = values[first + i];
                own_keys[i] = keys[first + i];
            }
        }
        Word before = first > 0 && first < count ? keys[first - 1] : ~own_keys[0];
#pragma unroll
        for (int i = 0; i < items_of_thread; ++i) {
            if ((is_whole || first + i < count) && own_keys[i] != before) own.heads |= 1U << i;
            before = own_keys[i];
        }
        return own;
    };
    const auto store = [=](std::int64_t first, const Word(&scanned)[items_of_thread]) {
        if (first + items_of_thread <= count) {
#pragma unroll
            for (int i = 0; i < items_of_thread; i += 4) {
                reinterpret_cast<uint4*>(sums + first)[i / 4] =
                    make_uint4(scanned[i], scanned[i + 1], scanned[i + 2], scanned[i + 3]);
            }
        } else {
#pragma unroll
            for (int i = 0; i < items_of_thread; ++i)
                if (first + i < count) sums[first + i] = scanned[i];
        }
    };
    block::scan_segments_of_grid<items_of_thread, Word>(block::CudaBlock{}, warp::CudaAtomics{}, count,
                                                        states, scratch, load, store);
}

/// Counts the sums that do not follow from the one before, where segments also end every `part` items.
__global__ void __launch_bounds__(block_size)
    count_wrong_sums(std::int64_t count, std::int64_t part, const Word* keys, const Word* values,
                     const Word* sums, unsigned* wrong) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const bool is_head = i % part == 0 || is_head_at(keys, i);
    if (sums[i] != values[i] + (is_head ? 0U : sums[i - 1])) atomicAdd(wrong, 1U);
}

class SegmentedScanBench {
public:
    SegmentedScanBench(const Stopwatch& watch, int device, std::int64_t count)
        : watch_(watch),
          keys_(count),
          values_(count),
          sums_(count),
          words_((count + tile_items - 1) / tile_items),
          taken_(1),
          wrong_(1) {
        int multiprocessors = 0;
        MPCFLOW_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        int blocks = 0;
        MPCFLOW_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scan_all, block_size, 0));
        resident_blocks_ = static_cast<unsigned>(
            std::min(words_.size(), std::int64_t{multiprocessors} * std::max(blocks, 1)));
        by_cub(nullptr);
        cub_scratch_ = DeviceArray<char>(static_cast<std::int64_t>(cub_bytes_));
    }

    [[nodiscard]] BenchRow measure(std::int64_t length) {
        const std::int64_t count = keys_.size();
        fill<<<block_count(count), block_size>>>(count, length, keys_.data(), values_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        BenchRow row{static_cast<double>(length), {}};
        row.values.push_back(rate(
            "warps", warp::warp_size, [this] { launch<Scan::warps>(); }));
        row.values.push_back(rate(
            "blocks", block_size, [this] { launch<Scan::blocks>(); }));
        row.values.push_back(rate("cub, blocks", block_size, [&] {
            library::scan_blocks_by_key(count, keys_.data(), values_.data(), sums_.data());
        }));
        row.values.push_back(rate(
            "all", count,
            [&] {
                MPCFLOW_CUDA(cudaMemsetAsync(words_.data(), 0, static_cast<std::size_t>(words_.bytes())));
                MPCFLOW_CUDA(cudaMemsetAsync(taken_.data(), 0, sizeof(std::uint32_t)));
                scan_all<<<resident_blocks_, block_size>>>(count, keys_.data(), values_.data(),
                                                           {words_.data(), taken_.data()}, sums_.data());
            }));
        row.values.push_back(rate("cub, grid", count, [this] { by_cub(cub_scratch_.data()); }));
        return row;
    }

private:
    template <Scan way>
    void launch() const {
        scan_groups<way><<<block_count(keys_.size()), block_size>>>(keys_.size(), keys_.data(),
                                                                    values_.data(), sums_.data());
    }

    void by_cub(void* scratch) {
        library::scan_by_key(scratch, cub_bytes_, keys_.data(), values_.data(), sums_.data(), keys_.size());
    }

    /// GiB/s of reading keys and values and of writing sums, of segments that end every `part` items.
    [[nodiscard]] double rate(const char* name, std::int64_t part, Call work) const {
        const double milliseconds = watch_.milliseconds([this] { sums_.clear(); }, work);
        wrong_.clear();
        count_wrong_sums<<<block_count(keys_.size()), block_size>>>(
            keys_.size(), part, keys_.data(), values_.data(), sums_.data(), wrong_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        require(wrong_.first() == 0, std::string("segmented scans, ") + name);
        return 3.0 * static_cast<double>(keys_.bytes()) / (1e-3 * milliseconds) / 0x1p30;
    }

    const Stopwatch& watch_;
    DeviceArray<Word> keys_;
    DeviceArray<Word> values_;
    DeviceArray<Word> sums_;
    DeviceArray<unsigned long long> words_;
    DeviceArray<std::uint32_t> taken_;
    DeviceArray<unsigned> wrong_;
    DeviceArray<char> cub_scratch_;
    std::size_t cub_bytes_ = 0;
    unsigned resident_blocks_ = 1;
};

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_segmented_scans(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const Stopwatch watch(is_full ? 5 : 1);
    const std::int64_t count = is_full ? std::int64_t{1} << 26 : 100'003;
    SegmentedScanBench bench(watch, options.device, count);
    BenchTable table;
    table.name = "segmented_scans";
    table.title = "Sums from the head of each segment on: GiB/s read and written, " + std::to_string(count) +
                  " keys and numbers of 4 bytes";
    table.note =
        "A segment is a run of equal keys, `length` long on average. warps, blocks: segments also end with "
        "each 32 or 256 items, a thread for each; cub, blocks: BlockScan of pairs of head and sum. grid: the "
        "whole array; cub, grid: InclusiveSumByKey.";
    table.items = count;
    table.x = {"length", ""};
    for (const char* way : {"warps", "blocks", "cub, blocks", "grid", "cub, grid"})
        table.columns.push_back({way, "GiB/s"});
    const std::vector<std::int64_t> lengths =
        is_full ? std::vector<std::int64_t>{1, 10, 100, 1000, 10'000, 1'000'000}
                : std::vector<std::int64_t>{1, 10, 10'000, 1'000'000};
    for (const std::int64_t length : lengths) table.rows.push_back(bench.measure(length));
    return {table};
}

}  // namespace mpcflow
