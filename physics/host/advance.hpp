#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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
    /// Particles that are now off a domain's grid, and their slots.
    using Leaving = std::vector<std::pair<std::int64_t, Particle>>;

    /// A plan of its own: no store into particles or sums can change it, so that loops need not read it
    /// again.
    Plan plan;
    int thread;
    bool is_alone;  ///< the only thread
    bool reorders;  ///< stores the particles in the order of their cells
    SharedParticles<Particle>& particles;
    SharedSums<Sums>& sums;
    const CellAction<Law>* actions;
    CellDraws<Law> draws;
    std::int64_t* slots;  ///< of each cell, the one for the next particle in the order of cells
    Leaving& leaving;
    std::uint32_t faults = no_fault;  ///< found so far

    void run([[maybe_unused]] VectorUnits units) {
#if MPCFLOW_HAS_VECTOR_UNITS
        if (units == VectorUnits::avx512) return run_avx512();
        if (units == VectorUnits::avx2) return run_avx2();
#endif
        run_plain();
    }

private:
    using Block = ParticleBlock<Law, Particle>;

    static constexpr std::int64_t prefetch_distance = 2 * Block::size;

    // Flattened: calls into the law that are left in the loops over particles are not made vectors of, and
    // cost nearly half of the speed without vectors, too.
#if MPCFLOW_HAS_VECTOR_UNITS
    MPCFLOW_AVX512 MPCFLOW_FLATTEN void run_avx512() { run_with<VectorUnits::avx512>(); }
    MPCFLOW_AVX2 MPCFLOW_FLATTEN void run_avx2() { run_with<VectorUnits::avx2>(); }
#endif
    MPCFLOW_FLATTEN void run_plain() { run_with<VectorUnits::plain>(); }

    template <VectorUnits units>
    void run_with() {
        Block block;
        std::int64_t to[Block::size];
        alignas(64) Particle elsewhere[Block::size];
        const std::int64_t first_cell = sums.first_cell(thread);
        const std::int64_t own_cells = sums.first_cell(thread + 1) - first_cell;
        const std::int64_t last = particles.last(thread);
        for (std::int64_t i = particles.first(thread); i < last; i += Block::size) {
            const auto count = static_cast<int>(std::min<std::int64_t>(Block::size, last - i));
            const std::span<Particle> some(&particles[i], static_cast<std::size_t>(count));
            block.load(some);
            block.locate(plan.grid);
            for (int k = 0; k < count; ++k) to[k] = reorders ? take_slot(block.cell(k)) : i + k;
            if (block.collide_and_glide(plan, actions)) advance_odd(block, some);
            block.locate(plan.next_grid);
            block.contribute(plan, draws);
            prefetch(std::min(i + prefetch_distance, last - 1));
            const Particle* moved = store(block, some, to, elsewhere);
            if (block.are_within(first_cell, own_cells)) add_to_own<units>(block, count);
            else add<units>(block, count, to, moved);
        }
    }

    /// A block of particles, from number i on. The processor's own prefetching comes late for records.
    void prefetch(std::int64_t i) {
        const Particle* particle = &particles[i];
        for (int k = 0; k < Block::size; ++k) __builtin_prefetch(particle + k, 1);
    }

    /// Stores the particles of a block where they belong. Returns where they are for sure; that may be
    /// `elsewhere`.
    const Particle* store(const Block& block, std::span<Particle> some, const std::int64_t* to,
                          Particle* elsewhere) {
        if (!reorders && some.size() == Block::size) {
            block.store(some.data());
            return some.data();
        }
        // By vectors all the same, and whole particles from there: numbers of a particle that are stored one
        // by one are slow to be read as a whole.
        block.store(elsewhere);
        for (std::size_t k = 0; k < some.size(); ++k)
            if (reorders) particles.store_reordered(to[k], elsewhere[k]);
            else some[k] = elsewhere[k];
        return elsewhere;
    }

    /// The contributions of a block whose particles are all in cells of this thread.
    template <VectorUnits units>
    void add_to_own(const Block& block, int count) {
        Sums* const of_cells = &sums[0];
        for (int k = 0; k < count; ++k)
            block.contributions().template add_to<units>(of_cells[block.cell(k)], k);
    }

    /// Those of any other.
    template <VectorUnits units>
    void add(const Block& block, int count, const std::int64_t* to, const Particle* moved) {
        const std::int64_t first_cell = sums.first_cell(thread);
        const std::int64_t last_cell = sums.first_cell(thread + 1);
        for (int k = 0; k < count; ++k) {
            const int cell = block.cell(k);
            if constexpr (Border::is_open) {
                if (cell == no_cell) {
                    leaving.emplace_back(to[k], moved[k]);
                    continue;
                }
            }
            if (cell >= first_cell && cell < last_cell)
                block.contributions().template add_to<units>(sums[cell], k);
            else sums.add_to_others(thread, cell, block.contributions()[k]);
        }
    }

    [[nodiscard]] std::int64_t take_slot(int cell) {
        // Particles that drifted since the last re-ordering are in cells of another thread, if there is one.
        const std::int64_t slot =
            is_alone ? slots[cell]++ : std::atomic_ref(slots[cell]).fetch_add(1, std::memory_order_relaxed);
        particles.prefetch_reordered(slot);
        return slot;
    }

    /// The particles of a block that are odd, one by one.
    [[gnu::noinline]] void advance_odd(Block& block, std::span<Particle> some) {
        for (int k = 0; k < Block::size; ++k) {
            if (!block.is_odd(k)) continue;
            const auto i = std::min(static_cast<std::size_t>(k), some.size() - 1);
            if (static_cast<std::size_t>(k) == i) {
                const auto place = plan.grid.locate(some[i].position);
                plan.collide_and_stream(some[i], place, actions[place.cell], faults);
            }
            block.set(k, some[i]);
        }
    }
};

}  // namespace mpcflow
