#pragma once
/// What is measured of all particles and cells: sums by any rule, state hash, extremes.

#include <cstdint>

#include "gpu/block_sums.cuh"
#include "gpu/cell_sums.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/device_state.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/reduce.hpp"
#include "physics/cell_grid.hpp"
#include "physics/observables/extremes.hpp"
#include "physics/particle.hpp"

namespace mpcflow {

/// Particles are strided over a grid of any size.
template <class Particle, class Visit>
__device__ __forceinline__ void for_all_particles(std::int64_t count,
                                                  const ParticleColumns<Particle>& particles,
                                                  const Visit& visit) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_size;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x; i < count;
         i += stride)
        visit(particles[i]);
}

/// Adds up what the particles contribute by a rule (SumsParticles).
template <class Rule, class Particle>
__global__ void __launch_bounds__(block_size)
    sum_particles(const __grid_constant__ Rule rule, std::int64_t count,
                  const __grid_constant__ ParticleColumns<Particle> particles,
                  typename Rule::Sums* __restrict__ result) {
    typename Rule::Sums sums;
    for_all_particles(count, particles, [&](const Particle& p) { sums += rule.contribute(p); });
    add_block_sums(sums.value, result->value);
}

template <class Particle>
__global__ void __launch_bounds__(block_size)
    sum_hashes(std::int64_t count, const __grid_constant__ ParticleColumns<Particle> particles,
               unsigned long long* __restrict__ result) {
    unsigned long long hash[1] = {0};
    for_all_particles(count, particles, [&](const Particle& p) { hash[0] += particle_hash(p); });
    add_block_sums(hash, result);
}

/// ExtremesSoFar as atomics take it: a speed that is not negative is ordered as its bits are.
struct ExtremesBits {
    unsigned long long speed_squared;
    std::uint32_t minimum;
    std::uint32_t maximum;
};

static __device__ __forceinline__ void add_extremes(const ExtremesSoFar& lane, ExtremesBits* result) {
    const warp::CudaWarp warp;
    const double speed_squared =
        warp::reduce_down(warp, warp::full_mask, lane.speed_squared, warp::Maximum{});
    const std::uint32_t minimum = warp::reduce_down(warp, warp::full_mask, lane.minimum, warp::Minimum{});
    const std::uint32_t maximum = warp::reduce_down(warp, warp::full_mask, lane.maximum, warp::Maximum{});
    if (threadIdx.x % 32 != 0) return;
    atomicMax(&result->speed_squared, static_cast<unsigned long long>(__double_as_longlong(speed_squared)));
    atomicMin(&result->minimum, minimum);
    atomicMax(&result->maximum, maximum);
}

template <class Particle>
__global__ void __launch_bounds__(block_size)
    find_fastest(std::int64_t count, const __grid_constant__ ParticleColumns<Particle> particles,
                 ExtremesBits* __restrict__ result) {
    ExtremesSoFar extremes;
    for_all_particles(count, particles,
                      [&](const Particle& p) { extremes.add_speed_squared(speed_squared(p)); });
    add_extremes(extremes, result);
}

/// Of the whole cells that are the grid's own.
template <class Grid>
__global__ void __launch_bounds__(block_size)
    find_occupancy_extremes(const __grid_constant__ Grid grid, const __grid_constant__ SurfaceView surfaces,
                            const __grid_constant__ CellCounts cells, ExtremesBits* __restrict__ result) {
    ExtremesSoFar extremes;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_size;
    for (std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
         cell < cells.count; cell += stride)
        if (grid.owns(static_cast<int>(cell)) && is_whole(grid, surfaces, static_cast<int>(cell)))
            extremes.add_cell(cells[cell]);
    add_extremes(extremes, result);
}

}  // namespace mpcflow
