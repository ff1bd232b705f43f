/// The HDF5 wrappers.

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/frame_layout.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_file.hpp"
#include "physics/snapshot.hpp"
#include "tests/app/fake_solver.hpp"
#include "tests/app/temporary_directory.hpp"

namespace mpcflow {
namespace {

using hdf5::DatasetLayout;
using hdf5::File;
using hdf5::Growth;
using hdf5::NumberType;
using storage::Access;
using storage::Directory;
using storage::Durability;

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
        File file = File::create(Directory(directory.path()), "a.h5");
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
        File file = File::open(Directory(directory.path()), "a.h5", Access::read_write);
        file.root().open_group("g").rewrite_attribute("roomy", "123456789");
    }
    const File file = File::open(path);
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
            File file = File::create(Directory(directory.path()), "rows.h5", order);
            hdf5::Dataset wide = file.root().create_dataset(
                "wide", {NumberType::float32, {width, 3}, Growth::by_rows, std::nan(""), {"d", "u"}});
            hdf5::Dataset narrow =
                file.root().create_dataset("narrow", {NumberType::int64, {}, Growth::by_rows, {}, {}});
            std::vector<double> row(3 * width);
            for (std::int64_t i = 0; i < rows; ++i) {
                std::iota(row.begin(), row.end(), static_cast<double>(i));
                if (i < 20) wide.append_row(row.data());
                narrow.append_row(&i);
                file.flush();
            }
        }
        const File file = File::open(path);
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
        if (24 * particles > 4096) EXPECT_EQ(chunk[0], 1U) << "rows share chunks only where they are small";
        if (particles > 43690) EXPECT_GT(bytes, 1U << 19U);
    }
    EXPECT_EQ(chunk_shape(DatasetLayout{NumberType::float64, {4, 5, 6}, Growth::fixed, {}, {}}),
              (std::vector<hsize_t>{4, 5, 6}));
}

TEST(Hdf5, AnEmptyDatasetIsFine) {
    const TemporaryDirectory directory;
    File file = File::create(Directory(directory.path()), "e.h5");
    hdf5::Dataset empty =
        file.root().create_dataset("none", {NumberType::float64, {0, 3}, Growth::fixed, {}, {}});
    empty.write(std::vector<double>{});
    EXPECT_TRUE(empty.read<double>().empty());
}

/// What closing writes is what HDF5 keeps until then: numbers in its chunk cache.
TEST(Hdf5, AFailureWhileADatasetClosesIsTold) {
    const TemporaryDirectory directory;
    const auto write = [&](rlim_t limit_bytes, bool closes_by_assignment) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{limit_bytes, limit_bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        File file = File::create(Directory(directory.path()), "a.h5");
        try {
            {
                hdf5::Dataset numbers =
                    file.root().create_dataset("n", {NumberType::float64, {50000}, Growth::fixed, {}, {}});
                numbers.write(std::vector<double>(50000, 1.0));
                if (closes_by_assignment) numbers = hdf5::Dataset();
            }
            file.flush();
            file.close();
        } catch (const FileError& error) {
            return error.error_number == EFBIG ? 3 : 1;
        }
        return 0;
    };
    const auto in_a_child = [&](rlim_t limit, bool closes_by_assignment) {
        const pid_t child = fork();
        if (child == 0) _exit(write(limit, closes_by_assignment));
        int status = 0;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    for (const bool closes_by_assignment : {false, true}) {
        EXPECT_EQ(in_a_child(RLIM_INFINITY, closes_by_assignment), 0);
        EXPECT_EQ(in_a_child(100000, closes_by_assignment), 3);
    }
}

TEST(Hdf5, WholeChunksHaveTheChecksumsAndFillValuesOfHdf5) {
    // Reading checks them. Parts of a chunk, several chunks, words that add up to multiples of 65535, nothing
    // but zeros.
    const TemporaryDirectory directory;
    for (const hsize_t width : {1500U, 43690U, 43691U, 100000U}) {
        {
            File file = File::create(Directory(directory.path()), "a.h5", hdf5::WriteOrder::ordered);
            hdf5::Dataset rows = file.root().create_dataset(
                "rows", {NumberType::float64, {width, 3}, Growth::by_ragged_rows, -1.0, {}});
            const auto append = [&](hsize_t count, auto number) {
                const std::uint64_t sum = rows.append_row_by_items<double>(
                    count,
                    [&](std::size_t first, std::size_t n, double* to) {
                        for (std::size_t i = 0; i < 3 * n; ++i) to[i] = number(3 * first + i);
                    });
                EXPECT_EQ(rows.row_checksum(rows.shape()[0] - 1, count), sum);
            };
            append(
                width, [](std::size_t i) { return static_cast<double>(i) * 0.1; });
            append(
                width / 2 + 1, [](std::size_t i) { return -static_cast<double>(i); });
            append(
                width + 7, [](std::size_t) { return 0.0; });
            append(
                width, [](std::size_t) { return std::bit_cast<double>(0xffffffffffffffffULL >> 12U); });
            append(0, [](std::size_t) { return 1.0; });
            file.flush();
        }
        const File file = File::open(directory.file("a.h5"));
        const hdf5::Dataset rows = file.root().open_dataset("rows");
        ASSERT_EQ(rows.shape(), (std::vector<hsize_t>{5, width + 7, 3}));
        EXPECT_EQ(rows.read_row<double>(0).at(3 * width - 1), static_cast<double>(3 * width - 1) * 0.1);
        EXPECT_EQ(rows.read_row<double>(0).back(), -1.0);
        EXPECT_EQ(rows.read_row<double>(1).at(3 * (width / 2 + 1) - 1),
                  -static_cast<double>(3 * (width / 2 + 1) - 1));
        EXPECT_EQ(rows.read_row<double>(1).at(3 * (width / 2 + 1)), -1.0);
        EXPECT_EQ(rows.read_row<double>(2), std::vector<double>(3 * (width + 7), 0.0));
        EXPECT_EQ(rows.read_row<double>(3).at(5), std::bit_cast<double>(0xffffffffffffffffULL >> 12U));
        EXPECT_EQ(rows.read_row<double>(4), std::vector<double>(3 * (width + 7), -1.0));
    }
}

/// HDF5 1.10 lists attributes of which one cannot be decoded by freeing what it has not made.
TEST(Hdf5, AttributesThatAreDamagedAreTold) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() + "/a.h5";
    {
        File file = File::create(Directory(directory.path()), "a.h5");
        for (const char* name : {"before", "the damaged one", "after"})
            file.root().write_attribute(name, std::int64_t{1});
        file.close();
    }
    std::string bytes;
    {
        std::ifstream file(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    const std::size_t name = bytes.find("the damaged one");
    ASSERT_NE(name, std::string::npos);
    // Its message begins eight bytes before its name: version, nothing, then the lengths of name, type and
    // space.
    for (const std::size_t place : {name - 8, name - 6, name - 4}) {
        std::string damaged = bytes;
        damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
        std::ofstream(path, std::ios::binary) << damaged;
        EXPECT_NE(message_of([&] { static_cast<void>(File::open(path).root().attribute_names()); }),
                  "no error")
            << name - place;
    }
}

TEST(Hdf5, FilesThatCannotBeReadSayWhy) {
    const TemporaryDirectory directory;
    const auto opening = [](const std::string& path) {
        return message_of([&] { static_cast<void>(File::open(path)); });
    };
    EXPECT_NE(opening(directory.file("missing.h5")).find("no such file"), std::string::npos);
    EXPECT_NE(opening(directory.path()).find("directory"), std::string::npos);
    std::ofstream(directory.file("empty.h5")).flush();
    EXPECT_NE(opening(directory.file("empty.h5")).find("empty"), std::string::npos);
    std::ofstream(directory.file("text.h5")) << "this is not HDF5, though its name says so";
    EXPECT_NE(opening(directory.file("text.h5")).find("not an HDF5 file"), std::string::npos);
    EXPECT_NE(message_of([&] {
                  static_cast<void>(File::create(Directory(directory.path()), "no/such/folder.h5"));
              }).find("No such file or directory"),
              std::string::npos);
}

}  // namespace
}  // namespace mpcflow
