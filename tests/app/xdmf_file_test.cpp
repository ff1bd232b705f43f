/// fields_in_time.xdmf: grows by one grid a window, and is whole after each.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/output/xdmf_file.hpp"
#include "app/storage/file_error.hpp"
#include "tests/app/temporary_directory.hpp"

namespace mpcflow {
namespace {

const Box box{{6, 6, 6}};

FieldsOutput all_quantities() {
    FieldsOutput wanted;
    wanted.bins = {1, 2, 3};
    wanted.time_window = 10;
    wanted.density = wanted.velocity = wanted.temperature = wanted.pressure_tensor = true;
    return wanted;
}

std::vector<double> times_of(std::size_t windows) {
    std::vector<double> times;
    for (std::size_t row = 0; row < windows; ++row) times.push_back(0.1 * static_cast<double>(row + 1));
    return times;
}

/// A folder, and fields_in_time.xdmf in it.
struct Folder {
    TemporaryDirectory temporary{};
    storage::Directory files{temporary.path()};
    std::string path = temporary.file(window_xdmf_file_name);
};

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

ino_t inode_of(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

TEST(XdmfFile, WindowsAddedOneByOneMakeTheFileThatIsWrittenWhole) {
    const Folder folder;
    const Folder other;
    const std::string& path = folder.path;
    WindowXdmf grown(folder.files, box, all_quantities(), {});
    EXPECT_EQ(inode_of(path), 0u) << "there is none before the first window";
    // Beyond what is written in one piece.
    const std::vector<double> times = times_of(100);
    for (std::size_t windows = 1; windows <= times.size(); ++windows) {
        grown.add(times[windows - 1]);
        const WindowXdmf expected(other.files, box, all_quantities(), times_of(windows));
        ASSERT_EQ(contents(path), contents(other.path)) << windows;
        EXPECT_EQ(grown.windows(), static_cast<std::int64_t>(windows));
        EXPECT_EQ(expected.windows(), grown.windows());
    }
    grown.close();
    EXPECT_EQ(inode_of(path + ".tmp"), 0u);
}

TEST(XdmfFile, GoesOnWhereAnotherEnded) {
    const Folder folder;
    const std::string& path = folder.path;
    const std::vector<double> times = times_of(9);
    {
        WindowXdmf first(folder.files, box, all_quantities(), times);
        first.add(12.0);
    }
    // The tenth window is dropped.
    WindowXdmf second(folder.files, box, all_quantities(), times);
    second.add(1.0);
    const Folder other;
    const WindowXdmf whole(other.files, box, all_quantities(), times_of(10));
    EXPECT_EQ(contents(path), contents(other.path));
}

TEST(XdmfFile, AWindowLeavesWhatIsThereAlone) {
    const Folder folder;
    const std::string& path = folder.path;
    WindowXdmf file(folder.files, box, all_quantities(), times_of(20));
    const std::string before = contents(path);
    const ino_t inode = inode_of(path);
    file.add(2.1);
    const std::string after = contents(path);
    EXPECT_EQ(inode_of(path), inode);
    const std::size_t tail = std::string("    </Grid>\n  </Domain>\n</Xdmf>\n").size();
    EXPECT_EQ(after.substr(0, before.size() - tail), before.substr(0, before.size() - tail));
    EXPECT_EQ(after.substr(after.size() - tail), before.substr(before.size() - tail));
    EXPECT_EQ(after.size() - before.size(), describe_window(box, all_quantities(), 20, 2.1).size());
}

/// What a process writes beyond a limit on file sizes fails; a part of it may be written.
class SizeLimit {
public:
    explicit SizeLimit(rlim_t bytes) {
        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
    SizeLimit(const SizeLimit&) = delete;
    SizeLimit& operator=(const SizeLimit&) = delete;

private:
    rlimit before_{};
};

TEST(XdmfFile, AFailedWriteLeavesTheFileOfBefore) {
    const Folder folder;
    const std::string& path = folder.path;
    WindowXdmf file(folder.files, box, all_quantities(), times_of(3));
    const std::string before = contents(path);
    {
        // Half of the next grid fits.
        const SizeLimit limit(before.size() + 1000);
        try {
            file.add(0.4);
            FAIL() << "more than the limit was written";
        } catch (const FileError& error) {
            EXPECT_EQ(error.what(), path + ": cannot write it: file size limit reached (see ulimit -f)");
        }
    }
    EXPECT_EQ(contents(path), before);
    EXPECT_EQ(file.windows(), 3);
    file.add(0.4);
    const Folder other;
    const WindowXdmf whole(other.files, box, all_quantities(),
                           {times_of(3)[0], times_of(3)[1], times_of(3)[2], 0.4});
    EXPECT_EQ(contents(path), contents(other.path));
}

TEST(XdmfFile, OneThatCannotBeBegunLeavesNothing) {
    const Folder folder;
    const std::string& path = folder.path;
    WindowXdmf file(folder.files, box, all_quantities(), {});
    {
        const SizeLimit limit(1000);
        EXPECT_THROW(file.add(0.1), FileError);
    }
    EXPECT_EQ(inode_of(path), 0u);
    EXPECT_EQ(inode_of(path + ".tmp"), 0u);
    file.add(0.1);
    EXPECT_EQ(file.windows(), 1);
    EXPECT_NE(inode_of(path), 0u);
}

TEST(XdmfFile, ALinkIsNotFollowed) {
    const Folder folder;
    const std::string& path = folder.path;
    std::ofstream(folder.temporary.file("mine")) << "mine";
    ASSERT_EQ(symlink(folder.temporary.file("mine").c_str(), (path + ".tmp").c_str()), 0);
    WindowXdmf file(folder.files, box, all_quantities(), {});
    file.add(0.1);
    EXPECT_EQ(contents(folder.temporary.file("mine")), "mine");
}

}  // namespace
}  // namespace mpcflow
