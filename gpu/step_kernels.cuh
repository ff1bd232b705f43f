#pragma once
/// The kernels of a step: resolve over cells, advance over particles (physics/step.hpp has the laws).

#include <cstdint>

#include "gpu/cell_sums.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/record_access.cuh"
#include "gpu/step_report.cuh"
#include "gpu/warp/aggregated_increment.hpp"
#include "physics/initial_state.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// Where in the grid a warp is: its first item, and which of its lanes have one.
struct WarpItems {
    std::int64_t first;
    unsigned mask;

    __device__ explicit WarpItems(std::int64_t count)
        : first((static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x) & ~std::int64_t{31}),
          mask(count > first ? warp::first_lanes(static_cast<unsigned>(min(count - first, std::int64_t{32}))) : 0U) {}
};

/// A draw, filled up to a power of two.
template <class Law>
struct alignas(4 * sizeof(typename Law::Real)) PaddedDraw {
    typename Law::Draw draw;
    typename Law::Real unused;
};

/// Draws for every cell what its first collision needs before the sums are.
template <class Law>
__global__ void __launch_bounds__(block_size)
    draw_for_cells(const __grid_constant__ StepPlan<Law> plan, int cells, PaddedDraw<Law>* __restrict__ next_draws) {
    const int cell = static_cast<int>(blockIdx.x * block_size + threadIdx.x);
    if (cell < cells) next_draws[cell] = {Law::draw(plan.next_key(cell)), 0};
}

/// The sums of a cell in memory: whole sectors.
template <class Law>
struct alignas(32) SumRow {
    double value[sum_stride<Law>];
};

/// One warp's shared memory in resolve_cells, used for one thing at a time.
template <class Law>
union ResolveScratch {
    RecordScratch<SumRow<Law>> sums;
    RecordScratch<CellAction<Law>> actions;
};

/// Sums of each cell -> what it does to its particles; clears the sums. For laws that need it, draws for
/// the next collision (`next_draws`, which holds the draws of this one). Where the particles are to be
/// re-ordered (`numbers` is given), also their numbers, to be scanned into places.
template <class Law>
__global__ void __launch_bounds__(block_size)
    resolve_cells(const __grid_constant__ StepPlan<Law> plan, int cells, SumRow<Law>* __restrict__ sums,
                  CellAction<Law>* __restrict__ actions, PaddedDraw<Law>* __restrict__ next_draws,
                  std::uint32_t* __restrict__ numbers, StepReport* __restrict__ report) {
    __shared__ ResolveScratch<Law> scratches[warps_in_block];
    ResolveScratch<Law>& scratch = scratches[threadIdx.x / 32];
    const WarpItems items(cells);
    const warp::CudaWarp warp;
    if ((items.mask & warp::lane_bit(warp.lane())) == 0) return;
    const int cell = static_cast<int>(items.first + warp.lane());

    const SumRow<Law> row = load_records(sums + items.first, items.mask, scratch.sums);
    warp.sync(items.mask);  // all of the warp have read before any row is cleared
    clear_records(sums + items.first, items.mask);
    typename Law::Sums cell_sums;
#pragma unroll
    for (int k = 0; k < Law::sum_count; ++k) cell_sums.value[k] = row.value[k];
    CellAction<Law> action{};
    if constexpr (Law::contributes_rotated) {
        action.draw = next_draws[cell].draw;
        next_draws[cell] = {Law::draw(plan.next_key(cell)), 0};
    } else {
        action.draw = Law::draw(plan.key(cell));
    }
    std::uint32_t found = no_fault;
    action.transform = plan.resolve(cell, cell_sums, action.draw, found);
    store_records<Placement::in_order>(actions, cell, action, items.mask, scratch.actions);
    if (numbers != nullptr) numbers[cell] = static_cast<std::uint32_t>(cell_sums.value[0]);
    report_findings(found, plan.step, report);
}

/// What the kernels over particles share: one warp's shared memory, used for one thing at a time.
template <class Law, class Particle>
union WarpScratch {
    RecordScratch<Particle> records;
    LawScratch<Law> sums;
};

/// Contributes particles to the sums of the next collision.
template <class Law, class Particle, Summation summation>
__device__ __forceinline__ void contribute(const StepPlan<Law>& plan, const Particle& particle, SumRow<Law>* sums,
                                           const PaddedDraw<Law>* next_draws, unsigned mask,
                                           WarpScratch<Law, Particle>& scratch) {
    const auto place = plan.next_grid.locate(particle.position);
    typename Law::Draw draw{};
    if constexpr (Law::contributes_rotated) draw = next_draws[place.cell].draw;
    add_to_cells<Law, summation>(sums->value, place.cell, plan.law.contribute(draw, particle.velocity, place.offset), mask,
                                 scratch.sums);
}

/// Collides, streams and bins every particle and contributes it to the next step's sums. Writes it to
/// its own place, or, where `places` is given, to the next one in its cell's part of `to`.
template <class Law, class Particle, Summation summation, bool reorders>
__global__ void __launch_bounds__(block_size)
    advance_particles(const __grid_constant__ StepPlan<Law> plan, std::int64_t count, const Particle* from, Particle* to,
                      const CellAction<Law>* __restrict__ actions, const PaddedDraw<Law>* __restrict__ next_draws,
                      SumRow<Law>* __restrict__ sums, std::uint32_t* __restrict__ places,
                      StepReport* __restrict__ report) {
    __shared__ WarpScratch<Law, Particle> scratches[warps_in_block];
    WarpScratch<Law, Particle>& scratch = scratches[threadIdx.x / 32];
    const WarpItems items(count);
    const warp::CudaWarp warp;
    if ((items.mask & warp::lane_bit(warp.lane())) == 0) return;

    Particle particle = load_record(from + items.first + warp.lane());
    const auto place = plan.grid.locate(particle.position);
    std::int64_t destination = items.first + warp.lane();
    if constexpr (reorders) {
        const unsigned peers = warp::find_peers_by_votes(warp, items.mask, place.cell);
        destination = warp::place_among_peers(warp, items.mask, peers, [&](unsigned number) {
            return atomicAdd(places + place.cell, number);
        });
    }
    std::uint32_t found = no_fault;
    const CellAction<Law> action = actions[place.cell];
    plan.collide_and_stream(particle, place, action, found);
    report_findings(found, plan.step, report);
    store_records<reorders ? Placement::scattered : Placement::in_order>(to, destination, particle, items.mask,
                                                                         scratch.records);
    contribute<Law, Particle, summation>(plan, particle, sums, next_draws, items.mask, scratch);
}

/// Only the contribution: the sums of the first collision.
template <class Law, class Particle, Summation summation>
__global__ void __launch_bounds__(block_size)
    contribute_particles(const __grid_constant__ StepPlan<Law> plan, std::int64_t count, const Particle* particles,
                         const PaddedDraw<Law>* __restrict__ next_draws, SumRow<Law>* __restrict__ sums) {
    __shared__ WarpScratch<Law, Particle> scratches[warps_in_block];
    const WarpItems items(count);
    const warp::CudaWarp warp;
    if ((items.mask & warp::lane_bit(warp.lane())) == 0) return;
    contribute<Law, Particle, summation>(plan, particles[items.first + warp.lane()], sums, next_draws, items.mask,
                                         scratches[threadIdx.x / 32]);
}

template <class Particle>
__global__ void __launch_bounds__(block_size)
    create_particles(const __grid_constant__ InitialState initial, std::int64_t count, Particle* particles) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) particles[i] = initial.particle<Particle>(static_cast<std::uint64_t>(i));
}

template <class Particle>
__global__ void __launch_bounds__(block_size)
    subtract_velocity(Vec3<typename Particle::Real> velocity, std::int64_t count, Particle* particles) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) particles[i].velocity = particles[i].velocity - velocity;
}

}  // namespace mpcflow
