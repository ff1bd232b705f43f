#pragma once
/// The ways of summing that the benchmark compares: those of the solver, and forms of them that show what each
/// idea brings.

#include <cstdint>

#include "gpu/block/cuda_block.cuh"
#include "gpu/block/segmented_sums.hpp"
#include "gpu/block/two_stage_sums.hpp"
#include "gpu/cuda_support.cuh"
#include "gpu/warp/cuda_atomics.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/hashed_peers.hpp"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/segmented_scan.hpp"
#include "gpu/warp/sort.hpp"
#include "gpu/warp/staging.hpp"

namespace mpcflow::bench {

/// Doubles from one cell's sums to the next: whole sectors of four.
template <int K>
inline constexpr int sum_stride_of = (K + 3) / 4 * 4;

enum class Way {
    loop,       ///< peers found by the loop over distinct cells
    peers,      ///< peers found by votes
    hash,       ///< peers found by a hash table in shared memory
    match,      ///< peers found by the match instruction
    unstaged,   ///< peers found by votes; a leader adds its sums itself
    sorted,     ///< the warp sorted by cell, a segmented scan, an atomic a segment
    segmented,  ///< a segmented scan over runs in the particles' order, warp to block
    two_stage,  ///< peers in the warp, then leaders of the same cell in the block
    two_float,  ///< peers, and sums held as two floats
    direct,     ///< an atomic for each particle
    cas         ///< the same by compare-and-swap loops
};

template <Way way, int K>
struct WayScratch {
    warp::SumScratch<K, (K > 8 ? 8 : 32), std::int32_t> leaders;
};
template <int K>
struct WayScratch<Way::hash, K> {
    union {
        warp::PeerTable<std::int32_t> table;
        warp::SumScratch<K, (K > 8 ? 8 : 32), std::int32_t> leaders;
    };
};
template <int K>
struct WayScratch<Way::two_stage, K> : block::TwoStageScratch<K, block_size> {};
template <int K>
struct WayScratch<Way::segmented, K> : block::SegmentScratch<K, block_size> {};

template <Way way>
struct SumWay {
    /// The common work of a block's threads, which all take part, or of a warp's lanes that have a particle.
    static constexpr bool is_blockwide = way == Way::two_stage || way == Way::segmented;
    static constexpr bool is_approximate = way == Way::two_float;
    /// Atomics that memory carries out for one addition.
    static constexpr int atomics_for_addition = way == Way::two_float ? 2 : 1;

    template <int K>
    using Scratch = WayScratch<way, K>;

    /// Calls `add(cell, component, sum)` for each of the sums that must be added to memory.
    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        const warp::CudaWarp warp;
        const bool has_particle = (mask & warp::lane_bit(warp.lane())) != 0;
        if constexpr (way == Way::direct || way == Way::cas) {
#pragma unroll
            for (int k = 0; k < K; ++k) add(cell, k, values[k]);
        } else if constexpr (way == Way::segmented) {
            block::add_segmented(block::CudaBlock{}, has_particle, cell, values, scratch, add);
        } else if constexpr (way == Way::sorted) {
            const auto sorted =
                warp::sort_pairs(warp, mask, warp::KeyValue<std::int32_t, std::uint32_t>{cell, warp.lane()});
#pragma unroll
            for (int k = 0; k < K; ++k) values[k] = warp.shfl(mask, values[k], sorted.value);
            const unsigned heads = warp::find_heads(warp, mask, warp::is_run_head(warp, mask, sorted.key));
            warp::scan_segments(warp, mask, heads, values);
            warp::add_staged(warp, mask, warp::is_segment_end(mask, heads, warp.lane()), sorted.key, values,
                             scratch.leaders, add);
        } else {
            unsigned peers = 0;
            if (has_particle) {
                peers = find_peers(mask, cell, scratch);
                warp::reduce_peers(warp, mask, peers, values);
            }
            const bool is_leader = has_particle && warp::is_leader(peers, warp.lane());
            if constexpr (way == Way::two_stage) {
                block::add_two_stage(block::CudaBlock{}, warp::CudaAtomics{}, is_leader, cell, values, scratch, add);
            } else if constexpr (way == Way::unstaged) {
                if (!is_leader) return;
#pragma unroll
                for (int k = 0; k < K; ++k) add(cell, k, values[k]);
            } else {
                warp::add_staged(warp, mask, is_leader, cell, values, scratch.leaders, add);
            }
        }
    }

    static __device__ __forceinline__ void add_to_memory(double* to, double value) {
        const warp::CudaAtomics atomics;
        if constexpr (way == Way::two_float) warp::add_two_floats(atomics, reinterpret_cast<warp::TwoFloats*>(to), value);
        else if constexpr (way == Way::cas) warp::add_by_compare_and_swap(atomics, to, value);
        else atomics.add(to, value);
    }

    /// The sum that such additions have made of a double that was zero.
    static __device__ double value_in_memory(const double* from) {
        if constexpr (way == Way::two_float) return reinterpret_cast<const warp::TwoFloats*>(from)->value();
        else return *from;
    }

private:
    template <int K>
    static __device__ __forceinline__ unsigned find_peers(unsigned mask, std::int32_t cell, Scratch<K>& scratch) {
        const warp::CudaWarp warp;
        if constexpr (way == Way::loop) return warp::find_peers(warp, mask, cell);
        else if constexpr (way == Way::match) return warp::find_peers_by_match(warp, mask, cell);
        else if constexpr (way == Way::hash) return warp::find_peers_by_hash(warp, warp::CudaAtomics{}, mask, cell, scratch.table);
        else return warp::find_peers_by_votes(warp, mask, cell);
    }
};

}  // namespace mpcflow::bench
