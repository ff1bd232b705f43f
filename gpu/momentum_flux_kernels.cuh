#pragma once
/// The flux of momentum in the step to come (physics/observables/momentum_flux.hpp), added up over all
/// particles. Before the kernel, resolve_cells has foreseen the actions of the step.

#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/record_access.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/reduce.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// What the sums over all particles are added to.
struct MomentumFluxResult {
    MomentumFluxSums flux;
    WallSums walls;
};

/// What a particle does in the step to come.
template <class Law, class Particle, class Grid>
[[nodiscard]] __device__ __forceinline__ ParticleFlux<typename Law::Real, Law::masses> flux_of(
    const StepPlan<Law, Grid>& plan, const MomentumFluxRule<typename Law::Real>& rule,
    const Particle& particle, const CellAction<Law>* actions) {
    const auto place = plan.grid.locate(particle.position);
    return rule.measure(plan, particle, place, load_constant_record(actions + place.cell));
}

/// Adds to the block's sums of faces, and to the sums of the surfaces in the box in memory.
struct AddToWalls {
    double* block_sums;
    SurfaceSums* surfaces;

    __device__ void operator()(int face, const double* taken) const {
#pragma unroll
        for (int k = 0; k < WallSums::of_face; ++k)
            atomicAdd(block_sums + WallSums::of_face * face + k, taken[k]);
    }
    __device__ void to_surface(int number, const double* taken) const {
#pragma unroll
        for (int k = 0; k < SurfaceSums::count; ++k) atomicAdd(surfaces[number].taken + k, taken[k]);
    }
};

/// Adds what the particles of a warp give to walls to the block's sums, and to surfaces in the box to their
/// sums; called by whole warps.
template <class Real, Masses masses>
__device__ __forceinline__ void add_to_walls(const MomentumFluxRule<Real>& rule, bool is_mine,
                                             const ParticleFlux<Real, masses>& flux, double* block_sums,
                                             SurfaceSums* surfaces) {
    constexpr int of_face = WallSums::of_face;
    const warp::CudaWarp warp;
    // Few hit a wall in a flight, and one by one.
    if (is_mine) {
        const AddToWalls add{block_sums, surfaces};
        rule.measure_hits(flux, add);
        rule.measure_surfaces(flux, add);
    }
    const bool is_cut = is_mine && (flux.fill.is_cut || flux.is_by_surfaces);
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

/// Adds up the flux of all particles; where there are walls, also what these take. `surfaces` has one for
/// each surface of the input.
template <class Law, class Particle, class Grid>
__global__ void __launch_bounds__(block_size)
    sum_momentum_flux(const __grid_constant__ StepPlan<Law, Grid> plan,
                      const __grid_constant__ MomentumFluxRule<typename Law::Real> rule, std::int64_t count,
                      const __grid_constant__ ParticleColumns<Particle> particles,
                      const CellAction<Law>* __restrict__ actions, MomentumFluxResult* __restrict__ result,
                      SurfaceSums* __restrict__ surfaces) {
    __shared__ double walls[WallSums::count];
    if (threadIdx.x < WallSums::count) walls[threadIdx.x] = 0.0;
    __syncthreads();

    MomentumFluxSums sums;
    const warp::CudaWarp warp;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_size;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * block_size + (threadIdx.x & ~31U);
    for (std::int64_t start = first; start < count; start += stride) {  // by whole warps
        const std::int64_t i = start + warp.lane();
        ParticleFlux<typename Law::Real, Law::masses> flux{};
        if (i < count) {
            flux = flux_of(plan, rule, particles[i], actions);
            sums += rule.contribute(flux);
        }
        if (rule.has_walls()) add_to_walls(rule, i < count, flux, walls, surfaces);
    }
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

}  // namespace mpcflow
