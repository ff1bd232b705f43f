/// What all observables share, and the histograms, which are one.

#include <limits>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "physics/observables/histograms.hpp"
#include "tests/app/fake_solver.hpp"

namespace mpcflow {
namespace {

class ObservableTest : public testing::Test {
protected:
    ObservableTest() { system_.box.size = {2, 2, 2}; }

    [[nodiscard]] std::unique_ptr<Observable> make(const HistogramsOutput& output) const {
        return std::make_unique<HistogramsObservable>(system_.fluid, output, 5);
    }
    /// Samples the steps `first` to `last`.
    void sample(Observable& observable, std::int64_t first, std::int64_t last) const {
        FakeSolver solver(system_, {1, 1, 1});
        solver.run(first - 1);
        for (std::int64_t step = first; step <= last; ++step) {
            solver.run(1);
            observable.sample(solver, step);
        }
    }

    System system_;
    HistogramsOutput output_{3, 20, 10, 5.0};
};

std::int64_t whole(const ObservableResults& results, std::size_t index) {
    return std::get<std::int64_t>(results.attributes.at(index).value);
}

TEST_F(ObservableTest, ResultsSayWhenItWasSampled) {
    const auto observable = make(output_);
    EXPECT_EQ(whole(observable->results(), 1), 0);
    sample(*observable, 8, 10);
    const ObservableResults results = observable->results();
    EXPECT_EQ(results.name, "histograms");
    const std::vector<std::pair<std::string, std::int64_t>> expected{
        {"every", 3}, {"samples", 3}, {"first_step", 8}, {"last_step", 10}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(results.attributes.at(i).name, expected[i].first);
        EXPECT_EQ(whole(results, i), expected[i].second);
    }
    EXPECT_EQ(std::get<std::vector<std::uint64_t>>(results.arrays.at(1).values).at(0), 8U + 9U + 10U)
        << "the fake counts the steps";
}

TEST_F(ObservableTest, GoesOnFromItsState) {
    const auto unbroken = make(output_);
    const auto first = make(output_);
    const auto second = make(output_);
    sample(*unbroken, 1, 4);
    sample(*first, 1, 2);
    EXPECT_EQ(second->restore(first->state()), "");
    sample(*second, 3, 4);
    const ObservableState expected = unbroken->state();
    const ObservableState found = second->state();
    EXPECT_EQ(found.samples, 4);
    EXPECT_EQ(found.first_step, 1);
    EXPECT_EQ(found.last_step, 4);
    ASSERT_EQ(found.arrays.size(), expected.arrays.size());
    for (std::size_t i = 0; i < found.arrays.size(); ++i)
        EXPECT_EQ(found.arrays[i].values, expected.arrays[i].values);
}

TEST_F(ObservableTest, SaysWhichParametersDiffer) {
    const auto before = make(output_);
    sample(*before, 1, 2);
    const auto now = make({9, 21, 10, 5.5});
    EXPECT_EQ(now->restore(before->state()), "occupancy_bins was 20, is 21, largest_speed was 5, is 5.5");
    EXPECT_EQ(now->samples(), 0);
    ObservableState foreign = before->state();
    foreign.parameters.push_back({"colour", 3.0});
    foreign.parameters.erase(foreign.parameters.begin());
    EXPECT_EQ(make(output_)->restore(foreign),
              "occupancy_bins was not known, is 20, colour was 3, is not known");
}

TEST_F(ObservableTest, RefusesWhatIsNoStateOfIt) {
    const auto before = make(output_);
    sample(*before, 1, 2);
    const ObservableState good = before->state();
    const auto fault = [&](auto&& harm) {
        ObservableState state = good;
        harm(state);
        const auto observable = make(output_);
        try {
            static_cast<void>(observable->restore(state));
        } catch (const std::invalid_argument& error) {
            EXPECT_EQ(observable->samples(), 0);
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(fault([](ObservableState& s) { s.arrays.pop_back(); }),
              "output.histograms: the array speed of its state is missing");
    EXPECT_EQ(fault([](ObservableState& s) { s.arrays[1].values = std::vector<std::uint64_t>(3); }),
              "output.histograms: the array speed of its state has another length");
    EXPECT_EQ(fault([](ObservableState& s) { s.arrays[0].values = std::vector<double>(20); }),
              "output.histograms: the array occupancy of its state has numbers of another type");
    for (const std::int64_t samples : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                       std::int64_t{4}, std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_EQ(fault([&](ObservableState& s) { s.samples = samples; }),
                  "output.histograms: its state has samples or steps that there cannot be")
            << samples;
    }
}

TEST_F(ObservableTest, BytesAreThoseOfItsNumbers) {
    // 3 x 20 occupancies, 11 counts, 11 expected and 12 edges of speeds.
    EXPECT_EQ(make(output_)->bytes(100), 8 * (60 + 34));
}

}  // namespace
}  // namespace mpcflow
