#pragma once
/// Adding what particles contribute to the sums of their cells, in the ways that execution.summation names.
/// All give the same bits, because all contributions are on the grids of physics/grid_rounding.hpp.

#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/warp/cuda_atomics.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/staging.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Doubles from one cell's sums to the next. They follow each other without gaps, and no cell's touch more
/// sectors of four than if they began at one; of three more than a multiple of four they would.
template <int K>
inline constexpr int sum_stride = K % 4 == 3 ? K + 1 : K;

/// Whether lanes of the same cell add up before one of them does the atomics.
inline constexpr bool has_leaders(Summation way) { return way != Summation::direct && way != Summation::cas; }

/// Shared memory of a warp in add_sums. More than 8 rows of 16 sums at a time would cost more in occupancy
/// than they save in synchronisations.
template <int K>
using LeaderScratch = warp::SumScratch<K, (K > 8 ? 8 : 32), std::int32_t>;

namespace detail {

template <Summation way>
__device__ __forceinline__ unsigned find_peers(unsigned mask, std::int32_t cell) {
    const warp::CudaWarp warp;
    if constexpr (way == Summation::match) return warp::find_peers_by_match(warp, mask, cell);
    else return warp::find_peers_by_votes(warp, mask, cell);
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

/// What the first of the sums is.
enum class FirstSum {
    any,
    ones  ///< 1 in every lane: the number of particles
};

/// Adds `values` up as far as `way` does before memory is concerned, and calls `add(cell, component, sum)`
/// for each of the sums that are to be added there. `add` is called by a part of the lanes and must not use
/// collectives.
///
/// Called by the lanes of `mask`, and only they. `scratch` is free again after it.
template <Summation way, FirstSum first, int K, class Add>
__device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                             LeaderScratch<K>& scratch, Add&& add) {
    if constexpr (!has_leaders(way)) {
#pragma unroll
        for (int k = 0; k < K; ++k) add(cell, k, values[k]);
    } else {
        const warp::CudaWarp warp;
        const unsigned peers = detail::find_peers<way>(mask, cell);
        if constexpr (first == FirstSum::ones) detail::reduce_peers(mask, peers, values);
        else warp::reduce_peers(warp, mask, peers, values);
        warp::add_staged(warp, mask, warp::is_leader(peers, warp.lane()), cell, values, scratch, add);
    }
}

/// One addition to memory.
template <Summation way>
__device__ __forceinline__ void add_to_memory(double* to, double value) {
    const warp::CudaAtomics atomics;
    if constexpr (way == Summation::cas) warp::add_by_compare_and_swap(atomics, to, value);
    else atomics.add(to, value);
}

/// Adds `values` to the sums of `cell`, which are K of the sum_stride<K> doubles from
/// rows[cell * sum_stride<K>] on. Who calls it: see for_each_sum.
template <Summation way, FirstSum first, int K>
__device__ __forceinline__ void add_sums(double* rows, std::int32_t cell, double (&values)[K], unsigned mask,
                                         LeaderScratch<K>& scratch) {
    for_each_sum<way, first>(
        cell, values, mask, scratch,
        [rows](std::int32_t to, int component, double sum) {
            add_to_memory<way>(rows + std::int64_t{to} * sum_stride<K> + component, sum);
        });
}

}  // namespace mpcflow
