/// A library to preload: records every change of the files of a directory, with its bytes, in the order in
/// which it is done.
///
///   RECORD_PATH  the directory, an absolute path without links
///   RECORD_LOG   the file that takes the records
///
/// A record is a Header, a path, a second path, and bytes. What cannot be recorded aborts the process.

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <sys/syscall.h>
#include <sys/uio.h>

#include "tests/faults/preload.hpp"

namespace {

using preload::next;
using preload::Path;
using preload::path_at;
using preload::path_of;

/// As replay.py reads it.
enum Kind : std::int32_t { made = 1, written, sized, renamed, unlinked, synced, directory_synced };

struct Header {
    std::int32_t kind = 0;
    std::int32_t path_bytes = 0;
    std::int32_t second_path_bytes = 0;
    std::int32_t unused = 0;
    std::int64_t file = 0;    ///< its inode
    std::int64_t number = 0;  ///< where bytes were written; the new size
    std::int64_t bytes = 0;
};

std::recursive_mutex one_at_a_time;

[[noreturn]] void give_up(const char* what) {
    static_cast<void>(syscall(SYS_write, 2, what, std::strlen(what)));
    std::abort();
}

void put(const void* bytes, std::size_t count) {
    static const auto log = static_cast<int>(syscall(SYS_openat, AT_FDCWD, std::getenv("RECORD_LOG"),
                                                     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (count > 0 && syscall(SYS_write, log, bytes, count) != static_cast<long>(count))
        give_up("record_calls: cannot write RECORD_LOG\n");
}

void record(Header header, const char* path = "", const char* second_path = "", const void* bytes = nullptr) {
    const int number = errno;
    header.path_bytes = static_cast<std::int32_t>(std::strlen(path));
    header.second_path_bytes = static_cast<std::int32_t>(std::strlen(second_path));
    put(&header, sizeof header);
    put(path, std::strlen(path));
    put(second_path, std::strlen(second_path));
    put(bytes, bytes != nullptr ? static_cast<std::size_t>(header.bytes) : 0);
    errno = number;
}

/// The directory itself or what is in it.
bool is_meant(const Path& path) {
    static const char* const directory = std::getenv("RECORD_PATH");
    if (directory == nullptr) return false;
    const std::size_t length = std::strlen(directory);
    return std::strncmp(path.text, directory, length) == 0 &&
           (path.text[length] == '/' || path.text[length] == '\0');
}

struct stat status_of(int descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) give_up("record_calls: fstat failed\n");
    return status;
}

std::int64_t file_of(int descriptor) { return static_cast<std::int64_t>(status_of(descriptor).st_ino); }

bool is_there(const Path& path) {
    struct stat status {};
    const int number = errno;
    const bool found = lstat(path.text, &status) == 0;
    errno = number;
    return found;
}

off64_t place(int descriptor) {
    if ((fcntl(descriptor, F_GETFL) & O_APPEND) != 0) return status_of(descriptor).st_size;
    return lseek64(descriptor, 0, SEEK_CUR);
}

template <class Open>
int opened(const Open& real, const Path& path, int flags) {
    if (!is_meant(path)) return real();
    const std::lock_guard lock(one_at_a_time);
    const bool was_there = is_there(path);
    const int descriptor = real();
    if (descriptor < 0) return descriptor;
    if ((flags & O_TMPFILE) == O_TMPFILE) give_up("record_calls: O_TMPFILE cannot be recorded\n");
    if (!was_there) record({.kind = made, .file = file_of(descriptor)}, path.text);
    else if ((flags & O_TRUNC) != 0) record({.kind = sized, .file = file_of(descriptor), .number = 0});
    return descriptor;
}

/// `real()` writes `bytes` at an offset, or where the file stands if that is negative; so many as it says are
/// recorded.
template <class Write>
ssize_t wrote(int descriptor, const void* bytes, off64_t offset, const Write& real) {
    if (!is_meant(path_of(descriptor))) return real();
    const std::lock_guard lock(one_at_a_time);
    const off64_t at = offset >= 0 ? offset : place(descriptor);
    const ssize_t count = real();
    if (count > 0)
        record({.kind = written, .file = file_of(descriptor), .number = at, .bytes = count}, "", "", bytes);
    return count;
}

template <class Change>
int resized(int descriptor, const Change& real) {
    if (!is_meant(path_of(descriptor))) return real();
    const std::lock_guard lock(one_at_a_time);
    const off64_t before = status_of(descriptor).st_size;
    const int result = real();
    const off64_t after = status_of(descriptor).st_size;
    if (after != before) record({.kind = sized, .file = file_of(descriptor), .number = after});
    return result;
}

template <class Sync>
int was_synced(int descriptor, const Sync& real) {
    const Path path = path_of(descriptor);
    if (!is_meant(path)) return real();
    const std::lock_guard lock(one_at_a_time);
    const int result = real();
    if (result == 0) {
        const struct stat status = status_of(descriptor);
        record({.kind = S_ISDIR(status.st_mode) ? directory_synced : synced,
                .file = static_cast<std::int64_t>(status.st_ino)},
               path.text);
    }
    return result;
}

template <class Change>
int changed_names(Kind kind, const Path& path, const Path& second_path, const Change& real) {
    if (!is_meant(path) && !is_meant(second_path)) return real();
    const std::lock_guard lock(one_at_a_time);
    const int result = real();
    if (result == 0) record({.kind = kind}, path.text, second_path.text);
    return result;
}

}  // namespace

extern "C" {

#define MODE_ARGUMENT                                                                               \
    va_list arguments;                                                                              \
    va_start(arguments, flags);                                                                     \
    const mode_t mode =                                                                             \
        (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments)

int openat(int directory, const char* name, int flags, ...) {
    MODE_ARGUMENT;
    static const auto real = next(&openat, "openat");
    return opened([&] { return real(directory, name, flags, mode); }, path_at(directory, name), flags);
}

int openat64(int directory, const char* name, int flags, ...) {
    MODE_ARGUMENT;
    return openat(directory, name, flags | O_LARGEFILE, mode);
}

int open(const char* name, int flags, ...) {
    MODE_ARGUMENT;
    return openat(AT_FDCWD, name, flags, mode);
}

int open64(const char* name, int flags, ...) {
    MODE_ARGUMENT;
    return openat(AT_FDCWD, name, flags | O_LARGEFILE, mode);
}

int creat(const char* name, mode_t mode) {
    return openat(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int creat64(const char* name, mode_t mode) { return creat(name, mode); }

/// libstdc++ opens files so and then writes to the descriptor. What stdio itself writes is not seen.
FILE* fopen(const char* name, const char* mode) {
    static const auto real = next(&fopen, "fopen");
    FILE* file = nullptr;
    opened(
        [&] {
            file = real(name, mode);
            return file != nullptr ? fileno(file) : -1;
        },
        path_at(AT_FDCWD, name), mode[0] == 'w' ? O_TRUNC : 0);
    return file;
}

FILE* fopen64(const char* name, const char* mode) { return fopen(name, mode); }

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
    static const auto real = next(&write, "write");
    return wrote(descriptor, bytes, -1, [&] { return real(descriptor, bytes, count); });
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset) {
    static const auto real = next(&pwrite, "pwrite");
    return wrote(descriptor, bytes, offset, [&] { return real(descriptor, bytes, count, offset); });
}

ssize_t pwrite64(int descriptor, const void* bytes, std::size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

/// Part by part, as writes of their own.
ssize_t writev(int descriptor, const iovec* parts, int count) {
    static const auto real = next(&writev, "writev");
    if (!is_meant(path_of(descriptor))) return real(descriptor, parts, count);
    ssize_t done = 0;
    for (int i = 0; i < count; ++i) {
        const ssize_t written_bytes =
            parts[i].iov_len > 0 ? write(descriptor, parts[i].iov_base, parts[i].iov_len) : 0;
        if (written_bytes < 0) return done > 0 ? done : written_bytes;
        done += written_bytes;
        if (static_cast<std::size_t>(written_bytes) < parts[i].iov_len) break;
    }
    return done;
}

ssize_t pwritev(int descriptor, const iovec* parts, int count, off_t offset) {
    static const auto real = next(&pwritev, "pwritev");
    if (!is_meant(path_of(descriptor))) return real(descriptor, parts, count, offset);
    ssize_t done = 0;
    for (int i = 0; i < count; ++i) {
        const ssize_t written_bytes = pwrite(descriptor, parts[i].iov_base, parts[i].iov_len, offset + done);
        if (written_bytes < 0) return done > 0 ? done : written_bytes;
        done += written_bytes;
        if (static_cast<std::size_t>(written_bytes) < parts[i].iov_len) break;
    }
    return done;
}

int ftruncate(int descriptor, off_t length) noexcept {
    static const auto real = next(&ftruncate, "ftruncate");
    return resized(descriptor, [&] { return real(descriptor, length); });
}

int ftruncate64(int descriptor, off64_t length) noexcept { return ftruncate(descriptor, length); }

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    static const auto real = next(&fallocate, "fallocate");
    constexpr int keep_size = 1;
    if ((mode & ~keep_size) != 0 && is_meant(path_of(descriptor)))
        give_up("record_calls: this mode of fallocate cannot be recorded\n");
    return resized(descriptor, [&] { return real(descriptor, mode, offset, length); });
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
    return fallocate(descriptor, mode, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    static const auto real = next(&posix_fallocate, "posix_fallocate");
    return resized(descriptor, [&] { return real(descriptor, offset, length); });
}

int fsync(int descriptor) {
    static const auto real = next(&fsync, "fsync");
    return was_synced(descriptor, [&] { return real(descriptor); });
}

/// It takes the size along where that grew, which is all that is asked of it here.
int fdatasync(int descriptor) {
    static const auto real = next(&fdatasync, "fdatasync");
    return was_synced(descriptor, [&] { return real(descriptor); });
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to,
              unsigned flags) noexcept {
    static const auto real = next(&renameat2, "renameat2");
    constexpr unsigned exchange = 2;
    const Path old_path = path_at(from_directory, from);
    if ((flags & exchange) != 0 && is_meant(old_path))
        give_up("record_calls: an exchange of names cannot be recorded\n");
    return changed_names(renamed, old_path, path_at(to_directory, to),
                         [&] { return real(from_directory, from, to_directory, to, flags); });
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
    return renameat2(from_directory, from, to_directory, to, 0);
}

int rename(const char* from, const char* to) noexcept { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int directory, const char* name, int flags) noexcept {
    static const auto real = next(&unlinkat, "unlinkat");
    return changed_names(unlinked, path_at(directory, name), {},
                         [&] { return real(directory, name, flags); });
}

int unlink(const char* name) noexcept { return unlinkat(AT_FDCWD, name, 0); }

int remove(const char* name) noexcept {
    static const auto real = next(&remove, "remove");
    return changed_names(unlinked, path_at(AT_FDCWD, name), {}, [&] { return real(name); });
}

int link(const char*, const char*) noexcept { give_up("record_calls: link cannot be recorded\n"); }

int linkat(int, const char*, int, const char*, int) noexcept {
    give_up("record_calls: linkat cannot be recorded\n");
}

}  // extern "C"
