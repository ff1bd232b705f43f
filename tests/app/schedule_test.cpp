#include <vector>

#include <gtest/gtest.h>

#include "app/run/schedule.hpp"

namespace mpcflow {
namespace {

Output frames_every(std::int64_t steps) {
    Output output;
    output.trajectory = TrajectoryOutput{};
    output.trajectory->every = steps;
    return output;
}

TEST(Schedule, VisitsExactlyTheStepsAtWhichSomethingIsDue) {
    const Schedule schedule({7, 20}, frames_every(8), CheckpointTimes{10, 0.0});
    std::vector<std::int64_t> visited;
    for (std::int64_t step = 0; step < schedule.total_steps();) {
        step = schedule.next_event(step);
        visited.push_back(step);
    }
    EXPECT_EQ(visited, (std::vector<std::int64_t>{8, 10, 16, 20, 24, 27}));
}

TEST(Schedule, CountsAgreeWithTheStepsThatAreDue) {
    for (const std::int64_t equilibration : {0, 1, 7, 30}) {
        for (const std::int64_t steps : {0, 1, 20, 99}) {
            const Schedule schedule({equilibration, steps}, frames_every(9));
            EXPECT_TRUE(schedule.frame_due(0));
            std::int64_t frames = 0;
            for (std::int64_t step = 0; step <= schedule.total_steps(); ++step)
                frames += schedule.frame_due(step) ? 1 : 0;
            EXPECT_EQ(schedule.frames(), frames);
        }
    }
}

TEST(Schedule, WithoutOutputsThereIsOnlyTheEnd) {
    const Schedule schedule({5, 10}, Output{});
    EXPECT_EQ(schedule.next_event(0), 15);
    EXPECT_EQ(schedule.frames(), 0);
    EXPECT_FALSE(schedule.frame_due(0));
}

TEST(ChunkSize, ApproachesTheTargetTimeFromOneStep) {
    ChunkSize chunk(0.1);
    EXPECT_EQ(chunk.steps(), 1);
    constexpr double seconds_per_step = 1e-4;
    for (int i = 0; i < 20; ++i)
        chunk.learn(chunk.steps(), seconds_per_step * static_cast<double>(chunk.steps()));
    EXPECT_NEAR(static_cast<double>(chunk.steps()), 1000.0, 1.0);
}

TEST(ChunkSize, NeverFallsBelowOneStepAndSurvivesAClockThatStands) {
    ChunkSize chunk(0.1);
    chunk.learn(1, 60.0);
    EXPECT_EQ(chunk.steps(), 1);
    for (int i = 0; i < 5; ++i) chunk.learn(chunk.steps(), 0.0);
    EXPECT_GT(chunk.steps(), 1);
}

TEST(ChunkSize, ChunksThatEventsCutShortDoNotShrinkIt) {
    ChunkSize chunk(0.1);
    for (int i = 0; i < 20; ++i) chunk.learn(chunk.steps(), 1e-5 * static_cast<double>(chunk.steps()));
    const std::int64_t before = chunk.steps();
    chunk.learn(3, 3e-5);
    EXPECT_GE(chunk.steps(), before / 2);
}

}  // namespace
}  // namespace mpcflow
