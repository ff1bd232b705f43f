#pragma once
/// Sums over the bins of fields. A block takes some hundred particles at a time, puts them into groups by bin
/// and adds up the groups (gpu/block/grouped_sums.hpp): particles that are near in memory are in few bins.

#include <cstdint>

#include "gpu/block/cuda_block.cuh"
#include "gpu/block/grouped_sums.hpp"
#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/step_report.cuh"
#include "gpu/warp/cuda_atomics.cuh"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/momentum_flux_sums.hpp"

namespace mpcflow {

/// A vector of each of a block's particles, in its shared memory.
template <class Real, int count>
struct SharedVectors {
    Real component[3][count];

    __device__ __forceinline__ void put(int particle, const Vec3<Real>& v) {
        for (int axis = 0; axis < 3; ++axis) component[axis][particle] = v[axis];
    }
    [[nodiscard]] __device__ __forceinline__ Vec3<Real> get(unsigned particle) const {
        return {component[0][particle], component[1][particle], component[2][particle]};
    }
};

/// The shared memory of a block: its groups, and of each of its particles what is added up.
template <class Real>
struct BinMemory {
    static constexpr int per_thread = 2;
    static constexpr int particles = per_thread * block_size;

    block::GroupScratch<block_size, per_thread> groups;
    SharedVectors<Real, particles> velocity;
};

namespace detail {

/// Adds values_of(particle, values), K numbers of each particle of the block, to the bins' rows of `Row`,
/// `offset` numbers behind their beginning.
template <int K, class Row, class Memory, class ValuesOf>
__device__ __forceinline__ void add_to_bins(const std::int32_t (&keys)[Memory::per_thread], Memory& memory,
                                            Row* rows, int offset, const ValuesOf& values_of) {
    block::add_grouped<K>(
        block::CudaBlock{}, warp::CudaAtomics{}, keys, memory.groups, values_of,
        [&](std::int32_t bin, int component, double sum) {
            atomicAdd(rows[bin].value + offset + component, sum);
        });
}

template <class Memory>
__device__ __forceinline__ void add_velocities(const BinRule& rule,
                                               const std::int32_t (&keys)[Memory::per_thread], Memory& memory,
                                               BinSums* bins) {
    add_to_bins<BinSums::count>(keys, memory, bins, 0,
                                [&](unsigned particle, double(&values)[BinSums::count]) {
                                    const BinSums sums = rule.contribute(memory.velocity.get(particle));
#pragma unroll
                                    for (int k = 0; k < BinSums::count; ++k) values[k] = sums.value[k];
                                });
}

}  // namespace detail

/// Adds every particle to its bin; particles are strided over a grid of any size.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    sum_bins(const __grid_constant__ BinRule rule, std::int64_t count,
             const __grid_constant__ ParticleColumns<Particle> particles, BinSums* __restrict__ bins) {
    using Memory = BinMemory<typename Particle::Real>;
    __shared__ Memory memory;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * Memory::particles;
    for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * Memory::particles; first < count;
         first += stride) {
        std::int32_t keys[Memory::per_thread];
#pragma unroll
        for (int j = 0; j < Memory::per_thread; ++j) {
            const int mine = j * block_size + static_cast<int>(threadIdx.x);
            keys[j] = block::no_group;
            if (first + mine >= count) continue;
            const auto motion = particles.motion(first + mine);
            keys[j] =
                static_cast<std::int32_t>(rule.row(motion.position, particles.species_at(first + mine)));
            memory.velocity.put(mine, rule.velocity(motion.position, motion.velocity));
        }
        detail::add_velocities(rule, keys, memory, bins);
    }
}

/// The same for bins so small that a group would not fill a warp: the lanes of a warp that share a bin add
/// up.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    sum_small_bins(const __grid_constant__ BinRule rule, std::int64_t count,
                   const __grid_constant__ ParticleColumns<Particle> particles, BinSums* __restrict__ bins) {
    const warp::CudaWarp warp;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    const std::int64_t first = i - warp.lane();
    if (i >= count) return;
    const unsigned mask = warp::first_lanes(static_cast<unsigned>(min(count - first, std::int64_t{32})));
    const auto motion = particles.motion(i);
    const int bin = static_cast<int>(rule.row(motion.position, particles.species_at(i)));
    BinSums sums = rule.contribute(rule.velocity(motion.position, motion.velocity));
    const unsigned peers = warp::find_peers_by_match(warp, mask, bin);
    warp::reduce_peers(warp, mask, peers, sums.value);
    if (!warp::is_leader(peers, warp.lane())) return;
#pragma unroll
    for (int k = 0; k < BinSums::count; ++k) atomicAdd(bins[bin].value + k, sums.value[k]);
}

/// Adds one sample to the block and clears it.
static __global__ void __launch_bounds__(block_size)
    fold_bins(const __grid_constant__ BinRule rule, BinSums* __restrict__ sample,
              FieldSums* __restrict__ block, StepReport* __restrict__ report) {
    const std::int64_t bin = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (bin >= rule.bin_count()) return;
    if (!rule.fold(sample, bin, block)) atomicOr(&report->faults, fault_bin);
    for (std::int64_t row = bin; row < rule.row_count(); row += rule.bin_count()) sample[row] = BinSums{};
}

/// The same for the flux.
static __global__ void __launch_bounds__(block_size)
    fold_pressure_bins(double mass, double time_step, std::int64_t count,
                       PressureBinSums* __restrict__ sample, PressureSums* __restrict__ block) {
    const std::int64_t bin = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (bin >= count) return;
    fold_pressure(sample[bin], mass, time_step, block[bin]);
    sample[bin] = PressureBinSums{};
}

}  // namespace mpcflow
