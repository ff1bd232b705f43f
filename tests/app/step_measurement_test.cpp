/// How long a step takes, as the benchmarks find it.

#include "app/bench/step_measurement.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/app/fake_solver.hpp"

namespace mpcflow {
namespace {

TEST(StepMeasurement, times_whole_intervals_between_re_orderings) {
    EXPECT_EQ(whole_intervals(6, 16), 16);
    EXPECT_EQ(whole_intervals(32, 16), 32);
    EXPECT_EQ(whole_intervals(33, 16), 48);
    EXPECT_EQ(whole_intervals(10, 1), 10);
    EXPECT_EQ(whole_intervals(10, 0), 10) << "not settled";
    EXPECT_EQ(whole_intervals(10, 100), 100);
    EXPECT_EQ(whole_intervals(10, 101), 10) << "longer than is waited for";
}

TEST(StepMeasurement, is_of_three_timings_of_so_many_steps) {
    FakeSolver solver({}, {1, 1, 1});
    solver.reorder = 5;
    static_cast<void>(time_step(solver, 7));
    EXPECT_EQ(solver.chunks, (std::vector<std::int64_t>{50, 10, 10, 10})) << "warm at first";
}

}  // namespace
}  // namespace mpcflow
