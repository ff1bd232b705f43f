/// What a warp does with the values of its own lanes: sorts, scans and reductions, against CUB's.

#include "gpu/bench/library_ways.cuh"
#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/reduce.hpp"
#include "gpu/warp/scan.hpp"
#include "gpu/warp/sort.hpp"

namespace mpcflow {

namespace bench {

namespace {

using Key = std::uint32_t;
using library::SortShape;
constexpr int group = 32;  ///< elements that belong together: those of a warp

/// Elements of each measurement: whole blocks, so that the ways need no masks; CUB's has none.
std::vector<std::int64_t> sizes_of(BenchSize size) {
    if (size == BenchSize::small) return {std::int64_t{1} << 12, std::int64_t{1} << 14};
    return {std::int64_t{1} << 20, std::int64_t{1} << 22, std::int64_t{1} << 24, std::int64_t{1} << 26};
}

__device__ __forceinline__ std::int64_t element_of_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
}

__global__ void __launch_bounds__(block_size) fill_keys(Key* keys) {
    const std::int64_t i = element_of_thread();
    keys[i] = static_cast<Key>(mix(static_cast<std::uint64_t>(i)));
}

// ---- sorts: each group of 32 keys into ascending order

__global__ void __launch_bounds__(block_size)
    sort_keys_of_warps(const Key* __restrict__ from, Key* __restrict__ to) {
    const std::int64_t i = element_of_thread();
    to[i] = warp::sort_keys(warp::CudaWarp{}, warp::full_mask, from[i]);
}

__global__ void __launch_bounds__(block_size)
    sort_pairs_of_warps(const Key* __restrict__ from, Key* __restrict__ to, Key* __restrict__ values) {
    const std::int64_t i = element_of_thread();
    const auto sorted = warp::sort_pairs(warp::CudaWarp{}, warp::full_mask,
                                         warp::KeyValue<Key, Key>{from[i], static_cast<Key>(i)});
    to[i] = sorted.key;
    values[i] = sorted.value;
}

/// Counts what is wrong in the groups: keys out of order, groups of other keys than before, and, where there
/// are `values`, keys that have lost theirs. A thread for each group.
__global__ void __launch_bounds__(block_size)
    count_unsorted(std::int64_t groups, const Key* from, const Key* sorted, const Key* values,
                   unsigned* wrong) {
    const std::int64_t first = element_of_thread() * group;
    if (first >= groups * group) return;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    bool is_wrong = false;
    for (int k = 0; k < group; ++k) {
        before += mix(from[first + k]);
        after += mix(sorted[first + k]);
        is_wrong = is_wrong || (k > 0 && sorted[first + k] < sorted[first + k - 1]);
        is_wrong = is_wrong || (values != nullptr && from[values[first + k]] != sorted[first + k]);
    }
    if (is_wrong || before != after) atomicAdd(wrong, 1U);
}

// ---- scans and reductions of each group of 32

__global__ void __launch_bounds__(block_size) scan_warps(const Key* __restrict__ from, Key* __restrict__ to) {
    const std::int64_t i = element_of_thread();
    to[i] = warp::scan_inclusive(warp::CudaWarp{}, warp::full_mask, from[i]);
}

enum class Reduce { down, butterfly };

template <Reduce way>
__global__ void __launch_bounds__(block_size)
    reduce_warps(const Key* __restrict__ from, Key* __restrict__ to) {
    const std::int64_t i = element_of_thread();
    const warp::CudaWarp warp;
    Key sum = from[i];
    if constexpr (way == Reduce::down) sum = warp::reduce_down(warp, warp::full_mask, sum);
    else sum = warp::reduce_butterfly(warp, warp::full_mask, sum);
    if (warp.lane() == 0) to[i / group] = sum;
}

/// Counts the groups whose sums, all of them or only the last, are wrong. A thread for each group.
__global__ void __launch_bounds__(block_size)
    count_wrong_sums(std::int64_t groups, const Key* from, const Key* scanned, const Key* totals,
                     unsigned* wrong) {
    const std::int64_t number = element_of_thread();
    if (number >= groups) return;
    Key sum = 0;
    bool is_wrong = false;
    for (int k = 0; k < group; ++k) {
        sum += from[number * group + k];
        is_wrong = is_wrong || (scanned != nullptr && scanned[number * group + k] != sum);
    }
    if (is_wrong || (totals != nullptr && totals[number] != sum)) atomicAdd(wrong, 1U);
}

/// Counts the wrong sums of a scan over all elements.
__global__ void __launch_bounds__(block_size)
    count_wrong_scan(const Key* from, const Key* scanned, unsigned* wrong) {
    const std::int64_t i = element_of_thread();
    if (scanned[i] != from[i] + (i > 0 ? scanned[i - 1] : 0)) atomicAdd(wrong, 1U);
}

/// Runs the ways on `count` random keys, and turns times into GiB/s, read and written together.
class WarpBench {
public:
    WarpBench(const Stopwatch& watch, std::int64_t count)
        : watch_(watch), count_(count), from_(count), to_(count), values_(count), wrong_(1) {
        fill_keys<<<blocks(), block_size>>>(from_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    [[nodiscard]] BenchRow sorts() const {
        const auto rate = [this](const char* name, auto&& work) {
            const double result = gigabytes(2.0, work);
            check(
                std::string("sorting keys by ") + name,
                [this] {
                    count_unsorted<<<block_count(groups()), block_size>>>(groups(), from_.data(), to_.data(),
                                                                          nullptr, wrong_.data());
                });
            return result;
        };
        return {
            static_cast<double>(count_),
            {rate("warp", [this] { sort_keys_of_warps<<<blocks(), block_size>>>(from_.data(), to_.data()); }),
             rate("cub 32x1",
                  [this] { library::sort_keys(SortShape::threads_32, count_, from_.data(), to_.data()); }),
             rate("cub 8x4",
                  [this] { library::sort_keys(SortShape::threads_8, count_, from_.data(), to_.data()); })}};
    }

    [[nodiscard]] BenchRow pair_sorts() const {
        const auto rate = [this](const char* name, auto&& work) {
            const double result = gigabytes(3.0, work);
            check(
                std::string("sorting pairs by ") + name,
                [this] {
                    count_unsorted<<<block_count(groups()), block_size>>>(groups(), from_.data(), to_.data(),
                                                                          values_.data(), wrong_.data());
                });
            return result;
        };
        return {
            static_cast<double>(count_),
            {rate("warp",
                  [this] {
                      sort_pairs_of_warps<<<blocks(), block_size>>>(from_.data(), to_.data(), values_.data());
                  }),
             rate("cub 32x1",
                  [this] {
                      library::sort_pairs(SortShape::threads_32, count_, from_.data(), to_.data(),
                                          values_.data());
                  }),
             rate("cub 8x4", [this] {
                 library::sort_pairs(SortShape::threads_8, count_, from_.data(), to_.data(), values_.data());
             })}};
    }

    [[nodiscard]] BenchRow scans() const {
        const auto rate = [this](const char* name, auto&& work) {
            const double result = gigabytes(2.0, work);
            check(
                std::string("scanning warps by ") + name,
                [this] {
                    count_wrong_sums<<<block_count(groups()), block_size>>>(
                        groups(), from_.data(), to_.data(), nullptr, wrong_.data());
                });
            return result;
        };
        return {
            static_cast<double>(count_),
            {rate("warp", [this] { scan_warps<<<blocks(), block_size>>>(from_.data(), to_.data()); }),
             rate("cub", [this] { library::scan_warps(count_, from_.data(), to_.data()); }), scan_of_all()}};
    }

    [[nodiscard]] BenchRow reductions() const {
        const auto rate = [this](const char* name, auto&& work) {
            const double result = gigabytes(1.0 + 1.0 / group, work);
            check(
                std::string("reducing warps by ") + name,
                [this] {
                    count_wrong_sums<<<block_count(groups()), block_size>>>(groups(), from_.data(), nullptr,
                                                                            to_.data(), wrong_.data());
                });
            return result;
        };
        return {
            static_cast<double>(count_),
            {rate("down",
                  [this] { reduce_warps<Reduce::down><<<blocks(), block_size>>>(from_.data(), to_.data()); }),
             rate("butterfly",
                  [this] {
                      reduce_warps<Reduce::butterfly><<<blocks(), block_size>>>(from_.data(), to_.data());
                  }),
             rate("cub", [this] { library::sum_warps(count_, from_.data(), to_.data()); })}};
    }

private:
    [[nodiscard]] unsigned blocks() const { return block_count(count_); }
    [[nodiscard]] std::int64_t groups() const { return count_ / group; }

    /// GiB/s of work that reads and writes `words` keys for each.
    template <class Work>
    [[nodiscard]] double gigabytes(double words, Work&& work) const {
        const double milliseconds = watch_.milliseconds([this] { to_.clear(), values_.clear(); }, work);
        return words * sizeof(Key) * static_cast<double>(count_) / (1e-3 * milliseconds) / 0x1p30;
    }

    template <class Count>
    void check(const std::string& name, const Count& count) const {
        wrong_.clear();
        count();
        MPCFLOW_CUDA(cudaGetLastError());
        unsigned wrong = 0;
        wrong_.download(&wrong, 0, 1);
        require(wrong == 0, name);
    }

    /// CUB's scan over all elements, which is more, but what there is to have.
    [[nodiscard]] double scan_of_all() const {
        std::size_t bytes = 0;
        library::scan(nullptr, bytes, from_.data(), to_.data(), count_);
        const DeviceArray<char> scratch(static_cast<std::int64_t>(bytes));
        const double result = gigabytes(
            2.0, [&] { library::scan(scratch.data(), bytes, from_.data(), to_.data(), count_); });
        check("scanning all by cub", [this] {
            count_wrong_scan<<<blocks(), block_size>>>(from_.data(), to_.data(), wrong_.data());
        });
        return result;
    }

    const Stopwatch& watch_;
    std::int64_t count_;
    DeviceArray<Key> from_;
    DeviceArray<Key> to_;
    DeviceArray<Key> values_;
    DeviceArray<unsigned> wrong_;
};

BenchTable make_table(const char* name, const char* title, std::initializer_list<const char*> ways,
                      std::int64_t items) {
    BenchTable table;
    table.name = name;
    table.title = title;
    table.items = items;
    table.x = {"elements", ""};
    for (const char* way : ways) table.columns.push_back({way, "GiB/s"});
    return table;
}

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_warp_primitives(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const Stopwatch watch(options.size == BenchSize::full ? 7 : 1);
    const std::vector<std::int64_t> sizes = sizes_of(options.size);
    BenchTable sorts = make_table("warp_sorts", "Sorting each 32 keys of 4 bytes: GiB/s, read and written",
                                  {"warp", "cub 32x1", "cub 8x4"}, sizes.back());
    sorts.note = "cub: WarpMergeSort by 32 threads with one key each, and by 8 with four.";
    BenchTable pairs = make_table("warp_pair_sorts",
                                  "Sorting each 32 pairs, which carry their slots: GiB/s, read and written",
                                  {"warp", "cub 32x1", "cub 8x4"}, sizes.back());
    BenchTable scans =
        make_table("warp_scans", "Inclusive sums over each 32 numbers of 4 bytes: GiB/s, read and written",
                   {"warp", "cub", "cub, all"}, sizes.back());
    scans.note = "cub: WarpScan; cub, all: DeviceScan over all elements, which is more.";
    BenchTable reductions =
        make_table("warp_sums", "Sum of each 32 numbers of 4 bytes: GiB/s, read and written",
                   {"down", "butterfly", "cub"}, sizes.back());
    for (const std::int64_t size : sizes) {
        const WarpBench bench(watch, size);
        sorts.rows.push_back(bench.sorts());
        pairs.rows.push_back(bench.pair_sorts());
        scans.rows.push_back(bench.scans());
        reductions.rows.push_back(bench.reductions());
    }
    return {sorts, pairs, scans, reductions};
}

}  // namespace mpcflow
