#pragma once
/// Fourier modes (physics/observables/mode_rule.hpp): one pass over the particles for all wave vectors.

#include <algorithm>
#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/reduce.hpp"
#include "physics/observables/mode_rule.hpp"

namespace mpcflow {

/// Blocks for sum_waves: about `resident_blocks`, but so many that no thread has more than
/// WaveRule::most_added particles, and no more than there is work for.
inline unsigned mode_blocks(std::int64_t particles, int parts, unsigned resident_blocks) {
    const auto shares = [&](std::int64_t of_a_warp) { return (particles + of_a_warp - 1) / of_a_warp; };
    const std::int64_t resident = std::int64_t{resident_blocks} * warps_in_block / parts;
    const std::int64_t groups = std::max<std::int64_t>(
        {1, shares(32 * std::int64_t{WaveRule::most_added}), std::min(resident, shares(32))});
    return static_cast<unsigned>((groups * parts + warps_in_block - 1) / warps_in_block);
}

/// Warps that follow each other take the same particles, each for another part of the waves, so that records
/// come from memory once and the sums of a warp stay in registers. Adds to `totals`, one for each part.
template <class Rule, class Particle>
__global__ void __launch_bounds__(block_size)
    sum_waves(const __grid_constant__ Rule rule, std::int64_t count,
              const __grid_constant__ ParticleColumns<Particle> particles,
              typename Rule::Totals* __restrict__ totals) {
    const unsigned parts = static_cast<unsigned>(rule.parts());
    const unsigned groups = gridDim.x * warps_in_block / parts;
    const unsigned warp_in_grid = blockIdx.x * warps_in_block + threadIdx.x / 32;
    const unsigned group = warp_in_grid / parts;
    if (group >= groups) return;
    const int index = static_cast<int>(warp_in_grid % parts);
    const WavePart part = rule.part(index);
    typename Rule::Sums sums;
    for (std::int64_t i = std::int64_t{group} * 32 + threadIdx.x % 32; i < count;
         i += std::int64_t{groups} * 32)
        rule.add(part, particles[i], sums);
    const warp::CudaWarp warp;
    typename Rule::Totals split = rule.split(sums);
    warp::reduce_down(warp, warp::full_mask, split.value);
    if (warp.lane() != 0) return;
#pragma unroll
    for (int k = 0; k < Rule::Totals::count; ++k) atomicAdd(&totals[index].value[k], split.value[k]);
}

}  // namespace mpcflow
