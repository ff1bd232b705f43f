#pragma once
/// The kernels of a step: resolve over cells, advance over particles (physics/step.hpp has the laws).

#include <cstdint>

#include "gpu/cell_sums.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/record_access.cuh"
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

__device__ inline void report_faults(std::uint32_t faults, std::uint32_t* to) {
    if (faults != no_fault) atomicOr(to, faults);
}

/// Sums of each cell -> what it does to its particles; clears the sums. Where the particles are to be
/// re-ordered, also their numbers, to be scanned into places.
template <class Law>
__global__ void __launch_bounds__(block_size)
    resolve_cells(const __grid_constant__ StepPlan<Law> plan, int cells, double* __restrict__ sums,
                  typename Law::Transform* __restrict__ transforms, std::uint32_t* __restrict__ numbers,
                  std::uint32_t* __restrict__ faults) {
    const int cell = static_cast<int>(blockIdx.x * block_size + threadIdx.x);
    if (cell >= cells) return;
    constexpr int stride = sum_stride<Law>;
    auto* row = reinterpret_cast<double2*>(sums + std::int64_t{cell} * stride);
    double values[stride];
#pragma unroll
    for (int i = 0; i < stride / 2; ++i) {
        const double2 pair = row[i];
        values[2 * i] = pair.x;
        values[2 * i + 1] = pair.y;
        row[i] = {0.0, 0.0};
    }
    typename Law::Sums cell_sums;
#pragma unroll
    for (int k = 0; k < Law::sum_count; ++k) cell_sums.value[k] = values[k];
    std::uint32_t found = no_fault;
    // A law that does not need its draw to resolve leaves it to each particle.
    typename Law::Draw draw{};
    if constexpr (Law::contributes_rotated) draw = Law::draw(plan.key(cell));
    transforms[cell] = plan.resolve(cell, cell_sums, draw, found);
    if (numbers != nullptr) numbers[cell] = static_cast<std::uint32_t>(cell_sums.value[0]);
    report_faults(found, faults);
}

/// What the kernels over particles share: one warp's shared memory, used for one thing at a time.
template <class Law, class Particle>
union WarpScratch {
    RecordScratch<Particle> records;
    LawScratch<Law> sums;
};

/// Contributes particles to the sums of the next collision.
template <class Law, class Particle, Summation summation>
__device__ __forceinline__ void contribute(const StepPlan<Law>& plan, const Particle& particle, double* sums,
                                           unsigned mask, WarpScratch<Law, Particle>& scratch) {
    const auto place = plan.next_grid.locate(particle.position);
    typename Law::Draw draw{};
    if constexpr (Law::contributes_rotated) draw = Law::draw(plan.next_key(place.cell));
    add_to_cells<Law, summation>(sums, place.cell, plan.law.contribute(draw, particle.velocity, place.offset), mask,
                                 scratch.sums);
}

/// Collides, streams and bins every particle and contributes it to the next step's sums. Writes it to
/// its own place, or, where `places` is given, to the next one in its cell's part of `to`.
template <class Law, class Particle, Summation summation, bool reorders>
__global__ void __launch_bounds__(block_size)
    advance_particles(const __grid_constant__ StepPlan<Law> plan, std::int64_t count, const Particle* from, Particle* to,
                      const typename Law::Transform* __restrict__ transforms, double* __restrict__ sums,
                      std::uint32_t* __restrict__ places, std::uint32_t* __restrict__ faults) {
    __shared__ WarpScratch<Law, Particle> scratches[warps_in_block];
    WarpScratch<Law, Particle>& scratch = scratches[threadIdx.x / 32];
    const WarpItems items(count);
    const warp::CudaWarp warp;
    if ((items.mask & warp::lane_bit(warp.lane())) == 0) return;

    Particle particle = load_record(from, items.first, items.mask, scratch.records);
    const auto place = plan.grid.locate(particle.position);
    std::int64_t destination = items.first + warp.lane();
    if constexpr (reorders) {
        const unsigned peers = warp::find_peers(warp, items.mask, place.cell);
        destination = warp::place_among_peers(warp, items.mask, peers, [&](unsigned number) {
            return atomicAdd(places + place.cell, number);
        });
    }
    std::uint32_t found = no_fault;
    plan.collide_and_stream(particle, place, transforms[place.cell], Law::draw(plan.key(place.cell)), found);
    report_faults(found, faults);
    store_record(to, destination, particle, items.mask, scratch.records);
    contribute<Law, Particle, summation>(plan, particle, sums, items.mask, scratch);
}

/// Only the contribution: the sums of the first collision.
template <class Law, class Particle, Summation summation>
__global__ void __launch_bounds__(block_size)
    contribute_particles(const __grid_constant__ StepPlan<Law> plan, std::int64_t count, const Particle* particles,
                         double* __restrict__ sums) {
    __shared__ WarpScratch<Law, Particle> scratches[warps_in_block];
    const WarpItems items(count);
    const warp::CudaWarp warp;
    if ((items.mask & warp::lane_bit(warp.lane())) == 0) return;
    contribute<Law, Particle, summation>(plan, particles[items.first + warp.lane()], sums, items.mask,
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
