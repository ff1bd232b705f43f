/// The run loop with a solver that only counts.

#include <csignal>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>

#include "app/run/run_loop.hpp"
#include "app/run/signals.hpp"
#include "physics/errors.hpp"
#include "physics/observables/fields_observable.hpp"
#include "tests/app/fake_solver.hpp"

namespace mpcflow {
namespace {

/// Hands over blocks of four samples of the fields; one that is not full stays in the solver.
class BlocksObservable final : public Observable {
public:
    BlocksObservable(SampleTimes times, std::vector<SampledBlock>& blocks)
        : Observable("blocks", times, Gathers::later), blocks_(blocks) {}

    [[nodiscard]] Work take_work(Solver& solver) override { return open_ < 4 ? Work{} : take_rest(solver); }
    [[nodiscard]] Work take_rest(Solver& solver) override {
        if (open_ == 0) return {};
        open_ = 0;
        return {[this, block = SampledBlock{solver.measure<FieldsRule>().take(), steps_}](const RowTaker&) {
            blocks_.push_back(block);
        }};
    }
    [[nodiscard]] Later<ObservableState> later_state(Solver&) const override {
        return [open = open_] {
            return std::make_shared<const ObservableState>(ObservableState{"blocks", open, 0, 0, {}, {}});
        };
    }
    void go_on_from(Solver& solver, const SampledBlock& block) {
        solver.measure<FieldsRule>().put(block.sums);
        open_ = block.sums.samples;
        steps_ = block.steps;
    }

protected:
    void measure(Solver& solver, std::int64_t step) override {
        solver.measure<FieldsRule>().sample();
        if (open_++ == 0) steps_.first = step;
        steps_.last = step;
    }
    void add_results(ObservableResults&) const override {}
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override { return {}; }
    [[nodiscard]] std::vector<NamedArray> arrays() const override { return {}; }
    void put_back(ObservableState&) override {}

private:
    std::vector<SampledBlock>& blocks_;
    std::int64_t open_ = 0;
    StepSpan steps_;
};

/// Notes the steps of its samples.
class StepsObservable final : public Observable {
public:
    StepsObservable(SampleTimes times, std::vector<std::int64_t>& steps)
        : Observable("steps", times), steps_(steps) {}

protected:
    void measure(Solver& solver, std::int64_t step) override {
        EXPECT_EQ(solver.current_step(), step);
        steps_.push_back(step);
    }
    void add_results(ObservableResults&) const override {}
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override { return {}; }
    [[nodiscard]] std::vector<NamedArray> arrays() const override { return {}; }
    void put_back(ObservableState&) override {}

private:
    std::vector<std::int64_t>& steps_;
};

class Recorder final : public RunOutputs {
public:
    void add_work(Work work, std::int64_t step) override {
        if (!work.task) return;
        work.task([](const ObservableRow&) {});
        worked.push_back(step);
    }
    [[nodiscard]] std::shared_ptr<ParticleRecords> take_records() override {
        ++copies;
        return std::make_shared<ParticleRecords>();
    }
    void add_frame(std::shared_ptr<ParticleRecords> particles, const FramePart& part) override {
        frames.push_back(particles->step);
        frame_sizes.push_back(static_cast<std::size_t>(particles->count()));
        hashes.push_back(part.state_hash);
        parts.push_back(part);
    }
    [[nodiscard]] std::int64_t most_ids_at_once() const override { return most_ids; }
    void add_checkpoint(SolverState state) override { checkpoints.push_back(std::move(state)); }
    [[nodiscard]] std::vector<std::string> take_notes() override { return std::exchange(own_notes, {}); }
    [[nodiscard]] WritingEnd finish_writing() override {
        own_notes.emplace_back("all is written");
        return {"disk full", 0.25};
    }
    [[nodiscard]] bool ends_with_checkpoint() const override { return ends_with; }
    void add_note(const std::string& note, Summation, int) override { notes.push_back(note); }
    [[nodiscard]] Selection frame_selection() const override { return selection; }
    [[nodiscard]] const Observables& observables() const override { return measured; }
    void between_chunks(std::int64_t step, std::int64_t fast_steps) override {
        steps.push_back(step);
        EXPECT_EQ(fast_steps, step / 2);
    }

    std::vector<std::string> notes;
    std::vector<std::int64_t> frames, steps;
    std::vector<std::int64_t> worked;  ///< steps of the work that was handed over
    std::vector<SolverState> checkpoints;
    std::vector<std::string> own_notes;
    int copies = 0;
    bool ends_with = false;
    std::vector<std::uint64_t> hashes;
    std::vector<std::size_t> frame_sizes;
    std::vector<FramePart> parts;
    std::int64_t most_ids = 0;
    Selection selection;
    Observables measured;
};

class RunLoopTest : public testing::Test {
protected:
    RunLoopTest() {
        system_.box.size = {2, 2, 2};
        system_.collision.time_step = 0.5;
        output_.trajectory = TrajectoryOutput{};
        output_.trajectory->every = 25;
        auto blocks = std::make_unique<BlocksObservable>(SampleTimes{20, 7}, blocks_);
        sampled_ = blocks.get();
        recorder_.measured.push_back(std::move(blocks));
    }
    RunLoopResult run(const StopRequest& stop_request) {
        ProgressDisplay display(stderr, ProgressStyle::silent);
        return run_loop(solver_, system_, Schedule({20, 80}, output_, checkpoint_), recorder_, display,
                        stop_request);
    }

    [[nodiscard]] std::vector<std::int64_t> block_sizes() const {
        std::vector<std::int64_t> sizes;
        for (const SampledBlock& block : blocks_) sizes.push_back(block.sums.samples);
        return sizes;
    }
    [[nodiscard]] std::vector<std::int64_t> first_steps() const {
        std::vector<std::int64_t> steps;
        for (const SampledBlock& block : blocks_) steps.push_back(block.steps.first);
        return steps;
    }

    System system_;
    Output output_;
    std::optional<CheckpointTimes> checkpoint_;
    FakeSolver solver_{system_, {1, 1, 1}};
    std::vector<SampledBlock> blocks_;
    BlocksObservable* sampled_ = nullptr;
    Recorder recorder_;
};

TEST_F(RunLoopTest, DoesAllThatIsDue) {
    const RunLoopResult result = run([] { return std::string(); });
    EXPECT_EQ(result.steps_done, 100);
    EXPECT_EQ(result.stopped_by, "");
    EXPECT_EQ(solver_.current_step(), 100);
    EXPECT_EQ(result.fast_steps, 50);
    EXPECT_EQ(recorder_.frames, (std::vector<std::int64_t>{0, 25, 50, 75, 100}));
    EXPECT_EQ(recorder_.hashes.back(), 0x1234U + 100U);
    EXPECT_EQ(solver_.sampled_steps, (std::vector<std::int64_t>{27, 34, 41, 48, 55, 62, 69, 76, 83, 90, 97}));
    EXPECT_EQ(block_sizes(), (std::vector<std::int64_t>{4, 4, 3})) << "the last block may be short";
    EXPECT_EQ(first_steps(), (std::vector<std::int64_t>{27, 55, 83}));
    EXPECT_EQ(recorder_.worked, (std::vector<std::int64_t>{48, 76, 100})) << "the rest at the end";
    EXPECT_TRUE(recorder_.checkpoints.empty());
}

TEST_F(RunLoopTest, SavesTheRunBeforeWhatIsDueAtTheStep) {
    checkpoint_ = CheckpointTimes{30, 0.0};
    recorder_.ends_with = true;
    static_cast<void>(run([] { return std::string(); }));
    ASSERT_EQ(recorder_.checkpoints.size(), 4U);
    const std::vector<std::int64_t> steps{30, 60, 90, 100};
    // Samples are due at 27, 34 ... in blocks of four: at 30 one is open, at 60 one (55), at 90 two (83, 90),
    // of which the second is taken after the checkpoint, at 100 three.
    const std::vector<std::int64_t> samples{1, 1, 1, 3};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_EQ(recorder_.checkpoints[i].particles->step, steps[i]);
        EXPECT_EQ(recorder_.checkpoints[i].state_hash, 0x1234U + static_cast<std::uint64_t>(steps[i]));
        EXPECT_EQ(recorder_.checkpoints[i].observables.at(0)()->samples, samples[i]);
    }
    EXPECT_EQ(block_sizes(), (std::vector<std::int64_t>{4, 4, 3})) << "checkpoints leave the blocks alone";
    EXPECT_EQ(blocks_[2].sums.bins[0].particles, 3.0);
}

TEST_F(RunLoopTest, GoesOnFromTheMiddleOfABlock) {
    solver_.run(60);
    sampled_->go_on_from(solver_, {{1, {FieldSums{1.0, {}, 0.0, 0.0}}}, {55, 55}});
    std::vector<std::int64_t> due;
    recorder_.measured.push_back(std::make_unique<StepsObservable>(SampleTimes{-10, 10}, due));
    const RunLoopResult result = run([] { return std::string(); });
    EXPECT_EQ(result.first_step, 60);
    EXPECT_EQ(due.front(), 60) << "what is due at the checkpoint comes after it";
    EXPECT_EQ(block_sizes(), (std::vector<std::int64_t>{4, 3}));
    EXPECT_EQ(first_steps(), (std::vector<std::int64_t>{55, 83}));
    EXPECT_EQ(blocks_[0].sums.bins[0].particles, 4.0);
}

TEST_F(RunLoopTest, BringsFramesInPartsWhereNoCopyMayHoldAll) {
    const std::int64_t particles = system_.particle_count();
    recorder_.most_ids = 17;
    for (const std::int64_t nth : {1, 3, 10}) {
        recorder_.selection.every_nth_id = nth;
        recorder_.parts.clear();
        recorder_.frame_sizes.clear();
        static_cast<void>(run([] { return std::string(); }));
        const std::int64_t in_all = count_selected_ids(particles, nth);
        std::int64_t next = 0;
        int frames = 0;
        for (std::size_t i = 0; i < recorder_.parts.size(); ++i) {
            EXPECT_EQ(recorder_.parts[i].first, next);
            EXPECT_EQ(recorder_.parts[i].particles, in_all);
            EXPECT_GT(recorder_.frame_sizes[i], 0U);
            EXPECT_LE(recorder_.frame_sizes[i], 17U);
            next += static_cast<std::int64_t>(recorder_.frame_sizes[i]);
            if (next < in_all) continue;
            EXPECT_EQ(next, in_all);
            next = 0;
            ++frames;
        }
        EXPECT_EQ(frames, nth == 1 ? 5 : 1) << "later runs begin where the first one ended";
    }
}

TEST_F(RunLoopTest, CopiesTheParticlesOnceAStep) {
    checkpoint_ = CheckpointTimes{50, 0.0};
    static_cast<void>(run([] { return std::string(); }));
    EXPECT_EQ(recorder_.frames, (std::vector<std::int64_t>{0, 25, 50, 75, 100}));
    ASSERT_EQ(recorder_.checkpoints.size(), 2U);
    EXPECT_EQ(recorder_.copies, 5) << "frames and checkpoints of 50 and 100 share theirs";
    EXPECT_EQ(recorder_.checkpoints[0].particles.use_count(), 1) << "and the loop keeps none";
}

TEST_F(RunLoopTest, WaitsForTheWritingAndTellsHowItWent) {
    std::FILE* const stream = std::tmpfile();
    RunLoopResult result;
    {
        ProgressDisplay display(stream, ProgressStyle::log_lines);
        result = run_loop(solver_, system_, Schedule({20, 80}, output_), recorder_, display,
                          [] { return std::string(); });
    }
    EXPECT_EQ(result.steps_done, 100);
    EXPECT_EQ(result.writing.checkpoint_failure, "disk full");
    EXPECT_EQ(result.writing.wait_seconds, 0.25);
    std::string text(static_cast<std::size_t>(std::ftell(stream)), ' ');
    std::rewind(stream);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), stream), text.size());
    std::fclose(stream);
    EXPECT_NE(text.find("all is written"), std::string::npos) << text;
}

TEST_F(RunLoopTest, SavesTheRunByTime) {
    checkpoint_ = CheckpointTimes{0, 1e-9};
    static_cast<void>(run([] { return std::string(); }));
    EXPECT_GT(recorder_.checkpoints.size(), 10U) << "after every chunk";
    EXPECT_NE(recorder_.checkpoints.back().particles->step, 100) << "the end has none unless it is wanted";
}

TEST_F(RunLoopTest, PassesOnWhatTheSolverHasToTell) {
    solver_.notes = {"first", "second"};
    static_cast<void>(run([] { return std::string(); }));
    EXPECT_EQ(recorder_.notes, (std::vector<std::string>{"first", "second"}));
}

TEST_F(RunLoopTest, ShowsTheDriftOfMomentumWhereItIsConserved) {
    const auto shown = [&] {
        std::FILE* const stream = std::tmpfile();
        FakeSolver solver(system_, {1, 1, 1});
        {
            ProgressDisplay display(stream, ProgressStyle::live_line);
            static_cast<void>(run_loop(solver, system_, Schedule({20, 80}, output_), recorder_, display,
                                       [] { return std::string(); }));
        }
        std::string text(static_cast<std::size_t>(std::ftell(stream)), ' ');
        std::rewind(stream);
        EXPECT_EQ(std::fread(text.data(), 1, text.size(), stream), text.size());
        std::fclose(stream);
        return text;
    };
    EXPECT_NE(shown().find("drift"), std::string::npos);
    system_.force = {0.0, 1e-3, 0.0};
    EXPECT_EQ(shown().find("drift"), std::string::npos);
    system_.force = {};
    system_.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    EXPECT_EQ(shown().find("drift"), std::string::npos);
}

TEST_F(RunLoopTest, SamplesObservablesWhenTheyAreDue) {
    std::vector<std::int64_t> single;
    std::vector<std::int64_t> bursts;
    std::vector<std::int64_t> from_the_start;
    recorder_.measured.push_back(std::make_unique<StepsObservable>(SampleTimes{20, 25}, single));
    recorder_.measured.push_back(std::make_unique<StepsObservable>(SampleTimes{20, 40, 3}, bursts));
    recorder_.measured.push_back(std::make_unique<StepsObservable>(SampleTimes{-40, 40}, from_the_start));
    static_cast<void>(run([] { return std::string(); }));
    EXPECT_EQ(from_the_start, (std::vector<std::int64_t>{0, 40, 80})) << "equilibration or not";
    EXPECT_EQ(single, (std::vector<std::int64_t>{45, 70, 95}));
    EXPECT_EQ(bursts, (std::vector<std::int64_t>{60, 61, 62, 100}));
    EXPECT_EQ(recorder_.measured[1]->samples(), 3);
}

TEST_F(RunLoopTest, FramesAreOfTheRegionIfThereIsOne) {
    const auto all = static_cast<std::size_t>(system_.particle_count());
    ProgressDisplay display(stderr, ProgressStyle::silent);
    for (const bool is_region : {false, true}) {
        if (is_region) recorder_.selection.region = Region{{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
        recorder_.frame_sizes.clear();
        FakeSolver solver(system_, {1, 1, 1});
        static_cast<void>(run_loop(solver, system_, Schedule({20, 80}, output_), recorder_, display,
                                   [] { return std::string(); }));
        EXPECT_EQ(recorder_.frame_sizes.front(), all) << "all begin at one place";
        EXPECT_EQ(recorder_.frame_sizes.back() < all, is_region);
    }
}

TEST_F(RunLoopTest, StopsBetweenChunksWhenItIsAskedTo) {
    const RunLoopResult result =
        run([this] { return std::string(solver_.current_step() >= 40 ? "SIGTERM" : ""); });
    EXPECT_EQ(result.stopped_by, "SIGTERM");
    EXPECT_EQ(result.steps_done, solver_.current_step());
    EXPECT_LT(result.steps_done, 100);
    ASSERT_EQ(recorder_.checkpoints.size(), 1U);
    EXPECT_EQ(recorder_.checkpoints[0].particles->step, result.steps_done);
    const std::vector<std::int64_t> sizes = block_sizes();
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}),
              static_cast<std::int64_t>(solver_.sampled_steps.size()))
        << "samples of the open block are not lost";
}

TEST_F(RunLoopTest, ARunOfNoStepsStillHasItsStart) {
    ProgressDisplay display(stderr, ProgressStyle::silent);
    std::vector<std::int64_t> from_the_start;
    recorder_.measured.push_back(std::make_unique<StepsObservable>(SampleTimes{-10, 10}, from_the_start));
    const RunLoopResult result = run_loop(solver_, system_, Schedule({0, 0}, output_), recorder_, display,
                                          [] { return std::string(); });
    EXPECT_EQ(result.steps_done, 0);
    EXPECT_EQ(from_the_start, std::vector<std::int64_t>{0});
    EXPECT_EQ(recorder_.frames.size(), 1U);
    EXPECT_TRUE(solver_.chunks.empty());
}

TEST(SignalGuard, NotesSignalsWhileItLives) {
    {
        const SignalGuard guard;
        EXPECT_EQ(SignalGuard::received(), 0);
        std::raise(SIGTERM);
        std::raise(SIGINT);
        EXPECT_EQ(SignalGuard::received(), SIGTERM) << "the first counts";
    }
    const SignalGuard again;
    EXPECT_EQ(SignalGuard::received(), 0);
}

}  // namespace
}  // namespace mpcflow
