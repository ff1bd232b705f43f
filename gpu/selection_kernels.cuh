#pragma once
/// Collecting the particles of a selection.

#include <cstdint>

#include "gpu/block/compact.hpp"
#include "gpu/block/cuda_block.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"
#include "physics/selection.hpp"

namespace mpcflow {

/// Writes the particles that are selected next to each other, in any order; `number` counts them.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    collect_selected(const __grid_constant__ SelectionRule rule, std::int64_t count,
                     const __grid_constant__ ParticleColumns<Particle> particles,
                     Particle* __restrict__ found, unsigned long long* __restrict__ number) {
    const block::CudaBlock block;
    const auto warp = block.warp();
    const auto is_selected = [&](std::int64_t i) { return rule.contains(particles[i]); };
    const auto place_of = [&](bool is_mine) {
        return warp::place_selected(
            warp, warp::full_mask, is_mine, [&](unsigned more) { return atomicAdd(number, more); });
    };
    block::compact(block, {count, blockIdx.x, gridDim.x}, is_selected, place_of,
                   [&](std::int64_t i, unsigned long long slot) { found[slot] = particles[i]; });
}

}  // namespace mpcflow
