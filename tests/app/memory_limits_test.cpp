/// How much memory there is, read from made-up folders /proc and /sys.

#include "app/machine/memory_limits.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/app/temporary_directory.hpp"

namespace mpcflow {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t mebi = 1 << 20;
const std::string mount_1 =
    "32 31 0:29 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n";
const std::string mount_2 =
    "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string others =
    "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";

/// A machine of files.
class Machine {
public:
    Machine& write(const std::string& file, const std::string& text) {
        const fs::path path = fs::path(folder_.path()) / file;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return *this;
    }
    Machine& groups(const std::string& own, const std::string& mounts) {
        return write("proc/self/cgroup", own).write("proc/self/mountinfo", others + mounts);
    }
    /// Of version 2: so many MiB, of which `used` are, `files` of them pages of files.
    Machine& limit_2(const std::string& group, int megabytes, int used, int files) {
        return write(group + "/memory.max", std::to_string(megabytes * mebi) + "\n")
            .write(group + "/memory.current", std::to_string(used * mebi) + "\n")
            .write(group + "/memory.stat",
                   "anon 1\ninactive_file " + std::to_string(files * mebi) + "\nactive_file 0\n");
    }
    Machine& limit_1(const std::string& group, int megabytes, int used, int files) {
        return write(group + "/memory.limit_in_bytes", std::to_string(megabytes * mebi) + "\n")
            .write(group + "/memory.usage_in_bytes", std::to_string(used * mebi) + "\n")
            .write(group + "/memory.stat",
                   "cache 77\ninactive_file 12345678\ntotal_inactive_file 0\ntotal_active_file " +
                       std::to_string(files * mebi) + "\n");
    }
    [[nodiscard]] std::vector<MemoryBound> bounds() const { return control_group_bounds(folder_.path()); }
    [[nodiscard]] const std::string& root() const { return folder_.path(); }

private:
    TemporaryDirectory folder_;
};

TEST(ControlGroups, OfVersion2) {
    Machine machine;
    machine.groups("0::/job/7\n", mount_2).limit_2("sys/fs/cgroup/job/7", 200, 50, 30);
    const auto bounds = machine.bounds();
    ASSERT_EQ(bounds.size(), 1U);
    EXPECT_EQ(bounds[0].bytes, 200 * mebi);
    EXPECT_EQ(bounds[0].available, 180 * mebi) << "pages of files go when others need the room";
    EXPECT_EQ(bounds[0].owner, "the control group /sys/fs/cgroup/job/7 (memory.max)");
}

TEST(ControlGroups, OfVersion1) {
    Machine machine;
    machine.groups("9:name=systemd:/x\n4:cpu,memory:/batch/12\n0::/y\n", mount_1)
        .limit_1("sys/fs/cgroup/memory/batch/12", 100, 60, 20);
    const auto bounds = machine.bounds();
    ASSERT_EQ(bounds.size(), 1U);
    EXPECT_EQ(bounds[0].bytes, 100 * mebi);
    EXPECT_EQ(bounds[0].available, 60 * mebi) << "the group's files and those of the groups in it";
    EXPECT_EQ(bounds[0].owner, "the control group /sys/fs/cgroup/memory/batch/12 (memory.limit_in_bytes)");
}

TEST(ControlGroups, OfBothVersions) {
    Machine machine;
    machine
        .groups("4:memory:/a\n0::/b\n",
                mount_1 + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")
        .limit_1("sys/fs/cgroup/memory/a", 300, 0, 0)
        .limit_2("sys/fs/cgroup/unified/b", 400, 0, 0);
    const auto bounds = machine.bounds();
    ASSERT_EQ(bounds.size(), 2U);
    EXPECT_EQ(bounds[0].bytes, 300 * mebi);
    EXPECT_EQ(bounds[1].bytes, 400 * mebi);
}

TEST(ControlGroups, AllThoseAroundTheOwnOneCount) {
    Machine machine;
    machine.groups("0::/slice/job/step\n", mount_2)
        .write("sys/fs/cgroup/slice/job/step/memory.max", "max\n")
        .limit_2("sys/fs/cgroup/slice/job", 500, 450, 0)
        .limit_2("sys/fs/cgroup/slice", 400, 100, 0)
        .limit_2("sys/fs", 1, 0, 0)  // not a group: above the mount
        .limit_2("sys/fs/cgroup/slice/other", 1, 0, 0);
    const auto bounds = machine.bounds();
    ASSERT_EQ(bounds.size(), 2U);
    EXPECT_EQ(bounds[0].available, 50 * mebi);
    EXPECT_EQ(bounds[1].available, 300 * mebi);
    const std::string message = describe_shortage({60 * mebi, 60 * mebi}, bounds, {});
    EXPECT_NE(
        message.find("needs about 60.0 MiB, but of the 500 MiB of the control group /sys/fs/cgroup/slice/job "
                     "(memory.max) there are 50.0 MiB left; take a smaller box"),
        std::string::npos)
        << message;
    EXPECT_EQ(describe_shortage({49 * mebi, 49 * mebi}, bounds, {}), "");
}

TEST(ControlGroups, OfVersion1CountOnlyWhatTheyAreToldTo) {
    Machine machine;
    machine.groups("4:memory:/a/b\n", mount_1)
        .limit_1("sys/fs/cgroup/memory/a/b", 300, 0, 0)
        .limit_1("sys/fs/cgroup/memory/a", 100, 0, 0)
        .write("sys/fs/cgroup/memory/a/memory.use_hierarchy", "0\n");
    EXPECT_EQ(machine.bounds().size(), 1U);
    machine.write("sys/fs/cgroup/memory/a/memory.use_hierarchy", "1\n");
    EXPECT_EQ(machine.bounds().size(), 2U);
}

TEST(ControlGroups, OfAContainer) {
    // The mounted group is that of the container; its name may have a blank.
    Machine machine;
    machine
        .groups("0::/docker/ab c/init\n",
                "31 23 0:28 /docker/ab\\040c /sys/fs/c\\134g rw - cgroup2 cgroup2 rw\n")
        .limit_2("sys/fs/c\\g/init", 20, 0, 0)
        .limit_2("sys/fs/c\\g", 10, 0, 0);
    ASSERT_EQ(machine.bounds().size(), 2U);
    EXPECT_EQ(machine.bounds()[1].bytes, 10 * mebi);
    // What is outside of what is mounted is not known.
    for (const char* own :
         {"0::/docker/ab\n", "0::/docker/ab c2\n", "0::/../x\n", "0::/docker/ab c/../../..\n", "0::x\n"})
        EXPECT_TRUE(machine.write("proc/self/cgroup", own).bounds().empty()) << own;
}

TEST(ControlGroups, AGroupThatIsGoneHasThoseAroundItStill) {
    Machine machine;
    machine.groups("0::/job/7 (deleted)\n", mount_2).limit_2("sys/fs/cgroup/job", 200, 0, 0);
    EXPECT_EQ(machine.bounds().size(), 1U);
}

TEST(ControlGroups, WhatIsMissingOrMakesNoSenseIsNoLimit) {
    EXPECT_TRUE(Machine().bounds().empty());
    Machine machine;
    machine.groups("0::/job\n", mount_2);
    EXPECT_TRUE(machine.bounds().empty());
    for (const char* text :
         {"", "\n", "max\n", "-1\n", "0x10\n", "12 34\n", "1e9\n", "99999999999999999999999\n",
          "9223372036854771712\n", "9223372036854775807\n", "lots"})
        EXPECT_TRUE(machine.write("sys/fs/cgroup/job/memory.max", text).bounds().empty()) << text;
    machine.write("sys/fs/cgroup/job/memory.max", "1048576\n");
    ASSERT_EQ(machine.bounds().size(), 1U);
    EXPECT_EQ(machine.bounds()[0].available, mebi) << "nothing is said to be in use";
    machine.write("sys/fs/cgroup/job/memory.current", "9223372036854775807\n");
    EXPECT_EQ(machine.bounds()[0].available, 0);
    machine.write("sys/fs/cgroup/job/memory.stat", "inactive_file\nactive_file 9223372036854775807\n\n:");
    EXPECT_GE(machine.bounds()[0].available, 0);
    for (const char* mounts :
         {"", "\n", "- cgroup2", "1 2 3 / /sys/fs/cgroup rw - cgroup2", "a b c d e f - - - -\n", "\\04"})
        EXPECT_TRUE(machine.groups("0::/job\n", mounts).bounds().empty()) << mounts;
    for (const char* own : {"", "0", "0:", ":::", "0::", "4:memory:/job\n"})
        EXPECT_TRUE(machine.groups(own, mount_2).bounds().empty()) << own;
}

TEST(AddressSpace, CountsWhatIsMapped) {
    Machine machine;
    machine.write("proc/self/status",
                  "Name:\tmpcflow\nVmPeak:\t 999999 kB\nVmSize:\t   30720 kB\nVmData:\t    1024 kB\n");
    EXPECT_TRUE(address_space_bounds({}, machine.root()).empty());
    const auto bounds = address_space_bounds({100 * mebi, 50 * mebi}, machine.root());
    ASSERT_EQ(bounds.size(), 2U);
    EXPECT_EQ(bounds[0].available, 70 * mebi);
    EXPECT_EQ(bounds[1].available, 49 * mebi);
    EXPECT_EQ(address_space_bounds({20 * mebi, ResourceLimits::none}, machine.root())[0].available, 0);
    // Without the file nothing is known to be mapped.
    EXPECT_EQ(address_space_bounds({mebi, ResourceLimits::none}, machine.root() + "/none")[0].available,
              mebi);
    const std::string message = describe_shortage({10 * mebi, 60 * mebi}, {}, bounds);
    EXPECT_NE(message.find("60.0 MiB of address space, but of the 50.0 MiB of the limit on data (ulimit -d) "
                           "there are 49.0 MiB left"),
              std::string::npos)
        << message;
}

TEST(Shortages, OfTheMachine) {
    const std::vector<MemoryBound> machine{{1000 * mebi, 1000 * mebi, "this machine"}};
    EXPECT_EQ(describe_shortage({1000 * mebi, 9000 * mebi}, machine, {}), "");
    EXPECT_NE(describe_shortage({1001 * mebi, 0}, machine, {}).find("but this machine has 1000 MiB; take"),
              std::string::npos);
}

}  // namespace
}  // namespace mpcflow
