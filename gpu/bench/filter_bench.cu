/// Filtering: collecting the elements of an array that fulfil a predicate, in any order.

#include "gpu/bench/library_ways.cuh"
#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/block/compact.hpp"
#include "gpu/block/compact_by_groups.cuh"
#include "gpu/block/cuda_block.cuh"
#include "gpu/warp/cuda_atomics.cuh"

namespace mpcflow {

namespace bench {

/// Atomics on a word at an offset that is zero, which nvcc cannot know.
struct HiddenAtomics : warp::CudaAtomics {
    unsigned zero;

    template <class Word>
    __device__ Word add(Word* word, Word value) const {
        return warp::CudaAtomics::add(word + zero, value);
    }
};

namespace {

using Element = std::uint32_t;
using library::Below;

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

enum class Filter {
    global,    ///< an atomic on the one counter for each element kept
    compiler,  ///< the same as one writes it, of which nvcc makes an atomic for each warp
    block,     ///< a counter in shared memory (nvcc: an atomic a warp), whose total the block adds to the one
    lanes,     ///< the same, each element by an atomic of its own in shared memory
    warp,      ///< an atomic for each warp, by ballot, popc and shuffle
    groups     ///< the same by cooperative groups
};

/// An element for each thread. `zero` is 0, which nvcc cannot know: so it cannot see that all lanes of
/// Filter::global add to one counter, for otherwise it would let one of them add for all.
template <Filter way>
__global__ void __launch_bounds__(block_size)
    filter(std::int64_t count, const Element* __restrict__ from, Below predicate, Element zero,
           Element* __restrict__ to, unsigned* counter) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    const Element element = i < count ? from[i] : 0;
    const bool keeps = i < count && predicate(element);
    const auto fetch_add = [=](unsigned number) { return atomicAdd(counter, number); };
    unsigned slot = 0;
    if constexpr (way == Filter::global) {
        slot = block::place_alone(
            keeps, [=](unsigned number) { return atomicAdd(counter + (element & zero), number); });
    } else if constexpr (way == Filter::compiler) {
        slot = block::place_alone(keeps, fetch_add);
    } else if constexpr (way == Filter::block) {
        __shared__ block::PlaceScratch<unsigned> scratch;
        slot = block::place_by_block(block::CudaBlock{}, warp::CudaAtomics{}, keeps, scratch, fetch_add);
    } else if constexpr (way == Filter::lanes) {
        __shared__ block::PlaceScratch<unsigned> scratch;
        slot = block::place_by_block(block::CudaBlock{}, HiddenAtomics{{}, element & zero}, keeps, scratch,
                                     fetch_add);
    } else if constexpr (way == Filter::warp) {
        slot = warp::place_selected(warp::CudaWarp{}, warp::full_mask, keeps, fetch_add);
    } else {
        slot = block::place_by_coalesced_group(keeps, fetch_add);
    }
    if (keeps) to[slot] = element;
}

/// Filters one array in every way, and checks what each makes.
class FilterBench {
public:
    FilterBench(const Stopwatch& watch, std::int64_t count)
        : watch_(watch), from_(count), to_(count), counter_(1), sums_(1) {
        fill_random<<<block_count(count), block_size>>>(count, from_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        library::select(nullptr, cub_bytes_, from_.data(), to_.data(), counter_.data(), count, Below{});
        cub_scratch_ = DeviceArray<char>(static_cast<std::int64_t>(cub_bytes_));
    }

    /// GiB/s of each way, read and written together, for a predicate that holds for `percent` of the
    /// elements.
    [[nodiscard]] BenchRow measure(double percent) {
        predicate_ = {static_cast<Element>(percent / 100.0 * 0x1p32)};
        expected_ = sums_of(from_, from_.size());
        BenchRow row{percent, {}};
        const std::int64_t count = from_.size();
        const auto add = [&](const char* name, auto&& work) { row.values.push_back(rate(name, work)); };
        add(
            "global", [this] { launch<Filter::global>(); });
        add(
            "compiler", [this] { launch<Filter::compiler>(); });
        add(
            "block", [this] { launch<Filter::block>(); });
        add(
            "lanes", [this] { launch<Filter::lanes>(); });
        add(
            "warp", [this] { launch<Filter::warp>(); });
        add(
            "groups", [this] { launch<Filter::groups>(); });
        add(
            "thrust",
            [&] {
                thrust_count_ =
                    static_cast<unsigned>(library::copy_if(from_.data(), to_.data(), count, predicate_));
            });
        add("cub", [&] {
            library::select(cub_scratch_.data(), cub_bytes_, from_.data(), to_.data(), counter_.data(), count,
                            predicate_);
        });
        return row;
    }

private:
    template <Filter way>
    void launch() const {
        filter<way><<<block_count(from_.size()), block_size>>>(from_.size(), from_.data(), predicate_, 0,
                                                               to_.data(), counter_.data());
    }

    template <class Work>
    [[nodiscard]] double rate(const std::string& name, const Work& work) {
        thrust_count_ = 0;
        const auto prepare = [this] {
            counter_.clear();
            to_.clear();
        };
        const double milliseconds = watch_.milliseconds(prepare, work);
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
    table.note =
        "Each element is read once and, where it is kept, written once. The order of what is kept is free; "
        "thrust and cub keep it; the time of thrust has its scratch memory in it. global: an atomic for each "
        "element kept; compiler: the same as one writes it, of which nvcc itself makes one atomic a warp; "
        "block: a "
        "counter in shared memory, by one atomic a warp that nvcc makes; lanes: the same by one for each "
        "element.";
    table.items = count;
    table.x = {"kept", "%"};
    for (const char* way : {"global", "compiler", "block", "lanes", "warp", "groups", "thrust", "cub"})
        table.columns.push_back({way, "GiB/s"});
    for (const double percent : {5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0})
        table.rows.push_back(bench.measure(percent));
    return {table};
}

}  // namespace mpcflow
