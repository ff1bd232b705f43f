/// Filtering: collecting the elements of an array that fulfil a predicate, in any order.

#include <cooperative_groups.h>
#include <cub/device/device_select.cuh>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>

#include <stdexcept>

#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/warp/compact.hpp"
#include "gpu/warp/cuda_warp.cuh"

namespace mpcflow {

namespace bench {

namespace {

using Element = std::uint32_t;

/// Keeps elements below a limit: of uniform random elements the fraction limit / 2^32.
struct Below {
    Element limit;
    __host__ __device__ bool operator()(Element element) const { return element < limit; }
};

/// What a filter makes, or should make, in a form that does not depend on the order of the elements.
struct Filtered {
    unsigned long long count;
    unsigned long long checksum;  ///< sum of mixes of the elements

    friend bool operator==(const Filtered&, const Filtered&) = default;
};

__global__ void __launch_bounds__(block_size) fill_random(std::int64_t count, Element* elements) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) elements[i] = static_cast<Element>(mix(static_cast<std::uint64_t>(i)));
}

/// Counts and sums up the elements that fulfil the predicate; of those that a filter has kept, all must.
__global__ void __launch_bounds__(block_size)
    sum_up(std::int64_t count, const Element* elements, Below predicate, Filtered* sums) {
    unsigned long long kept = 0;
    unsigned long long checksum = 0;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x; i < count;
         i += static_cast<std::int64_t>(gridDim.x) * block_size) {
        if (!predicate(elements[i])) continue;
        ++kept;
        checksum += mix(elements[i]);
    }
    atomicAdd(&sums->count, kept);
    atomicAdd(&sums->checksum, checksum);
}

/// One atomic on one counter for each element kept. nvcc makes one atomic a warp of an addition of 1, so the number
/// added is one that it cannot know: `zero` is 0.
__global__ void __launch_bounds__(block_size)
    filter_by_global_counter(std::int64_t count, const Element* __restrict__ from, Below predicate, Element zero,
                             Element* __restrict__ to, unsigned* counter) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const Element element = from[i];
    if (predicate(element)) to[atomicAdd(counter, 1U + (element & zero))] = element;
}

/// The same as one writes it, and nvcc improves it.
__global__ void __launch_bounds__(block_size)
    filter_by_compiler(std::int64_t count, const Element* __restrict__ from, Below predicate, Element* __restrict__ to,
                       unsigned* counter) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const Element element = from[i];
    if (predicate(element)) to[atomicAdd(counter, 1U)] = element;
}

/// A counter in shared memory, whose total the block adds to the global one.
__global__ void __launch_bounds__(block_size)
    filter_by_block_counter(std::int64_t count, const Element* __restrict__ from, Below predicate, Element zero,
                            Element* __restrict__ to, unsigned* counter) {
    __shared__ unsigned block_counter;
    __shared__ unsigned block_start;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (threadIdx.x == 0) block_counter = 0;
    __syncthreads();
    const Element element = i < count ? from[i] : 0;
    const bool keeps = i < count && predicate(element);
    unsigned place = 0;
    if (keeps) place = atomicAdd(&block_counter, 1U + (element & zero));
    __syncthreads();
    if (threadIdx.x == 0) block_start = atomicAdd(counter, block_counter);
    __syncthreads();
    if (keeps) to[block_start + place] = element;
}

/// One atomic a warp, by ballot, popc and shuffle.
__global__ void __launch_bounds__(block_size)
    filter_by_warp(std::int64_t count, const Element* __restrict__ from, Below predicate, Element* __restrict__ to,
                   unsigned* counter) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    const warp::CudaWarp warp;
    const Element element = i < count ? from[i] : 0;
    const bool keeps = i < count && predicate(element);
    const unsigned place = warp::place_selected(warp, warp::full_mask, keeps,
                                                [&](unsigned number) { return atomicAdd(counter, number); });
    if (keeps) to[place] = element;
}

/// One atomic a warp, by cooperative groups.
__global__ void __launch_bounds__(block_size)
    filter_by_cooperative_groups(std::int64_t count, const Element* __restrict__ from, Below predicate,
                                 Element* __restrict__ to, unsigned* counter) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const Element element = from[i];
    if (!predicate(element)) return;
    const auto group = cooperative_groups::coalesced_threads();
    unsigned start = 0;
    if (group.thread_rank() == 0) start = atomicAdd(counter, group.size());
    to[group.shfl(start, 0) + group.thread_rank()] = element;
}

/// Filters one array in every way, and checks what each makes.
class FilterBench {
public:
    FilterBench(const Stopwatch& watch, std::int64_t count)
        : watch_(watch), from_(count), to_(count), counter_(1), sums_(1) {
        fill_random<<<block_count(count), block_size>>>(count, from_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        MPCFLOW_CUDA(cub::DeviceSelect::If(nullptr, cub_bytes_, from_.data(), to_.data(), counter_.data(), count, Below{}));
        cub_scratch_ = DeviceArray<char>(static_cast<std::int64_t>(cub_bytes_));
    }

    /// GiB/s of each way, read and written together, for a predicate that holds for `percent` of the elements.
    [[nodiscard]] BenchRow measure(double percent) {
        predicate_ = {static_cast<Element>(percent / 100.0 * 0x1p32)};
        expected_ = sums_of(from_, from_.size());
        BenchRow row{percent, {}};
        const std::int64_t count = from_.size();
        const unsigned blocks = block_count(count);
        const auto add = [&](const char* name, auto&& filter) { row.values.push_back(rate(name, filter)); };
        add("global", [&] {
            filter_by_global_counter<<<blocks, block_size>>>(count, from_.data(), predicate_, 0, to_.data(), counter_.data());
        });
        add("compiler", [&] {
            filter_by_compiler<<<blocks, block_size>>>(count, from_.data(), predicate_, to_.data(), counter_.data());
        });
        add("block", [&] {
            filter_by_block_counter<<<blocks, block_size>>>(count, from_.data(), predicate_, 0, to_.data(), counter_.data());
        });
        add("warp", [&] {
            filter_by_warp<<<blocks, block_size>>>(count, from_.data(), predicate_, to_.data(), counter_.data());
        });
        add("groups", [&] {
            filter_by_cooperative_groups<<<blocks, block_size>>>(count, from_.data(), predicate_, to_.data(),
                                                                 counter_.data());
        });
        add("thrust", [&] {
            const auto* end = thrust::copy_if(thrust::device, from_.data(), from_.data() + count, to_.data(), predicate_);
            thrust_count_ = static_cast<unsigned>(end - to_.data());
        });
        add("cub", [&] {
            MPCFLOW_CUDA(cub::DeviceSelect::If(cub_scratch_.data(), cub_bytes_, from_.data(), to_.data(), counter_.data(),
                                               count, predicate_));
        });
        return row;
    }

private:
    template <class Filter>
    [[nodiscard]] double rate(const std::string& name, const Filter& filter) {
        thrust_count_ = 0;
        const double milliseconds = watch_.milliseconds([this] { counter_.clear(); }, filter);
        unsigned kept = 0;
        counter_.download(&kept, 0, 1);
        if (thrust_count_ > 0) kept = thrust_count_;
        const bool is_right = kept == expected_.count && sums_of(to_, kept) == expected_;
        require(is_right, "the filter " + name);
        const double bytes = sizeof(Element) * static_cast<double>(from_.size() + kept);
        return bytes / (1e-3 * milliseconds) / 0x1p30;
    }

    [[nodiscard]] Filtered sums_of(const DeviceArray<Element>& elements, std::int64_t count) const {
        sums_.clear();
        sum_up<<<1024, block_size>>>(count, elements.data(), predicate_, sums_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        Filtered sums{};
        sums_.download(&sums, 0, 1);
        return sums;
    }

    const Stopwatch& watch_;
    DeviceArray<Element> from_;
    DeviceArray<Element> to_;
    DeviceArray<unsigned> counter_;
    DeviceArray<Filtered> sums_;
    DeviceArray<char> cub_scratch_;
    std::size_t cub_bytes_ = 0;
    unsigned thrust_count_ = 0;
    Below predicate_{};
    Filtered expected_{};
};

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_filters(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const std::int64_t count = is_full ? 100'000'000 : 100'003;
    const Stopwatch watch(is_full ? 5 : 1);
    FilterBench bench(watch, count);
    BenchTable table;
    table.name = "filters";
    table.title = "Filtering " + std::to_string(count) + " 4-byte elements: GiB/s read and written";
    table.note = "Each element is read once and, where it is kept, written once. The order of what is kept is free; "
                 "thrust and cub keep it.";
    table.items = count;
    table.x = {"kept", "%"};
    for (const char* way : {"global", "compiler", "block", "warp", "groups", "thrust", "cub"}) table.columns.push_back({way, "GiB/s"});
    for (const double percent : {5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0}) table.rows.push_back(bench.measure(percent));
    return {table};
}

}  // namespace mpcflow
