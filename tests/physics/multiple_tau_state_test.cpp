/// Correlators: their states over restarts, their memory, what they refuse.

#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tests/physics/multiple_tau_cases.hpp"
#include "tests/support/failing_memory.hpp"

namespace mpcflow::test {
namespace {

TEST(MultipleTau, goes_on_from_its_state_with_the_same_bits) {
    const auto signal = make_signal(700, 6, 7);
    const MultipleTauOptions options = with_points(Coarsening::decimate, 8);
    MultipleTau unbroken({6, 3}, options, multiply);
    for (const auto& sample : signal) unbroken.add(sample);
    for (const std::size_t stop : {0U, 1U, 2U, 7U, 64U, 65U, 333U, 700U}) {
        MultipleTau first({6, 3}, options, multiply);
        for (std::size_t t = 0; t < stop; ++t) first.add(signal[t]);
        MultipleTau second({6, 3}, options, multiply);
        second.add(signal[0]);  // is dropped
        second.restore(first.state());
        for (std::size_t t = stop; t < signal.size(); ++t) second.add(signal[t]);
        EXPECT_EQ(second.state().counters, unbroken.state().counters);
        EXPECT_EQ(second.state().values, unbroken.state().values);
        EXPECT_EQ(second.correlation().mean, unbroken.correlation().mean);
    }
}

TEST(MultipleTau, its_bytes_are_foreseen) {
    MultipleTauOptions options = with_points(Coarsening::average, 8);
    options.most_levels = 6;
    for (const std::int64_t samples : {0, 1, 2, 3, 63, 64, 1000}) {
        MultipleTau correlator({3, 2}, options, multiply);
        for (const auto& sample : make_signal(samples, 3, 1)) correlator.add(sample);
        const MultipleTauState state = correlator.state();
        const auto bytes = static_cast<std::int64_t>(8 * (state.counters.size() + state.values.size()));
        EXPECT_LE(bytes, correlator.bytes_after(samples));
        // At most half of the blocks may have been merged.
        EXPECT_GE(2 * bytes, correlator.bytes_after(samples));
    }
}

TEST(MultipleTau, its_lags_are_foreseen) {
    for (const int levels : {1, 3, 32}) {
        MultipleTauOptions options = with_points(Coarsening::average, 8);
        options.most_levels = levels;
        MultipleTau correlator({1, 1}, options, multiply);
        for (std::int64_t samples = 0; samples < 300; ++samples) {
            EXPECT_EQ(correlator.lags_after(samples), std::ssize(correlator.correlation().lag))
                << samples << " of " << levels;
            correlator.add(std::vector<double>{1.0});
        }
    }
}

TEST(MultipleTau, states_of_others_are_refused) {
    MultipleTau correlator({2, 1}, {}, multiply);
    for (const auto& sample : make_signal(40, 2, 8)) correlator.add(sample);
    const MultipleTauState good = correlator.state();
    const auto refuses = [&](MultipleTau& other, const MultipleTauState& state) {
        const MultipleTauState before = other.state();
        EXPECT_THROW(other.restore(state), std::invalid_argument);
        EXPECT_EQ(other.state().counters, before.counters);
    };
    MultipleTau more_values({3, 1}, {}, multiply);
    MultipleTau more_products({2, 2}, {}, multiply);
    MultipleTau decimating({2, 1}, with_points(Coarsening::decimate, 16), multiply);
    MultipleTau fewer_points({2, 1}, with_points(Coarsening::average, 8), multiply);
    for (MultipleTau* other : {&more_values, &more_products, &decimating, &fewer_points})
        refuses(*other, good);
    MultipleTauState bad = good;
    bad.values.pop_back();
    refuses(correlator, bad);
    bad.values.resize(good.values.size() + 1);
    refuses(correlator, bad);
    bad = good;
    bad.counters.push_back(0);
    refuses(correlator, bad);
    bad.counters.resize(3);
    refuses(correlator, bad);
    for (const std::int64_t wrong : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
        for (const std::size_t counter : {7U, 8U}) {  // levels, blocks
            bad = good;
            bad.counters[counter] = wrong;
            refuses(correlator, bad);
        }
        for (const std::size_t counter : {6U, 9U}) {  // the length of a block, pushes of level 0
            if (wrong > 0) continue;
            bad = good;
            bad.counters[counter] = wrong;
            refuses(correlator, bad);
        }
    }
    EXPECT_NO_THROW(correlator.restore(good));
}

TEST(MultipleTau, impossible_options_and_samples_are_refused) {
    EXPECT_THROW(MultipleTau({0, 1}, {}, multiply), std::invalid_argument);
    EXPECT_THROW(MultipleTau({1, 0}, {}, multiply), std::invalid_argument);
    EXPECT_THROW(MultipleTau({1, 1}, with_points(Coarsening::average, 3), multiply), std::invalid_argument);
    EXPECT_THROW(MultipleTau({1, 1}, with_points(Coarsening::average, 0), multiply), std::invalid_argument);
    MultipleTau correlator({2, 2}, {}, multiply);
    EXPECT_THROW(correlator.add(std::vector<double>{1.0}), std::invalid_argument);
    EXPECT_EQ(correlator.samples(), 0);
}

TEST(MultipleTau, WithoutMemoryForASampleNothingHasChanged) {
    // Blocks and levels begin all the time; every call of operator new fails once.
    for (const Coarsening coarsening : {Coarsening::average, Coarsening::decimate}) {
        MultipleTauOptions options = with_points(coarsening, 4);
        options.most_blocks = 4;
        const auto signal = make_signal(100, 2, 7);
        MultipleTau undisturbed({2, 2}, options, multiply);
        MultipleTau correlator({2, 2}, options, multiply);
        int failures = 0;
        for (const std::vector<double>& sample : signal) {
            undisturbed.add(sample);
            for (std::int64_t granted = 0;; ++granted) {
                const MultipleTauState before = correlator.state();
                bool has_failed = false;
                try {
                    const FailingMemory failing(granted);
                    correlator.add(sample);
                } catch (const std::bad_alloc&) {
                    has_failed = true;
                }
                if (!has_failed) break;
                ++failures;
                const MultipleTauState after = correlator.state();
                ASSERT_EQ(after.counters, before.counters);
                ASSERT_EQ(after.values, before.values);
                static_cast<void>(correlator.correlation());
            }
        }
        EXPECT_GT(failures, 10);
        EXPECT_EQ(correlator.state().counters, undisturbed.state().counters);
        EXPECT_EQ(correlator.state().values, undisturbed.state().values);
    }
}

}  // namespace
}  // namespace mpcflow::test
