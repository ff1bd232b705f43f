/// Votes of a block: by the hardware's barrier, and by those of the warps that meet in shared memory.

#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/block/hardware_votes.cuh"
#include "gpu/block/votes.hpp"

namespace mpcflow {

namespace bench {

namespace {

constexpr int rounds = 64;

enum class Question { count, any, all };

/// A thread's votes: one each round, true for about `limit` of 2^32.
struct Voter {
    std::uint32_t state;
    std::uint32_t limit;

    __device__ Voter(std::uint64_t thread, std::uint32_t true_of_all)
        : state(static_cast<std::uint32_t>(mix(thread))), limit(true_of_all) {}
    __device__ bool next() {
        state = state * 1664525U + 1013904223U;
        return state < limit;
    }
};

/// All outcomes of a thread in one number, in which the rounds differ.
__device__ std::uint32_t take_down(std::uint32_t sum, std::uint32_t outcome) { return 5U * sum + outcome; }

__device__ std::uint64_t number_of_thread() {
    return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <Question question, bool is_at_barrier>
__global__ void __launch_bounds__(block::largest_block)
    vote_in_rounds(std::uint32_t limit, std::uint32_t* __restrict__ outcomes) {
    __shared__ block::VoteScratch scratch;
    const block::CudaBlock block;
    Voter voter(number_of_thread(), limit);
    std::uint32_t sum = 1;
    for (int round = 0; round < rounds; ++round) {
        const bool vote = voter.next();
        std::uint32_t outcome = 0;
        if constexpr (question == Question::count) {
            outcome = is_at_barrier ? block::count_votes_at_barrier(vote)
                                    : block::count_votes(block, vote, scratch);
        } else if constexpr (question == Question::any) {
            outcome = is_at_barrier ? block::is_any_at_barrier(vote) : block::is_any(block, vote, scratch);
        } else {
            outcome = is_at_barrier ? block::are_all_at_barrier(vote) : block::are_all(block, vote, scratch);
        }
        sum = take_down(sum, outcome);
    }
    outcomes[number_of_thread()] = sum;
}

/// The numbers of votes of each block and round, by atomics.
__global__ void __launch_bounds__(block::largest_block)
    count_plainly(std::uint32_t limit, std::uint32_t* numbers) {
    Voter voter(number_of_thread(), limit);
    for (int round = 0; round < rounds; ++round)
        if (voter.next()) atomicAdd(numbers + blockIdx.x * rounds + round, 1U);
}

/// Counts the threads that do not have what follows from these numbers.
__global__ void __launch_bounds__(block::largest_block)
    count_wrong_outcomes(Question question, const std::uint32_t* numbers, const std::uint32_t* outcomes,
                         unsigned* wrong) {
    std::uint32_t sum = 1;
    for (int round = 0; round < rounds; ++round) {
        const std::uint32_t number = numbers[blockIdx.x * rounds + round];
        const bool is_true = question == Question::any ? number > 0 : number == blockDim.x;
        sum = take_down(sum, question == Question::count ? number : is_true ? 1U : 0U);
    }
    if (outcomes[number_of_thread()] != sum) atomicAdd(wrong, 1U);
}

/// Blocks of one size that fill the card.
class VoteBench {
public:
    VoteBench(const Stopwatch& watch, unsigned threads, unsigned blocks)
        : watch_(watch),
          threads_(threads),
          blocks_(blocks),
          numbers_(std::int64_t{blocks} * rounds),
          outcomes_(std::int64_t{blocks} * threads),
          wrong_(1) {}

    [[nodiscard]] BenchRow measure() {
        BenchRow row{static_cast<double>(threads_), {}};
        // So that about half of the blocks are of one mind.
        const auto one_in_block = static_cast<std::uint32_t>(0x1p32 * 0.7 / threads_);
        add<Question::count>(row, 0x80000000U);
        add<Question::any>(row, one_in_block);
        add<Question::all>(row, ~one_in_block);
        return row;
    }

private:
    template <Question question>
    void add(BenchRow& row, std::uint32_t limit) {
        numbers_.clear();
        count_plainly<<<blocks_, threads_>>>(limit, numbers_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        row.values.push_back(rate(
            question,
            [&] { vote_in_rounds<question, true><<<blocks_, threads_>>>(limit, outcomes_.data()); }));
        row.values.push_back(rate(question, [&] {
            vote_in_rounds<question, false><<<blocks_, threads_>>>(limit, outcomes_.data());
        }));
    }

    /// Votes of all threads in a second, in thousands of millions.
    [[nodiscard]] double rate(Question question, Call work) const {
        const double milliseconds = watch_.milliseconds([this] { outcomes_.clear(); }, work);
        wrong_.clear();
        count_wrong_outcomes<<<blocks_, threads_>>>(question, numbers_.data(), outcomes_.data(),
                                                    wrong_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        require(wrong_.first() == 0, "votes of blocks of " + std::to_string(threads_));
        return 1e-6 * rounds * static_cast<double>(outcomes_.size()) / milliseconds;
    }

    const Stopwatch& watch_;
    unsigned threads_;
    unsigned blocks_;
    DeviceArray<std::uint32_t> numbers_;
    DeviceArray<std::uint32_t> outcomes_;
    DeviceArray<unsigned> wrong_;
};

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_votes(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const Stopwatch watch(is_full ? 7 : 1);
    int multiprocessors = 0;
    MPCFLOW_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, options.device));
    // Some ten times as many as run at a time, so that beginning and end are of no account.
    const unsigned threads_of_all = is_full ? static_cast<unsigned>(multiprocessors) * 2048U * 10U : 8192U;
    BenchTable table;
    table.name = "block_votes";
    table.title = "Votes of blocks: G votes of threads a second";
    table.note =
        "count, any, all: by the barrier (__syncthreads_count, _or, _and), and, with w, by ballots of the "
        "warps, which meet in shared memory.";
    table.items = threads_of_all;
    table.x = {"threads", "in a block"};
    for (const char* way : {"count", "count, w", "any", "any, w", "all", "all, w"})
        table.columns.push_back({way, "G/s"});
    for (const unsigned threads : {32U, 64U, 128U, 256U, 512U, 1024U})
        table.rows.push_back(VoteBench(watch, threads, threads_of_all / threads).measure());
    return {table};
}

}  // namespace mpcflow
