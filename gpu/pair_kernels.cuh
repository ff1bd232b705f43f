#pragma once
/// Counting pairs by their distance. Blocks count in bins of their own in shared memory, with integers.

#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"
#include "physics/observables/pair_centres.hpp"

namespace mpcflow {

/// Rounds until counters are emptied: 32 bits hold the pairs of as many with most_pair_centres.
inline constexpr int pair_rounds = 16;
static_assert(std::int64_t{pair_rounds} * block_size * most_pair_centres < (std::int64_t{1} << 32));

/// The pairs of all particles with centres. Shared memory: rule.bins() 32-bit counters, `bins` of them.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    count_pairs(const __grid_constant__ PairRule rule, const __grid_constant__ PairCentreCells centres,
                int bins, std::int64_t count, const __grid_constant__ ParticleColumns<Particle> particles,
                unsigned long long* __restrict__ pairs) {
    extern __shared__ std::uint32_t pair_counts[];
    for (int bin = static_cast<int>(threadIdx.x); bin < bins; bin += block_size) pair_counts[bin] = 0;
    __syncthreads();
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_size;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * block_size;
    int round = 0;
    // All threads of a block go round together, those beyond the last particle idle.
    for (std::int64_t start = first; start < count; start += stride) {
        const std::int64_t i = start + threadIdx.x;
        if (i < count)
            rule.for_centres_near(particles[i], centres, [&](int bin) { atomicAdd(pair_counts + bin, 1U); });
        if (++round % pair_rounds != 0 && start + stride < count) continue;
        __syncthreads();
        for (int bin = static_cast<int>(threadIdx.x); bin < bins; bin += block_size) {
            if (pair_counts[bin] != 0)
                atomicAdd(pairs + bin, static_cast<unsigned long long>(pair_counts[bin]));
            pair_counts[bin] = 0;
        }
        __syncthreads();
    }
}

}  // namespace mpcflow
