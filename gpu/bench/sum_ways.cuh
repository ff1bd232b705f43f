#pragma once
/// The ways of summing that the benchmark compares: those of the solver, and forms of them that show what each
/// idea brings.

#include <cstdint>

#include "gpu/cell_sums.cuh"

namespace mpcflow::bench {

/// Doubles from one cell's sums to the next: whole sectors of four.
template <int K>
inline constexpr int sum_stride_of = (K + 3) / 4 * 4;

template <int K>
using LeaderScratch = warp::SumScratch<K, (K > 8 ? 8 : 32), std::int32_t>;

enum class Way { loop, peers, match, unstaged, direct, cas };

/// Atomics that a way issues for each component.
enum class AtomicsFor { each_particle, each_leader };

template <Way way>
struct SumWay {
    static constexpr bool is_blockwide = false;
    static constexpr AtomicsFor atomics_for =
        way == Way::direct || way == Way::cas ? AtomicsFor::each_particle : AtomicsFor::each_leader;
    template <int K>
    using Scratch = LeaderScratch<K>;

    template <int K>
    static __device__ __forceinline__ void add(double* rows, std::int32_t cell, double (&values)[K], unsigned mask,
                                               Scratch<K>& scratch) {
        const warp::CudaWarp warp;
        double* const row = rows + std::int64_t{cell} * sum_stride_of<K>;
        if constexpr (way == Way::direct || way == Way::cas) {
#pragma unroll
            for (int k = 0; k < K; ++k) {
                if constexpr (way == Way::direct) atomicAdd(row + k, values[k]);
                else warp::add_by_compare_and_swap(warp::CudaAtomics{}, row + k, values[k]);
            }
        } else {
            unsigned peers = 0;
            if constexpr (way == Way::loop) peers = warp::find_peers(warp, mask, cell);
            else if constexpr (way == Way::match) peers = warp.match_any(mask, cell);
            else peers = warp::find_peers_by_votes(warp, mask, cell);
            warp::reduce_peers(warp, mask, peers, values);
            const bool is_leader = warp::is_leader(peers, warp.lane());
            if constexpr (way == Way::unstaged) {
                if (is_leader) {
#pragma unroll
                    for (int k = 0; k < K; ++k) atomicAdd(row + k, values[k]);
                }
            } else {
                warp::add_staged(warp, mask, is_leader, cell, values, scratch,
                                 [rows](std::int32_t to, int component, double sum) {
                                     atomicAdd(rows + std::int64_t{to} * sum_stride_of<K> + component, sum);
                                 });
            }
        }
    }
};

}  // namespace mpcflow::bench
