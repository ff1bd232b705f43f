/// A library to preload: ends the process by SIGKILL in the middle of its n-th call that changes a file whose path
/// contains a given text. KILL_AT_PATH is the text, KILL_AT_CALL is n, from 1. Where KILL_AT_MODE is "full", the call fails
/// for want of space instead, and so does every later one.

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

long calls = 0;

template <class Function>
Function next(Function, const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::string path_of(int descriptor) {
    char path[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t length = readlink(link.c_str(), path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

/// Whether this is the call.
bool is_time(const std::string& path) {
    const char* const wanted = std::getenv("KILL_AT_PATH");
    const char* const number = std::getenv("KILL_AT_CALL");
    if (wanted == nullptr || number == nullptr || path.find(wanted) == std::string::npos)
        return false;
    return ++calls >= std::atol(number);
}

bool fails_for_space() {
    const char* const mode = std::getenv("KILL_AT_MODE");
    if (mode == nullptr || std::strcmp(mode, "full") != 0)
        return false;
    errno = ENOSPC;
    return true;
}

void die() { raise(SIGKILL); }

/// About half of a write, or all of it. A kill does not tear a page: the kernel finishes it.
template <class Write>
ssize_t half_or_all(int descriptor, off64_t offset, std::size_t count, const Write& write) {
    if (!is_time(path_of(descriptor)))
        return write(count);
    if (fails_for_space())
        return -1;
    constexpr off64_t page = 4096;
    const off64_t end = (offset + static_cast<off64_t>(count / 2)) / page * page;
    if (end > offset)
        static_cast<void>(write(static_cast<std::size_t>(end - offset)));
    die();
    return -1;
}

}  // namespace

extern "C" {

ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset) {
    static const auto real = next(&pwrite, "pwrite");
    return half_or_all(descriptor, offset, count, [&](std::size_t part) { return real(descriptor, bytes, part, offset); });
}

ssize_t pwrite64(int descriptor, const void* bytes, std::size_t count, off64_t offset) {
    static const auto real = next(&pwrite64, "pwrite64");
    return half_or_all(descriptor, offset, count, [&](std::size_t part) { return real(descriptor, bytes, part, offset); });
}

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
    static const auto real = next(&write, "write");
    return half_or_all(descriptor, lseek(descriptor, 0, SEEK_CUR), count,
                       [&](std::size_t part) { return real(descriptor, bytes, part); });
}

int ftruncate(int descriptor, off_t length) {
    static const auto real = next(&ftruncate, "ftruncate");
    if (is_time(path_of(descriptor)) && !fails_for_space())
        die();
    return real(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    static const auto real = next(&ftruncate64, "ftruncate64");
    if (is_time(path_of(descriptor)) && !fails_for_space())
        die();
    return real(descriptor, length);
}

int fsync(int descriptor) {
    static const auto real = next(&fsync, "fsync");
    if (is_time(path_of(descriptor)) && !fails_for_space())
        die();
    return real(descriptor);
}

/// Killed before it, or, at the next number, after it.
int rename(const char* from, const char* to) {
    static const auto real = next(&rename, "rename");
    if (is_time(from) && !fails_for_space())
        die();
    const int result = real(from, to);
    if (is_time(to) && !fails_for_space())
        die();
    return result;
}

}  // extern "C"
