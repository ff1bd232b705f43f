#pragma once
/// The flux of momentum in the step to come (physics/observables/momentum_flux.hpp), added up over all
/// particles.

#include <cstdint>

#include "gpu/block_sums.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/device_flux.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/record_access.cuh"
#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/deferred.hpp"
#include "gpu/warp/peer_reduce.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/reduce.hpp"
#include "physics/observables/momentum_flux.hpp"

namespace mpcflow {

/// What a block's particles give to walls, in its shared memory: to faces, and to the first surfaces of the
/// input; others add to memory.
struct BlockWalls {
    static constexpr int surfaces = 2;
    static constexpr int count = WallSums::count + surfaces * SurfaceSums::count;

    double taken[count];

    [[nodiscard]] __device__ double* of_face(int face) { return taken + WallSums::of_face * face; }
    [[nodiscard]] __device__ double* of_surface(int number) {
        return taken + WallSums::count + SurfaceSums::count * number;
    }
    /// Adds what was taken to sums in memory; a thread a number.
    __device__ void flush(WallSums& faces, SurfaceSums* all_surfaces) const {
        const int i = static_cast<int>(threadIdx.x);
        if (i >= count || taken[i] == 0.0) return;
        const int of_surfaces = i - WallSums::count;
        atomicAdd(of_surfaces < 0 ? faces.taken + i
                                  : all_surfaces[of_surfaces / SurfaceSums::count].taken +
                                        of_surfaces % SurfaceSums::count,
                  taken[i]);
    }
};
static_assert(BlockWalls::count <= block_size);

/// Adds what one particle, or some of a warp, give to a face or a surface.
struct AddToWalls {
    BlockWalls& block;
    SurfaceSums* surfaces;

    __device__ void operator()(int face, const double* taken) const {
        add<WallSums::of_face>(block.of_face(face), taken);
    }
    __device__ void to_surface(int number, const double* taken) const {
        add<SurfaceSums::count>(
            number < BlockWalls::surfaces ? block.of_surface(number) : surfaces[number].taken, taken);
    }

private:
    template <int K>
    __device__ static void add(double* sums, const double* taken) {
#pragma unroll
        for (int k = 0; k < K; ++k) atomicAdd(sums + k, taken[k]);
    }
};

/// What particles in which walls may have a part add to the sums over all particles; what they give to walls,
/// they add. Called by whole warps, with `is_mine` by lanes that have a particle. Not inlined: few warps need
/// it, and what it keeps in memory is then not all warps'.
template <Setting setting, class Plan>
__device__ __noinline__ MomentumFluxSums sum_at_walls(const Plan& plan,
                                                      const MomentumFluxRule<typename Plan::Real>& rule,
                                                      bool is_mine, const typename Plan::Particle& particle,
                                                      const AddToWalls& add) {
    constexpr unsigned all = warp::full_mask;
    const warp::CudaWarp warp;
    FluxAtWalls<typename Plan::Real, Plan::masses> flux{};
    MomentumFluxSums sums;
    // Few hit a wall in a flight, and one by one.
    if (is_mine) {
        const auto place = plan.grid.template locate<setting>(particle.position);
        flux = rule.template measure_at_walls<setting>(plan, particle, place, LoadConstant{});
        sums = rule.contribute(flux);
        rule.template measure_hits<setting>(flux, add);
    }
    if constexpr (may_have_surfaces(setting)) {
        // Nearly all of a warp give to the same surface.
        const int near = is_mine ? rule.surfaces_near(flux) : 0;
        for (int which = 0; warp.any(all, which < near); ++which) {
            double taken[SurfaceSums::count]{};
            int surface = no_surface;
            if (which < near) surface = rule.put_surface_collision(flux, which, taken);
            const unsigned peers = warp::find_peers_by_match(warp, all, surface);
            warp::reduce_peers(warp, all, peers, taken);
            if (surface != no_surface && warp::is_leader(peers, warp.lane())) add.to_surface(surface, taken);
        }
    }
    const bool is_cut = is_mine && flux.walls.are_any();
    if (!warp.any(all, is_cut)) return sums;
    for (int face = 0; face < face_count; ++face) {
        double taken[WallSums::of_face]{};
        if (is_cut) rule.put_collision(flux, face, taken);
        bool is_any = false;
#pragma unroll
        for (int k = 0; k < WallSums::of_face; ++k) is_any |= taken[k] != 0.0;
        if (!warp.any(all, is_any)) continue;
        warp::reduce_down(warp, all, taken);
        if (warp.lane() == 0) add(face, taken);
    }
    return sums;
}

/// Adds up the flux of all particles and, where there may be walls, what these take. `surfaces` has one for
/// each surface of the input.
template <Setting setting, bool may_have_walls, class Plan>
__global__ void __launch_bounds__(block_size)
    sum_momentum_flux(const __grid_constant__ Plan plan,
                      const __grid_constant__ MomentumFluxRule<typename Plan::Real> rule, std::int64_t count,
                      const __grid_constant__ ParticleColumns<typename Plan::Particle> particles,
                      MomentumFluxResult* __restrict__ result, SurfaceSums* __restrict__ surfaces) {
    using Particle = typename Plan::Particle;
    [[maybe_unused]] __shared__ BlockWalls walls;
    [[maybe_unused]] __shared__ warp::DeferredItems<std::int64_t> at_walls[warps_in_block];
    if constexpr (may_have_walls) {
        if (threadIdx.x < BlockWalls::count) walls.taken[threadIdx.x] = 0.0;
        __syncthreads();
    }

    MomentumFluxSums sums;
    const warp::CudaWarp warp;
    // Particles at walls take long, and are measured by full warps of such.
    [[maybe_unused]] warp::Deferred<std::int64_t> deferred(warp::full_mask, at_walls[threadIdx.x / 32]);
    [[maybe_unused]] const auto measure_deferred = [&](bool is_mine, std::int64_t i) {
        const Particle particle = is_mine ? particles[i] : Particle{};
        sums += sum_at_walls<setting>(plan, rule, is_mine, particle, {walls, surfaces});
    };
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_size;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * block_size + (threadIdx.x & ~31U);
    for (std::int64_t start = first; start < count; start += stride) {  // by whole warps
        const std::int64_t i = start + warp.lane();
        [[maybe_unused]] bool is_at_wall = false;
        if (i < count) {
            const Particle particle = particles[i];
            const auto place = plan.grid.template locate<setting>(particle.position);
            if constexpr (may_have_walls) {
                ParticleFlux<typename Plan::Real, Plan::masses> flux;
                is_at_wall = !rule.template measure_without_walls<setting>(plan, particle, place,
                                                                           LoadConstant{}, flux);
                if (!is_at_wall) sums += rule.contribute(flux);
            } else {
                sums +=
                    rule.contribute(rule.template measure<setting>(plan, particle, place, LoadConstant{}));
            }
        }
        if constexpr (may_have_walls) deferred.put(warp, is_at_wall, i, measure_deferred);
    }
    if constexpr (may_have_walls) deferred.finish(warp, measure_deferred);
    add_block_sums(sums.velocity, result->flux.velocity);
    add_block_sums(sums.kinetic_flux, result->flux.kinetic_flux);
    add_block_sums(sums.collisional_flux, result->flux.collisional_flux);
    // All threads have been through add_block_sums() since they added to the walls.
    if constexpr (may_have_walls) walls.flush(result->walls, surfaces);
}

}  // namespace mpcflow
