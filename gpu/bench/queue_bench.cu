/// A work queue against fixed shares, for items that take unequally long.

#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/warp/cuda_atomics.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/work_queue.hpp"

namespace mpcflow {

namespace bench {

namespace {

/// Items in groups of `group`, which take equally long. One group in `spread` takes `spread` times as long as
/// the mean, the others take nothing, so that the sum is about the same for any spread. Groups of 32 keep a
/// warp's lanes alike; groups of one do not, and the longest of its lanes holds up a warp.
struct Work {
    std::uint32_t items;
    int spread;
    int mean_rounds;
    std::uint32_t group;

    __device__ std::uint64_t operator()(std::uint32_t item) const {
        const bool is_long = mix(item / group) % static_cast<unsigned>(spread) == 0;
        std::uint64_t result = item;
        for (int round = is_long ? spread * mean_rounds : 0; round > 0; --round) result = mix(result);
        return result;
    }
};

/// A thread for each item.
__global__ void __launch_bounds__(block_size) work_in_plain_grid(Work work, unsigned long long* results) {
    const std::uint32_t item = blockIdx.x * block_size + threadIdx.x;
    if (item < work.items) results[item] += work(item);
}

/// As many threads as run at a time, each with the same number of items.
__global__ void __launch_bounds__(block_size) work_in_fixed_shares(Work work, unsigned long long* results) {
    for (std::uint32_t item = blockIdx.x * block_size + threadIdx.x; item < work.items;
         item += gridDim.x * block_size)
        results[item] += work(item);
}

/// The same threads, whose warps take the next items when they are done with theirs.
__global__ void __launch_bounds__(block_size)
    work_from_queue(Work work, unsigned* taken, unsigned long long* results) {
    warp::work_off(
        warp::CudaWarp{}, warp::CudaAtomics{}, warp::full_mask,
        warp::WorkQueue<std::uint32_t>{taken, work.items}, 32U,
        [&](std::uint32_t item) { results[item] += work(item); });
}

/// Counts the items that were not worked on just once.
__global__ void __launch_bounds__(block_size)
    count_wrong_results(Work work, const unsigned long long* results, unsigned* wrong) {
    const std::uint32_t item = blockIdx.x * block_size + threadIdx.x;
    if (item < work.items && results[item] != work(item)) atomicAdd(wrong, 1U);
}

}  // namespace

}  // namespace bench

namespace {

BenchTable measure_queue(const KernelBenchOptions& options, std::uint32_t group) {
    using namespace bench;
    const bool is_full = options.size == BenchSize::full;
    const Stopwatch watch(is_full ? 5 : 1);
    const std::uint32_t items = is_full ? 4'000'000 : 10'007;
    int multiprocessors = 0;
    MPCFLOW_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, options.device));
    const unsigned blocks = block_count(items);
    const unsigned resident = std::min(blocks, static_cast<unsigned>(multiprocessors) * 8U);
    const DeviceArray<unsigned long long> results(items);
    const DeviceArray<unsigned> taken(1);
    const DeviceArray<unsigned> wrong(1);

    BenchTable table;
    table.name = group == 1 ? "work_queue_lanes" : "work_queue";
    table.title = std::string(group == 1 ? "Uneven items, also within a warp" : "Uneven items") +
                  ": ms for " + std::to_string(items);
    table.note =
        std::string(group == 1 ? "One item" : "One warp's worth of items") +
        " in `spread` takes `spread` times as long as the mean. plain grid: a "
        "thread for "
        "each item; shares: as many threads as run at a time, with the same number of items each; queue: "
        "these, "
        "taking the next ones when they are done.";
    table.items = items;
    table.x = {"spread", ""};
    table.columns = {{"plain grid", "ms"}, {"shares", "ms"}, {"queue", "ms"}};
    for (const int spread : {1, 2, 4, 8, 16, 32, 64}) {
        const Work work{items, spread, is_full ? 128 : 4, group};
        BenchRow row{static_cast<double>(spread), {}};
        const auto add = [&](const char* name, auto&& launch) {
            row.values.push_back(watch.milliseconds([&] { results.clear(), taken.clear(); }, launch));
            wrong.clear();
            count_wrong_results<<<blocks, block_size>>>(work, results.data(), wrong.data());
            MPCFLOW_CUDA(cudaGetLastError());
            unsigned number = 0;
            wrong.download(&number, 0, 1);
            require(number == 0, std::string("uneven items, ") + name);
        };
        add(
            "plain grid", [&] { work_in_plain_grid<<<blocks, block_size>>>(work, results.data()); });
        add(
            "shares", [&] { work_in_fixed_shares<<<resident, block_size>>>(work, results.data()); });
        add("queue", [&] { work_from_queue<<<resident, block_size>>>(work, taken.data(), results.data()); });
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

std::vector<BenchTable> measure_work_queue(const KernelBenchOptions& options) {
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    return {measure_queue(options, 32), measure_queue(options, 1)};
}

}  // namespace mpcflow
