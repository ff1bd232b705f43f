#pragma once
/// The cells of a fluid on a device, of the whole box or of a domain: their sums, and what they do.

#include <algorithm>
#include <cstdint>

#include "gpu/cell_kernels.cuh"
#include "gpu/cell_order.hpp"
#include "gpu/cell_slots.cuh"
#include "gpu/compressible_memory.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/launch.cuh"
#include "gpu/observable_kernels.cuh"
#include "gpu/step_report.cuh"
#include "physics/boundary/surface_view.hpp"
#include "physics/cell_draws.hpp"
#include "physics/step.hpp"

namespace mpcflow {

template <class Law, class Grid>
class DeviceCells {
public:
    using Plan = StepPlan<Law, Grid>;

    /// Of a plan, `surfaces` being in the device's memory. `begins_early`: whether the kernels of resolve()
    /// may (gpu/launch.cuh).
    DeviceCells(const Plan& plan, const SurfaceView& surfaces, bool begins_early)
        : begins_early_(begins_early),
          count_(static_cast<int>(plan.next_grid.cell_count())),
          order_(plan.next_grid),
          sums_(count_),
          actions_(count_),
          kept_draws_(CellDraws<Law>::kept(count_)),
          slots_(order_),
          special_(plan.has_special_cells() ? 2 + std::int64_t{count_} : 0),
          may_be_special_(special_.size() > 0 ? (std::int64_t{count_} + 31) / 32 : 0) {
        special_.clear();  // both counts begin at zero
        if (may_be_special_.size() > 0) {
            mark_special_cells<<<block_count(count_), block_size>>>(plan, surfaces, count_,
                                                                    may_be_special_.data());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        if (begins_early) early_blocks_ = blocks_at_once();
        clear();
    }

    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] const TiledOrder& order() const { return order_; }
    [[nodiscard]] SumRow<Law>* sums() const { return sums_.data(); }
    [[nodiscard]] const CellAction<Law>* actions() const { return actions_.data(); }
    [[nodiscard]] CellDraws<Law> draws() const { return CellDraws<Law>(kept_draws_.data()); }
    /// By rank of cells: where the next particle of each goes, when particles are re-ordered.
    [[nodiscard]] std::uint32_t* slots() const { return slots_.data(); }
    [[nodiscard]] CellCounts counts() const {
        return {sums_.data()->value, count_, sum_stride<Law::sum_count>};
    }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return sums_.bytes() + actions_.bytes() + kept_draws_.bytes() + slots_.bytes() + special_.bytes() +
               may_be_special_.bytes();
    }

    /// Sums are zero again.
    void clear() const { sums_.clear(); }

    /// Draws for the first collision what is wanted before its sums are.
    void draw_first(const Plan& plan) const {
        if (kept_draws_.size() == 0) return;
        draw_for_cells<<<block_count(count_), block_size>>>(plan, count_, draws());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Actions of the step of `plan`, of cells with particles; the sums are zero then. Where particles are to
    /// be re-ordered, slots() has their numbers in the cells.
    void resolve(const Plan& plan, bool reorders, WallQueue wall_queue, StepReport* report) {
        resolve(plan, AllCells{count_}, reorders, wall_queue, report);
    }
    /// The same of some cells, of which no launch is empty.
    template <class Cells>
    void resolve(const Plan& plan, const Cells& cells, bool reorders, WallQueue wall_queue,
                 StepReport* report) {
        const LaunchPlace place{.is_early = begins_early_};
        const SpecialQueue special_queue = next_special_queue();
        const auto resolve_by = [&](auto kernel) {
            launch(place, kernel, cells.blocks(), 0, plan, cells, sums(), actions_.data(), draws(),
                   reorders ? slots() : nullptr, wall_queue, special_queue, early_blocks_, report);
        };
        constexpr auto now = Resolving::for_the_step;
        if (special_.size() == 0) return resolve_by(resolve_cells<now, SpecialCells::none, Law, Grid, Cells>);
        resolve_by(resolve_cells<now, SpecialCells::queued, Law, Grid, Cells>);
        launch(place, resolve_special_cells<Law, Grid>, std::min(block_count(count_), most_special_blocks), 0,
               plan, special_queue, sums(), actions_.data(), draws(), report);
    }
    /// The same actions; nothing else changes.
    void foresee(const Plan& plan, StepReport* report) const {
        const AllCells all{count_};
        resolve_cells<Resolving::foreseen, SpecialCells::with_others><<<all.blocks(), block_size>>>(
            plan, all, sums(), actions_.data(), draws(), nullptr, WallQueue{}, SpecialQueue{}, 0U, report);
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Makes slots() of the numbers of particles that resolve() left there, and the places of tiles.
    void find_slots(std::int64_t particles, std::uint32_t* tile_starts) {
        slots_.find(particles, tile_starts);
    }

private:
    /// Of resolve_cells, of all cells.
    [[nodiscard]] unsigned blocks_at_once() const {
        const auto fit = [](auto kernel) {
            int blocks = 0;
            MPCFLOW_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block_size, 0));
            return static_cast<unsigned>(blocks) * multiprocessors_of_current_device();
        };
        constexpr auto now = Resolving::for_the_step;
        return special_.size() == 0 ? fit(resolve_cells<now, SpecialCells::none, Law, Grid, AllCells>)
                                    : fit(resolve_cells<now, SpecialCells::queued, Law, Grid, AllCells>);
    }
    /// Enough to keep all multiprocessors of a device busy.
    static constexpr unsigned most_special_blocks = 1024;

    /// Two counts take turns, so that nothing but kernels has to make them zero.
    [[nodiscard]] SpecialQueue next_special_queue() {
        if (special_.size() == 0) return {};
        special_turn_ = 1 - special_turn_;
        return {special_.data() + special_turn_, special_.data() + 2, special_.data() + 1 - special_turn_,
                may_be_special_.data()};
    }

    bool begins_early_;
    unsigned early_blocks_ = 0;  ///< of resolve_cells: as many as find a place at once
    int special_turn_ = 0;
    int count_;
    TiledOrder order_;
    /// Most of what goes to memory and comes back are zeros.
    CompressibleArray<SumRow<Law>> sums_;
    DeviceArray<CellAction<Law>> actions_;
    DeviceArray<typename Law::Draw> kept_draws_;
    CellSlots slots_;
    DeviceArray<std::uint32_t> special_;         ///< of the SpecialQueue the two counts, and the cells
    DeviceArray<std::uint32_t> may_be_special_;  ///< of the SpecialQueue
};

}  // namespace mpcflow
