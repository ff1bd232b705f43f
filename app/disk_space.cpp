#include "app/disk_space.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "app/hdf5/error.hpp"

namespace mpcflow {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, int error_number) {
    throw hdf5::FileError(path + ": cannot " + what + ": " + hdf5::describe_errno(error_number), error_number);
}

bool has_no_reservation(int error_number) {
    return error_number == EOPNOTSUPP || error_number == ENOSYS || error_number == EINVAL;
}

}  // namespace

void reserve_space(int descriptor, const std::string& path, std::int64_t offset, std::int64_t bytes) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        static_cast<rlim_t>(offset + bytes) > limit.rlim_cur) {
        fail(path, "write it", EFBIG);
    }
    int result = 0;
    do {
        result = fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, bytes);
    } while (result != 0 && errno == EINTR);
    if (result == 0)
        return;
    if (!has_no_reservation(errno))
        fail(path, "write it", errno);
    keep_free(descriptor, path, bytes);
}

void keep_free(int descriptor, const std::string& path, std::int64_t bytes) {
    if (const std::int64_t available = free_bytes(descriptor); available >= 0 && available < bytes)
        fail(path, "write it", ENOSPC);
}

void release_reserve(int descriptor) noexcept {
    struct stat status {};
    if (fstat(descriptor, &status) != 0)
        return;
    // Also when the size stays what it is, this frees the blocks beyond it.
    [[maybe_unused]] const int ignored = ftruncate(descriptor, status.st_size);
}

std::int64_t free_bytes(int descriptor) noexcept {
    struct statvfs status {};
    if (fstatvfs(descriptor, &status) != 0 || status.f_blocks == 0)
        return -1;
    return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
}

void discard_contents(int descriptor) noexcept { [[maybe_unused]] const int ignored = ftruncate(descriptor, 0); }

void sync_file(int descriptor, const std::string& path) {
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS)
        fail(path, "write it to the disk", errno);
}

void rename_file(const std::string& from, const std::string& to, Durability durability) {
    if (std::rename(from.c_str(), to.c_str()) != 0)
        fail(to, "put the new file in its place", errno);
    if (durability == Durability::page_cache)
        return;
    std::string folder = std::filesystem::path(to).parent_path().string();
    if (folder.empty())
        folder = ".";
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

}  // namespace mpcflow
