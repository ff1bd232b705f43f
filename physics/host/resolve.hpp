#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "physics/cell_draws.hpp"
#include "physics/collision/virtual_particles.hpp"
#include "physics/host/cell_walk.hpp"
#include "physics/host/columns.hpp"
#include "physics/host/fetching.hpp"
#include "physics/host/shared_particles.hpp"
#include "physics/host/shared_sums.hpp"
#include "physics/host/vector_units.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// The first verb of a step, of one thread: over its cells or a part of them, some of them at a time: their
/// draws and what most of them do are made in columns, as ParticleBlock takes particles.
template <class Law, class Border>
struct Resolve {
    /// Of its own, as that of Advance.
    StepPlan<Law, typename Border::Grid> plan;
    std::span<const CellRange> cells;      ///< all of the thread's, in their order, where it reorders
    bool reorders;                         ///< the particles are about to be stored in the order of cells
    SharedSums<typename Law::Sums>& sums;  ///< zero after a step, for the next collision
    CellAction<Law>* actions;
    CellDraws<Law> draws;
    CellSlots* slots;                 ///< of each cell, counted from the thread's first, where it reorders
    bool only_foresees = false;       ///< writes nothing but the actions: the step is still to come
    std::int64_t particles = 0;       ///< that have slots so far
    std::vector<CellMark> marks{};    ///< of the thread's cells, where it reorders
    std::uint32_t faults = no_fault;  ///< found so far

    void run([[maybe_unused]] VectorUnits units) {
#if MPCFLOW_HAS_VECTOR_UNITS
        if constexpr (has_draws || ResolvesAtOnce<Law>) {
            if constexpr (is_avx512_compiled) {
                if (units == VectorUnits::avx512) return run_avx512();
            }
            if (units == VectorUnits::avx2) return run_avx2();
        }
#endif
        run_plain();
    }

private:
    using Draw = typename Law::Draw;

    /// Some vectors of each kind.
    static constexpr int size = 32;
    /// Cells are fetched so far ahead: so many are read before one is resolved.
    static constexpr int cells_ahead = size;

    template <class T>
    using ColumnsOf = Columns<T, typename Law::Real, size>;
    static constexpr bool has_draws = !std::is_empty_v<Draw>;

    static constexpr bool has_draws_to_resolve = ToResolve<Law>::has_draws;
    using ColumnsToResolve = Columns<typename ToResolve<Law>::Draw, std::uint32_t, size>;

#if MPCFLOW_HAS_VECTOR_UNITS
    MPCFLOW_AVX512 MPCFLOW_FLATTEN void run_avx512() { run_with<VectorUnits::avx512>(); }
    MPCFLOW_AVX2 MPCFLOW_FLATTEN void run_avx2() { run_with<VectorUnits::avx2>(); }
#endif
    MPCFLOW_FLATTEN_PLAIN void run_plain() { run_with<VectorUnits::plain>(); }

    template <VectorUnits units>
    void run_with() {
        ColumnsOf<Draw> drawn;
        ColumnsToResolve drawn_to_resolve;
        [[maybe_unused]] std::int64_t keys[size];
        int has_transform[size]{};
        alignas(64) typename Law::Transform transforms[size];
        const bool has_special_cells = plan.has_special_cells();
        const bool is_at_once = resolves_at_once();
        for (const CellRange& range : cells) {
            const std::int64_t last = range.first + range.count;
            for (std::int64_t c = range.first; c < last; c += size) {
                const int first = static_cast<int>(c);
                const auto count = static_cast<int>(std::min<std::int64_t>(size, last - c));
                // Before all draws: rows of cells end anywhere among these, which would keep draws from
                // vectors.
                if constexpr (has_draws || has_draws_to_resolve) plan.grid.find_keys(first, keys);
                if constexpr (has_draws) draw<units>(first, count, keys, drawn);
                if constexpr (has_draws_to_resolve) {
                    if (plan.law.parameters().draws_energy()) draw_to_resolve<true>(keys, drawn_to_resolve);
                    else draw_to_resolve<false>(keys, drawn_to_resolve);
                }
                if constexpr (ResolvesAtOnce<Law>) {
                    if (is_at_once)
                        resolve_at_once<units>(first, count, drawn_to_resolve, transforms, has_transform);
                }
                for (int k = 0; k < count; ++k) {
                    const int cell = first + k;
                    if (c + k + cells_ahead < last) fetch_cell(c + k + cells_ahead);
                    if (has_transform[k] != 0 && !(has_special_cells && is_special(cell)))
                        actions[cell].transform = transforms[k];
                    else if constexpr (has_draws_to_resolve) resolve(cell, drawn_to_resolve[k]);
                    else resolve(cell);
                    if (!only_foresees) end(cell);
                }
            }
        }
    }

    /// What the cells draw: for this collision, or for this one and the next.
    template <VectorUnits units>
    void draw(int first, int count, const std::int64_t (&keys)[size], ColumnsOf<Draw>& drawn) {
        if constexpr (Law::needs.draws_before_sums) {
            for (int k = 0; k < count; ++k) actions[first + k].set_draw(draws.present(plan, first + k));
            if (only_foresees) return;
            for (int k = 0; k < size; ++k) drawn.set(k, Law::draw({plan.seed, plan.step + 1, keys[k]}));
            Draw made[size];
            drawn.template put<units>(made);
            for (int k = 0; k < count; ++k) draws.keep(first + k, made[k]);
        } else {
            for (int k = 0; k < size; ++k) drawn.set(k, Law::draw({plan.seed, plan.step, keys[k]}));
            Draw made[size];
            drawn.template put<units>(made);
            for (int k = 0; k < count; ++k) actions[first + k].set_draw(made[k]);
        }
    }

    /// Two loops without a branch, of which the compiler makes vectors.
    template <bool with_energy>
    void draw_to_resolve(const std::int64_t (&keys)[size], ColumnsToResolve& drawn) {
        for (int k = 0; k < size; ++k)
            drawn.set(k, Law::template draw_to_resolve<with_energy>({plan.seed, plan.step, keys[k]}));
    }

    /// As if no cell were special; most that are not have a transform then. More particles than there may be
    /// are a fault, which is found where a cell is resolved by itself.
    template <VectorUnits units>
    void resolve_at_once(int first, int count, const ColumnsToResolve& drawn,
                         typename Law::Transform (&transforms)[size], int (&has_transform)[size]) const {
        Columns<typename Law::Sums, double, size> of_cells;
        ColumnsOf<Draw> draws_of_cells;
        ColumnsOf<typename Law::Transform> done;
        const auto cell_of = [&](int k) { return first + std::min(k, count - 1); };
        of_cells.template gather<units>([&](int k) { return &sums[cell_of(k)]; });
        if constexpr (has_draws)
            draws_of_cells.template gather<units>([&](int k) { return &actions[cell_of(k)].drawn; });
        const double most = plan.law.parameters().rounding.occupancy_limit;
        for (int k = 0; k < size; ++k) {
            const typename Law::Sums of_cell = of_cells[k];
            typename Law::Transform transform;
            const bool is_done = plan.law.resolve_at_once(of_cell, draws_of_cells[k], drawn[k], transform);
            has_transform[k] = (is_done & (of_cell.number() <= most)) ? 1 : 0;
            done.set(k, transform);
        }
        done.template put<units>(transforms);
    }
    [[nodiscard]] bool resolves_at_once() const {
        if constexpr (ResolvesAtOnce<Law>) return plan.law.resolves_at_once();
        else return false;
    }
    /// Whether walls or a stream take part in the collision of a cell.
    [[nodiscard]] bool is_special(int cell) const {
        return is_at_walls_or_in_stream(plan.law.parameters(), plan.fill(cell, true));
    }

    /// Left to itself the processor is late, the more so the more there is to do for each cell
    /// (docs/decisions/2026-11-30-what-two-ranks-wait-for.md).
    void fetch_cell(std::int64_t cell) {
        fetch<Fetch::to_write>(&sums[cell], &sums[cell] + 1);
        fetch<Fetch::to_write>(actions + cell, actions + cell + 1);
    }

    template <class... ResolveDraw>
    void resolve(int cell, const ResolveDraw&... drawn) {
        CellAction<Law>& action = actions[cell];
        action.transform = plan.resolve(cell, sums[cell], action.draw(), faults, drawn...);
    }

    /// What was summed for this collision is of no more use.
    void end(int cell) {
        if (reorders) {
            const std::int64_t number = cell - cells.front().first;
            if (number % CellMark::spacing == 0) marks.push_back({number, particles});
            // A domain's sums are of other domains' particles, too.
            const auto here =
                Border::is_open ? slots[cell].back : static_cast<std::int64_t>(sums[cell].number());
            slots[cell] = {particles, particles + here};
            particles += here;
        }
        set_zero(sums[cell].value);
    }
};

}  // namespace mpcflow
