#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "physics/cell_draws.hpp"
#include "physics/cell_grid.hpp"
#include "physics/domain/border.hpp"
#include "physics/domain/deep_cells.hpp"
#include "physics/host/shared_particles.hpp"
#include "physics/host/shared_sums.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// What happens between two steps of a domain: what its particles are to others, and theirs to it. From the
/// end on its sums are those of all particles. One thread does it; between begin() and end() nobody may touch
/// the particles, or other sums than those of deep cells.
template <class Law, class Particle, class Border>
class DomainExchange {
public:
    using Sums = typename Law::Sums;
    using Plan = StepPlan<Law, typename Border::Grid>;
    /// Particles that a thread found to be off the grid, and their slots.
    using Leaving = std::vector<std::pair<std::int64_t, Particle>>;

    /// All must outlive it. `slots` are of the cells.
    DomainExchange(Border& border, SharedParticles<Particle>& particles, SharedSums<Sums>& sums,
                   const CellDraws<Law>& draws, CellSlots* slots, int threads)
        : border_(border),
          particles_(particles),
          sums_(sums),
          draws_(draws),
          slots_(slots),
          leaving_(static_cast<std::size_t>(threads)) {}

    /// Of a thread; emptied by begin().
    [[nodiscard]] Leaving& leaving(int thread) { return leaving_[thread]; }

    /// Before begin(), of the cells of a thread: the backs of slots say how many particles are this domain's,
    /// and end() will add those that come.
    void count_own(CellRange cells) {
        for (std::int64_t c = cells.first; c < cells.first + cells.count; ++c)
            slots_[c].back = static_cast<std::int64_t>(sums_[c].number());
    }

    /// Those off the grid of the next collision leave. Returns the faults that it finds.
    [[nodiscard]] std::uint32_t begin(const Plan& plan) {
        std::uint32_t faults = no_fault;
        std::vector<std::int64_t> slots;
        std::vector<Particle> left;
        for (Leaving& of_thread : leaving_) {
            for (const auto& [slot, particle] : of_thread) {
                slots.push_back(slot);
                left.push_back(particle);
            }
            of_thread.clear();
        }
        border_.begin_exchange(plan.next_grid, left, sums_, faults);
        particles_.remove(std::move(slots));
        return faults;
    }

    /// Those that come contribute, and those that are now this domain's own stay. `plan` is that of begin().
    void end(const Plan& plan) {
        border_.template end_exchange<Particle>(sums_, [&](const Particle& particle) {
            const auto place = plan.next_grid.locate(particle.position);
            const auto draw = draws_.next(place.cell, [](const auto* kept) { return *kept; });
            sums_[place.cell] += plan.contribute(particle, place, draw);
            if (!plan.next_grid.owns(place.cell)) return;
            ++slots_[place.cell].back;
            particles_.append(particle);
        });
        particles_.mend_ranges();
    }

private:
    Border& border_;
    SharedParticles<Particle>& particles_;
    SharedSums<Sums>& sums_;
    CellDraws<Law> draws_;
    CellSlots* slots_;
    std::vector<Leaving> leaving_;  ///< by thread
};

/// The cells of each thread, of a domain with those apart that need nothing of others.
template <class Border, class Sums>
[[nodiscard]] std::vector<CellRuns> runs_of_threads([[maybe_unused]] const Border& border,
                                                    [[maybe_unused]] const typename Border::Grid& grid,
                                                    const SharedSums<Sums>& sums, int threads) {
    // Cells are resolved by 32; of shorter runs draws would be made in vain.
    [[maybe_unused]] constexpr std::int64_t least = 128;
    std::vector<CellRuns> runs;
    for (int thread = 0; thread < threads; ++thread) {
        const std::int64_t first = sums.first_cell(thread);
        runs.push_back({{first, sums.first_cell(thread + 1) - first}, {}, {}});
    }
    if constexpr (Border::is_open) {
        const std::vector<bool> is_deep = deep_cells(grid, border.reach());
        for (CellRuns& of_thread : runs) of_thread = cell_runs(of_thread.all, is_deep, least);
    }
    return runs;
}

}  // namespace mpcflow
