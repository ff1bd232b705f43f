#pragma once
/// Counting particles and cells. Blocks count in bins of their own in shared memory, with integers.

#include <cstdint>

#include "gpu/block/cuda_block.cuh"
#include "gpu/block/histogram.hpp"
#include "gpu/cuda_support.cuh"
#include "gpu/observable_kernels.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/warp/cuda_atomics.cuh"
#include "physics/cell_grid.hpp"

namespace mpcflow {

/// The block's bins are the dynamic shared memory of the launch: this many 32-bit counters.
template <class BinOf>
__device__ __forceinline__ void count_into(int bins, std::int64_t items, const BinOf& bin_of,
                                           unsigned long long* counts) {
    extern __shared__ std::uint32_t block_counts[];
    block::count_in_shared_bins(
        block::CudaBlock{}, warp::CudaAtomics{}, {items, blockIdx.x, gridDim.x}, bin_of, {block_counts, bins},
        [&](std::int32_t bin, std::uint32_t count) { atomicAdd(counts + bin, count); });
}

/// By a rule that CountsParticles.
template <class Rule, class Particle>
__global__ void __launch_bounds__(block_size)
    count_particles(const __grid_constant__ Rule rule, int bins, std::int64_t count,
                    const __grid_constant__ ParticleColumns<Particle> particles,
                    unsigned long long* __restrict__ counts) {
    count_into(
        bins, count, [&](std::int64_t i) { return rule.bin_of_particle(particles[i]); }, counts);
}

/// The whole cells that are the grid's own, by a rule that CountsCells.
template <class Rule, class Grid>
__global__ void __launch_bounds__(block_size)
    count_cells(const __grid_constant__ Grid grid, const __grid_constant__ SurfaceView surfaces,
                const __grid_constant__ Rule rule, int bins, const __grid_constant__ CellCounts cells,
                unsigned long long* __restrict__ counts) {
    const auto bin_of = [&](std::int64_t cell) {
        const int index = static_cast<int>(cell);
        return grid.owns(index) && is_whole(grid, surfaces, index) ? rule.bin_of_cell(cells[cell])
                                                                   : block::no_bin;
    };
    count_into(bins, cells.count, bin_of, counts);
}

}  // namespace mpcflow
