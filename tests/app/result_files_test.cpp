/// run.h5 and trajectory.h5 as they are written.

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/frame_layout.hpp"
#include "app/output/growing_file.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_check.hpp"
#include "app/output/trajectory_file.hpp"
#include "physics/snapshot.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/app/temporary_directory.hpp"

namespace mpcflow {
namespace {

using hdf5::File;
using storage::Directory;
using storage::Durability;

RunRecord record_of(const System& system, const Selection& selection = {}) {
    RunRecord record;
    record.scenario.system = system;
    record.scenario.title = "test";
    record.scenario.source_text = "title: test\n";
    record.resolved_input = "title: test\n";
    record.scenario.output.trajectory = TrajectoryOutput{};
    record.scenario.output.trajectory->every = 1;
    record.scenario.output.trajectory->velocity = true;
    record.scenario.output.trajectory->region = selection.region;
    record.scenario.output.trajectory->every_nth_id = selection.every_nth_id;
    record.start_time = "2025-01-01T00:00:00Z";
    return record;
}

TEST(RunFile, IsReplacedWholeAndMarkedInPlace) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("run.h5");
    const Directory files(directory.path());
    RunRecord record = record_of(System{});
    write_run_file(files, record, Durability::page_cache);
    const std::vector<double> momentum{1.0, 2.0, 3.0};
    record.observables.push_back(std::make_shared<const ObservableResults>(
        ObservableResults{"series", {}, {{"momentum", {1, 3}, View<double>(momentum), "1", "momentum"}}}));
    record.steps_done = 5;
    write_run_file(files, record, Durability::disk);
    EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
    mark_run_file(files, RunStatus::failed, "the reason");
    const File file = File::open(path);
    const hdf5::Group run = file.root().open_group("run");
    EXPECT_EQ(run.read_text_attribute("status"), "failed");
    EXPECT_EQ(run.read_text_attribute("message"), "the reason");
    EXPECT_EQ(run.read_int_attribute("steps_done"), 5);
    EXPECT_EQ(file.root().open_group("series").open_dataset("momentum").read<double>(), momentum);
    EXPECT_FALSE(run.has_attribute("state_hash")) << "not known while it runs";
    std::filesystem::remove(path);
    mark_run_file(files, RunStatus::failed, "no crash");
}

/// Runs `action` in a child process, as a file stays open in the process that gave it up.
int in_child(const std::function<int()>& action) {
    const pid_t child = fork();
    if (child == 0) _exit(action());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

System small_system() {
    System system;
    system.box.size = {8, 8, 8};
    return system;
}

/// The fake solver's particles leave the region, first fast then slowly, and come back.
const Region half{{0.0, 0.0, 0.0}, {8.0, 3.0, 8.0}};
const std::vector<Selection> selections{{}, {half, 1}, {std::nullopt, 7}, {half, 3}};

void append_frame(TrajectoryFile& file, FakeSolver& solver, const Selection& which) {
    ParticleRecords records;
    solver.copy_selection(which, records);
    records.sort_by_id();
    file.append(records, 0);
}

ParticleRecords records_of(const ParticleSnapshot& snapshot) {
    ParticleRecords records;
    const auto to =
        records.begin<ParticleDouble>(snapshot.step, static_cast<std::int64_t>(snapshot.id.size()));
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = take_from_snapshot<ParticleDouble>(snapshot, i);
    return records;
}

/// Whether a row of a dataset begins with these numbers and is filled up with `fill` (a NaN: with NaNs).
template <class T>
bool is_row(const hdf5::Dataset& dataset, std::size_t row, const std::vector<T>& numbers, T fill) {
    const std::vector<T> found = dataset.read_row<T>(row);
    if (found.size() < numbers.size() || !std::equal(numbers.begin(), numbers.end(), found.begin()))
        return false;
    return std::all_of(found.begin() + static_cast<std::ptrdiff_t>(numbers.size()), found.end(),
                       [&](T number) { return number == fill || (fill != fill && number != number); });
}

/// Frames in a trajectory, each compared with what the fake solver gives; -1 if one differs.
int intact_frames(const std::string& path, const Selection& which = {}) {
    const System system = small_system();
    const File file = File::open(path);
    const hdf5::Group all = file.root()
                                .open_group("particles")
                                .open_group(which.region     ? "region"
                                            : which.is_all() ? "all"
                                                             : "selection");
    const hdf5::Group parameters = file.root().open_group("parameters").open_group("mpcflow");
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const auto steps = all.open_group("position").open_dataset("step").read<std::int64_t>();
    FakeSolver solver(system, {1, 1, 1});
    ParticleSnapshot snapshot;
    for (std::size_t frame = 0; frame < steps.size(); ++frame) {
        solver.copy_selection(which, snapshot);
        if (steps[frame] != snapshot.step) return -1;
        const auto values = [&](const char* name) { return all.open_group(name).open_dataset("value"); };
        if (!is_row(values("position"), frame, snapshot.position, nan)) return -1;
        if (!is_row(values("velocity"), frame, snapshot.velocity, nan)) return -1;
        if (!is_row(values("image"), frame, snapshot.image, 0)) return -1;
        if (!is_row(values("id"), frame, snapshot.id, std::int64_t{-1})) return -1;
        if (which.region && parameters.open_dataset("particles").read<std::int64_t>().at(frame) !=
                                static_cast<std::int64_t>(snapshot.id.size()))
            return -1;
        solver.run(1);
    }
    return static_cast<int>(steps.size());
}

/// Appends frames until the file size limit is met; 0 if that ended as it should.
int write_until_full(const Directory& files, SpaceCheck space_check, rlim_t limit_bytes,
                     const Selection& which = {}) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{limit_bytes, limit_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    const System system = small_system();
    FakeSolver solver(system, {1, 1, 1});
    try {
        TrajectoryFile file(files, record_of(system, which), space_check);
        for (int frame = 0; frame < 1000; ++frame) {
            append_frame(file, solver, which);
            solver.run(1);
        }
    } catch (const FileError& error) {
        return std::string(error.what()).find("are intact") != std::string::npos &&
                       means_no_room(error.error_number)
                   ? 0
                   : 2;
    }
    return 1;
}

TEST(TrajectoryFile, AFullDiskLeavesEarlierFramesIntact) {
    const TemporaryDirectory directory;
    const Directory files(directory.path());
    const std::string path = directory.file("trajectory.h5");
    // Limits at odd places, so that the failure meets chunks and metadata alike.
    for (const rlim_t limit : {rlim_t{1100000}, rlim_t{2000000}, rlim_t{2034567}}) {
        for (const SpaceCheck check : {SpaceCheck::reserve, SpaceCheck::none}) {
            for (const Selection& which : selections) {
                ASSERT_EQ(in_child([&] { return write_until_full(files, check, limit, which); }), 0);
                EXPECT_GT(intact_frames(path, which), 0) << "limit " << limit;
            }
        }
    }
}

TEST(TrajectoryFile, AFirstFrameThatDoesNotFitLeavesNoFile) {
    const TemporaryDirectory directory;
    const Directory files(directory.path());
    const auto too_small = [&](SpaceCheck check) { return write_until_full(files, check, 100000); };
    EXPECT_NE(in_child([&] { return too_small(SpaceCheck::reserve); }), 1);
    EXPECT_NE(in_child([&] { return too_small(SpaceCheck::none); }), 1);
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(TrajectoryFile, IsWholeWheneverItsWriterDies) {
    // The writer ends without another instruction in the middle of a frame: everything but the last
    // frame must be there. (Kills between any two writes of a flush were tried with strace.)
    const TemporaryDirectory directory;
    const Directory files(directory.path());
    const std::string path = directory.file("trajectory.h5");
    for (const Selection& which : selections) {
        const int status = in_child([&]() -> int {
            const System system = small_system();
            FakeSolver solver(system, {1, 1, 1});
            TrajectoryFile file(files, record_of(system, which));
            for (int frame = 0; frame < 150; ++frame) {  // the chunk index splits at 64
                append_frame(file, solver, which);
                solver.run(1);
            }
            _exit(7);
        });
        EXPECT_EQ(status, 7);
        EXPECT_EQ(intact_frames(path, which), 150);
    }
}

TEST(TrajectoryFile, FramesOfARegionGrowAndShrink) {
    const TemporaryDirectory directory;
    const Directory files(directory.path());
    const std::string path = directory.file("trajectory.h5");
    const System system = small_system();
    const Region region{{0.0, 0.0, 0.0}, {1.0, 1.0, 2.0}};  // 20 particles are usual
    RunRecord record = record_of(system, {region, 1});
    const std::vector<std::size_t> counts{0, 3, 40, 0, 41, 700, 2, 5120};
    const auto frame = [](std::size_t count, std::int64_t step) {
        ParticleSnapshot snapshot;
        snapshot.step = step;
        for (std::size_t i = 0; i < count; ++i) {
            snapshot.id.push_back(static_cast<std::int64_t>(5120 - count + i));
            snapshot.position.insert(snapshot.position.end(), {0.5, 0.25, 0.001 * static_cast<double>(i)});
            snapshot.velocity.insert(snapshot.velocity.end(), {1.0, 2.0, static_cast<double>(step)});
            snapshot.image.insert(snapshot.image.end(), {1, -1, static_cast<std::int32_t>(i)});
        }
        return snapshot;
    };
    {
        TrajectoryFile file(files, record);
        for (std::size_t i = 0; i < counts.size(); ++i)
            file.append(records_of(frame(counts[i], static_cast<std::int64_t>(i))), i);
        file.close();
    }
    const File file = File::open(path);
    const hdf5::Group group = file.root().open_group("particles").open_group("region");
    const auto values = [&](const char* name) { return group.open_group(name).open_dataset("value"); };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(values("position").shape(), (std::vector<hsize_t>{8, 5120, 3}));
    EXPECT_EQ(group.open_dataset("mass").shape(), std::vector<hsize_t>{5120});
    EXPECT_EQ(group.open_dataset("mass").read<double>().back(), system.fluid.mass);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const ParticleSnapshot expected = frame(counts[i], static_cast<std::int64_t>(i));
        EXPECT_TRUE(is_row(values("position"), i, expected.position, nan)) << i;
        EXPECT_TRUE(is_row(values("velocity"), i, expected.velocity, nan)) << i;
        EXPECT_TRUE(is_row(values("image"), i, expected.image, 0)) << i;
        EXPECT_TRUE(is_row(values("id"), i, expected.id, std::int64_t{-1})) << i;
    }
}

TEST(TrajectoryFile, AFrameInPartsIsThatOfOnePiece) {
    const TemporaryDirectory directory;
    System system;
    system.box.size = {20, 20, 20};
    system.fluid.density = 15.0;  // chunks of values that are not full
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        SolverOptions options;
        options.precision = precision;
        const auto solver = make_host_solver(system, options);
        RunRecord record = record_of(system);
        record.scenario.execution.precision = precision;
        std::vector<std::uint64_t> checksums;
        for (const std::int64_t ids : {120000, 50000, 119999, 7777}) {
            const Directory files(directory.path());
            TrajectoryFile file(files, record);
            for (int frame = 0; frame < 2; ++frame) {
                FramePart part{7, system.particle_count()};
                for (; part.first < part.particles; part.first += ids) {
                    ParticleRecords records;
                    Selection selection;
                    selection.first_id = part.first;
                    selection.end_id = std::min(part.particles, part.first + ids);
                    solver->copy_selection(selection, records);
                    EXPECT_EQ(records.count(), selection.end_id - selection.first_id);
                    records.step = frame;
                    records.sort_by_id();
                    file.append(records, part, 0);
                }
            }
            EXPECT_EQ(file.frames(), 2);
            checksums.push_back(file.checksum());
            file.close();
            const RowsFound found = check_rows(File::open(directory.file("trajectory.h5")), read_frames, 9);
            EXPECT_EQ(found.damage, "");
            EXPECT_EQ(found.whole, 2);
        }
        EXPECT_EQ(std::set<std::uint64_t>(checksums.begin(), checksums.end()).size(), 1U);
    }
}

TEST(TrajectoryFile, AFrameOfARegionTakesNoMoreThanIsReserved) {
    const TemporaryDirectory directory;
    const System system = small_system();
    for (const double height : {0.02, 0.4, 2.0, 8.0}) {
        const Region region{{0.0, 0.0, 0.0}, {8.0, 8.0, height}};
        const RunRecord record = record_of(system, {region, 1});
        const TrajectoryOutput& output = *record.scenario.output.trajectory;
        EXPECT_EQ(usual_frame_particles(system, output), std::ceil(640.0 * height));
        const Directory files(directory.path());
        const std::string path = directory.file("trajectory.h5");
        TrajectoryFile file(files, record);
        ParticleSnapshot snapshot;
        std::uintmax_t before = 0;
        for (const std::size_t count : {1U, 10U, 500U, 5000U, 20U}) {
            snapshot.id.assign(count, 7);
            snapshot.position.assign(3 * count, 1.0);
            snapshot.velocity.assign(3 * count, 1.0);
            snapshot.image.assign(3 * count, 1);
            file.append(records_of(snapshot), 0);
            const std::uintmax_t bytes = std::filesystem::file_size(path);
            const std::int64_t reserved = FrameLayout(system, Precision::double_precision, output)
                                              .bytes(static_cast<std::int64_t>(count)) +
                                          (256 << 10);
            EXPECT_LE(bytes - before, static_cast<std::uintmax_t>(reserved))
                << count << " particles, " << height;
            before = bytes;
            ++snapshot.step;
        }
    }
}

TEST(TrajectoryFile, IsStoredInThePrecisionThatIsWanted) {
    struct Case {
        Precision of_run;
        FilePrecision wanted;
        bool is_single;
    };
    const TemporaryDirectory directory;
    const System system = small_system();
    FakeSolver solver(system, {1, 1, 1});
    ParticleSnapshot snapshot;
    solver.copy_particles(snapshot);
    const auto rounded = static_cast<double>(static_cast<float>(snapshot.velocity[10]));
    ASSERT_NE(rounded, snapshot.velocity[10]);
    const Directory files(directory.path());
    const std::string path = directory.file("trajectory.h5");
    for (const Case& c : {Case{Precision::mixed, FilePrecision::automatic, true},
                          Case{Precision::double_precision, FilePrecision::automatic, false},
                          Case{Precision::double_precision, FilePrecision::single_precision, true},
                          Case{Precision::mixed, FilePrecision::double_precision, false}}) {
        RunRecord record = record_of(system);
        record.scenario.execution.precision = c.of_run;
        record.scenario.output.trajectory->precision = c.wanted;
        {
            TrajectoryFile file(files, record);
            file.append(records_of(snapshot), 5);
            file.close();
        }
        const File file = File::open(path);
        const auto velocity = file.root().open_group("particles").open_group("all").open_group("velocity");
        EXPECT_EQ(velocity.open_dataset("value").read<double>().at(10),
                  c.is_single ? rounded : snapshot.velocity[10]);
        const std::int64_t bytes =
            FrameLayout(system, c.of_run, *record.scenario.output.trajectory).bytes(system.particle_count());
        EXPECT_LE(std::filesystem::file_size(path), static_cast<std::uintmax_t>(bytes + (256 << 10)));
        // Six numbers, three images and an id; chunks have room for at most a page more each.
        EXPECT_NEAR(static_cast<double>(bytes), 5120.0 * (c.is_single ? 40 : 64), 4 * 4300.0);
    }
}

}  // namespace
}  // namespace mpcflow
