/// The HDF5 wrappers, and the files that are written with them.

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/run_file.hpp"
#include "app/trajectory_file.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/app/temporary_directory.hpp"

namespace mpcflow {
namespace {

using hdf5::Access;
using hdf5::DatasetLayout;
using hdf5::File;
using hdf5::Growth;
using hdf5::NumberType;

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const EnvironmentError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Hdf5, AttributesAndTextsReadBack) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("a.h5");
    {
        File file = File::create(path);
        const hdf5::Group group = file.root().create_group("g");
        group.write_attribute("text", std::string_view("grün"));
        group.write_attribute("empty", std::string_view(""));
        group.write_attribute("roomy", std::string_view("a"), 8);
        group.write_attribute("real", 0.1);
        group.write_attribute("whole", std::int64_t{-7});
        group.write_attribute("big", std::uint64_t{0xffffffffffffffffU});
        group.write_text("long", std::string(200000, 'x'), {"many x", {}});
        group.write_text("none", "", {});
    }
    {
        const File file = File::open(path, Access::read_write);
        file.root().open_group("g").rewrite_attribute("roomy", "123456789");
    }
    const File file = File::open(path, Access::read_only);
    const hdf5::Group group = file.root().open_group("g");
    EXPECT_EQ(group.read_text_attribute("text"), "grün");
    EXPECT_EQ(group.read_text_attribute("empty"), "");
    EXPECT_EQ(group.read_text_attribute("roomy"), "12345678") << "what does not fit is cut";
    EXPECT_EQ(group.read_double_attribute("real"), 0.1);
    EXPECT_EQ(group.read_int_attribute("whole"), -7);
    EXPECT_EQ(group.read_unsigned_attribute("big"), 0xffffffffffffffffU);
    EXPECT_EQ(group.read_text("long"), std::string(200000, 'x'));
    EXPECT_EQ(group.read_text("none"), "");
    EXPECT_TRUE(group.has("long"));
    EXPECT_FALSE(group.has("short"));
    EXPECT_FALSE(group.has_attribute("nothing"));
    EXPECT_NE(message_of([&] { static_cast<void>(group.read_double_attribute("nothing")); }).find("nothing"),
              std::string::npos);
    EXPECT_NE(message_of([&] { static_cast<void>(group.read_text_attribute("real")); }).find("not a text"),
              std::string::npos);
}

TEST(Hdf5, RowsThatGrowReadBack) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("rows.h5");
    constexpr int rows = 200;
    constexpr std::size_t width = 50000;  // more than one chunk a row
    for (const hdf5::WriteOrder order : {hdf5::WriteOrder::any, hdf5::WriteOrder::ordered}) {
        {
            File file = File::create(path, order);
            hdf5::Dataset wide = file.root().create_dataset(
                "wide", {NumberType::float32, {width, 3}, Growth::by_rows, std::nan(""), {"d", "u"}});
            hdf5::Dataset narrow =
                file.root().create_dataset("narrow", {NumberType::int64, {}, Growth::by_rows, {}, {}});
            std::vector<double> row(3 * width);
            for (std::int64_t i = 0; i < rows; ++i) {
                std::iota(row.begin(), row.end(), static_cast<double>(i));
                if (i < 20)
                    wide.append_row(row.data());
                narrow.append_row(&i);
                file.flush();
            }
        }
        const File file = File::open(path, Access::read_only);
        const hdf5::Dataset wide = file.root().open_dataset("wide");
        EXPECT_EQ(wide.shape(), (std::vector<hsize_t>{20, width, 3}));
        EXPECT_EQ(wide.read_row<double>(17).at(100), 117.0);
        const auto numbers = file.root().open_dataset("narrow").read<std::int64_t>();
        ASSERT_EQ(numbers.size(), static_cast<std::size_t>(rows));
        EXPECT_EQ(numbers[150], 150);
    }
}

TEST(Hdf5, ChunksAreAboutAMebibyteAndHoldWholeRows) {
    for (const hsize_t particles : {1U, 10U, 1000U, 43690U, 43691U, 1000000U, 80000000U}) {
        const auto chunk =
            chunk_shape(DatasetLayout{NumberType::float64, {particles, 3}, Growth::by_rows, {}, {}});
        ASSERT_EQ(chunk.size(), 3U);
        const hsize_t bytes = 8 * chunk[0] * chunk[1] * chunk[2];
        EXPECT_LE(bytes, 1U << 20U);
        EXPECT_LE(chunk[1], particles);
        if (24 * particles > 4096) {
            EXPECT_EQ(chunk[0], 1U) << "rows share chunks only where they are small";
        }
        if (particles > 43690) {
            EXPECT_GT(bytes, 1U << 19U);
        }
    }
    EXPECT_EQ(chunk_shape(DatasetLayout{NumberType::float64, {4, 5, 6}, Growth::fixed, {}, {}}),
              (std::vector<hsize_t>{4, 5, 6}));
}

TEST(Hdf5, AnEmptyDatasetIsFine) {
    const TemporaryDirectory directory;
    File file = File::create(directory.file("e.h5"));
    hdf5::Dataset empty = file.root().create_dataset("none", {NumberType::float64, {0, 3}, Growth::fixed, {}, {}});
    empty.write(std::vector<double>{});
    EXPECT_TRUE(empty.read<double>().empty());
}

TEST(Hdf5, FilesThatCannotBeReadSayWhy) {
    const TemporaryDirectory directory;
    const auto opening = [](const std::string& path) {
        return message_of([&] { static_cast<void>(File::open(path, Access::read_only)); });
    };
    EXPECT_NE(opening(directory.file("missing.h5")).find("no such file"), std::string::npos);
    EXPECT_NE(opening(directory.path()).find("directory"), std::string::npos);
    std::ofstream(directory.file("empty.h5")).flush();
    EXPECT_NE(opening(directory.file("empty.h5")).find("empty"), std::string::npos);
    std::ofstream(directory.file("text.h5")) << "this is not HDF5, though its name says so";
    EXPECT_NE(opening(directory.file("text.h5")).find("not an HDF5 file"), std::string::npos);
    EXPECT_NE(message_of([&] {
                  static_cast<void>(File::create(directory.file("no/such/folder.h5")));
              }).find("No such file or directory"),
              std::string::npos);
}

RunRecord record_of(const System& system) {
    RunRecord record;
    record.scenario.system = system;
    record.scenario.title = "test";
    record.scenario.source_text = "title: test\n";
    record.resolved_input = "title: test\n";
    record.scenario.output.trajectory = TrajectoryOutput{};
    record.scenario.output.trajectory->every = 1;
    record.scenario.output.trajectory->velocity = true;
    record.start_time = "2025-01-01T00:00:00Z";
    return record;
}

TEST(RunFile, IsReplacedWholeAndMarkedInPlace) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("run.h5");
    RunRecord record = record_of(System{});
    record.scenario.output.series = SeriesOutput{1};
    write_run_file(path, record, Durability::page_cache);
    record.series.push_back({0, 0.0, 1.5, 1.0, {1.0, 2.0, 3.0}});
    record.steps_done = 5;
    write_run_file(path, record, Durability::disk);
    EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
    mark_run_file(path, RunStatus::failed, "the reason");
    const File file = File::open(path, Access::read_only);
    const hdf5::Group run = file.root().open_group("run");
    EXPECT_EQ(run.read_text_attribute("status"), "failed");
    EXPECT_EQ(run.read_text_attribute("message"), "the reason");
    EXPECT_EQ(run.read_int_attribute("steps_done"), 5);
    EXPECT_EQ(file.root().open_group("series").open_dataset("momentum").read<double>(),
              (std::vector<double>{1.0, 2.0, 3.0}));
    EXPECT_FALSE(run.has_attribute("state_hash")) << "not known while it runs";
    mark_run_file(directory.file("missing.h5"), RunStatus::failed, "no crash");
}

/// Runs `action` in a child process, as a file stays open in the process that gave it up.
int in_child(const std::function<int()>& action) {
    const pid_t child = fork();
    if (child == 0)
        _exit(action());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

System small_system() {
    System system;
    system.box.size = {8, 8, 8};
    return system;
}

/// Frames in a trajectory, each compared with what the fake solver gives; -1 if one differs.
int intact_frames(const std::string& path) {
    const System system = small_system();
    const File file = File::open(path, Access::read_only);
    const hdf5::Group all = file.root().open_group("particles").open_group("all");
    const auto steps = all.open_group("position").open_dataset("step").read<std::int64_t>();
    FakeSolver solver(system, {1, 1, 1});
    ParticleSnapshot snapshot;
    for (std::size_t frame = 0; frame < steps.size(); ++frame) {
        solver.copy_particles(snapshot);
        if (steps[frame] != snapshot.step)
            return -1;
        const auto row = [&](const char* name) { return all.open_group(name).open_dataset("value"); };
        if (row("position").read_row<double>(frame) != snapshot.position)
            return -1;
        if (row("velocity").read_row<double>(frame) != snapshot.velocity)
            return -1;
        if (row("image").read_row<std::int32_t>(frame) != snapshot.image)
            return -1;
        solver.run(1);
    }
    return static_cast<int>(steps.size());
}

/// Appends frames until the file size limit is met; 0 if that ended as it should.
int write_until_full(const std::string& path, SpaceCheck space_check, rlim_t limit_bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{limit_bytes, limit_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    const System system = small_system();
    FakeSolver solver(system, {1, 1, 1});
    ParticleSnapshot snapshot;
    try {
        TrajectoryFile file(path, record_of(system), space_check);
        for (int frame = 0; frame < 1000; ++frame) {
            solver.copy_particles(snapshot);
            file.append(snapshot, 0);
            solver.run(1);
        }
    } catch (const hdf5::FileError& error) {
        return std::string(error.what()).find("are intact") != std::string::npos &&
                       hdf5::means_no_room(error.error_number)
                   ? 0
                   : 2;
    }
    return 1;
}

TEST(TrajectoryFile, AFullDiskLeavesEarlierFramesIntact) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("trajectory.h5");
    // Limits at odd places, so that the failure meets chunks and metadata alike.
    for (const rlim_t limit : {rlim_t{700000}, rlim_t{2000000}, rlim_t{2034567}}) {
        for (const SpaceCheck check : {SpaceCheck::reserve, SpaceCheck::none}) {
            ASSERT_EQ(in_child([&] { return write_until_full(path, check, limit); }), 0);
            EXPECT_GT(intact_frames(path), 0) << "limit " << limit;
        }
    }
}

TEST(TrajectoryFile, AFirstFrameThatDoesNotFitLeavesNoFile) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("trajectory.h5");
    const auto too_small = [&](SpaceCheck check) { return write_until_full(path, check, 100000); };
    EXPECT_NE(in_child([&] { return too_small(SpaceCheck::reserve); }), 1);
    EXPECT_NE(in_child([&] { return too_small(SpaceCheck::none); }), 1);
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(TrajectoryFile, IsWholeWheneverItsWriterDies) {
    // The writer ends without another instruction in the middle of a frame: everything but the last
    // frame must be there. (Kills between any two writes of a flush were tried with strace.)
    const TemporaryDirectory directory;
    const std::string path = directory.file("trajectory.h5");
    const int status = in_child([&]() -> int {
        const System system = small_system();
        FakeSolver solver(system, {1, 1, 1});
        ParticleSnapshot snapshot;
        TrajectoryFile file(path, record_of(system));
        for (int frame = 0; frame < 150; ++frame) {  // the chunk index splits at 64
            solver.copy_particles(snapshot);
            file.append(snapshot, 0);
            solver.run(1);
        }
        _exit(7);
    });
    EXPECT_EQ(status, 7);
    EXPECT_EQ(intact_frames(path), 150);
}

TEST(TrajectoryFile, MixedPrecisionIsStoredInSinglePrecision) {
    const TemporaryDirectory directory;
    const System system = small_system();
    RunRecord record = record_of(system);
    record.scenario.execution.precision = Precision::mixed;
    FakeSolver solver(system, {1, 1, 1});
    ParticleSnapshot snapshot;
    solver.copy_particles(snapshot);
    {
        TrajectoryFile file(directory.file("t.h5"), record);
        file.append(snapshot, 5);
        file.close();
    }
    const File file = File::open(directory.file("t.h5"), Access::read_only);
    const auto velocity = file.root().open_group("particles").open_group("all").open_group("velocity");
    EXPECT_EQ(velocity.open_dataset("value").read<double>().at(10),
              static_cast<double>(static_cast<float>(snapshot.velocity[10])));
    EXPECT_LE(
        std::filesystem::file_size(directory.file("t.h5")),
        static_cast<std::uintmax_t>(
            trajectory_frame_bytes(system, Precision::mixed, *record.scenario.output.trajectory) + (256 << 10)));
}

}  // namespace
}  // namespace mpcflow
