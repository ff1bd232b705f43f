#pragma once
/// The kernels of a step over cells: resolve (physics/step.hpp has the laws), and what cells are in memory.

#include <cstdint>
#include <type_traits>

#include "gpu/cell_order.hpp"
#include "gpu/cell_sums.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/launch.cuh"
#include "gpu/record_access.cuh"
#include "gpu/step_report.cuh"
#include "gpu/warp/compact.hpp"
#include "physics/boundary/cell_surfaces.hpp"
#include "physics/boundary/surface_view.hpp"
#include "physics/cell_draws.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// Where in the grid a warp is: its first item, and which of its lanes have one.
struct WarpItems {
    std::int64_t first;
    unsigned mask;

    __device__ explicit WarpItems(std::int64_t count)
        : WarpItems((static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x) & ~std::int64_t{31},
                    count) {}
    __device__ WarpItems(std::int64_t a_first, std::int64_t count)
        : first(a_first),
          mask(count > first ? warp::first_lanes(static_cast<unsigned>(min(count - first, std::int64_t{32})))
                             : 0U) {}
};

/// The cells that a launch works on: all,
struct AllCells {
    int count;

    [[nodiscard]] unsigned blocks() const { return block_count(count); }
    __device__ WarpItems items() const { return WarpItems(count); }
};
/// or some groups, of 32 that follow each other in memory.
struct CellGroups {
    const std::uint32_t* groups;
    int group_count;
    int cells;  ///< in all

    [[nodiscard]] unsigned blocks() const { return block_count(std::int64_t{32} * group_count); }
    __device__ WarpItems items() const {
        const int warp = static_cast<int>((blockIdx.x * block_size + threadIdx.x) / 32U);
        return warp < group_count ? WarpItems(std::int64_t{32} * groups[warp], cells)
                                  : WarpItems(cells, cells);
    }
};

/// Draws for every cell what its first collision needs before the sums are.
template <class Law, class Grid>
__global__ void __launch_bounds__(block_size)
    draw_for_cells(const __grid_constant__ StepPlan<Law, Grid> plan, int cells, CellDraws<Law> draws) {
    const int cell = static_cast<int>(blockIdx.x * block_size + threadIdx.x);
    if (cell < cells) draws.begin(plan, cell);
}

/// The sums of a cell in memory, sum_stride of them with what fills them up; read and written in pieces of 16
/// bytes, or of 8 where their number is odd.
template <class Law>
struct alignas(sum_stride<Law::sum_count> % 2 == 0 ? 16 : 8) SumRow : Law::Sums {};

/// The particles that met a wall in this step and wait to be finished: where they are in memory.
struct WallQueue {
    struct State {
        std::uint32_t count;  ///< of slots asked for, perhaps more than there are
        std::uint32_t taken;  ///< of them, by the warps of finish_at_walls
    };
    /// In a slot, where no particle is.
    static constexpr std::uint32_t none = ~0U;

    std::uint32_t* slots = nullptr;
    std::uint32_t room = 0;  ///< so many slots
    State* state = nullptr;  ///< none where there is no wall

    /// Of slots that were counted, so many are there.
    [[nodiscard]] __device__ std::uint32_t count() const { return min(state->count, room); }
};

/// The cells that may be special (StepPlan::may_be_special) and wait to be resolved.
struct SpecialQueue {
    std::uint32_t* count = nullptr;       ///< of them
    std::uint32_t* cells = nullptr;       ///< as many as there are cells
    std::uint32_t* next_count = nullptr;  ///< of the next resolve_cells, which begins with none
    /// Of each group of 32 cells a bit for each, whether it may be special in any step.
    const std::uint32_t* may_be_special = nullptr;

    /// Whether cell number `cell`, that of lane `lane`, is to wait, in which `particles` are. Some that may
    /// be special are not: to find out which, here, would keep the other cells waiting.
    [[nodiscard]] __device__ bool has(int cell, unsigned lane, double particles) const {
        return (may_be_special[cell / 32] & warp::lane_bit(lane)) != 0 && particles != 0.0;
    }
};

/// One warp's shared memory in resolve_cells, used for one thing at a time.
template <class Law>
union ResolveScratch {
    static_assert(sizeof(SumRow<Law>) == sum_stride<Law::sum_count> * sizeof(double));
    RecordsInPlace<SumRow<Law>> sums;
    RecordScratch<CellAction<Law>> actions;
};

/// Whether the step follows at once, or what it will do is only asked: then nothing but the actions changes,
/// and faults are left to the step.
enum class Resolving { for_the_step, foreseen };

/// What resolve_cells does with special cells: there are none; they are left to
/// resolve_special_cells, since what walls and streams take would keep all of a warp waiting for one of its
/// cells, and cost all cells registers; or they are resolved with the others.
enum class SpecialCells { none, queued, with_others };

/// Blocks of resolve_cells that shall fit on a multiprocessor, at least: laws with offsets and a thermostat
/// would take so many registers that one fits. That sums are in shared memory while cells draw leaves room
/// for the fourth of SRD with a thermostat.
template <class Law>
inline constexpr int resolve_blocks = Law::needs.offsets ? 2 : 4;

/// Sums of each cell -> what it does to its particles; clears the sums. Cells without particles may be left
/// the action that they had. Where the particles are to be re-ordered (`numbers` is given), also their
/// numbers in the order of memory, to be scanned into slots. Empties the wall queue, and the next one of
/// special cells. The first `early_blocks` draw before they wait for the kernel ahead.
template <Resolving resolving, SpecialCells special, class Law, class Grid, class Cells>
__global__ void __launch_bounds__(block_size, resolve_blocks<Law>)
    resolve_cells(const __grid_constant__ StepPlan<Law, Grid> plan, Cells cells,
                  SumRow<Law>* __restrict__ sums, CellAction<Law>* __restrict__ actions,
                  CellDraws<Law> cell_draws, std::uint32_t* __restrict__ numbers, WallQueue wall_queue,
                  SpecialQueue special_queue, unsigned early_blocks, StepReport* __restrict__ report) {
    // Known to the compiler: as an argument of the kernel it made SRD+a in mixed precision 1.8 times as slow
    // here.
    constexpr bool is_for_the_step = resolving == Resolving::for_the_step;
    static_assert(warps_in_block * sizeof(ResolveScratch<Law>) <= (48U << 10U));
    __shared__ ResolveScratch<Law> scratches[warps_in_block];
    ResolveScratch<Law>& scratch = scratches[threadIdx.x / 32];
    const WarpItems items = cells.items();
    const warp::CudaWarp warp;
    const int cell = static_cast<int>(items.first + warp.lane());

    // Draws hang on no sum, and are made while one waits for sums, or for the kernel ahead; also those of
    // lanes without a cell, which nobody takes.
    constexpr bool draws = !Law::needs.draws_before_sums && !std::is_empty_v<typename Law::Draw>;
    constexpr bool draws_meanwhile = draws || ToResolve<Law>::has_draws;
    constexpr Loading loading = draws_meanwhile ? Loading::meanwhile : Loading::at_once;
    const bool draws_ahead = draws_meanwhile && blockIdx.x < early_blocks;
    const bool has_cell = (items.mask & warp::lane_bit(warp.lane())) != 0;
    const auto begin = [&] {
        wait_for_kernel_ahead();
        let_next_kernel_begin();
        begin_loading<loading>(sums + items.first, items.mask, scratch.sums);
    };
    CellAction<Law> action{};
    if (!draws_ahead) begin();
    if constexpr (draws) action.set_draw(cell_draws.present(plan, cell));
    const auto drawn_to_resolve = plan.draw_to_resolve(cell);
    if (draws_ahead) begin();
    if (!draws && has_cell) action.set_draw(cell_draws.present(plan, cell));
    if (special == SpecialCells::queued && blockIdx.x == 0 && threadIdx.x == 0) *special_queue.next_count = 0;
    if (wall_queue.state != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *wall_queue.state = {0, 0};
    if (!has_cell) return;
    // They stay in shared memory, where they take no registers, until the action is written there.
    const typename Law::Sums& cell_sums =
        loaded_record<loading>(sums + items.first, items.mask, scratch.sums);
    const double particles = cell_sums.number();
    bool is_queued = false;
    if constexpr (special == SpecialCells::queued) {
        is_queued = special_queue.has(cell, warp.lane(), particles);
        const auto at = warp::place_selected(warp, items.mask, is_queued, [&](unsigned number) {
            return atomicAdd(special_queue.count, number);
        });
        if (is_queued) special_queue.cells[at] = static_cast<std::uint32_t>(cell);
    }
    // Among surfaces many warps have cells of solid alone. Sums of cells without particles are zero as they
    // are, and nobody asks for their actions.
    const bool are_any = special == SpecialCells::none || warp.any(items.mask, particles != 0.0);
    std::uint32_t found = no_fault;
    if (are_any) {
        if constexpr (is_for_the_step)
            clear_records(sums + items.first, items.mask,
                          special == SpecialCells::queued ? warp.ballot(items.mask, is_queued) : 0U);
        if (!is_queued) {
            if constexpr (special == SpecialCells::with_others)
                action.transform = plan.resolve(cell, cell_sums, action.draw(), found, drawn_to_resolve);
            else
                action.transform =
                    plan.resolve_plain(cell, cell_sums, action.draw(), found, drawn_to_resolve);
        }
        store_records<Placement::in_order>(actions, cell, action, items.mask, scratch.actions);
    }
    // Last: written among the reads of the sums, the same bytes made the kernel half as slow again, 1.7
    // times in double (docs/decisions/).
    if (is_for_the_step && !is_queued) cell_draws.begin(plan, cell);
    if (numbers != nullptr) numbers[TiledOrder(plan.grid).rank(cell)] = static_cast<std::uint32_t>(particles);
    if constexpr (is_for_the_step) report_findings(found, plan.step, report);
}

/// Of each group of 32 cells a bit for each, as a SpecialQueue has them. `surfaces` are in the device's
/// memory.
template <class Law, class Grid>
__global__ void __launch_bounds__(block_size)
    mark_special_cells(const __grid_constant__ StepPlan<Law, Grid> plan,
                       const __grid_constant__ SurfaceView surfaces, int cells,
                       std::uint32_t* __restrict__ bits) {
    const int cell = static_cast<int>(blockIdx.x * block_size + threadIdx.x);
    const bool may_be = cell < cells && plan.may_be_special(cell, surfaces);
    const unsigned group = warp::CudaWarp{}.ballot(warp::full_mask, may_be);
    if (cell < cells && threadIdx.x % 32 == 0) bits[cell / 32] = group;
}

/// Ends what resolve_cells left to it, after it: a thread a cell, a fixed number of blocks for all of them,
/// since nobody knows on the host how many there are.
template <class Law, class Grid>
__global__ void __launch_bounds__(block_size)
    resolve_special_cells(const __grid_constant__ StepPlan<Law, Grid> plan, SpecialQueue queue,
                          SumRow<Law>* __restrict__ sums, CellAction<Law>* __restrict__ actions,
                          CellDraws<Law> draws, StepReport* __restrict__ report) {
    wait_for_kernel_ahead();
    let_next_kernel_begin();
    const std::uint32_t count = *queue.count;
    for (std::uint32_t i = blockIdx.x * block_size + threadIdx.x; i < count; i += gridDim.x * block_size) {
        const int cell = static_cast<int>(queue.cells[i]);
        CellAction<Law> action{};
        action.set_draw(draws.present(plan, cell));
        std::uint32_t found = no_fault;
        action.transform = plan.resolve(cell, load_record(sums + cell), action.draw(), found);
        store_record(sums + cell, SumRow<Law>{});
        store_record(actions + cell, action);
        draws.begin(plan, cell);
        report_findings(found, plan.step, report);
    }
}

}  // namespace mpcflow
