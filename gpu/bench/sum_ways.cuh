#pragma once
/// The ways of summing that the benchmark compares: those of the solver, by its own code (gpu/cell_sums.cuh), and
/// two forms of its `peers` that show what an idea brings.

#include <cstdint>

#include "gpu/cell_sums.cuh"

namespace mpcflow::bench {

/// A way of the solver.
template <Summation way>
struct SolverWay {
    static constexpr Summation summation = way;
    static constexpr bool is_approximate = way == Summation::two_float;
    /// Atomics that memory carries out for one addition.
    static constexpr int atomics_for_addition = way == Summation::two_float ? 2 : 1;

    template <int K>
    using Scratch = SumsScratch<K, way>;

    /// Calls `add(cell, component, sum)` for each sum that must be added to memory; see mpcflow::for_each_sum.
    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        mpcflow::for_each_sum<way, FirstSum::any>(cell, values, mask, scratch, add);
    }
};

/// `peers`, found by Westphal's loop over the distinct cells.
struct LoopWay : SolverWay<Summation::peers> {
    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& scratch, Add&& add) {
        const warp::CudaWarp warp;
        const unsigned peers = warp::find_peers(warp, mask, cell);
        warp::reduce_peers(warp, mask, peers, values);
        warp::add_staged(warp, mask, warp::is_leader(peers, warp.lane()), cell, values, scratch.leaders, add);
    }
};

/// `peers`, whose leaders add their sums themselves.
struct UnstagedWay : SolverWay<Summation::peers> {
    template <int K, class Add>
    static __device__ __forceinline__ void for_each_sum(std::int32_t cell, double (&values)[K], unsigned mask,
                                                        Scratch<K>& /*scratch*/, Add&& add) {
        const warp::CudaWarp warp;
        const unsigned peers = warp::find_peers_by_votes(warp, mask, cell);
        warp::reduce_peers(warp, mask, peers, values);
        if (!warp::is_leader(peers, warp.lane())) return;
#pragma unroll
        for (int k = 0; k < K; ++k) add(cell, k, values[k]);
    }
};

}  // namespace mpcflow::bench
