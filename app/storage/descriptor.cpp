#include "app/storage/descriptor.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/storage/file_error.hpp"

namespace mpcflow::storage {

int Descriptor::close() noexcept {
    if (!is_open()) return 0;
    // Whatever it says, the descriptor is gone then.
    if (::close(std::exchange(number_, -1)) != 0 && errno != EINTR) return errno;
    return 0;
}

void Descriptor::drop() noexcept { [[maybe_unused]] const int ignored = close(); }

void require_regular(int descriptor, const std::string& path) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) fail_file(path, "open it", errno);
    if (S_ISREG(status.st_mode)) return;
    if (S_ISDIR(status.st_mode)) throw FileError(path + ": this is a directory; give a file in it", 0);
    throw FileError(
        path + ": " + (S_ISFIFO(status.st_mode) ? "this is a FIFO" : "this is a device") + ", not a file", 0);
}

Descriptor open_to_read(const std::string& path) {
    // A FIFO without a writer does not wait then.
    Descriptor file(
        uninterrupted([&] { return open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY); }));
    if (!file.is_open()) {
        const int error_number = errno;
        if (error_number == ENOENT) throw FileError(path + ": no such file", error_number);
        if (error_number == ENXIO) throw FileError(path + ": this is a socket or a device, not a file", 0);
        fail_file(path, "open it", error_number);
    }
    require_regular(file.get(), path);
    return file;
}

int write_at(int descriptor, std::uint64_t offset, const void* from, std::size_t count) noexcept {
    const auto* bytes = static_cast<const std::byte*>(from);
    while (count > 0) {
        const ssize_t written = pwrite(descriptor, bytes, count, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        // A file system that takes nothing and names no reason would be asked for ever.
        if (written == 0) return EIO;
        offset += static_cast<std::uint64_t>(written);
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
    return 0;
}

ReadResult read_at(int descriptor, std::uint64_t offset, void* to, std::size_t count) noexcept {
    auto* bytes = static_cast<std::byte*>(to);
    ReadResult result;
    while (result.count < count) {
        const ssize_t got = pread(descriptor, bytes + result.count, count - result.count,
                                  static_cast<off_t>(offset + result.count));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) result.error_number = errno;
        if (got <= 0) break;
        result.count += static_cast<std::size_t>(got);
    }
    return result;
}

std::uint64_t file_size(int descriptor, const std::string& path) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) fail_file(path, "read its size", errno);
    return static_cast<std::uint64_t>(status.st_size);
}

int resize_file(int descriptor, std::uint64_t bytes) noexcept {
    return uninterrupted([&] { return ftruncate(descriptor, static_cast<off_t>(bytes)); }) == 0 ? 0 : errno;
}

void sync_file(int descriptor, const std::string& path) {
    const int result = uninterrupted([&] { return fsync(descriptor); });
    // Some file systems have no such call. EROFS is none of these: of a file that was written it says that
    // the file system was made read-only since, as it is after an error, and lost what it had not written.
    if (result == 0 || errno == EINVAL || errno == ENOSYS) return;
    throw SyncError(path + ": cannot force it to the disk: " + describe_errno(errno) +
                        "; what was written to it cannot be trusted",
                    errno);
}

}  // namespace mpcflow::storage
