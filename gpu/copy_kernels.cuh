#pragma once
/// Readying particles to be copied to the host, and taking those that came from there.

#include <cstdint>

#include "gpu/cell_kernels.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/record_access.cuh"

namespace mpcflow {

/// Writes every particle to the slot of its id.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    order_by_id(std::int64_t count, const __grid_constant__ ParticleColumns<Particle> particles,
                Particle* __restrict__ ordered) {
    __shared__ RecordScratch<Particle> scratch[warps_in_block];
    const warp::CudaWarp warp;
    const WarpItems items(count);
    if ((items.mask & warp::lane_bit(warp.lane())) == 0) return;
    RecordScratch<Particle>& own = scratch[threadIdx.x / 32];
    const Particle particle = particles[items.first + warp.lane()];
    store_records<Placement::scattered>(ordered, static_cast<std::int64_t>(particle.id()), particle,
                                        items.mask, own);
}

/// Takes records into columns.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    take_records(std::int64_t count, const Particle* __restrict__ records,
                 const __grid_constant__ ParticleColumns<Particle> particles) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) particles.set(i, load_constant_record(records + i));
}

}  // namespace mpcflow
