/// Finding the peers of a warp, and counting the distinct keys of a warp and of a block.

#include <array>

#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/block/cuda_block.cuh"
#include "gpu/block/unique_keys.hpp"
#include "gpu/particle_kernels.cuh"
#include "gpu/warp/count_distinct.hpp"
#include "gpu/warp/cuda_atomics.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/hashed_peers.hpp"
#include "gpu/warp/peers.hpp"

namespace mpcflow {

namespace bench {

namespace {

using Key = std::int32_t;
constexpr int large_block = 512;

/// How far keys are from order: each is, with this probability, that of a cell up to `reach` cells away along
/// each axis.
struct Noise {
    double probability;
    int reach;
};

/// From perfect order to none.
constexpr std::array noises{Noise{0.0, 0}, Noise{0.02, 1}, Noise{0.05, 1}, Noise{0.1, 1},
                            Noise{0.2, 1}, Noise{0.3, 1},  Noise{0.45, 1}, Noise{0.6, 1},
                            Noise{0.8, 1}, Noise{1.0, 1},  Noise{1.0, 2},  Noise{1.0, 4}};

/// The cells of ten particles a cell in a periodic box of `edge`^3 cells, ordered but for the noise.
__global__ void __launch_bounds__(block_size)
    make_noisy_keys(std::int64_t count, int edge, Noise noise, Key* keys) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const int cell = static_cast<int>(i / 10);
    int place[3] = {cell % edge, cell / edge % edge, cell / edge / edge};
    const std::uint64_t random = mix(static_cast<std::uint64_t>(i));
    if (static_cast<double>(random >> 40U) * 0x1p-24 < noise.probability) {
        for (int axis = 0; axis < 3; ++axis) {
            const auto width = static_cast<unsigned>(2 * noise.reach + 1);
            const auto bits = static_cast<unsigned>(random >> (12 * axis)) & 0xfffU;
            place[axis] = (place[axis] + static_cast<int>(bits * width >> 12U) - noise.reach + edge) % edge;
        }
    }
    keys[i] = place[0] + edge * (place[1] + edge * place[2]);
}

enum class Find { loop, votes, hash, match };

template <Find way>
__device__ __forceinline__ unsigned find_in_warp(unsigned mask, Key key, warp::PeerTable<Key>* table) {
    const warp::CudaWarp warp;
    if constexpr (way == Find::loop) return warp::find_peers(warp, mask, key);
    if constexpr (way == Find::votes) return warp::find_peers_by_votes(warp, mask, key);
    if constexpr (way == Find::hash)
        return warp::find_peers_by_hash(warp, warp::CudaAtomics{}, mask, key, *table);
    if constexpr (way == Find::match) return warp::find_peers_by_match(warp, mask, key);
}

/// Finds the peers of each lane and notes how many leaders a warp has.
template <Find way>
__global__ void __launch_bounds__(block_size) find_all_peers(std::int64_t count, const Key* __restrict__ keys,
                                                             std::uint32_t* __restrict__ leaders_in_warps) {
    __shared__ warp::PeerTable<Key> tables[way == Find::hash ? warps_in_block : 1];
    const WarpItems items(count);
    const warp::CudaWarp warp;
    const unsigned lane = warp.lane();
    if ((items.mask & warp::lane_bit(lane)) == 0) return;
    const unsigned peers = find_in_warp<way>(items.mask, keys[items.first + lane],
                                             &tables[way == Find::hash ? threadIdx.x / 32 : 0]);
    const unsigned leaders = warp.ballot(items.mask, warp::is_leader(peers, lane));
    if (lane == 0) leaders_in_warps[items.first / 32] = warp::popc(leaders);
}

/// Counts the lanes whose peers are not those that a plain loop over the lanes finds.
template <Find way>
__global__ void __launch_bounds__(block_size)
    count_wrong_peers(std::int64_t count, const Key* __restrict__ keys, unsigned long long* wrong) {
    __shared__ warp::PeerTable<Key> tables[way == Find::hash ? warps_in_block : 1];
    const WarpItems items(count);
    const warp::CudaWarp warp;
    const unsigned lane = warp.lane();
    if ((items.mask & warp::lane_bit(lane)) == 0) return;
    const Key key = keys[items.first + lane];
    const unsigned found =
        find_in_warp<way>(items.mask, key, &tables[way == Find::hash ? threadIdx.x / 32 : 0]);
    unsigned expected = 0;
    for (unsigned other = 0; other < warp::popc(items.mask); ++other)
        if (keys[items.first + other] == key) expected |= warp::lane_bit(other);
    if (found != expected) atomicAdd(wrong, 1ULL);
}

/// The number of distinct keys of each warp.
__global__ void __launch_bounds__(block_size)
    count_in_warps(std::int64_t count, const Key* __restrict__ keys, std::uint32_t* __restrict__ distinct) {
    const WarpItems items(count);
    const warp::CudaWarp warp;
    const unsigned lane = warp.lane();
    if ((items.mask & warp::lane_bit(lane)) == 0) return;
    const unsigned number = warp::count_distinct(warp, items.mask, keys[items.first + lane]);
    if (lane == 0) distinct[items.first / 32] = number;
}

/// The number of distinct keys of each block of large_block keys, by a hash table in shared memory with
/// `slots_a_thread` slots for each thread ("keys per thread" in Westphal's figure).
template <block::Hashes hashes, unsigned slots_a_thread>
__global__ void __launch_bounds__(large_block)
    count_in_blocks(std::int64_t count, const Key* __restrict__ keys, std::uint32_t* __restrict__ distinct) {
    __shared__ block::UniqueScratch<large_block, slots_a_thread * large_block> scratch;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * large_block + threadIdx.x;
    const bool is_valid = i < count;
    const unsigned number =
        block::count_unique<hashes>(block::CudaBlock{}, warp::CudaAtomics{}, is_valid,
                                    static_cast<std::uint32_t>(is_valid ? keys[i] : 0), scratch);
    if (threadIdx.x == 0) distinct[blockIdx.x] = number;
}

/// The number of distinct keys of each `size` keys, by a plain loop in blocks of as many threads.
template <int size>
__global__ void __launch_bounds__(size)
    count_distinct_plainly(std::int64_t count, const Key* __restrict__ keys,
                           std::uint32_t* __restrict__ distinct) {
    __shared__ Key of_block[size];
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * size + threadIdx.x;
    const Key key = i < count ? keys[i] : 0;
    of_block[threadIdx.x] = key;
    __syncthreads();
    bool is_first = i < count;
    for (unsigned other = 0; other < threadIdx.x; ++other) is_first = is_first && of_block[other] != key;
    const int number = __syncthreads_count(is_first);
    if (threadIdx.x == 0) distinct[blockIdx.x] = static_cast<std::uint32_t>(number);
}

class PeersBench {
public:
    PeersBench(const Stopwatch& watch, int edge)
        : watch_(watch),
          edge_(edge),
          keys_(std::int64_t{10} * edge * edge * edge),
          leaders_((keys_.size() + 31) / 32),
          in_blocks_((keys_.size() + large_block - 1) / large_block),
          found_in_blocks_(in_blocks_.size()),
          in_warps_(leaders_.size()),
          wrong_(1) {}

    void make_keys(const Noise& noise) {
        make_noisy_keys<<<block_count(keys_.size()), block_size>>>(keys_.size(), edge_, noise, keys_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        count_distinct_plainly<large_block>
            <<<large_blocks(), large_block>>>(keys_.size(), keys_.data(), in_blocks_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        count_distinct_plainly<32>
            <<<static_cast<unsigned>(in_warps_.size()), 32>>>(keys_.size(), keys_.data(), in_warps_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }
    [[nodiscard]] std::int64_t key_count() const { return keys_.size(); }
    [[nodiscard]] double mean_distinct_in_blocks() const { return mean(numbers(in_blocks_)); }
    /// As the last `time` or `time_count_in_warps` found it.
    [[nodiscard]] double mean_distinct_in_warps() const { return mean(numbers(leaders_)); }

    /// Milliseconds that all warps take to find the peers of their lanes.
    template <Find way>
    [[nodiscard]] double time(const std::string& name) const {
        const unsigned blocks = block_count(keys_.size());
        const double milliseconds = watch_.milliseconds([this] { leaders_.clear(); },
                                                        [&] {
                                                            find_all_peers<way><<<blocks, block_size>>>(
                                                                keys_.size(), keys_.data(), leaders_.data());
                                                        });
        require(numbers(leaders_) == numbers(in_warps_), "the number of leaders by " + name);
        wrong_.clear();
        count_wrong_peers<way><<<blocks, block_size>>>(keys_.size(), keys_.data(), wrong_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        unsigned long long wrong = 0;
        wrong_.download(&wrong, 0, 1);
        require(wrong == 0, "finding peers by " + name);
        return milliseconds;
    }

    /// Milliseconds that all warps take to count their distinct keys.
    [[nodiscard]] double time_count_in_warps() const {
        const double milliseconds =
            watch_.milliseconds([this] { leaders_.clear(); },
                                [this] {
                                    count_in_warps<<<block_count(keys_.size()), block_size>>>(
                                        keys_.size(), keys_.data(), leaders_.data());
                                });
        require(numbers(leaders_) == numbers(in_warps_), "counting distinct keys in warps");
        return milliseconds;
    }

    /// Milliseconds that all blocks take to count their distinct keys.
    template <block::Hashes hashes, unsigned slots_a_thread>
    [[nodiscard]] double time_count_in_blocks(const std::string& name) const {
        const double milliseconds =
            watch_.milliseconds([this] { found_in_blocks_.clear(); },
                                [this] {
                                    count_in_blocks<hashes, slots_a_thread><<<large_blocks(), large_block>>>(
                                        keys_.size(), keys_.data(), found_in_blocks_.data());
                                });
        require(numbers(found_in_blocks_) == numbers(in_blocks_),
                "counting distinct keys in blocks by " + name);
        return milliseconds;
    }

private:
    [[nodiscard]] unsigned large_blocks() const { return static_cast<unsigned>(in_blocks_.size()); }

    [[nodiscard]] static std::vector<std::uint32_t> numbers(const DeviceArray<std::uint32_t>& array) {
        std::vector<std::uint32_t> values(static_cast<std::size_t>(array.size()));
        array.download(values.data(), 0, array.size());
        return values;
    }
    [[nodiscard]] static double mean(const std::vector<std::uint32_t>& values) {
        double sum = 0.0;
        for (const std::uint32_t value : values) sum += value;
        return sum / static_cast<double>(values.size());
    }

    const Stopwatch& watch_;
    int edge_;
    DeviceArray<Key> keys_;
    DeviceArray<std::uint32_t> leaders_;
    DeviceArray<std::uint32_t> in_blocks_;
    DeviceArray<std::uint32_t> found_in_blocks_;
    DeviceArray<std::uint32_t> in_warps_;  ///< distinct keys, as in_blocks_ by plain loops
    DeviceArray<unsigned long long> wrong_;
};

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_peers(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const Stopwatch watch(is_full ? 7 : 1);
    PeersBench bench(watch, is_full ? 100 : 11);
    BenchTable peers;
    peers.name = "peers";
    peers.title = "Finding peers in warps, " + std::to_string(bench.key_count()) + " keys, ten of each: ms";
    peers.note =
        "Keys: cells in order, a part of them moved to a neighbouring cell in 3D; the more, the more "
        "distinct.";
    peers.columns = {
        {"distinct", "in a warp"}, {"loop", "ms"}, {"votes", "ms"}, {"hash", "ms"}, {"match", "ms"}};
    BenchTable unique;
    unique.name = "unique_keys";
    unique.title = "Counting distinct keys in blocks of 512, the same keys: ms";
    unique.note =
        "one hash, two hashes: a table of 1024 slots, two for each thread; one, 512 and two, 512: of 512 "
        "slots, one "
        "for each. warp: only the keys of each warp, by the match instruction.";
    unique.columns = {
        {"one hash", "ms"}, {"two hashes", "ms"}, {"one, 512", "ms"}, {"two, 512", "ms"}, {"warp", "ms"}};
    for (BenchTable* table : {&peers, &unique}) {
        table->items = bench.key_count();
        table->x = {"distinct", "in 512"};
    }
    for (const Noise& noise : noises) {
        bench.make_keys(noise);
        const double distinct = bench.mean_distinct_in_blocks();
        const double loop = bench.time<Find::loop>("loop");
        const double votes = bench.time<Find::votes>("votes");
        const double hash = bench.time<Find::hash>("hash");
        const double match = bench.time<Find::match>("match");
        peers.rows.push_back({distinct, {bench.mean_distinct_in_warps(), loop, votes, hash, match}});
        const double one_hash = bench.time_count_in_blocks<block::Hashes::one, 2>("one hash");
        const double two_hashes = bench.time_count_in_blocks<block::Hashes::two, 2>("two hashes");
        const double one_tight = bench.time_count_in_blocks<block::Hashes::one, 1>("one hash, 512 slots");
        const double two_tight = bench.time_count_in_blocks<block::Hashes::two, 1>("two hashes, 512 slots");
        unique.rows.push_back(
            {distinct, {one_hash, two_hashes, one_tight, two_tight, bench.time_count_in_warps()}});
    }
    return {peers, unique};
}

}  // namespace mpcflow
