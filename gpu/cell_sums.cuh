#pragma once
/// Adding what particles contribute to the sums of their cells, in the ways that execution.summation names.
/// All give the same bits, because all contributions are on the grids of physics/grid_rounding.hpp; with the
/// exception of two_float, whose sums are approximate.

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
#include "physics/system.hpp"

namespace mpcflow {

/// Doubles from one cell's sums to the next: whole sectors of four.
template <int K>
inline constexpr int sum_stride = (K + 3) / 4 * 4;

/// Whether a way of summing is the common work of a block's threads, or each warp's own.
inline constexpr bool is_blockwide(Summation way) {
    return way == Summation::two_stage || way == Summation::segmented;
}

/// Whether lanes of the same cell add up before one of them does the atomics.
inline constexpr bool has_leaders(Summation way) { return way != Summation::direct && way != Summation::cas; }

/// How the rows hold the sums.
enum class SumFormat {
    doubles,
    two_floats  ///< a warp::TwoFloats in the place of each double
};

inline constexpr SumFormat sum_format(Summation way) {
    return way == Summation::two_float ? SumFormat::two_floats : SumFormat::doubles;
}

/// The sum that a word of a row holds.
__device__ __forceinline__ double sum_value(double word, SumFormat format) {
    if (format == SumFormat::doubles) return word;
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(word));
    return warp::TwoFloats{__uint_as_float(static_cast<std::uint32_t>(bits)),
                           __uint_as_float(static_cast<std::uint32_t>(bits >> 32U))}.value();
}

namespace detail {

/// More than 8 rows of 16 sums at a time would cost more in occupancy than they save in synchronisations.
template <int K>
using LeaderScratch = warp::SumScratch<K, (K > 8 ? 8 : 32), std::int32_t>;

template <int K, Summation way>
struct SumsScratch {
    LeaderScratch<K> leaders;
};
template <int K>
struct SumsScratch<K, Summation::hash> {
    union {
        warp::PeerTable<std::int32_t> table;
        LeaderScratch<K> leaders;
    };
};
/// Many sums: rows for the leaders of ordered particles only; those of particles without order take two rounds.
template <int K>
struct SumsScratch<K, Summation::two_stage> : block::TwoStageScratch<K, block_size, (K > 8 ? block_size / 2 : block_size)> {
};
template <int K>
struct SumsScratch<K, Summation::segmented> : block::SegmentScratch<K, block_size> {};

/// One addition to memory.
template <Summation way>
__device__ __forceinline__ void add_to_memory(double* to, double value) {
    const warp::CudaAtomics atomics;
    if constexpr (way == Summation::two_float) {
        warp::add_two_floats(atomics, reinterpret_cast<warp::TwoFloats*>(to), value);
    } else if constexpr (way == Summation::cas) {
        warp::add_by_compare_and_swap(atomics, to, value);
    } else {
        atomics.add(to, value);
    }
}

template <Summation way, int K>
__device__ __forceinline__ unsigned find_peers(unsigned mask, std::int32_t cell, SumsScratch<K, way>& scratch) {
    const warp::CudaWarp warp;
    if constexpr (way == Summation::hash) {
        return warp::find_peers_by_hash(warp, warp::CudaAtomics{}, mask, cell, scratch.table);
    } else if constexpr (way == Summation::match) {
        return warp::find_peers_by_match(warp, mask, cell);
    } else {
        return warp::find_peers_by_votes(warp, mask, cell);
    }
}

/// Sums over peers; the first value is one in every lane, so its sum needs no shuffles.
template <int K>
__device__ __forceinline__ void reduce_peers(unsigned mask, unsigned peers, double (&values)[K]) {
    double rest[K - 1];
#pragma unroll
    for (int k = 1; k < K; ++k) rest[k - 1] = values[k];
    warp::reduce_peers(warp::CudaWarp{}, mask, peers, rest);
    values[0] = warp::popc(peers);
#pragma unroll
    for (int k = 1; k < K; ++k) values[k] = rest[k - 1];
}

}  // namespace detail

/// Shared memory of add_sums: of a block where is_blockwide(way), otherwise of a warp.
template <int K, Summation way>
using SumsScratch = detail::SumsScratch<K, way>;

/// What the first of the sums is.
enum class FirstSum {
    any,
    ones  ///< 1 in every lane: the number of particles
};

/// Adds `values` up as far as `way` does before memory is concerned, and calls `add(cell, component, sum)` for each
/// of the sums that are to be added there. `add` is called by a part of the lanes and must not use collectives.
///
/// `mask` holds the lanes of the caller's warp that take part. Where is_blockwide(way), all threads of the
/// block call this, together; otherwise all lanes of `mask`, and only they. `scratch` is free again after it.
template <Summation way, FirstSum first, int K, class Add>
__device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                             SumsScratch<K, way>& scratch, Add&& add) {
    const warp::CudaWarp warp;
    if constexpr (!has_leaders(way)) {
#pragma unroll
        for (int k = 0; k < K; ++k) add(cell, k, values[k]);
    } else if constexpr (way == Summation::segmented) {
        const bool is_valid = (mask & warp::lane_bit(warp.lane())) != 0;
        block::add_segmented(block::CudaBlock{}, is_valid, cell, values, scratch, add);
    } else if constexpr (way == Summation::sorted) {
        const auto sorted = warp::sort_pairs(warp, mask, warp::KeyValue<std::int32_t, std::uint32_t>{cell, warp.lane()});
#pragma unroll
        for (int k = 0; k < K; ++k) values[k] = warp.shfl(mask, values[k], sorted.value);
        const unsigned heads = warp::find_heads(warp, mask, warp::is_run_head(warp, mask, sorted.key));
        warp::scan_segments(warp, mask, heads, values);
        const bool is_end = warp::is_segment_end(mask, heads, warp.lane());
        warp::add_staged(warp, mask, is_end, sorted.key, values, scratch.leaders, add);
    } else {
        unsigned peers = 0;
        if (!is_blockwide(way) || (mask & warp::lane_bit(warp.lane())) != 0) {
            peers = detail::find_peers<way>(mask, cell, scratch);
            if constexpr (first == FirstSum::ones) detail::reduce_peers(mask, peers, values);
            else warp::reduce_peers(warp, mask, peers, values);
        }
        const bool is_leader = peers != 0 && warp::is_leader(peers, warp.lane());
        if constexpr (way == Summation::two_stage) {
            block::add_two_stage(block::CudaBlock{}, warp::CudaAtomics{}, is_leader, cell, values, scratch, add);
        } else {
            warp::add_staged(warp, mask, is_leader, cell, values, scratch.leaders, add);
        }
    }
}

/// Adds `values` to the sums of `cell`, which are K of the sum_stride<K> doubles from
/// rows[cell * sum_stride<K>] on. For two_float these hold a TwoFloats each. Who calls it: see for_each_sum.
template <Summation way, FirstSum first, int K>
__device__ __forceinline__ void add_sums(double* rows, std::int32_t cell, double (&values)[K], unsigned mask,
                                         SumsScratch<K, way>& scratch) {
    for_each_sum<way, first>(cell, values, mask, scratch, [rows](std::int32_t to, int component, double sum) {
        detail::add_to_memory<way>(rows + std::int64_t{to} * sum_stride<K> + component, sum);
    });
}

}  // namespace mpcflow
