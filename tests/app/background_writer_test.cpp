/// A run whose results are written while it goes on: each is that of its own step. Also run with the thread
/// sanitizer.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/hdf5/file.hpp"
#include "app/output/background_writer.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/estimates.hpp"
#include "app/output/run_file.hpp"
#include "physics/snapshot.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/app/temporary_directory.hpp"

namespace mpcflow {
namespace {

Scenario flow(const std::string& folder) {
    Scenario scenario;
    scenario.system.box.size = {6, 5, 4};
    scenario.system.collision.time_step = 0.3;
    scenario.system.force = {0.02, 0.0, 0.0};
    scenario.run = {4, 60};
    scenario.output.directory = folder;
    scenario.output.series = SeriesOutput{1};
    scenario.output.fields = FieldsOutput{};
    scenario.output.fields->every = 1;
    scenario.output.fields->bins = {1, 1, 4};
    scenario.output.histograms = HistogramsOutput{};
    scenario.output.histograms->every = 2;
    scenario.output.trajectory = TrajectoryOutput{};
    scenario.output.trajectory->every = 1;
    scenario.output.trajectory->velocity = true;
    scenario.checkpoint = CheckpointTimes{3, 0.0};
    return scenario;
}

Checkpoint read_checkpoint(const std::string& path) {
    return read_checkpoint_file(storage::open_to_read(path), path);
}

class BackgroundWriterTest : public testing::Test {
protected:
    /// Runs with so many copies of the particles, to the end.
    void run(const Scenario& scenario, int copies) {
        const OutputDirectory directory(scenario.output.directory, Existing::overwrite);
        SolverOptions options;
        options.threads = 2;
        options.bins = scenario.output.fields->bins;
        const auto solver = make_host_solver(scenario.system, options);
        RunRecord record;
        record.scenario = scenario;
        ResultWriter results(directory, record);
        Observables observables = make_observables(scenario);
        // One block of the fields.
        const InFlight most{copies, work_in_flight(observables) / 64};
        BackgroundWriter outputs(results, scenario, std::move(observables), most);
        {
            std::shared_ptr<ParticleRecords> copy;
            outputs.save_start(save_state(*solver, outputs, copy));
        }
        outputs.begin();
        ProgressDisplay display(stderr, ProgressStyle::silent);
        const Schedule schedule(scenario.run, scenario.output, scenario.checkpoint);
        const RunLoopResult result =
            run_loop(*solver, scenario.system, schedule, outputs, display, [] { return std::string(); });
        EXPECT_EQ(result.writing.checkpoint_failure, "");
        EXPECT_GE(result.writing.wait_seconds, 0.0);
        hash_ = solver->state_hash();
        outputs.finish(result, RunStatus::completed, "", hash_);
    }

    std::uint64_t hash_ = 0;
};

TEST_F(BackgroundWriterTest, WritesEachStepAsItWas) {
    const TemporaryDirectory directory;
    for (const int copies : {1, 2}) {
        const Scenario scenario = flow(directory.file("out"));
        run(scenario, copies);
        const hdf5::File file = hdf5::File::open(directory.file("out/trajectory.h5"));
        const hdf5::Group all = file.root().open_group("particles").open_group("all");
        const auto hashes = file.root()
                                .open_group("parameters")
                                .open_group("mpcflow")
                                .open_dataset("state_hash")
                                .read<std::uint64_t>();
        ASSERT_EQ(hashes.size(), 65U);
        const auto values = [&](const char* name) { return all.open_group(name).open_dataset("value"); };
        for (std::size_t frame = 0; frame < hashes.size(); ++frame) {
            ParticleSnapshot snapshot;
            snapshot.position = values("position").read_row<double>(frame);
            snapshot.velocity = values("velocity").read_row<double>(frame);
            snapshot.image = values("image").read_row<std::int32_t>(frame);
            snapshot.id = values("id").read_row<std::int64_t>(frame);
            EXPECT_EQ(snapshot_hash(snapshot, Precision::double_precision), hashes[frame]) << frame;
        }
        EXPECT_EQ(hashes.back(), hash_);

        const hdf5::File run_file = hdf5::File::open(directory.file("out/run.h5"));
        EXPECT_EQ(run_file.root().open_group("series").open_dataset("step").read<std::int64_t>().size(), 65U);
        EXPECT_EQ(run_file.root().open_group("fields").read_int_attribute("samples"), 60);
        EXPECT_EQ(run_file.root().open_group("histograms").read_int_attribute("samples"), 30);
        EXPECT_EQ(run_file.root().open_group("run").read_text_attribute("status"), "completed");

        // That of the last step holds all but what is due there.
        const Checkpoint last = read_checkpoint(directory.file("out/checkpoint.h5"));
        EXPECT_EQ(last.step, 64);
        EXPECT_EQ(last.state_hash, hash_);
        EXPECT_EQ(last.frames, 64);
        std::map<std::string, std::int64_t> samples;
        for (const ObservableState& state : last.observables) samples[state.name] = state.samples;
        EXPECT_EQ(samples,
                  (std::map<std::string, std::int64_t>{{"series", 64}, {"fields", 59}, {"histograms", 29}}));
        EXPECT_EQ(read_checkpoint(directory.file("out/checkpoint.previous.h5")).step, 63);
    }
}

TEST_F(BackgroundWriterTest, SelectionsAreOfTheirStepAndInTheOrderOfIds) {
    const TemporaryDirectory directory;
    Scenario scenario = flow(directory.file("out"));
    scenario.output.trajectory->region = Region{{0.0, 0.0, 0.0}, {6.0, 5.0, 2.0}};
    run(scenario, 1);
    const hdf5::File file = hdf5::File::open(directory.file("out/trajectory.h5"));
    const hdf5::Group region = file.root().open_group("particles").open_group("region");
    const auto counts = file.root()
                            .open_group("parameters")
                            .open_group("mpcflow")
                            .open_dataset("particles")
                            .read<std::int64_t>();
    ASSERT_EQ(counts.size(), 65U);
    for (std::size_t frame = 0; frame < counts.size(); ++frame) {
        auto ids = region.open_group("id").open_dataset("value").read_row<std::int64_t>(frame);
        ids.resize(static_cast<std::size_t>(counts[frame]));
        EXPECT_GT(ids.size(), 400U);
        EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end())) << frame;
    }
}

TEST_F(BackgroundWriterTest, FieldBlocksWaitForTheWriter) {
    const TemporaryDirectory directory;
    Scenario scenario = flow(directory.file("out"));
    scenario.run = {0, 40};
    scenario.output.trajectory.reset();
    constexpr int edge = 32;
    constexpr std::int64_t bins = std::int64_t{edge} * edge * edge;
    scenario.output.fields->bins = {edge, edge, edge};
    scenario.output.fields->time_window = 1;
    const OutputDirectory folder(scenario.output.directory, Existing::refuse);
    RunRecord record;
    record.scenario = scenario;
    ResultWriter results(folder, record);
    constexpr int in_flight = 2;
    Observables observables = make_observables(scenario);
    ASSERT_EQ(observables.at(1)->name(), "fields");
    Observable& fields = *observables[1];
    const std::int64_t block_bytes = FieldLayout{bins}.bytes();
    EXPECT_EQ(fields.work_bytes(), block_bytes);
    BackgroundWriter outputs(results, scenario, std::move(observables), {1, in_flight * block_bytes});
    outputs.begin();
    FakeSolver solver(scenario.system, scenario.output.fields->bins);
    // Density, velocity and temperature; a window is written before its permit comes back.
    constexpr std::int64_t window_bytes = 5 * 8 * bins;
    for (std::int64_t step = 1; step <= scenario.run.steps; ++step) {
        solver.run(1);
        fields.sample(solver, step);
        outputs.add_work(fields.take_work(solver), step);
        std::error_code none_yet;
        const auto written = std::filesystem::file_size(directory.file("out/fields.h5"), none_yet);
        if (step > in_flight) {
            ASSERT_FALSE(none_yet);
            ASSERT_GE(static_cast<std::int64_t>(written), (step - in_flight) * window_bytes) << step;
        }
    }
    EXPECT_GT(outputs.finish_writing().wait_seconds, 0.0);
    outputs.finish(RunLoopResult{}, RunStatus::completed, "", 0);
}

TEST_F(BackgroundWriterTest, WhatCannotBeWrittenEndsTheRunWithAnAdvice) {
    const TemporaryDirectory directory;
    const Scenario scenario = flow(directory.file("out"));
    const OutputDirectory folder(scenario.output.directory, Existing::refuse);
    RunRecord record;
    record.scenario = scenario;
    ResultWriter results(folder, record);
    BackgroundWriter outputs(results, scenario, make_observables(scenario), {1, 1});
    outputs.begin();
    std::filesystem::remove_all(scenario.output.directory);
    RunLoopResult result;
    std::string message;
    try {
        outputs.finish(result, RunStatus::completed, "", 0);
    } catch (const EnvironmentError& error) {
        message = error.what();
    }
    EXPECT_NE(message.find("run.h5.tmp"), std::string::npos) << message;
    EXPECT_NE(message.find("choose another output.directory"), std::string::npos) << message;
    outputs.finish_failed(message);
    EXPECT_FALSE(std::filesystem::exists(scenario.output.directory)) << "it neither throws nor writes";
}

TEST(UpdateInterval, IsLongerWhereUpdatesTakeLong) {
    EXPECT_EQ(update_interval(0.0, 0.0), 2.0);
    EXPECT_EQ(update_interval(0.04, 0.01), 2.0);
    EXPECT_DOUBLE_EQ(update_interval(0.5, 0.01), 25.0);  // 2 % of the run
    EXPECT_DOUBLE_EQ(update_interval(0.1, 0.1), 20.0);   // 0.5 %
    EXPECT_EQ(update_interval(0.1, 30.0), 60.0);
}

}  // namespace
}  // namespace mpcflow
