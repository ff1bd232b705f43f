#include <vector>

#include <gtest/gtest.h>

#include "app/run/schedule.hpp"

namespace mpcflow {
namespace {

Output outputs(std::int64_t series, std::int64_t frames, std::int64_t fields) {
    Output output;
    if (series > 0) output.series = SeriesOutput{series};
    if (frames > 0) {
        output.trajectory = TrajectoryOutput{};
        output.trajectory->every = frames;
    }
    if (fields > 0) {
        output.fields = FieldsOutput{};
        output.fields->every = fields;
    }
    return output;
}

TEST(Schedule, VisitsExactlyTheStepsAtWhichSomethingIsDue) {
    const Schedule schedule({7, 20}, outputs(10, 8, 6));
    std::vector<std::int64_t> visited;
    for (std::int64_t step = 0; step < schedule.total_steps();) {
        step = schedule.next_event(step);
        visited.push_back(step);
    }
    EXPECT_EQ(visited, (std::vector<std::int64_t>{8, 10, 13, 16, 19, 20, 24, 25, 27}));
}

TEST(Schedule, SeriesAndFramesIncludeStepZeroFieldsDoNotIncludeTheEquilibration) {
    const Schedule schedule({7, 20}, outputs(10, 8, 6));
    EXPECT_TRUE(schedule.series_due(0));
    EXPECT_TRUE(schedule.frame_due(0));
    EXPECT_FALSE(schedule.field_sample_due(0));
    EXPECT_FALSE(schedule.field_sample_due(6));
    EXPECT_FALSE(schedule.field_sample_due(7));
    EXPECT_TRUE(schedule.field_sample_due(13));
}

TEST(Schedule, CountsAgreeWithTheStepsThatAreDue) {
    for (const std::int64_t equilibration : {0, 1, 7, 30}) {
        for (const std::int64_t steps : {0, 1, 20, 99}) {
            const Schedule schedule({equilibration, steps}, outputs(4, 9, 5));
            std::int64_t rows = 0;
            std::int64_t frames = 0;
            std::int64_t samples = 0;
            for (std::int64_t step = 0; step <= schedule.total_steps(); ++step) {
                rows += schedule.series_due(step) ? 1 : 0;
                frames += schedule.frame_due(step) ? 1 : 0;
                samples += schedule.field_sample_due(step) ? 1 : 0;
            }
            EXPECT_EQ(schedule.series_rows(), rows);
            EXPECT_EQ(schedule.frames(), frames);
            EXPECT_EQ(schedule.field_samples(), samples);
        }
    }
}

TEST(Schedule, WithoutOutputsThereIsOnlyTheEnd) {
    const Schedule schedule({5, 10}, Output{});
    EXPECT_EQ(schedule.next_event(0), 15);
    EXPECT_EQ(schedule.series_rows() + schedule.frames() + schedule.field_samples(), 0);
    EXPECT_FALSE(schedule.series_due(0));
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
