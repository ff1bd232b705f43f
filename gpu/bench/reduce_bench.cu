/// Sums and maxima over arrays, against CUB's.

#include <limits>

#include "gpu/bench/library_ways.cuh"
#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/block/cuda_block.cuh"
#include "gpu/block/grid_reduce.hpp"
#include "gpu/block/maximum.hpp"
#include "gpu/warp/cuda_atomics.cuh"

namespace mpcflow {

namespace bench {

namespace {

using block::CudaBlock;
using block::GridItems;
using warp::CudaAtomics;
using Image = block::Image<double>;

/// Words that the hierarchical maximum spreads its atomics over.
constexpr int region_count = 4096;

__device__ GridItems items_of(std::int64_t count) { return {count, blockIdx.x, gridDim.x}; }

/// Whole numbers up to 2^20 in size, so that sums of 2^32 of them are exact.
__global__ void __launch_bounds__(block_size) fill_numbers(std::int64_t count, double* numbers) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count)
        numbers[i] = static_cast<double>(static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(i))) >> 43);
}

/// What the sum and the maximum should be, by integer atomics.
struct Expected {
    unsigned long long sum;
    long long largest;
};

__global__ void __launch_bounds__(block_size)
    sum_plainly(std::int64_t count, const double* numbers, Expected* expected) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const auto number = static_cast<long long>(numbers[i]);
    atomicAdd(&expected->sum, static_cast<unsigned long long>(number));
    atomicMax(&expected->largest, number);
}

__global__ void __launch_bounds__(block_size)
    sum_in_four_levels(std::int64_t count, const double* __restrict__ numbers, double* sum) {
    __shared__ block::ReduceScratch<1, double> scratch;
    block::reduce_grid<double>(
        CudaBlock{}, items_of(count), [=](std::int64_t i) { return numbers[i]; }, warp::Add{}, scratch,
        [=](double part) { atomicAdd(sum, part); });
}

__global__ void __launch_bounds__(block_size)
    sum_without_blocks(std::int64_t count, const double* __restrict__ numbers, double* sum) {
    block::reduce_grid_by_warps<double>(
        CudaBlock{}, items_of(count), [=](std::int64_t i) { return numbers[i]; }, warp::Add{},
        [=](double part) { atomicAdd(sum, part); });
}

__global__ void set_words(int count, Image value, Image* words) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
        words[i] = value;
}

__global__ void __launch_bounds__(block_size)
    raise_word(std::int64_t count, const double* __restrict__ numbers, Image* word) {
    block::raise_one_word<double>(
        CudaBlock{}, CudaAtomics{}, items_of(count), [=](std::int64_t i) { return numbers[i]; }, word);
}

__global__ void __launch_bounds__(block_size)
    raise_words_of_regions(std::int64_t count, const double* __restrict__ numbers, Image* words) {
    block::raise_regions<double>(
        CudaBlock{}, CudaAtomics{}, items_of(count), [=](std::int64_t i) { return numbers[i]; },
        {words, region_count});
}

__global__ void __launch_bounds__(block_size)
    raise_regions_then_word(std::int64_t count, const double* __restrict__ numbers, Image* words,
                            Image* word) {
    block::raise_regions_then_one<double>(
        CudaBlock{}, CudaAtomics{}, items_of(count), [=](std::int64_t i) { return numbers[i]; },
        {words, region_count}, word);
}

/// The regions' maximum, as an image like that of the other ways.
__global__ void __launch_bounds__(block_size) join_words(Image* words) {
    __shared__ block::ReduceScratch<1, Image> scratch;
    const double largest = block::join_regions<double>(CudaBlock{}, {words, region_count}, scratch);
    if (threadIdx.x == 0) words[0] = block::image_of(largest);
}

__global__ void __launch_bounds__(block_size)
    raise_once_a_block(std::int64_t count, const double* __restrict__ numbers, Image* word) {
    __shared__ block::ReduceScratch<1, double> scratch;
    block::raise_by_reduction<double>(
        CudaBlock{}, CudaAtomics{}, items_of(count), [=](std::int64_t i) { return numbers[i]; }, scratch,
        word);
}

class ReduceBench {
public:
    ReduceBench(const Stopwatch& watch, int device, std::int64_t count)
        : watch_(watch), numbers_(count), result_(1), words_(region_count + 1), blocks_(block_count(count)) {
        fill_numbers<<<blocks_, block_size>>>(count, numbers_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        const DeviceArray<Expected> expected(1);
        const Expected none{0, std::numeric_limits<long long>::min()};
        MPCFLOW_CUDA(cudaMemcpy(expected.data(), &none, sizeof(none), cudaMemcpyHostToDevice));
        sum_plainly<<<blocks_, block_size>>>(count, numbers_.data(), expected.data());
        MPCFLOW_CUDA(cudaGetLastError());
        expected.download(&expected_, 0, 1);
        // As many blocks as run at a time, for the ways in which threads take many items.
        int multiprocessors = 0;
        MPCFLOW_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        resident_blocks_ = std::min(blocks_, static_cast<unsigned>(multiprocessors) * 8U);
    }

    [[nodiscard]] BenchRow sums() const {
        const auto rate = [this](const char* name, auto&& work) {
            const double result = gigabytes([this] { spoil_result(); }, work);
            double sum = 0.0;
            result_.download(&sum, 0, 1);
            require(sum == static_cast<double>(static_cast<long long>(expected_.sum)),
                    std::string("sums, ") + name);
            return result;
        };
        std::size_t bytes = 0;
        library::sum(nullptr, bytes, numbers_.data(), result_.data(), numbers_.size());
        const DeviceArray<char> scratch(static_cast<std::int64_t>(bytes));
        return {static_cast<double>(numbers_.size()),
                {rate("four-level",
                      [this] {
                          clear_result();
                          sum_in_four_levels<<<resident_blocks_, block_size>>>(
                              numbers_.size(), numbers_.data(), result_.data());
                      }),
                 rate("no block",
                      [this] {
                          clear_result();
                          sum_without_blocks<<<resident_blocks_, block_size>>>(
                              numbers_.size(), numbers_.data(), result_.data());
                      }),
                 rate("cub", [&] {
                     library::sum(scratch.data(), bytes, numbers_.data(), result_.data(), numbers_.size());
                 })}};
    }

    [[nodiscard]] BenchRow maxima() const {
        const auto check = [this](const char* name, double largest) {
            require(largest == static_cast<double>(expected_.largest), std::string("maxima, ") + name);
        };
        // Setting the words, `words` of them, is a part of each way; CUB's needs none.
        const auto rate = [&](const char* name, int words, auto&& work) {
            const double result = gigabytes(
                [this] { set_words<<<1, 1024>>>(region_count + 1, block::image_of(1e300), words_.data()); },
                [&] {
                    set_words<<<1, 1024>>>(words, block::image_of_least<double>(), words_.data());
                    work();
                });
            Image image = 0;
            words_.download(&image, 0, 1);
            check(name, block::value_of_image<double>(image));
            return result;
        };
        BenchRow row{static_cast<double>(numbers_.size()), {}};
        row.values.push_back(rate("one word", 1, [this] {
            raise_word<<<resident_blocks_, block_size>>>(numbers_.size(), numbers_.data(), words_.data());
        }));
        row.values.push_back(rate(
            "regions", region_count,
            [this] {
                raise_words_of_regions<<<resident_blocks_, block_size>>>(numbers_.size(), numbers_.data(),
                                                                         words_.data());
                join_words<<<1, block_size>>>(words_.data());
            }));
        row.values.push_back(rate(
            "then one", region_count + 1,
            [this] {
                raise_regions_then_word<<<resident_blocks_, block_size>>>(numbers_.size(), numbers_.data(),
                                                                          words_.data() + 1, words_.data());
            }));
        row.values.push_back(rate("four-level", 1, [this] {
            raise_once_a_block<<<resident_blocks_, block_size>>>(numbers_.size(), numbers_.data(),
                                                                 words_.data());
        }));
        std::size_t bytes = 0;
        library::maximum(nullptr, bytes, numbers_.data(), result_.data(), numbers_.size());
        const DeviceArray<char> scratch(static_cast<std::int64_t>(bytes));
        row.values.push_back(gigabytes([this] { spoil_result(); },
                                       [&] {
                                           library::maximum(scratch.data(), bytes, numbers_.data(),
                                                            result_.data(), numbers_.size());
                                       }));
        double largest = 0.0;
        result_.download(&largest, 0, 1);
        check("cub", largest);
        return row;
    }

private:
    /// Before a way begins: one that writes nothing must not pass.
    void spoil_result() const {
        const double wrong = 0.5;
        result_.upload(&wrong, 1);
    }
    /// A part of each way that adds to the result; CUB's needs none.
    void clear_result() const { MPCFLOW_CUDA(cudaMemsetAsync(result_.data(), 0, sizeof(double))); }

    /// GiB/s of work that reads all numbers.
    template <class Prepare, class Work>
    [[nodiscard]] double gigabytes(const Prepare& prepare, const Work& work) const {
        return static_cast<double>(numbers_.bytes()) / (1e-3 * watch_.milliseconds(prepare, work)) / 0x1p30;
    }

    const Stopwatch& watch_;
    DeviceArray<double> numbers_;
    DeviceArray<double> result_;
    DeviceArray<Image> words_;
    unsigned blocks_;
    unsigned resident_blocks_ = 1;
    Expected expected_{};
};

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_reductions(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const Stopwatch watch(is_full ? 7 : 1);
    const std::vector<std::int64_t> sizes =
        is_full ? std::vector<std::int64_t>{1'000'000, 10'000'000, 100'000'000}
                : std::vector<std::int64_t>{1003, 10'001};
    BenchTable sums;
    sums.name = "sums";
    sums.title = "Sum of doubles: GiB/s read";
    sums.note = "With the time to clear the sum, which the library's needs not.";
    sums.columns = {{"four-level", "GiB/s"}, {"no block", "GiB/s"}, {"cub", "GiB/s"}};
    BenchTable maxima;
    maxima.name = "maxima";
    maxima.title = "Maximum of doubles: GiB/s read";
    maxima.note =
        "one word: an atomic for each number; regions: the same on " + std::to_string(region_count) +
        " words, which are then compared; then one: the same, and whoever raises one of these also raises "
        "the one word; four-level: an atomic for each block. With the time to set the words.";
    maxima.columns = {{"one word", "GiB/s"},
                      {"regions", "GiB/s"},
                      {"then one", "GiB/s"},
                      {"four-level", "GiB/s"},
                      {"cub", "GiB/s"}};
    for (BenchTable* table : {&sums, &maxima}) {
        table->items = sizes.back();
        table->x = {"numbers", ""};
    }
    for (const std::int64_t size : sizes) {
        const ReduceBench bench(watch, options.device, size);
        sums.rows.push_back(bench.sums());
        maxima.rows.push_back(bench.maxima());
    }
    return {sums, maxima};
}

}  // namespace mpcflow
