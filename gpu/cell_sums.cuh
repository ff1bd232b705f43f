#pragma once
/// Adding what the lanes of a warp contribute to the sums of their cells, in the ways that
/// execution.summation names. All give the same bits, because all contributions are on the grids of
/// physics/grid_rounding.hpp.

#include <cstdint>

#include "gpu/warp/cuda_atomics.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/staging.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Doubles from one cell's sums to the next: whole sectors of four.
template <class Law>
inline constexpr int sum_stride = (Law::sum_count + 3) / 4 * 4;

/// One warp's piece of shared memory for its leaders' sums. More than 8 rows of 16 sums at a time would
/// cost more in occupancy than they save in synchronisations.
template <class Law>
using LawScratch = warp::SumScratch<Law::sum_count, (Law::sum_count > 8 ? 8 : 32), std::int32_t>;

/// Adds each lane's `contribution` to the sums of its `cell`. Called by all lanes of `mask` together.
template <class Law, Summation summation>
__device__ __forceinline__ void add_to_cells(double* sums, int cell, typename Law::Sums contribution, unsigned mask,
                                             LawScratch<Law>& scratch) {
    constexpr int count = Law::sum_count;
    constexpr int stride = sum_stride<Law>;
    if constexpr (summation == Summation::peers) {
        const warp::CudaWarp warp;
        const unsigned peers = warp::find_peers_by_votes(warp, mask, cell);
        double values[count];
        // The first sum is the number of particles: no need to shuffle for it.
        values[0] = warp::popc(peers);
        double rest[count - 1];
#pragma unroll
        for (int k = 1; k < count; ++k) rest[k - 1] = contribution.value[k];
        warp::reduce_peers(warp, mask, peers, rest);
#pragma unroll
        for (int k = 1; k < count; ++k) values[k] = rest[k - 1];
        warp::add_staged(warp, mask, warp::is_leader(peers, warp.lane()), cell, values, scratch,
                         [sums](std::int32_t to, int component, double sum) {
                             atomicAdd(sums + std::int64_t{to} * stride + component, sum);
                         });
    } else {
        double* row = sums + std::int64_t{cell} * stride;
#pragma unroll
        for (int k = 0; k < count; ++k) {
            if constexpr (summation == Summation::direct) atomicAdd(row + k, contribution.value[k]);
            else warp::add_by_compare_and_swap(warp::CudaAtomics{}, row + k, contribution.value[k]);
        }
    }
}

}  // namespace mpcflow
