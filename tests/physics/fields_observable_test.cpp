/// Fields as an observable: blocks, windows of time and states, with a solver that only counts.

#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "physics/observables/fields_observable.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/physics/observable_cases.hpp"

namespace mpcflow {
namespace {

constexpr std::int64_t equilibration = 20;

/// A run of fields, whose work is done at once.
struct FieldsRun {
    explicit FieldsRun(const FieldsOutput& output)
        : solver(system(), output.bins), fields(system(), output, equilibration) {}

    static System system() {
        System system;
        system.box.size = {2, 2, 4};
        return system;
    }
    void work(const Work& work) {
        if (!work.task) return;
        EXPECT_EQ(work.bytes, fields.work_bytes());
        ++blocks;
        bool has_row = false;
        work.task([&](const ObservableRow& row) {
            has_row = true;
            rows.push_back(row.sampled);
            const auto& density = row.arrays.at(0).large<View<double>>();
            densities.insert(densities.end(), density.begin(), density.end());
        });
        EXPECT_EQ(has_row, work.has_row);
    }
    void go_to(std::int64_t last) {
        while (solver.current_step() < last) {
            solver.run(1);
            const std::int64_t step = solver.current_step();
            if (!fields.times().is_due(step)) continue;
            fields.sample(solver, step);
            work(fields.take_work(solver));
        }
    }
    /// Goes on from a state of another.
    void go_on_from(std::int64_t step, ObservableState state) {
        solver.run(step);
        EXPECT_EQ(fields.restore(as_read(std::move(state))), "");
        fields.take_up(solver);
    }

    FakeSolver solver;
    FieldsObservable fields;
    std::int64_t blocks = 0;
    std::vector<Sampled> rows;
    std::vector<double> densities;
};

FieldsOutput output_of(std::int64_t every, std::int64_t time_window = 0) {
    FieldsOutput output;
    output.every = every;
    output.bins = {1, 1, 2};
    output.time_window = time_window;
    return output;
}

TEST(FieldsObservable, AveragesAllSamples) {
    FieldsRun run(output_of(7));
    run.go_to(equilibration + 1000);
    run.work(run.fields.take_rest(run.solver));
    const ObservableResults results = run.fields.results();
    EXPECT_EQ(whole_attribute(results, "every"), 7);
    EXPECT_EQ(whole_attribute(results, "samples"), 142);
    EXPECT_EQ(whole_attribute(results, "first_step"), 27);
    EXPECT_EQ(whole_attribute(results, "last_step"), 1014);
    EXPECT_EQ(whole_attribute(results, "block_samples"), 4);
    EXPECT_EQ(whole_attribute(results, "blocks"), 36);
    EXPECT_EQ(run.blocks, 64 + 32 + 4) << "of one sample, of two, and of four, the last one of two";
    // A particle a sample in a bin of eight cells.
    EXPECT_EQ(numbers_of(results, "density"), (std::vector<double>{0.125, 0.125}));
    EXPECT_EQ(array_named(results.arrays, "velocity").shape, (std::vector<std::int64_t>{2, 1, 1, 3}));
    EXPECT_EQ(std::get<std::vector<double>>(array_named(results.arrays, "z_edges").values),
              (std::vector<double>{0.0, 2.0, 4.0}));
    EXPECT_EQ(results.axes.front(), "z_centres");
    EXPECT_FALSE(run.fields.take_rest(run.solver).task) << "nothing is left";
}

TEST(FieldsObservable, GivesARowAWindow) {
    FieldsRun run(output_of(3, 21));
    run.go_to(130);
    ASSERT_EQ(run.rows.size(), 5U);
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
        const auto window = static_cast<std::int64_t>(i);
        EXPECT_EQ(run.rows[i].samples, 7);
        EXPECT_EQ(run.rows[i].steps.first, equilibration + 21 * window + 3);
        EXPECT_EQ(run.rows[i].steps.last, equilibration + 21 * window + 21);
    }
    EXPECT_EQ(run.densities, std::vector<double>(10, 0.125));
}

TEST(FieldsObservable, GoesOnFromTheMiddleOfABlockAndAWindow) {
    constexpr std::int64_t end = 400;
    FieldsRun unbroken(output_of(1, 30));
    unbroken.go_to(end);
    std::int64_t open_blocks = 0;
    for (const std::int64_t stop : {1, 20, 21, 50, 51, 84, 85, 100, 149, 150, 151, 209, 299, 398}) {
        FieldsRun first(output_of(1, 30));
        first.go_to(stop);
        const Later<ObservableState> later = first.fields.later_state(first.solver);
        const ObservableState state = *later();
        EXPECT_EQ(state.samples, std::max<std::int64_t>(stop - equilibration, 0));
        open_blocks += array_named(state.arrays, "open").shape.at(0);
        FieldsRun second(output_of(1, 30));
        second.go_on_from(stop, state);
        for (FieldsRun* const run : {&first, &second}) {
            run->go_to(end);
            const ObservableResults expected = unbroken.fields.results();
            const ObservableResults found = run->fields.results();
            for (const char* name : {"samples", "first_step", "last_step", "blocks", "block_samples"})
                EXPECT_EQ(whole_attribute(found, name), whole_attribute(expected, name)) << name << stop;
            for (const char* name : {"density", "density_error"})
                EXPECT_EQ(numbers_of(found, name), numbers_of(expected, name)) << name << stop;
        }
        ASSERT_EQ(first.rows.size() - unbroken.rows.size(), 0U) << "a state takes nothing away";
        for (std::size_t i = 0; i < second.rows.size(); ++i) {
            const std::size_t before = unbroken.rows.size() - second.rows.size();
            EXPECT_EQ(second.rows[i].steps.first, unbroken.rows[before + i].steps.first);
            EXPECT_EQ(second.rows[i].samples, 30);
        }
    }
    EXPECT_GT(open_blocks, 2);
}

TEST(FieldsObservable, WhatIsAskedForIsOfTheWorkThatWasDone) {
    FieldsRun run(output_of(1));
    run.go_to(22);
    const Later<ObservableResults> results = run.fields.later_results();
    run.solver.run(1);
    run.fields.sample(run.solver, 23);
    const Work work = run.fields.take_work(run.solver);
    EXPECT_EQ(whole_attribute(*results(), "samples"), 2);
    run.work(work);
    EXPECT_EQ(whole_attribute(run.fields.results(), "samples"), 3);
}

TEST(FieldsObservable, RefusesStatesThatThereCannotBe) {
    FieldsOutput output = output_of(1, 200);
    FieldsRun run(output);
    run.go_to(20 + 64 + 7);  // 32 blocks of two samples, three more and one that is not full
    const Later<ObservableState> later = run.fields.later_state(run.solver);
    const ObservableState good = as_read(*later());
    EXPECT_NO_THROW(static_cast<void>(FieldsRun(output).fields.restore(good)));
    const auto refuses = [&](const char* what, const std::function<void(ObservableState&)>& harm) {
        ObservableState state = good;
        harm(state);
        EXPECT_THROW(static_cast<void>(FieldsRun(output).fields.restore(state)), std::invalid_argument)
            << what;
    };
    const auto whole = [](ObservableState& state, const std::string& name) -> std::vector<std::int64_t>& {
        return std::get<std::vector<std::int64_t>>(array_named(state.arrays, name).values);
    };
    const auto rows = [](ObservableState& state, const std::string& name) -> NamedArray::Rows& {
        return std::get<NamedArray::Rows>(
            std::get<NamedArray::Large>(array_named(state.arrays, name).values));
    };
    for (const std::int64_t length : {-2, 0, 1, 3, 4})
        refuses("length of blocks", [&](ObservableState& s) { whole(s, "block_samples")[0] = length; });
    for (const char* name : {"blocks", "open", "window"}) {
        const std::string all = name;
        refuses(
            "no array", [&](ObservableState& s) { array_named(s.arrays, all).name = "other"; });
        refuses(
            "a row fewer", [&](ObservableState& s) { rows(s, all).pop_back(); });
        refuses(
            "a row more", [&](ObservableState& s) { rows(s, all).push_back(rows(s, all).back()); });
        refuses("a bin more", [&](ObservableState& s) { rows(s, all).back().resize(18); });
        for (const double number :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
            refuses(
                "no number", [&](ObservableState& s) { rows(s, all).back()[7] = number; });
        refuses("fewer than no particles", [&](ObservableState& s) { rows(s, all).back()[6] = -1.0; });
        for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 60})
            refuses("samples", [&](ObservableState& s) { whole(s, all + "_samples").back() = count; });
        for (const std::int64_t step : {-1, 92})
            refuses(
                "steps", [&](ObservableState& s) { whole(s, all + "_steps")[step < 0 ? 0 : 1] = step; });
        refuses(
            "steps in disorder",
            [&](ObservableState& s) {
                std::swap(whole(s, all + "_steps")[0], ++whole(s, all + "_steps")[1]);
            });
        refuses("types",
                [&](ObservableState& s) { array_named(s.arrays, all).values = std::vector<double>(12); });
    }
    refuses("blocks that are not full", [&](ObservableState& s) { whole(s, "blocks_samples")[3] = 1; });
    refuses(
        "two open blocks",
        [&](ObservableState& s) {
            rows(s, "open").push_back(rows(s, "open").back());
            whole(s, "open_samples").push_back(1);
        });
    refuses("another number of samples", [](ObservableState& s) { --s.samples; });
    output.pressure_tensor = true;
    EXPECT_THROW(static_cast<void>(FieldsRun(output).fields.restore(good)), std::invalid_argument);
}

TEST(FieldsObservable, TellsWhatItTakes) {
    FieldsOutput output = output_of(7);
    const FieldsObservable fields(FieldsRun::system(), output, equilibration);
    constexpr std::int64_t block = 2 * 6 * 8;
    EXPECT_EQ(fields.work_bytes(), block);
    EXPECT_EQ(fields.bytes(equilibration + 70), (10 + 2) * block);
    EXPECT_EQ(fields.bytes(equilibration + 7000), (64 + 2) * block);
    EXPECT_EQ(fields.result_bytes(100), 8 * 2 * 2 * 5);
    output.pressure_tensor = true;
    EXPECT_EQ(FieldsObservable(FieldsRun::system(), output, equilibration).work_bytes(), 2 * 25 * 8);
}

}  // namespace
}  // namespace mpcflow
