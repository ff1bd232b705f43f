#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "physics/domain/exchange.hpp"
#include "physics/step.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// What the threads of a run, and the domains of a box, find in its steps: faults, and in which steps a
/// particle was fast.
template <class Border>
class StepFindings {
public:
    [[nodiscard]] std::int64_t fast_steps() const { return fast_steps_; }

    /// Notes what is wrong with the state.
    void add_faults(std::uint32_t faults) { faults_ |= faults; }
    /// Throws SimulationFault where something is.
    void check(std::int64_t step, const System& system) const {
        throw_on_faults(faults_.load(), step, system);
    }

    /// What a thread found in a step.
    void report(std::uint32_t found, std::uint64_t step) {
        if (found == no_fault) return;
        add_faults(found & ~notice_fast);
        // The first thread to tell of a step counts it.
        if ((found & notice_fast) == 0 || last_fast_step_.exchange(step) == step) return;
        if constexpr (Border::is_open) fast_steps_of_domain_.push_back(step);
        else ++fast_steps_;
    }

    /// All domains have the faults of each, and count a step in which any has a fast particle.
    void agree(Border& border) {
        fast_steps_of_domain_.push_back(faults_);
        const std::vector<std::uint64_t> own = std::exchange(fast_steps_of_domain_, {});
        std::set<std::uint64_t> fast_steps;
        for (const Message& message : border.exchange().share(message_of(std::span(own)))) {
            const auto report = values_of<std::uint64_t>(message);
            add_faults(static_cast<std::uint32_t>(report.back()));
            fast_steps.insert(report.begin(), report.end() - 1);
        }
        fast_steps_ += static_cast<std::int64_t>(fast_steps.size());
    }

    /// A run goes on from a state, `fast_steps` into its fast steps.
    void restart(std::int64_t fast_steps) {
        fast_steps_ = fast_steps;
        last_fast_step_ = ~std::uint64_t{0};
    }

private:
    std::atomic<std::uint32_t> faults_{no_fault};
    std::atomic<std::uint64_t> last_fast_step_{~std::uint64_t{0}};
    std::atomic<std::int64_t> fast_steps_{0};
    std::vector<std::uint64_t> fast_steps_of_domain_;  ///< since it last agreed with the others
};

}  // namespace mpcflow
