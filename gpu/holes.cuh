#pragma once
/// Particles that come take the places of those that leave, so that particles have no gaps in memory.

#include <algorithm>
#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"

namespace mpcflow {

/// The places in memory that particles leave, and where there are fewer new ones, those of the last of all,
/// the tail, which move: room for as many of each as leave.
struct Holes {
    std::uint32_t* counts;   ///< of holes that are not of the tail, and of movers
    std::uint32_t* holes;    ///< these, in any order
    std::uint32_t* movers;   ///< particles of the tail that do not leave
    std::uint32_t* is_hole;  ///< by place in the tail
};

/// Finds the holes of `left` particles, whose slots are given, of which the first `new_count` places stay.
static __global__ void __launch_bounds__(block_size)
    mark_holes(std::uint32_t left, std::uint32_t new_count, const std::uint32_t* __restrict__ slots,
               Holes holes) {
    const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
    if (i >= left) return;
    const std::uint32_t slot = slots[i];
    if (slot >= new_count) holes.is_hole[slot - new_count] = 1;
    else holes.holes[atomicAdd(holes.counts, 1U)] = slot;
}

/// Finds the movers of a tail of so many places.
static __global__ void __launch_bounds__(block_size)
    find_movers(std::uint32_t tail, std::uint32_t new_count, Holes holes) {
    const std::uint32_t j = blockIdx.x * block_size + threadIdx.x;
    if (j >= tail) return;
    if (holes.is_hole[j] == 0) holes.movers[atomicAdd(holes.counts + 1, 1U)] = new_count + j;
}

/// Threads for all arrivals and all of the tail.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    fill_found_holes(std::int64_t count, std::uint32_t arrivals, const Particle* __restrict__ arrived,
                     Holes holes, const __grid_constant__ ParticleColumns<Particle> particles) {
    const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
    const std::uint32_t hole_count = holes.counts[0];
    if (i < arrivals)
        particles.set(i < hole_count ? std::int64_t{holes.holes[i]} : count + (i - hole_count), arrived[i]);
    if (i < holes.counts[1]) particles.set(holes.holes[arrivals + i], particles[holes.movers[i]]);
}

/// Of `count` particles those leave whose slots are given, `left` of them, and `arrivals` others come: into
/// the holes, and if they are more, the rest behind the last; if they are fewer, the last of all move into
/// what is left of the holes. Then the particles are the first count - left + arrivals, for which there is
/// room. All in `stream`.
template <class Particle>
void fill_holes(std::int64_t count, std::uint32_t left, std::uint32_t arrivals, const std::uint32_t* slots,
                const Particle* arrived, const Holes& holes, const ParticleColumns<Particle>& particles,
                cudaStream_t stream) {
    const auto new_count = static_cast<std::uint32_t>(count - left + arrivals);
    const std::uint32_t tail = left > arrivals ? left - arrivals : 0;
    MPCFLOW_CUDA(cudaMemsetAsync(holes.counts, 0, 2 * sizeof *holes.counts, stream));
    if (tail > 0) MPCFLOW_CUDA(cudaMemsetAsync(holes.is_hole, 0, tail * sizeof *holes.is_hole, stream));
    if (left > 0) mark_holes<<<block_count(left), block_size, 0, stream>>>(left, new_count, slots, holes);
    if (tail > 0) find_movers<<<block_count(tail), block_size, 0, stream>>>(tail, new_count, holes);
    const std::uint32_t threads = std::max(arrivals, tail);
    if (threads > 0)
        fill_found_holes<<<block_count(threads), block_size, 0, stream>>>(count, arrivals, arrived, holes,
                                                                          particles);
    MPCFLOW_CUDA(cudaGetLastError());
}

}  // namespace mpcflow
