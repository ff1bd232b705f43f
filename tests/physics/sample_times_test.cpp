/// The steps at which observables are sampled, against a list of them.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/sample_times.hpp"

namespace mpcflow {
namespace {

/// The steps up to `end` at which a sample is due, written out.
std::vector<std::int64_t> listed(const SampleTimes& times, std::int64_t end) {
    std::vector<std::int64_t> steps;
    for (std::int64_t first = times.start + times.every; first <= end; first += times.every)
        for (std::int64_t step = first; step < first + times.burst && step <= end; ++step)
            steps.push_back(step);
    return steps;
}

TEST(SampleTimes, AreThoseOfTheList) {
    for (const SampleTimes& times :
         {SampleTimes{0, 1, 1}, SampleTimes{0, 7, 1}, SampleTimes{20, 6, 1}, SampleTimes{20, 6, 4},
          SampleTimes{5, 6, 6}, SampleTimes{3, 100, 2}, SampleTimes{-1, 1, 1}, SampleTimes{-7, 7, 1}}) {
        const std::vector<std::int64_t> steps = listed(times, 99);
        std::size_t next = 0;
        for (std::int64_t step = 0; step < 90; ++step) {
            const bool is_due = next < steps.size() && steps[next] == step;
            EXPECT_EQ(times.is_due(step), is_due) << step;
            EXPECT_EQ(times.begins_burst(step), is_due && (step - times.start) % times.every == 0) << step;
            if (is_due) ++next;
            EXPECT_EQ(times.count(step), static_cast<std::int64_t>(next)) << step;
            const std::int64_t due = times.next_due(step);
            EXPECT_EQ(due, next < steps.size() ? steps[next] : times.start + times.every) << step;
        }
    }
}

}  // namespace
}  // namespace mpcflow
