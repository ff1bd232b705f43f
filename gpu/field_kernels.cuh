#pragma once
/// Sums over the bins of fields. A block takes two thousand particles at a time, puts them into groups by
/// bin and adds up the groups (gpu/block/grouped_sums.hpp): particles that are near in memory are in few
/// bins.

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

/// The shared memory of a block: its groups. The more particles they are of, the more are in each.
template <class Key>
using BinGroups = block::GroupScratch<Key, block_size, 8>;

/// Adds every particle to its bin; particles are strided over a grid of any size.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    sum_bins(const __grid_constant__ BinRule rule, std::int64_t count,
             const __grid_constant__ ParticleColumns<Particle> particles, BinSums* __restrict__ bins) {
    using Row = std::uint32_t;
    __shared__ BinGroups<Row> groups;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * groups.items;
    for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * groups.items; first < count;
         first += stride) {
        block::add_grouped<BinSums::count>(
            block::CudaBlock{}, warp::CudaAtomics{}, groups,
            [&](unsigned item) {
                if (first + item >= count) return block::no_key<Row>;
                const auto motion = particles.motion(first + item);
                return static_cast<Row>(rule.row(motion.position, motion.species()));
            },
            [&](Row, unsigned item) {
                const auto motion = particles.motion(first + item);
                return rule.velocity(motion.position, motion.velocity);
            },
            [&](const auto& velocity, double(&values)[BinSums::count]) {
                const BinSums sums = rule.contribute(velocity);
#pragma unroll
                for (int k = 0; k < BinSums::count; ++k) values[k] = sums.value[k];
            },
            [&](Row row, int component, double sum) { atomicAdd(bins[row].value + component, sum); });
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
