#pragma once
/// The step over particles, tile by tile (`summation: tile`). A block takes the particles of a tile of cells
/// through a step, which follow each other in memory, and adds them to the cells of a box around the tile in
/// its shared memory. The box's sums are then added to the cells' rows, a few for each particle. So particles
/// need no peers, and lie in memory in any order within their tile.
///
/// Particles whose next cell is outside of the box, or full, add to the cell's row by themselves, at once;
/// but where flights are long those outside are left over (left_over.hpp), as are particles that met a wall:
/// whole warps end them afterwards. Among surfaces, those of them that meet nothing after all are added to
/// the box, too. Those that do meet something are left to finish_at_walls, as far as the wall queue has room:
/// a block would wait long for a few threads. Bits are those of every other way (TileBoxes in tile_box.hpp,
/// WordSums in word_sums.hpp).

#include <cstdint>
#include <type_traits>

#include "gpu/cell_kernels.cuh"
#include "gpu/compiler_hints.cuh"
#include "gpu/launch.cuh"
#include "gpu/leaving_particles.cuh"
#include "gpu/particle_kernels.cuh"
#include "gpu/tile_box.hpp"
#include "gpu/tile_memory.cuh"
#include "gpu/tile_turns.hpp"
#include "gpu/word_sums.hpp"

namespace mpcflow {

template <class Grid>
using TurnsOf = std::conditional_t<may_leave<Grid>, TurnsOfDomain, TurnsOfBox>;

/// What the kernel asks for beside ParticleStep.
template <class Law, class Grid>
struct TileStep {
    TileBoxes<Grid> boxes;  ///< on the grid of the next collision
    WordSums<Law> words;
    const std::uint32_t* starts;  ///< of the tiles' particles, and their number behind the last
    /// Where any may be left over, room for a number for each particle. A block lists them where its own
    /// particles are: those at walls from the first place on, those outside of the box from the last one
    /// back.
    std::uint32_t* left_over;
    TurnsOf<Grid> turns;
    int multiprocessors;  ///< of the device
    /// Particles are left with what they take on in the next collision, by kernels that can
    /// (can_leave_taken).
    bool leaves_taken = false;
    bool lists_outside = false;  ///< whether particles outside of their box are left over, too
};

/// Whether kernels can leave particles with what they take on in the next collision (TakesVelocities): in
/// plain systems, where what a particle has is the same in the frame of its cell.
template <Setting setting, class Law>
inline constexpr bool can_leave_taken = false;
template <TakesVelocities Law>
inline constexpr bool can_leave_taken<Setting::plain, Law> = true;

/// Blocks that shall fit on a multiprocessor: as many as shared memory and the registers of the law allow. To
/// call for a wave takes more of them.
template <class Law, Setting setting>
inline constexpr int tile_blocks = [] {
    if (WordSums<Law>::count > 31) return at_most_resident(3);
    const bool is_small = sizeof(typename Law::Real) == sizeof(float) && !Law::needs.offsets;
    // What draws for each particle takes registers for that.
    const bool is_smallest = is_small && !Law::needs.ids;
    if (setting == Setting::any) return at_most_resident(is_smallest ? 4 : 3);
    return at_most_resident(is_smallest || (is_small && setting == Setting::plain) ? 6 : 4);
}();

namespace detail {

/// What the block that is expected to take this one's place reads before all else, and so would wait for: the
/// place of its first particles, and these. One thread asks for them, at the beginning for the place and at
/// the end for the particles, these of cards of compute capability 9.0 and later alone.
template <Setting setting, class Law, class Particle, class Grid>
class FetchForLaterTurn {
public:
    __device__ explicit FetchForLaterTurn(const TileStep<Law, Grid>& tiles) : tiles_(tiles) {}

    __device__ void fetch_place() const {
        if (is_there()) asm volatile("prefetch.global.L2 [%0];" ::"l"(tiles_.starts + tile()));
    }
    __device__ void fetch_particles(const ParticleColumns<Particle>& particles) const {
        if (!is_there()) return;
        const std::uint32_t* starts = tiles_.starts + tile();
        const std::uint32_t first = starts[0] & ~31U;
        if (first < starts[1])
            particles.fetch_motions(first, min(starts[1] - first, std::uint32_t{block_size}));
    }

private:
    [[nodiscard]] __device__ int turn() const {
        return static_cast<int>(blockIdx.x) + tile_blocks<Law, setting> * tiles_.multiprocessors;
    }
    [[nodiscard]] __device__ bool is_there() const {
        return threadIdx.x == block_size - 1 && turn() < static_cast<int>(gridDim.x);
    }
    [[nodiscard]] __device__ int tile() const { return tiles_.turns.tile(tiles_.boxes.order(), turn()); }

    const TileStep<Law, Grid>& tiles_;
};

}  // namespace detail

/// Collides, streams and bins the particles of a tile, a block each, and contributes them to the next step's
/// sums. Shared memory: a TileMemory.
template <Setting setting, bool reorders, class Law, class Particle, class Grid>
__global__ void __launch_bounds__(block_size, (tile_blocks<Law, setting>))
    advance_tiles(const __grid_constant__ StepPlan<Law, Grid> plan,
                  const __grid_constant__ ParticleStep<Law, Particle, Grid> step,
                  const __grid_constant__ TileStep<Law, Grid> tiles) {
    using Real = typename Law::Real;
    extern __shared__ uint4 shared_memory[];
    auto& memory = *reinterpret_cast<TileMemory<Law>*>(shared_memory);
    constexpr bool many_meet_walls = setting == Setting::among_surfaces;
    constexpr bool can_leave = can_leave_taken<setting, Law>;
    const warp::CudaWarp warp;
    const int tile = tiles.turns.tile(tiles.boxes.order(), static_cast<int>(blockIdx.x));
    // The kernel ahead writes none of what is read until it is waited for.
    const std::uint32_t first = PastL1::load(tiles.starts + tile);
    const std::uint32_t last = PastL1::load(tiles.starts + tile + 1);
    if (first == last) {  // a tile of solid, or of a halo
        wait_for_kernel_ahead();
        let_next_kernel_begin();
        return;
    }
    // Warps begin on whole sectors; the lanes before the tile's first particle have none.
    std::uint32_t i = (first & ~31U) + threadIdx.x;
    Motion<Particle> next{};
    if (i >= first && i < last) next = step.from.template motion<PastL1>(i);

    Vec3<int> box = tiles.boxes.first(tile);
    keep_in_registers(box);
    for (int local = static_cast<int>(threadIdx.x); local < TileMemory<Law>::cells; local += block_size)
        memory.cell[local] = tiles.boxes.index(box, local);
    const detail::FetchForLaterTurn<setting, Law, Particle, Grid> later(tiles);
    later.fetch_place();
    memory.clear();
    wait_for_kernel_ahead();
    let_next_kernel_begin();
    memory.fetch_draws(step.draws, tiles.boxes.cell_count());
    __syncthreads();

    // Tells that a particle of a deep tile, whose next cell this is, has gone astray.
    const auto note_if_astray = [&]([[maybe_unused]] Vec3<int> next_cell) {
        if constexpr (may_leave<Grid>) {
            if (!tiles.turns.is_deep(static_cast<int>(blockIdx.x))) return;
            if (tiles.boxes.is_astray(box, next_cell))
                atomicMax(&step.report->last_astray_step, plan.step + 1ULL);
        }
    };
    // Adds a particle that is at the end of its step, and whose place in memory is `at`; or it leaves. It may
    // get the velocity that it takes on in the next collision, which is not yet stored. Where flights are
    // short few are beyond the box or in a full cell, and these add by themselves, at once: if they waited
    // for the box to be done with, the block would wait for them. Where flights are long they are listed, but
    // not by those who read the list of particles at walls, as both lists are in one place.
    const auto add_particle = [&](auto& particle, std::uint32_t at, bool may_list = false) {
        CellPlace<Real> next_place{};
        const Vec3<int> next_cell =
            plan.next_grid.template unwrapped<setting>(particle.position, next_place.offset);
        const Vec3<int> on_grid = plan.next_grid.from_unwrapped(next_cell);
        const int local = tiles.boxes.local(box, next_cell);
        if (local == TileBox::outside) {
            note_if_astray(next_cell);
            if (!plan.next_grid.has(on_grid)) return step.leaving.push(at);
            if (may_list && tiles.lists_outside) {
                tiles.left_over[last - 1 - atomicAdd(&memory.outside, 1U)] = at;
                return;
            }
        }
        next_place.cell = plan.next_grid.index(on_grid);
        const auto draw = memory.draws.of(step.draws, local, next_place.cell);
        typename Law::Sums sums;
        if constexpr (can_leave) {
            Vec3<Real> taken;
            sums = plan.template unrounded<setting>(particle, next_place, draw, taken);
            if (tiles.leaves_taken) particle.velocity = taken;
        } else {
            sums = plan.template unrounded<setting>(particle, next_place, draw);
        }
        if (local != TileBox::outside && memory.add(tiles.words, sums, local)) return;
        sums = rounded(plan.law, sums);
#pragma unroll
        for (int k = 0; k < Law::sum_count; ++k)
            atomicAdd(step.sums[next_place.cell].value + k, sums.value[k]);
    };

#pragma unroll 1
    while (reorders ? warp.any(warp::full_mask, i < last) : i < last) {
        const std::uint32_t origin = i;
        const bool is_here = i >= first && i < last;
        auto particle = flying_particle(step.from, origin, next);
        // The next one is on its way while this one is computed.
        i += block_size;
        if (i < last) next = step.from.motion(i);

        CellPlace<Real> place{};
        // The grids of both steps number cells alike: one of them is asked, as its numbers fill registers.
        const Vec3<int> cell = plan.next_grid.from_unwrapped(
            plan.grid.template unwrapped<setting>(particle.position, place.offset));
        place.cell = plan.next_grid.index(cell);
        std::uint32_t destination = origin;
        if constexpr (reorders) {
            const TiledOrder& order = tiles.boxes.order();
            const int next_tile = is_here ? order.tile_of(cell) : -1;
            const unsigned peers = warp::find_peers_by_match(warp, warp::full_mask, next_tile);
            destination = warp::place_among_peers(warp, warp::full_mask, peers, [&](unsigned number) {
                return next_tile < 0 ? 0U : atomicAdd(step.slots + order.first_rank(next_tile), number);
            });
        }
        if (!is_here) continue;
        const CellAction<Law> action = load_constant_record(step.actions + place.cell);
        std::uint32_t found = no_fault;
        const bool is_at_wall =
            plan.template collide_and_fly<setting>(particle, place, action, found) == StreamOutcome::at_wall;
        report_findings(found, plan.step, step.report);
        const auto store = [&] { step.to.set_motion(destination, particle.position, particle.velocity); };
        if (!can_leave || is_at_wall) store();
        if constexpr (reorders) step.to.set_label(destination, *particle.label);
        if (is_at_wall) {
            tiles.left_over[first + atomicAdd(&memory.at_wall, 1U)] = destination;
            continue;
        }
        add_particle(particle, destination, true);
        if (can_leave) store();
    }
    later.fetch_particles(step.from);
    __syncthreads();
    if constexpr (many_meet_walls) {
        // Most of them meet nothing after all. Those that do come afterwards, so that nobody waits for them.
        const std::uint32_t near_wall = memory.at_wall;
        __syncthreads();
        if (threadIdx.x == 0) memory.at_wall = 0;
        for (std::uint32_t start = 0; start < near_wall; start += block_size) {
            const std::uint32_t j = start + threadIdx.x;
            std::uint32_t at = 0;
            bool is_at_wall = false;
            if (j < near_wall) {
                at = tiles.left_over[first + j];
                auto particle = flying_particle(step.to, at, step.to.motion(at));
                std::uint32_t found = no_fault;
                is_at_wall = !plan.template fly_on<setting>(particle, found);
                if (!is_at_wall) {
                    report_findings(found, plan.step, step.report);
                    step.to.set_motion(at, particle.position, particle.velocity);
                    add_particle(particle, at);
                }
            }
            __syncthreads();  // the list has been read up to where it is written
            if (is_at_wall) tiles.left_over[first + atomicAdd(&memory.at_wall, 1U)] = at;
        }
        __syncthreads();
        const WallQueue& queue = step.wall_queue;
        const std::uint32_t hits = memory.at_wall;
        if (threadIdx.x == 0)
            memory.first_queued = hits > 0 && queue.room > 0 ? atomicAdd(&queue.state->count, hits) : 0U;
        __syncthreads();
        const bool are_queued = memory.first_queued + hits <= queue.room;
        for (std::uint32_t j = threadIdx.x; j < hits; j += block_size) {
            const std::uint32_t at = tiles.left_over[first + j];
            const std::uint32_t slot = memory.first_queued + j;
            if (slot < queue.room) queue.slots[slot] = are_queued ? at : WallQueue::none;
            if (are_queued) continue;
            auto particle = bounce_and_store<setting>(plan, step.to, at, step.report);
            add_particle(particle, at);
        }
        __syncthreads();
    }
    memory.flush(tiles.words, step.sums);
    const std::uint32_t at_wall = many_meet_walls ? 0 : memory.at_wall;
    const std::uint32_t left = at_wall + memory.outside;
    if (left == 0) return;
    __syncthreads();

    for (std::uint32_t start = threadIdx.x & ~31U; start < left; start += block_size) {
        const unsigned mask = warp::first_lanes(left - start);
        const std::uint32_t mine = start + warp.lane();
        if (mine < left) {
            const bool is_at_wall = !many_meet_walls && mine < at_wall;
            const std::uint32_t at = tiles.left_over[is_at_wall ? first + mine : last - 1 - (mine - at_wall)];
            const auto particle = is_at_wall ? bounce_and_store<setting>(plan, step.to, at, step.report)
                                             : flying_particle(step.to, at, step.to.motion(at));
            if constexpr (may_leave<Grid>) {
                Vec3<Real> offset;
                if (is_at_wall)
                    note_if_astray(plan.next_grid.template unwrapped<setting>(particle.position, offset));
            }
            [[maybe_unused]] const bool stays =
                contribute_or_leave<setting>(particle, at, plan, step, mask, memory.leaders);
            if constexpr (can_leave) {
                if (stays && tiles.leaves_taken)
                    step.to.set_motion(at, particle.position, plan.template take<setting>(particle));
            }
        }
        warp.sync(warp::full_mask);
    }
}

/// advance_tiles as it is compiled for each setting.
template <class Law, class Particle, class Grid>
struct TileKernels {
    using Kernel = void (*)(StepPlan<Law, Grid>, ParticleStep<Law, Particle, Grid>, TileStep<Law, Grid>);

    /// Takes the first `count` turns of `tiles`.
    static void launch(const StepPlan<Law, Grid>& plan, const ParticleStep<Law, Particle, Grid>& step,
                       const TileStep<Law, Grid>& tiles, bool reorders, int count, LaunchPlace place) {
        if (count == 0) return;
        mpcflow::launch(place, of(plan, reorders), static_cast<unsigned>(count), sizeof(TileMemory<Law>),
                        plan, step, tiles);
    }
    /// After the launches of a step that another one follows, or not: TileStep::leaves_taken.
    static void note_taken(StepPlan<Law, Grid>& plan, bool another_follows) {
        plan.are_taken =
            another_follows && plan.setting() == Setting::plain && can_leave_taken<Setting::plain, Law>;
    }
    /// Whether those of a plan put particles that hit surfaces into the wall queue.
    [[nodiscard]] static bool queue_at_surfaces(const StepPlan<Law, Grid>& plan) {
        return Law::masses == Masses::equal && plan.setting() == Setting::among_surfaces &&
               plan.streaming.surfaces().exist();
    }
    /// Before the first launch of those of a plan.
    static void give_memory(const StepPlan<Law, Grid>& plan) {
        for (const bool reorders : {false, true}) give_shared_memory<TileMemory<Law>>(of(plan, reorders));
    }

private:
    [[nodiscard]] static Kernel of(const StepPlan<Law, Grid>& plan, bool reorders) {
        const Setting setting = plan.setting();
        if (setting == Setting::plain) return of<Setting::plain>(reorders);
        // Mixtures have no kernels of their own for what is between: compiling takes long enough.
        if constexpr (Law::masses == Masses::equal) {
            if (setting == Setting::sheared) return of<Setting::sheared>(reorders);
            if (setting == Setting::among_surfaces) return of<Setting::among_surfaces>(reorders);
        }
        return of<Setting::any>(reorders);
    }
    template <Setting setting>
    [[nodiscard]] static Kernel of(bool reorders) {
        return reorders ? advance_tiles<setting, true, Law, Particle, Grid>
                        : advance_tiles<setting, false, Law, Particle, Grid>;
    }
};

}  // namespace mpcflow
