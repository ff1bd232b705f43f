/// A library to preload: the n-th call of some kind on files whose path contains a text fails, writes half,
/// or kills the process.
///
///   FAULT_PATH    the text; calls on other files are left alone and not counted
///   FAULT_KINDS   of what kinds the n-th call is meant: names of `kind_names`, joined by commas
///   FAULT_CALL    n, from 1
///   FAULT_MODE    once: it fails; always: it and all later ones; short: it does half, and says so; kill:
///   SIGKILL, inside a
///                 write after half of it in whole pages (a kill does not tear a page: the kernel finishes
///                 it), else before
///   FAULT_ERRNO   the number that failing calls set
///   FAULT_BYTES   of the kind "memory" only blocks of so many bytes or more are counted
///   FAULT_REPORT  a file that takes the Report; it is right after a SIGKILL, too
///
/// Memory that C libraries ask for themselves is a kind of its own: HDF5 does not survive every want of it.
/// Memory, threads and mappings have no path: they count from the first call on that reaches a file of the
/// text. What libc does within itself (stacks, heaps, stdio's writes) is not seen.

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "tests/faults/fail_plan.hpp"
#include "tests/faults/preload.hpp"

namespace {

using namespace fault;
using preload::next;
using preload::Path;
using preload::path_at;
using preload::path_of;

/// A read or write of `count` bytes at `offset`; `transfer(part)` does so much of it.
template <class Transfer>
ssize_t transfer_bytes(Kind kind, int descriptor, off64_t offset, std::size_t count,
                       const Transfer& transfer) {
    if (!is_counting()) return transfer(count);
    const Path path = path_of(descriptor);
    if (!is_meant(path)) return transfer(count);
    const Fate fate = count_call(kind, path.text, count > 1);
    if (fate == Fate::spared) return transfer(count);
    if (fate == Fate::does_half) return transfer(count / 2);
    if (fate == Fate::fails) return -1;
    constexpr off64_t page = 4096;
    const off64_t end = (offset + static_cast<off64_t>(count / 2)) / page * page;
    if (kind == writing && end > offset) static_cast<void>(transfer(static_cast<std::size_t>(end - offset)));
    raise(SIGKILL);
    return -1;
}

off64_t place(int descriptor) {
    const int number = errno;
    const off64_t offset = lseek64(descriptor, 0, SEEK_CUR);
    errno = number;
    return offset;
}

std::size_t bytes_of(const iovec* parts, int count) {
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i) bytes += parts[i].iov_len;
    return bytes;
}

/// The first of some parts that add up to at most `bytes`, of the last of them perhaps a piece: as a single
/// transfer.
template <class Transfer>
ssize_t transfer_parts(const iovec* parts, int count, std::size_t bytes, const Transfer& transfer) {
    if (bytes == bytes_of(parts, count)) return transfer(parts, count);
    for (int i = 0; i < count; ++i) {
        if (parts[i].iov_len == 0) continue;
        const iovec piece{parts[i].iov_base, parts[i].iov_len < bytes ? parts[i].iov_len : bytes};
        return transfer(&piece, 1);
    }
    return 0;
}

mode_t mode_of(int flags, va_list arguments) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

template <class Open>
int open_at(const Open& real, int directory, const char* name, int flags, mode_t mode) {
    return fails(opening, path_at(directory, name)) ? -1 : real(directory, name, flags, mode);
}

}  // namespace

extern "C" {

#define MODE_ARGUMENT                              \
    va_list arguments;                             \
    va_start(arguments, flags);                    \
    const mode_t mode = mode_of(flags, arguments); \
    va_end(arguments)

int open(const char* name, int flags, ...) {
    MODE_ARGUMENT;
    static const auto real = next(&openat, "openat");
    return open_at(real, AT_FDCWD, name, flags, mode);
}

int open64(const char* name, int flags, ...) {
    MODE_ARGUMENT;
    static const auto real = next(&openat64, "openat64");
    return open_at(real, AT_FDCWD, name, flags, mode);
}

int openat(int directory, const char* name, int flags, ...) {
    MODE_ARGUMENT;
    static const auto real = next(&openat, "openat");
    return open_at(real, directory, name, flags, mode);
}

int openat64(int directory, const char* name, int flags, ...) {
    MODE_ARGUMENT;
    static const auto real = next(&openat64, "openat64");
    return open_at(real, directory, name, flags, mode);
}

int creat(const char* name, mode_t mode) { return open(name, O_WRONLY | O_CREAT | O_TRUNC, mode); }

int creat64(const char* name, mode_t mode) { return open64(name, O_WRONLY | O_CREAT | O_TRUNC, mode); }

FILE* fopen(const char* name, const char* mode) {
    static const auto real = next(&fopen, "fopen");
    return fails(opening, path_at(AT_FDCWD, name)) ? nullptr : real(name, mode);
}

FILE* fopen64(const char* name, const char* mode) {
    static const auto real = next(&fopen64, "fopen64");
    return fails(opening, path_at(AT_FDCWD, name)) ? nullptr : real(name, mode);
}

ssize_t read(int descriptor, void* bytes, std::size_t count) {
    static const auto real = next(&read, "read");
    return transfer_bytes(reading, descriptor, 0, count,
                          [&](std::size_t part) { return real(descriptor, bytes, part); });
}

ssize_t pread(int descriptor, void* bytes, std::size_t count, off_t offset) {
    static const auto real = next(&pread, "pread");
    return transfer_bytes(reading, descriptor, offset, count,
                          [&](std::size_t part) { return real(descriptor, bytes, part, offset); });
}

ssize_t pread64(int descriptor, void* bytes, std::size_t count, off64_t offset) {
    static const auto real = next(&pread64, "pread64");
    return transfer_bytes(reading, descriptor, offset, count,
                          [&](std::size_t part) { return real(descriptor, bytes, part, offset); });
}

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
    static const auto real = next(&write, "write");
    return transfer_bytes(writing, descriptor, place(descriptor), count,
                          [&](std::size_t part) { return real(descriptor, bytes, part); });
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset) {
    static const auto real = next(&pwrite, "pwrite");
    return transfer_bytes(writing, descriptor, offset, count,
                          [&](std::size_t part) { return real(descriptor, bytes, part, offset); });
}

ssize_t pwrite64(int descriptor, const void* bytes, std::size_t count, off64_t offset) {
    static const auto real = next(&pwrite64, "pwrite64");
    return transfer_bytes(writing, descriptor, offset, count,
                          [&](std::size_t part) { return real(descriptor, bytes, part, offset); });
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
    static const auto real = next(&writev, "writev");
    return transfer_bytes(writing, descriptor, place(descriptor), bytes_of(parts, count),
                          [&](std::size_t bytes) {
                              return transfer_parts(parts, count, bytes, [&](const iovec* some, int number) {
                                  return real(descriptor, some, number);
                              });
                          });
}

ssize_t pwritev(int descriptor, const iovec* parts, int count, off_t offset) {
    static const auto real = next(&pwritev, "pwritev");
    return transfer_bytes(writing, descriptor, offset, bytes_of(parts, count), [&](std::size_t bytes) {
        return transfer_parts(parts, count, bytes, [&](const iovec* some, int number) {
            return real(descriptor, some, number, offset);
        });
    });
}

int fsync(int descriptor) {
    static const auto real = next(&fsync, "fsync");
    return fails(syncing, path_of(descriptor)) ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
    static const auto real = next(&fdatasync, "fdatasync");
    return fails(syncing, path_of(descriptor)) ? -1 : real(descriptor);
}

int ftruncate(int descriptor, off_t length) {
    static const auto real = next(&ftruncate, "ftruncate");
    return fails(truncating, path_of(descriptor)) ? -1 : real(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    static const auto real = next(&ftruncate64, "ftruncate64");
    return fails(truncating, path_of(descriptor)) ? -1 : real(descriptor, length);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    static const auto real = next(&fallocate, "fallocate");
    return fails(allocating, path_of(descriptor)) ? -1 : real(descriptor, mode, offset, length);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
    static const auto real = next(&fallocate64, "fallocate64");
    return fails(allocating, path_of(descriptor)) ? -1 : real(descriptor, mode, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    static const auto real = next(&posix_fallocate, "posix_fallocate");
    return fails(allocating, path_of(descriptor)) ? error_number() : real(descriptor, offset, length);
}

int rename(const char* from, const char* to) noexcept {
    static const auto real = next(&rename, "rename");
    return fails(renaming, path_at(AT_FDCWD, to)) ? -1 : real(from, to);
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
    static const auto real = next(&renameat, "renameat");
    return fails(renaming, path_at(to_directory, to)) ? -1 : real(from_directory, from, to_directory, to);
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to,
              unsigned flags) noexcept {
    static const auto real = next(&renameat2, "renameat2");
    return fails(renaming, path_at(to_directory, to)) ? -1
                                                      : real(from_directory, from, to_directory, to, flags);
}

int unlink(const char* name) noexcept {
    static const auto real = next(&unlink, "unlink");
    return fails(unlinking, path_at(AT_FDCWD, name)) ? -1 : real(name);
}

int unlinkat(int directory, const char* name, int flags) noexcept {
    static const auto real = next(&unlinkat, "unlinkat");
    return fails(unlinking, path_at(directory, name)) ? -1 : real(directory, name, flags);
}

int remove(const char* name) noexcept {
    static const auto real = next(&remove, "remove");
    return fails(unlinking, path_at(AT_FDCWD, name)) ? -1 : real(name);
}

int mkdir(const char* name, mode_t mode) noexcept {
    static const auto real = next(&mkdir, "mkdir");
    return fails(making, path_at(AT_FDCWD, name)) ? -1 : real(name, mode);
}

int mkdirat(int directory, const char* name, mode_t mode) noexcept {
    static const auto real = next(&mkdirat, "mkdirat");
    return fails(making, path_at(directory, name)) ? -1 : real(directory, name, mode);
}

/// Whatever it says, the descriptor is closed, as on Linux.
int close(int descriptor) {
    static const auto real = next(&close, "close");
    if (!fails(closing, path_of(descriptor))) return real(descriptor);
    const int number = errno;
    real(descriptor);
    errno = number;
    return -1;
}

int fclose(FILE* file) {
    static const auto real = next(&fclose, "fclose");
    if (!fails(closing, path_of(fileno(file)))) return real(file);
    const int number = errno;
    real(file);
    errno = number;
    return EOF;
}

void* mmap(void* address, std::size_t length, int protection, int flags, int descriptor,
           off_t offset) noexcept {
    static const auto real = next(&mmap, "mmap");
    const bool is_failing = descriptor >= 0 ? fails(mapping, path_of(descriptor)) : fails(mapping);
    return is_failing ? MAP_FAILED : real(address, length, protection, flags, descriptor, offset);
}

void* mmap64(void* address, std::size_t length, int protection, int flags, int descriptor,
             off64_t offset) noexcept {
    return mmap(address, length, protection, flags, descriptor, offset);
}

int pthread_create(pthread_t* thread_id, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
    static const auto real = next(&pthread_create, "pthread_create");
    return fails(thread) ? error_number() : real(thread_id, attributes, start, argument);
}

// A sanitizer brings a malloc of its own.
#ifndef WITHOUT_MEMORY

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

/// operator new comes through here, too.
void* malloc(std::size_t bytes) noexcept {
    return bytes >= fewest_bytes() && fails(memory_of(__builtin_return_address(0))) ? nullptr
                                                                                    : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
    const bool is_counted = count * bytes >= fewest_bytes();
    return is_counted && fails(memory_of(__builtin_return_address(0))) ? nullptr
                                                                       : __libc_calloc(count, bytes);
}

void* realloc(void* block, std::size_t bytes) noexcept {
    const bool is_counted = bytes >= fewest_bytes();
    return is_counted && fails(memory_of(__builtin_return_address(0))) ? nullptr
                                                                       : __libc_realloc(block, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return bytes >= fewest_bytes() && fails(memory) ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
    if (bytes >= fewest_bytes() && fails(memory)) return ENOMEM;
    *block = __libc_memalign(alignment, bytes);
    return *block != nullptr ? 0 : ENOMEM;
}

#endif

}  // extern "C"
