#pragma once
/// The kernels of a step over particles: advance, and what comes before the first and after the few that hit
/// a wall (physics/step.hpp has the laws).

#include <cstdint>
#include <type_traits>

#include "gpu/cell_kernels.cuh"
#include "gpu/cell_order.hpp"
#include "gpu/cell_sums.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/launch.cuh"
#include "gpu/leaving_particles.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/record_access.cuh"
#include "gpu/step_report.cuh"
#include "gpu/warp/aggregated_increment.hpp"
#include "gpu/warp/compact.hpp"
#include "gpu/warp/work_queue.hpp"
#include "physics/cell_draws.hpp"
#include "physics/collision/srd.hpp"
#include "physics/initial_state.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// A way of summing that the compiler knows.
template <Summation way>
inline constexpr std::integral_constant<Summation, way> known_way{};

/// Blocks that shall fit on a multiprocessor, for which the compiler then does with fewer registers; 0 leaves
/// it to the compiler. More warps hide more of the waiting, until registers are spilled (docs/decisions/).
template <class Law, class Way>
inline constexpr int min_blocks = 0;
template <Scaling scaling>
inline constexpr int min_blocks<Srd<double, scaling>, std::integral_constant<Summation, Summation::match>> =
    at_most_resident(5);

/// The shared memory of a block for the sums of its warps' leaders. A warp asks for its part where it needs
/// it. Of a reference to that part, made at the head of a kernel, the compiler works out the address again
/// and again, up to 8 % of a step (docs/decisions/).
template <class Law>
class BlockLeaders {
public:
    __device__ LeaderScratch<Law::sum_count>& of_warp() { return of_warps_[threadIdx.x / 32]; }

private:
    LeaderScratch<Law::sum_count> of_warps_[warps_in_block];
};

/// What a particle adds, and to which cell.
template <class Law>
struct Contribution {
    int cell = 0;
    typename Law::Sums sums;
};

/// What a particle contributes to the sums of the next collision.
template <Setting setting = Setting::any, class Law, class Particle, class Grid>
__device__ __forceinline__ Contribution<Law> contribution_of(const Particle& particle,
                                                             const StepPlan<Law, Grid>& plan,
                                                             const CellDraws<Law>& draws) {
    const auto place = plan.next_grid.template locate<setting>(particle.position);
    const auto draw = draws.next(place.cell, LoadConstant{});
    return {place.cell, plan.template contribute<setting>(particle, place, draw)};
}

/// Adds the contributions of the lanes of `mask`, which call it. `way` is a Summation, or known to the
/// compiler as std::integral_constant.
template <class Way, class Law>
__device__ __forceinline__ void contribute(Way way, Contribution<Law> contribution, unsigned mask,
                                           SumRow<Law>* sums, BlockLeaders<Law>& leaders) {
    const auto add = [&](auto known) {
        add_sums<known(), FirstSum::ones>(sums->value, contribution.cell, contribution.sums.value, mask,
                                          leaders.of_warp());
    };
    if (way == Summation::match) add(known_way<Summation::match>);
    else if (way == Summation::direct) add(known_way<Summation::direct>);
    else if (way == Summation::cas) add(known_way<Summation::cas>);
    else add(known_way<Summation::peers>);
}

/// Where the particles of tiles begin in memory, and into how many layers those of a tile are dealt
/// (dealt()).
struct TileStarts {
    const std::uint32_t* starts = nullptr;
    std::uint32_t layers = 1;
};

/// The particles of a step before and after it, and what else the kernels over particles need. `to` is
/// `from`, or, in steps that re-order, other memory, in which slots[rank of cell c] says where the next
/// particle of cell c goes (TiledOrder).
template <class Law, class Particle, class Grid = CellGrid<typename Law::Real>>
struct ParticleStep {
    std::int64_t count;
    ParticleColumns<Particle> from;
    ParticleColumns<Particle> to;
    const CellAction<Law>* actions;
    CellDraws<Law> draws;
    SumRow<Law>* sums;
    std::uint32_t* slots;
    TileStarts deal_into{};  ///< none: particles are put in the order of cells
    WallQueue wall_queue{};
    StepReport* report = nullptr;
    LeavingOf<Grid> leaving{};
};

/// Collides and streams the caller's particle, the one of its lane behind `first`, and stores it; called by
/// all lanes of `mask`. Particles that meet a wall are stored as they are before, and queued: finish_at_walls
/// ends their step; their lanes are taken from `mask`.
template <Setting setting = Setting::any, class Reorders, class Law, class Particle>
__device__ __forceinline__ FlyingParticle<Particle> collide_and_store(Reorders reorders,
                                                                      const StepPlan<Law>& plan,
                                                                      const ParticleStep<Law, Particle>& step,
                                                                      std::int64_t first, unsigned& mask) {
    const warp::CudaWarp warp;
    const std::int64_t origin = first + warp.lane();
    std::int64_t destination = origin;
    FlyingParticle<Particle> particle = flying_particle(step.from, origin, step.from.motion(origin));
    const auto place = plan.grid.template locate<setting>(particle.position);
    if (reorders) {
        const unsigned peers = warp::find_peers_by_match(warp, mask, place.cell);
        const int rank = TiledOrder(plan.grid).rank(place.cell);
        destination = warp::place_among_peers(
            warp, mask, peers, [&](unsigned number) { return atomicAdd(step.slots + rank, number); });
        if (step.deal_into.starts != nullptr) {
            const auto [starts, layers] = step.deal_into;
            const int tile = TiledOrder(plan.grid).tile_of(place.cell);
            destination = starts[tile] + dealt(static_cast<std::uint32_t>(destination) - starts[tile],
                                               starts[tile + 1] - starts[tile], layers);
        }
    }
    std::uint32_t found = no_fault;
    const CellAction<Law> action = load_constant_record(step.actions + place.cell);
    const bool is_at_wall =
        plan.template collide_and_fly<setting>(particle, place, action, found) == StreamOutcome::at_wall;
    report_findings(found, plan.step, step.report);
    step.to.set_motion(destination, particle.position, particle.velocity);
    if (reorders) step.to.set_label(destination, *particle.label);
    if (step.wall_queue.state != nullptr) {
        const unsigned at_wall = warp::place_selected(warp, mask, is_at_wall, [&](unsigned number) {
            return atomicAdd(&step.wall_queue.state->count, number);
        });
        if (is_at_wall) step.wall_queue.slots[at_wall] = static_cast<std::uint32_t>(destination);
        mask = warp.ballot(mask, !is_at_wall);
    }
    return particle;
}

/// Collides, streams and bins every particle and contributes it to the next step's sums. Of the fastest way
/// each kernel is compiled apart, for plain plans alone, `way` and `reorders` being known to the compiler;
/// all others are one.
template <class Way, class Reorders, class Law, class Particle>
__global__ void __launch_bounds__(block_size, (min_blocks<Law, Way>))
    advance_particles(const __grid_constant__ StepPlan<Law> plan,
                      const __grid_constant__ ParticleStep<Law, Particle> step, Way way, Reorders reorders) {
    __shared__ BlockLeaders<Law> leaders;
    wait_for_kernel_ahead();
    let_next_kernel_begin();
    const WarpItems items(step.count);
    unsigned mask = items.mask;
    const unsigned own_bit = warp::lane_bit(warp::CudaWarp{}.lane());
    if ((mask & own_bit) == 0) return;
    constexpr Setting setting = std::is_same_v<Way, Summation> ? Setting::any : Setting::plain;
    const FlyingParticle<Particle> particle =
        collide_and_store<setting>(reorders, plan, step, items.first, mask);
    if ((mask & own_bit) == 0) return;
    contribute(way, contribution_of<setting>(particle, plan, step.draws), mask, step.sums, leaders);
}

/// Ends the step of a particle that was left at a wall.
template <Setting setting = Setting::any, class Law, class Particle, class Grid>
__device__ __forceinline__ FlyingParticle<Particle> bounce_and_store(
    const StepPlan<Law, Grid>& plan, const ParticleColumns<Particle>& particles, std::int64_t at,
    StepReport* report) {
    FlyingParticle<Particle> particle = flying_particle(particles, at, particles.motion(at));
    std::uint32_t found = no_fault;
    plan.template bounce<setting>(particle, found);
    report_findings(found, plan.step, report);
    particles.set_motion(at, particle.position, particle.velocity);
    return particle;
}

/// Ends the step of the particles that are queued at walls: bounces them, and contributes them. A few warps
/// for all of them, which take the next ones when they are done: nobody knows on the host how many there are.
template <class Law, class Particle>
__global__ void __launch_bounds__(block_size)
    finish_at_walls(const __grid_constant__ StepPlan<Law> plan,
                    const __grid_constant__ ParticleStep<Law, Particle> step) {
    __shared__ BlockLeaders<Law> leaders;
    wait_for_kernel_ahead();
    let_next_kernel_begin();
    const warp::CudaWarp warp;
    const warp::WorkQueue<std::uint32_t> queue{&step.wall_queue.state->taken, step.wall_queue.count()};
    while (true) {
        const auto items =
            warp::take_items(warp, warp::CudaAtomics{}, warp::full_mask, queue, warp::warp_size);
        if (items.is_empty()) return;
        std::uint32_t at = WallQueue::none;
        if (warp.lane() < items.last - items.first) at = step.wall_queue.slots[items.first + warp.lane()];
        const unsigned mask = warp.ballot(warp::full_mask, at != WallQueue::none);
        if (at != WallQueue::none) {
            const auto particle = bounce_and_store(plan, step.to, at, step.report);
            contribute(known_way<Summation::match>, contribution_of(particle, plan, step.draws), mask,
                       step.sums, leaders);
        }
        warp.sync(warp::full_mask);
    }
}

/// Ends the step of the particles at `at`, one of each lane of `mask`, which call it: those on the grid
/// contribute, the others leave, and false is returned.
template <Setting setting = Setting::any, class Particle, class Law, class Record, class Grid>
__device__ __forceinline__ bool contribute_or_leave(const Particle& particle, std::uint32_t at,
                                                    const StepPlan<Law, Grid>& plan,
                                                    const ParticleStep<Law, Record, Grid>& step,
                                                    unsigned mask, BlockLeaders<Law>& leaders) {
    if constexpr (may_leave<Grid>) {
        const bool stays = plan.next_grid.template locate<setting>(particle.position).cell != no_cell;
        mask = warp::CudaWarp{}.ballot(mask, stays);
        if (!stays) {
            step.leaving.push(at);
            return false;
        }
    }
    contribute(known_way<Summation::match>, contribution_of<setting>(particle, plan, step.draws), mask,
               step.sums, leaders);
    return true;
}

/// Only the contribution: the sums of the first collision.
template <class Law, class Particle, class Grid>
__global__ void __launch_bounds__(block_size)
    contribute_particles(const __grid_constant__ StepPlan<Law, Grid> plan, std::int64_t count,
                         const __grid_constant__ ParticleColumns<Particle> particles, CellDraws<Law> draws,
                         SumRow<Law>* __restrict__ sums) {
    __shared__ BlockLeaders<Law> leaders;
    const WarpItems items(count);
    const warp::CudaWarp warp;
    if ((items.mask & warp::lane_bit(warp.lane())) == 0) return;
    contribute(known_way<Summation::match>,
               contribution_of(particles[items.first + warp.lane()], plan, draws), items.mask, sums, leaders);
}

template <class Particle>
__global__ void __launch_bounds__(block_size)
    create_particles(const __grid_constant__ InitialState initial, std::int64_t count,
                     const __grid_constant__ ParticleColumns<Particle> particles) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) particles.set(i, initial.particle<Particle>(static_cast<std::uint64_t>(i)));
}

template <class Particle>
__global__ void __launch_bounds__(block_size)
    subtract_velocity(Vec3<typename Particle::Real> velocity, std::int64_t count,
                      const __grid_constant__ ParticleColumns<Particle> particles) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    const auto motion = particles.motion(i);
    particles.set_motion(i, motion.position, motion.velocity - velocity);
}

}  // namespace mpcflow
