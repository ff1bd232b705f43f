#pragma once
/// The kernels of a step over particles: advance, and what comes before the first and after the few that hit
/// a wall (physics/step.hpp has the laws).

#include <cstdint>

#include "gpu/cell_kernels.cuh"
#include "gpu/cell_sums.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/record_access.cuh"
#include "gpu/step_report.cuh"
#include "gpu/warp/aggregated_increment.hpp"
#include "gpu/warp/compact.hpp"
#include "gpu/warp/count_distinct.hpp"
#include "gpu/warp/work_queue.hpp"
#include "physics/collision/srd.hpp"
#include "physics/initial_state.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// Blocks that shall fit on a multiprocessor, for which the compiler then does with fewer registers; 0 leaves
/// it to the compiler. More warps hide more of the waiting, until registers are spilled (docs/decisions/).
template <class Law, class Particle, Summation way>
inline constexpr int min_blocks = 0;
// A multiprocessor of compute capability 7.5 has room for 1024 threads, others for 1536 or more.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
inline constexpr int many_blocks = 1024 / block_size;
#else
inline constexpr int many_blocks = 5;
#endif
template <ThermostatKind thermostat>
inline constexpr int min_blocks<Srd<double, thermostat>, ParticleDouble, Summation::match> = many_blocks;

/// The shared memory of a block in the kernels over particles: for records and for sums, each in its time.
/// A warp asks for its part where it needs it. Of a reference to that part, made at the head of a kernel, the
/// compiler works out the address again and again, up to 8 % of a step (docs/decisions/).
template <class Law, class Particle>
class ParticleScratch {
public:
    __device__ RecordScratch<Particle>& records() { return of_warps_[threadIdx.x / 32].records; }
    __device__ LeaderScratch<Law::sum_count>& sums() { return of_warps_[threadIdx.x / 32].sums; }

private:
    union {
        RecordScratch<Particle> records;
        LeaderScratch<Law::sum_count> sums;
    } of_warps_[warps_in_block];
};

/// What a particle adds, and to which cell.
template <class Law>
struct Contribution {
    int cell = 0;
    typename Law::Sums sums;
};

/// What a particle contributes to the sums of the next collision.
template <class Law, class Particle>
__device__ __forceinline__ Contribution<Law> contribution_of(const Particle& particle,
                                                             const StepPlan<Law>& plan,
                                                             const CellDraws<Law>& draws) {
    const auto place = plan.next_grid.locate(particle.position);
    const auto draw = draws.next(place.cell, [](const auto* kept) { return load_constant_record(kept); });
    return {place.cell, plan.contribute(particle, place, draw)};
}

/// Adds the contributions of the lanes of `mask`, which call it.
template <Summation way, class Law, class Particle>
__device__ __forceinline__ void contribute(Contribution<Law> contribution, unsigned mask, SumRow<Law>* sums,
                                           ParticleScratch<Law, Particle>& scratch) {
    add_sums<way, FirstSum::ones>(sums->value, contribution.cell, contribution.sums.value, mask,
                                  scratch.sums());
}

/// The particles of a step before and after it, and what else the kernels over particles need. `to` is
/// `from`, or, in steps that re-order, another array, in which slots[memory_rank(c)] says where the next
/// particle of cell c goes.
template <class Law, class Particle>
struct ParticleStep {
    std::int64_t count;
    const Particle* from;
    Particle* to;
    const CellAction<Law>* actions;
    CellDraws<Law> draws;
    SumRow<Law>* sums;
    std::uint32_t* slots;
    WallQueue wall_queue;
    StepReport* report;
};

/// Collides and streams the caller's particle, the one of its lane behind `first`, and stores it; called by
/// all lanes of `mask`. Particles that meet a wall are stored as they are before, and queued: finish_at_walls
/// ends their step; their lanes are taken from `mask`.
template <bool reorders, class Law, class Particle, class Scratch>
__device__ __forceinline__ Particle collide_and_store(const StepPlan<Law>& plan,
                                                      const ParticleStep<Law, Particle>& step,
                                                      std::int64_t first, unsigned& mask, Scratch& scratch) {
    const warp::CudaWarp warp;
    std::int64_t destination = first + warp.lane();
    Particle particle = load_record(step.from + destination);
    const auto place = plan.grid.locate(particle.position);
    if constexpr (reorders) {
        const unsigned peers = warp::find_peers_by_votes(warp, mask, place.cell);
        const int rank = memory_rank<typename Law::Real>(plan.grid.cells(), place.cell);
        destination = warp::place_among_peers(
            warp, mask, peers, [&](unsigned number) { return atomicAdd(step.slots + rank, number); });
    }
    std::uint32_t found = no_fault;
    const CellAction<Law> action = load_constant_record(step.actions + place.cell);
    const bool is_at_wall = plan.collide_and_fly(particle, place, action, found) == StreamOutcome::at_wall;
    report_findings(found, plan.step, step.report);
    store_records<reorders ? Placement::scattered : Placement::in_order>(step.to, destination, particle, mask,
                                                                         scratch.records());
    if (step.wall_queue.slots != nullptr) {
        const unsigned at_wall = warp::place_selected(warp, mask, is_at_wall, [&](unsigned number) {
            return atomicAdd(&step.wall_queue.state->count, number);
        });
        if (is_at_wall) step.wall_queue.slots[at_wall] = static_cast<std::uint32_t>(destination);
        mask = warp.ballot(mask, !is_at_wall);
    }
    return particle;
}

/// Collides, streams and bins every particle and contributes it to the next step's sums.
template <class Law, class Particle, Summation way, bool reorders>
__global__ void __launch_bounds__(block_size, (min_blocks<Law, Particle, way>))
    advance_particles(const __grid_constant__ StepPlan<Law> plan,
                      const __grid_constant__ ParticleStep<Law, Particle> step) {
    __shared__ ParticleScratch<Law, Particle> scratch;
    const WarpItems items(step.count);
    unsigned mask = items.mask;
    const unsigned own_bit = warp::lane_bit(warp::CudaWarp{}.lane());
    if ((mask & own_bit) == 0) return;
    const Particle particle = collide_and_store<reorders>(plan, step, items.first, mask, scratch);
    if ((mask & own_bit) == 0) return;
    contribute<way>(contribution_of(particle, plan, step.draws), mask, step.sums, scratch);
}

/// Ends the step of the particles that are queued at walls: bounces them, and contributes them. A few warps
/// for all of them, which take the next ones when they are done: nobody knows on the host how many there are.
template <class Law, class Particle>
__global__ void __launch_bounds__(block_size)
    finish_at_walls(const __grid_constant__ StepPlan<Law> plan,
                    const __grid_constant__ ParticleStep<Law, Particle> step) {
    __shared__ ParticleScratch<Law, Particle> scratch;
    const warp::CudaWarp warp;
    const warp::WorkQueue<std::uint32_t> queue{&step.wall_queue.state->taken, step.wall_queue.state->count};
    while (true) {
        const auto items =
            warp::take_items(warp, warp::CudaAtomics{}, warp::full_mask, queue, warp::warp_size);
        if (items.is_empty()) return;
        const unsigned mask = warp::first_lanes(items.last - items.first);
        if ((mask & warp::lane_bit(warp.lane())) != 0) {
            Particle* const at = step.to + step.wall_queue.slots[items.first + warp.lane()];
            Particle particle = load_record(at);
            std::uint32_t found = no_fault;
            plan.bounce(particle, found);
            report_findings(found, plan.step, step.report);
            *at = particle;
            contribute<Summation::peers>(contribution_of(particle, plan, step.draws), mask, step.sums,
                                         scratch);
        }
        warp.sync(warp::full_mask);
    }
}

/// Only the contribution: the sums of the first collision.
template <class Law, class Particle>
__global__ void __launch_bounds__(block_size)
    contribute_particles(const __grid_constant__ StepPlan<Law> plan, std::int64_t count,
                         const Particle* particles, CellDraws<Law> draws, SumRow<Law>* __restrict__ sums) {
    __shared__ ParticleScratch<Law, Particle> scratch;
    const WarpItems items(count);
    const warp::CudaWarp warp;
    if ((items.mask & warp::lane_bit(warp.lane())) == 0) return;
    contribute<Summation::peers>(contribution_of(particles[items.first + warp.lane()], plan, draws),
                                 items.mask, sums, scratch);
}

/// Adds up the distinct cells, on the grid of the next collision, of `warps` warps of particles that are
/// spread evenly over all whole warps.
template <class Law, class Particle>
__global__ void __launch_bounds__(block_size)
    count_distinct_cells(const __grid_constant__ StepPlan<Law> plan, std::int64_t whole_warps, int warps,
                         const Particle* __restrict__ particles, unsigned* __restrict__ distinct_cells) {
    const int number = static_cast<int>(blockIdx.x * warps_in_block + threadIdx.x / 32);
    if (number >= warps) return;
    const warp::CudaWarp warp;
    const std::int64_t first = 32 * (whole_warps * number / warps);
    const int cell = plan.next_grid.locate(particles[first + warp.lane()].position).cell;
    const unsigned distinct = warp::count_distinct(warp, warp::full_mask, cell);
    if (warp.lane() == 0) atomicAdd(distinct_cells, distinct);
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
