#pragma once
/// The ways of summing that the benchmark compares: those of the solver, by its own code (gpu/cell_sums.cuh),
/// and others that it does without.
///
/// Each has
///   Scratch<K>      the shared memory of a warp or, where is_blockwide, of a block;
///   for_each_sum    as mpcflow::for_each_sum; all threads of a block call it where is_blockwide;
///   add_to_memory   one addition, of atomics_for_addition atomics;
///   words           what a word of memory then holds.

#include <cstdint>

#include "gpu/block/cuda_block.cuh"
#include "gpu/block/segmented_sums.hpp"
#include "gpu/block/two_stage_sums.hpp"
#include "gpu/cell_sums.cuh"
#include "gpu/warp/hashed_peers.hpp"
#include "gpu/warp/segmented_scan.hpp"
#include "gpu/warp/sort.hpp"

namespace mpcflow::bench {

/// Doubles from one cell's sums to the next, here: whole sectors of four. (Rows of the solver have no gaps.)
template <int K>
inline constexpr int sector_stride = (K + 3) / 4 * 4;

/// How a sum is held in 8 bytes.
enum class SumWords { doubles, two_floats };

__device__ __forceinline__ double sum_of_word(SumWords words, double word) {
    if (words == SumWords::doubles) return word;
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(word));
    return warp::TwoFloats{__uint_as_float(static_cast<std::uint32_t>(bits)),
                           __uint_as_float(static_cast<std::uint32_t>(bits >> 32U))}
        .value();
}

/// A way of the solver.
template <Summation way>
struct SolverWay {
    static constexpr bool is_blockwide = false;
    static constexpr SumWords words = SumWords::doubles;
    static constexpr int atomics_for_addition = 1;

    template <int K>
    using Scratch = LeaderScratch<K>;

    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        mpcflow::for_each_sum<way, FirstSum::any>(cell, values, mask, scratch, add);
    }
    static __device__ __forceinline__ void add_to_memory(double* to, double value) {
        mpcflow::add_to_memory<way>(to, value);
    }
};

using PeersWay = SolverWay<Summation::peers>;
using MatchWay = SolverWay<Summation::match>;

/// `peers`, found by Westphal's loop over the distinct cells.
struct LoopWay : PeersWay {
    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        const warp::CudaWarp warp;
        const unsigned peers = warp::find_peers(warp, mask, cell);
        warp::reduce_peers(warp, mask, peers, values);
        warp::add_staged(warp, mask, warp::is_leader(peers, warp.lane()), cell, values, scratch, add);
    }
};

/// `peers`, found by a hash table in shared memory, as on cards without the match instruction.
struct HashWay : PeersWay {
    template <int K>
    union Scratch {
        warp::PeerTable<std::int32_t> table;
        LeaderScratch<K> leaders;
    };

    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        const warp::CudaWarp warp;
        const unsigned peers = warp::find_peers_by_hash(warp, warp::CudaAtomics{}, mask, cell, scratch.table);
        warp::reduce_peers(warp, mask, peers, values);
        warp::add_staged(warp, mask, warp::is_leader(peers, warp.lane()), cell, values, scratch.leaders, add);
    }
};

/// Who finds the peers of a warp whose leaders add their sums themselves.
enum class PeersBy { votes, loop };

/// `peers`, whose leaders add their sums themselves, with one atomic for each sum.
template <PeersBy by>
struct UnstagedPeersWay : PeersWay {
    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& /*scratch*/, Add&& add) {
        const warp::CudaWarp warp;
        const unsigned peers = by == PeersBy::votes ? warp::find_peers_by_votes(warp, mask, cell)
                                                    : warp::find_peers(warp, mask, cell);
        warp::reduce_peers(warp, mask, peers, values);
        if (!warp::is_leader(peers, warp.lane())) return;
#pragma unroll
        for (int k = 0; k < K; ++k) add(cell, k, values[k]);
    }
};

using UnstagedWay = UnstagedPeersWay<PeersBy::votes>;
/// Westphal's own combination: the loop over distinct cells, and each leader by itself.
using WestphalWay = UnstagedPeersWay<PeersBy::loop>;

/// The warp is sorted by cell; a segmented scan, one addition a segment.
struct SortedWay : PeersWay {
    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        const warp::CudaWarp warp;
        const auto sorted =
            warp::sort_pairs(warp, mask, warp::KeyValue<std::int32_t, std::uint32_t>{cell, warp.lane()});
#pragma unroll
        for (int k = 0; k < K; ++k) values[k] = warp.shfl(mask, values[k], sorted.value);
        const unsigned heads = warp::find_heads(warp, mask, warp::is_run_head(warp, mask, sorted.key));
        warp::scan_segments(warp, mask, heads, values);
        const bool is_end = warp::is_segment_end(mask, heads, warp.lane());
        warp::add_staged(warp, mask, is_end, sorted.key, values, scratch, add);
    }
};

/// A segmented scan over the particles in their order, warp to block, one addition a segment.
struct SegmentedWay : PeersWay {
    static constexpr bool is_blockwide = true;
    template <int K>
    using Scratch = block::SegmentScratch<K, block_size>;

    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        const bool is_valid = (mask & warp::lane_bit(warp::CudaWarp{}.lane())) != 0;
        block::add_segmented(block::CudaBlock{}, is_valid, cell, values, scratch, add);
    }
};

/// Peers in the warp, then leaders of the same cell in the block.
struct TwoStageWay : PeersWay {
    static constexpr bool is_blockwide = true;
    /// Many sums: rows for the leaders of ordered particles only; those of particles without order take two
    /// rounds.
    template <int K>
    using Scratch = block::TwoStageScratch<K, block_size, (K > 8 ? block_size / 2 : block_size)>;

    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        const warp::CudaWarp warp;
        unsigned peers = 0;
        if ((mask & warp::lane_bit(warp.lane())) != 0) {
            peers = warp::find_peers_by_votes(warp, mask, cell);
            warp::reduce_peers(warp, mask, peers, values);
        }
        const bool is_leader = peers != 0 && warp::is_leader(peers, warp.lane());
        block::add_two_stage(block::CudaBlock{}, warp::CudaAtomics{}, is_leader, cell, values, scratch, add);
    }
};

/// `peers`, with each sum held as two floats: an approximation, whose bits depend on the order.
struct TwoFloatWay : PeersWay {
    static constexpr SumWords words = SumWords::two_floats;
    static constexpr int atomics_for_addition = 2;

    static __device__ __forceinline__ void add_to_memory(double* to, double value) {
        warp::add_two_floats(warp::CudaAtomics{}, reinterpret_cast<warp::TwoFloats*>(to), value);
    }
};

/// Two floats by each particle itself.
struct DirectTwoFloatWay : TwoFloatWay {
    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        mpcflow::for_each_sum<Summation::direct, FirstSum::any>(cell, values, mask, scratch, add);
    }
};

/// `peers`, whose leaders' sums are added by compare-and-swap.
struct PeersCasWay : PeersWay {
    static __device__ __forceinline__ void add_to_memory(double* to, double value) {
        mpcflow::add_to_memory<Summation::cas>(to, value);
    }
};

/// Westphal's by compare-and-swap, as on the cards of its time, which had no addition of doubles.
struct WestphalCasWay : WestphalWay {
    static __device__ __forceinline__ void add_to_memory(double* to, double value) {
        mpcflow::add_to_memory<Summation::cas>(to, value);
    }
};

}  // namespace mpcflow::bench
