#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "physics/cell_draws.hpp"
#include "physics/host/cell_walk.hpp"
#include "physics/host/domain_exchange.hpp"
#include "physics/host/fetching.hpp"
#include "physics/host/host_particles.hpp"
#include "physics/host/particle_block.hpp"
#include "physics/host/shared_particles.hpp"
#include "physics/host/shared_sums.hpp"
#include "physics/host/vector_units.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// One of the two verbs of a step, of one thread: over its particles, block by block.
template <class Law, class Particle, class Border>
struct Advance {
    using Plan = StepPlan<Law, typename Border::Grid>;
    using Sums = typename Law::Sums;
    using Leaving = typename DomainExchange<Law, Particle, Border>::Leaving;

    /// A plan of its own: no store into particles or sums can change it, so that loops need not read it
    /// again.
    Plan plan;
    int thread;
    bool reorders;      ///< stores the particles in the order of their cells
    bool leaves_taken;  ///< what particles take on (TakesVelocities), in the place of their velocities
    SharedParticles<Particle>& particles;
    SharedSums<Sums>& sums;
    const CellAction<Law>* actions;
    CellDraws<Law> draws;
    CellSlots* slots;  ///< of each cell
    Leaving& leaving;
    std::uint32_t faults = no_fault;  ///< found so far

    void run([[maybe_unused]] VectorUnits units) {
#if MPCFLOW_HAS_VECTOR_UNITS
        if constexpr (is_avx512_compiled) {
            if (units == VectorUnits::avx512) return run_avx512();
        }
        if (units == VectorUnits::avx2) return run_avx2();
#endif
        run_plain();
    }

private:
    using Block = ParticleBlock<Law, Particle>;
    using Places = typename SharedSums<Sums>::Places;

    /// Particles are fetched so far ahead.
    static constexpr std::int64_t particles_ahead = 2 * Block::size;

    // Flattened: calls into the law that are left in the loops over particles are not made vectors of, and
    // cost nearly half of the speed without vectors, too.
#if MPCFLOW_HAS_VECTOR_UNITS
    MPCFLOW_AVX512 MPCFLOW_FLATTEN void run_avx512() { run_with<VectorUnits::avx512>(); }
    MPCFLOW_AVX2 MPCFLOW_FLATTEN void run_avx2() { run_with<VectorUnits::avx2>(); }
#endif
    MPCFLOW_FLATTEN_PLAIN void run_plain() { run_with<VectorUnits::plain>(); }

    template <VectorUnits units>
    void run_with() {
        Block block;
        std::int64_t to[Block::size];
        HostParticles<Particle>& now = particles.now();
        const Places places = sums.places(thread);
        const std::int64_t first = particles.first(thread);
        const std::int64_t last = particles.last(thread);
        CellWalk walk(particles.marks(thread), places.count, last - first);
        CellsAhead ahead(plan.next_grid, places.first);
        std::int64_t next_block = 0;
        for (std::int64_t i = first; i < last; i = next_block) {
            // The first one is shorter, so that those behind it begin where columns have a whole line.
            next_block = std::min((i / Block::size + 1) * Block::size, last);
            const auto count = static_cast<int>(next_block - i);
            fetch_cells(ahead, places.first + walk.cell_of(i - first));
            block.load(now, i, count);
            block.locate(plan.grid);
            if (reorders) take_slots(block, count, places, to);
            else std::iota(to, to + count, i);
            if (block.template collide_and_glide<units>(plan, actions)) advance_odd(block, i, count);
            if (block.has_fast()) faults |= notice_fast;
            block.locate(plan.next_grid);
            contribute<units>(block);
            const std::int64_t next = std::min(i + particles_ahead, last - 1);
            now.template fetch_motions<Fetch::to_write>(next, Block::size);
            if (reorders || Block::reads_labels) now.template fetch_labels<Fetch::to_read>(next, Block::size);
            if (reorders) store_reordered(block, i, count, to);
            else block.store(now, i, count);
            if (block.are_within(places.first, places.count)) add_to_own<units>(block, count);
            else add<units>(block, i, count, places, to);
        }
        sums.offer_margins(thread);
    }

    template <VectorUnits units>
    void contribute(Block& block) const {
        if constexpr (TakesVelocities<Law>) {
            if (leaves_taken) return block.template contribute_and_take<units>(plan);
        }
        block.template contribute<units>(plan, draws);
    }

    /// Which cells are fetched: those about the one in which particles were when they were re-ordered, in its
    /// layer and in the one on either side, where flights and the shift of the grid bring them. To fetch
    /// those a layer ahead alone was slower: particles in between drive them out of the nearest cache again.
    struct CellsAhead {
        std::int64_t layer;
        std::int64_t lead;
        std::int64_t fetched[3];  ///< where it ended, in each of the layers

        template <class Grid>
        CellsAhead(const Grid& grid, std::int64_t from)
            : layer(std::int64_t{grid.cells().x} * grid.cells().y),
              // To the next row, and for what takes a while to come.
              lead(grid.cells().x + 96),
              fetched{from - layer, from, from + layer} {}
    };
    void fetch_cells(CellsAhead& ahead, std::int64_t cell) {
        for (int side = 0; side < 3; ++side) {
            const std::int64_t to = std::min(cell + ahead.lead + (side - 1) * ahead.layer, sums.cell_count());
            // Cells without particles are passed over.
            const std::int64_t from = std::max({std::int64_t{0}, ahead.fetched[side], to - 2 * ahead.lead});
            if (from >= to) continue;
            fetch_cells(from, to);
            ahead.fetched[side] = to;
        }
    }
    /// Cells from number `from` to, without it, `to`.
    void fetch_cells(std::int64_t from, std::int64_t to) {
        fetch<Fetch::to_read>(actions + from, actions + to);
        if constexpr (Law::needs.draws_before_sums)
            fetch<Fetch::to_read>(draws.kept() + from, draws.kept() + to);
        // Sums are written, but fetched for that SRD+a was slower at 64^3 cells.
        fetch<Fetch::to_read>(&sums[from], &sums[from] + (to - from));
        if (reorders) fetch<Fetch::to_write>(slots + from, slots + to);
    }

    /// Stores the particles of a block, which are those from number `first` on, in the order of their cells.
    void store_reordered(const Block& block, std::int64_t first, int count, const std::int64_t* to) {
        HostParticles<Particle>& reordered = particles.reordered();
        for (int k = 0; k < count; ++k) {
            block.store_one(reordered, k, to[k]);
            reordered.label(to[k]) = particles.now().label(first + k);
        }
    }

    /// The contributions of a block whose particles are all in cells of this thread.
    template <VectorUnits units>
    void add_to_own(const Block& block, int count) {
        Sums* const of_cells = &sums[0];
        for (int k = 0; k < count; ++k)
            block.contributions().template add_to<units>(of_cells[block.cell(k)], k);
    }

    /// Those of any other, whose particles are those from number `first` on.
    template <VectorUnits units>
    void add(const Block& block, std::int64_t first, int count, const Places& places,
             const std::int64_t* to) {
        std::int64_t index[Block::size];
        for (int k = 0; k < Block::size; ++k) index[k] = places.index(block.cell(k));
        for (int k = 0; k < count; ++k) {
            const int cell = block.cell(k);
            if constexpr (Border::is_open) {
                if (cell == no_cell) {
                    leaving.emplace_back(to[k], block.particle(k, particles.now().label(first + k)));
                    continue;
                }
            }
            if (index[k] != Places::in_list) block.contributions().template add_to<units>(sums[index[k]], k);
            else sums.list(thread, cell, block.contributions()[k]);
        }
    }

    /// Takes slots for the particles of a block. Those that drifted since the last re-ordering may be in
    /// cells of another thread.
    void take_slots(const Block& block, int count, const Places& places, std::int64_t* to) {
        for (int k = 0; k < count; ++k) {
            const int cell = block.cell(k);
            to[k] = places.is_own(cell) ? slots[cell].take_as_owner() : slots[cell].take_as_other();
            particles.reordered().fetch_to_write(to[k]);
        }
    }

    /// The particles of a block that are odd, one by one; they are those from number `first` on.
    [[gnu::noinline]] MPCFLOW_FLATTEN_PLAIN void advance_odd(Block& block, std::int64_t first, int count) {
        HostParticles<Particle>& now = particles.now();
        for (int k = 0; k < count; ++k) {
            if (!block.is_odd(k) || block.bring_back(plan, k, now.label(first + k))) continue;
            Particle particle = now[first + k];
            const auto place = plan.grid.locate(particle.position);
            plan.collide_and_stream(particle, place, actions[place.cell], faults);
            block.set_motion(k, particle.position, particle.velocity);
            now.label(first + k) = particle.label;
        }
        block.repeat_last(count);
    }
};

}  // namespace mpcflow
