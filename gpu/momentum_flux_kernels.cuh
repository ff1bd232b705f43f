#pragma once
/// The flux of momentum in the step to come (physics/observables/momentum_flux.hpp): sums over all particles
/// and over field bins. Before these kernels, resolve_cells has foreseen the actions of the step.

#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/record_access.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/reduce.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// What the sums over all particles are added to.
struct MomentumFluxResult {
    MomentumFluxSums flux;
    WallSums walls;
};

/// Calls visit(mask, is_mine, flux) in whole warps, for the particles of which the lanes of `mask` have one;
/// particles are strided over a grid of any size.
template <class Law, class Particle, class Visit>
__device__ __forceinline__ void for_all_fluxes(const StepPlan<Law>& plan,
                                               const MomentumFluxRule<typename Law::Real>& rule,
                                               std::int64_t count, const ParticleColumns<Particle>& particles,
                                               const CellAction<Law>* actions, const Visit& visit) {
    const warp::CudaWarp warp;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_size;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * block_size + (threadIdx.x & ~31U);
    for (std::int64_t start = first; start < count; start += stride) {
        const unsigned mask = warp::first_lanes(static_cast<unsigned>(min(count - start, std::int64_t{32})));
        const bool is_mine = (mask & warp::lane_bit(warp.lane())) != 0;
        ParticleFlux<typename Law::Real> flux{};
        if (is_mine) {
            const Particle particle = particles[start + warp.lane()];
            const auto place = plan.grid.locate(particle.position);
            flux = rule.measure(plan, particle, place, load_constant_record(actions + place.cell));
        }
        visit(mask, is_mine, flux);
    }
}

/// Adds what the particles of a warp give to walls to the block's sums; called by whole warps.
template <class Real>
__device__ __forceinline__ void add_to_walls(const MomentumFluxRule<Real>& rule, bool is_mine,
                                             const ParticleFlux<Real>& flux, double* block_sums) {
    constexpr int of_face = WallSums::of_face;
    const warp::CudaWarp warp;
    // Few hit a wall in a flight, and one by one.
    if (is_mine) {
        rule.measure_hits(flux, [&](int face, const double* taken) {
#pragma unroll
            for (int k = 0; k < of_face; ++k) atomicAdd(block_sums + of_face * face + k, taken[k]);
        });
    }
    const bool is_cut = is_mine && flux.fill.is_cut;
    if (!warp.any(warp::full_mask, is_cut)) return;
    for (int face = 0; face < face_count; ++face) {
        double taken[of_face]{};
        if (is_cut) rule.put_collision(flux, face, taken);
        bool is_any = false;
#pragma unroll
        for (int k = 0; k < of_face; ++k) is_any |= taken[k] != 0.0;
        if (!warp.any(warp::full_mask, is_any)) continue;
        warp::reduce_down(warp, warp::full_mask, taken);
        if (warp.lane() != 0) continue;
        for (int k = 0; k < of_face; ++k) atomicAdd(block_sums + of_face * face + k, taken[k]);
    }
}

/// Adds up the flux of all particles; where there are walls, also what these take.
template <class Law, class Particle>
__global__ void __launch_bounds__(block_size)
    sum_momentum_flux(const __grid_constant__ StepPlan<Law> plan,
                      const __grid_constant__ MomentumFluxRule<typename Law::Real> rule, std::int64_t count,
                      const __grid_constant__ ParticleColumns<Particle> particles,
                      const CellAction<Law>* __restrict__ actions, MomentumFluxResult* __restrict__ result) {
    __shared__ double walls[WallSums::count];
    if (threadIdx.x < WallSums::count) walls[threadIdx.x] = 0.0;
    __syncthreads();

    MomentumFluxSums sums;
    for_all_fluxes(plan, rule, count, particles, actions,
                   [&](unsigned, bool is_mine, const ParticleFlux<typename Law::Real>& flux) {
                       if (is_mine) sums += rule.contribute(flux);
                       if (rule.has_walls()) add_to_walls(rule, is_mine, flux, walls);
                   });
    const warp::CudaWarp warp;
    warp::reduce_down(warp, warp::full_mask, sums.velocity);
    warp::reduce_down(warp, warp::full_mask, sums.kinetic_flux);
    warp::reduce_down(warp, warp::full_mask, sums.collisional_flux);
    if (warp.lane() == 0) {
#pragma unroll
        for (int i = 0; i < MomentumFluxSums::velocities; ++i)
            atomicAdd(&result->flux.velocity[i], sums.velocity[i]);
#pragma unroll
        for (int i = 0; i < MomentumFluxSums::kinetic; ++i)
            atomicAdd(&result->flux.kinetic_flux[i], sums.kinetic_flux[i]);
#pragma unroll
        for (int i = 0; i < MomentumFluxSums::collisional; ++i)
            atomicAdd(&result->flux.collisional_flux[i], sums.collisional_flux[i]);
    }
    __syncthreads();
    if (threadIdx.x < WallSums::count && walls[threadIdx.x] != 0.0)
        atomicAdd(&result->walls.taken[threadIdx.x], walls[threadIdx.x]);
}

/// Peers in a bin add up, and their leader adds to the bin's row, `offset` numbers behind its beginning;
/// called by the lanes of `mask`.
template <int K>
__device__ __forceinline__ void add_to_bin(unsigned mask, int bin, double (&values)[K], double* bins,
                                           int offset) {
    const warp::CudaWarp warp;
    const unsigned peers = warp::find_peers_by_match(warp, mask, bin);
    warp::reduce_peers(warp, mask, peers, values);
    if (!warp::is_leader(peers, warp.lane())) return;
    double* const row = bins + std::int64_t{bin} * PressureBinSums::count + offset;
#pragma unroll
    for (int k = 0; k < K; ++k) atomicAdd(row + k, values[k]);
}

/// Adds the flux of every particle to bins: the kinetic part where it is in mid-flight, the collisional part
/// where its cell is. In the block's own bins in shared memory, where they fit (`shared_bins`), or in global
/// memory.
template <class Law, class Particle>
__global__ void __launch_bounds__(block_size)
    sum_pressure_bins(const __grid_constant__ StepPlan<Law> plan,
                      const __grid_constant__ MomentumFluxRule<typename Law::Real> rule,
                      const __grid_constant__ BinRule bin_rule, std::int64_t count,
                      const __grid_constant__ ParticleColumns<Particle> particles,
                      const CellAction<Law>* __restrict__ actions, int shared_bins,
                      PressureBinSums* __restrict__ bins) {
    extern __shared__ double block_bins[];
    const int values = shared_bins * PressureBinSums::count;
    for (int i = static_cast<int>(threadIdx.x); i < values; i += block_size) block_bins[i] = 0.0;
    __syncthreads();

    double* const to = shared_bins > 0 ? block_bins : bins->value;
    for_all_fluxes(plan, rule, count, particles, actions,
                   [&](unsigned mask, bool is_mine, const ParticleFlux<typename Law::Real>& flux) {
                       if (!is_mine) return;
                       double in_flight[PressureBinSums::in_flight];
                       rule.put_in_bin_of_flight(flux, in_flight);
                       add_to_bin(mask, bin_rule.bin(flux.mid_flight_place), in_flight, to, 0);
                       double collisional[MomentumFluxSums::collisional];
                       rule.put_collisional(flux, collisional);
                       add_to_bin(mask, bin_rule.bin(flux.cell_centre), collisional, to,
                                  PressureBinSums::in_flight);
                   });
    if (shared_bins == 0) return;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < values; i += block_size)
        if (block_bins[i] != 0.0) atomicAdd(bins->value + i, block_bins[i]);
}

/// Adds one sample to the block and clears it.
static __global__ void __launch_bounds__(block_size)
    fold_pressure_bins(double mass, double time_step, std::int64_t count,
                       PressureBinSums* __restrict__ sample, PressureSums* __restrict__ block) {
    const std::int64_t bin = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (bin >= count) return;
    fold_pressure(sample[bin], mass, time_step, block[bin]);
    sample[bin] = PressureBinSums{};
}

}  // namespace mpcflow
