#include "app/storage/disk_space.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "app/storage/descriptor.hpp"
#include "app/storage/file_error.hpp"

namespace mpcflow::storage {

namespace {

bool has_no_reservation(int error_number) {
    return error_number == EOPNOTSUPP || error_number == ENOSYS || error_number == EINVAL;
}

}  // namespace

void reserve_space(int descriptor, const std::string& path, std::int64_t offset, std::int64_t bytes) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        static_cast<rlim_t>(offset + bytes) > limit.rlim_cur)
        fail_file(path, "write it", EFBIG);
    if (uninterrupted([&] { return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, bytes); }) == 0) return;
    if (!has_no_reservation(errno)) fail_file(path, "write it", errno);
    keep_free(descriptor, path, bytes);
}

void keep_free(int descriptor, const std::string& path, std::int64_t bytes) {
    if (const std::int64_t available = free_bytes(descriptor); available >= 0 && available < bytes)
        fail_file(path, "write it", ENOSPC);
}

void release_reserve(int descriptor) noexcept {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) return;
    // Also when the size stays what it is, this frees the blocks beyond it.
    [[maybe_unused]] const int ignored = resize_file(descriptor, static_cast<std::uint64_t>(status.st_size));
}

std::int64_t free_bytes(int descriptor) noexcept {
    struct statvfs status {};
    if (fstatvfs(descriptor, &status) != 0 || status.f_blocks == 0) return -1;
    return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
}

}  // namespace mpcflow::storage
