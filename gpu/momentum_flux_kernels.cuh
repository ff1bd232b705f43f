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
template <Setting setting, class Law, class Particle, class Grid>
[[nodiscard]] __device__ __forceinline__ ParticleFlux<typename Law::Real, Law::masses> flux_of(
    const StepPlan<Law, Grid>& plan, const MomentumFluxRule<typename Law::Real>& rule,
    const Particle& particle, const CellAction<Law>* actions) {
    const auto place = plan.grid.template locate<setting>(particle.position);
    return rule.template measure<setting>(plan, particle, place, load_constant_record(actions + place.cell));
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
/// sums; called by whole warps, with `is_mine` by lanes whose particle may give something. Not inlined: few
/// warps need it, and what it keeps in memory is then not all warps'.
template <Setting setting, class Law, class Particle, class Grid>
__device__ __noinline__ void add_to_walls(const StepPlan<Law, Grid>& plan,
                                          const MomentumFluxRule<typename Law::Real>& rule, bool is_mine,
                                          const Particle& particle, const CellAction<Law>* actions,
                                          double* block_sums, SurfaceSums* surfaces) {
    constexpr int of_face = WallSums::of_face;
    const warp::CudaWarp warp;
    FluxAtWalls<typename Law::Real, Law::masses> flux{};
    // Few hit a wall in a flight, and one by one.
    if (is_mine) {
        const auto place = plan.grid.template locate<setting>(particle.position);
        flux = rule.template measure_at_walls<setting>(plan, particle, place,
                                                       load_constant_record(actions + place.cell));
        const AddToWalls add{block_sums, surfaces};
        rule.template measure_hits<setting>(flux, add);
        if (may_have_surfaces(setting)) rule.measure_surfaces(flux, add);
    }
    const bool is_cut = is_mine && flux.walls.are_any();
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

/// Adds up the flux of all particles and, where there may be walls, what these take. `surfaces` has one for
/// each surface of the input.
template <Setting setting, bool may_have_walls, class Law, class Particle, class Grid>
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
        Particle particle{};
        bool gives_to_walls = false;
        if (i < count) {
            particle = particles[i];
            const auto flux = flux_of<setting>(plan, rule, particle, actions);
            sums += rule.contribute(flux);
            if constexpr (may_have_walls)
                gives_to_walls = rule.template gives_to_walls<setting>(plan, particle, flux);
        }
        if (may_have_walls && warp.any(warp::full_mask, gives_to_walls))
            add_to_walls<setting>(plan, rule, gives_to_walls, particle, actions, walls, surfaces);
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

/// The kernel that asks for no more than there is.
template <class Law, class Particle, class Grid>
[[nodiscard]] auto momentum_flux_kernel(Setting setting, bool has_walls) {
    if (setting == Setting::plain)
        return has_walls ? sum_momentum_flux<Setting::plain, true, Law, Particle, Grid>
                         : sum_momentum_flux<Setting::plain, false, Law, Particle, Grid>;
    if (setting == Setting::sheared && !has_walls)
        return sum_momentum_flux<Setting::sheared, false, Law, Particle, Grid>;
    return sum_momentum_flux<Setting::any, true, Law, Particle, Grid>;
}

}  // namespace mpcflow
