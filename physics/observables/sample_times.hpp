#pragma once
/// At which steps of a run an observable is sampled.

#include <algorithm>
#include <cstdint>

namespace mpcflow {

/// Bursts of `burst` consecutive steps, the first of which begin at start + every, start + 2 every ...; 1 <=
/// burst <= every. A burst of one step is a single sample.
struct SampleTimes {
    /// End of the equilibration: steps up to here have no sample. -every: the first one is that of step 0.
    std::int64_t start = 0;
    std::int64_t every = 1;
    std::int64_t burst = 1;

    [[nodiscard]] constexpr bool is_due(std::int64_t step) const {
        return step >= start + every && (step - start) % every < burst;
    }
    /// Whether the sample of this step is the first one of a burst.
    [[nodiscard]] constexpr bool begins_burst(std::int64_t step) const {
        return step >= start + every && (step - start) % every == 0;
    }
    /// The first step after `step` that is due.
    [[nodiscard]] constexpr std::int64_t next_due(std::int64_t step) const {
        if (is_due(step + 1)) return step + 1;
        const std::int64_t since = std::max<std::int64_t>(step + 1 - start, 0);
        return start + (since / every + 1) * every;
    }
    /// How many samples the steps up to and with `step` have.
    [[nodiscard]] constexpr std::int64_t count(std::int64_t step) const {
        const std::int64_t since = step - start;
        if (since < every) return 0;
        return (since / every - 1) * burst + std::min(since % every + 1, burst);
    }
};

}  // namespace mpcflow
