#pragma once
/// What the preloaded libraries of these tests share. Nothing here allocates: the library may stand in for
/// malloc.

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace preload {

struct Path {
    char text[4096] = "";
};

/// The function that this library stands in for.
template <class Function>
Function next(Function, const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

inline void read_link(const char* link, Path& path) {
    const int number = errno;
    const ssize_t length = readlink(link, path.text, sizeof path.text - 1);
    path.text[length > 0 ? length : 0] = '\0';
    errno = number;
}

/// The path of an open file; of one that was moved, the new one.
inline Path path_of(int descriptor) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    Path path;
    read_link(link, path);
    return path;
}

/// The path of a name in a directory, AT_FDCWD for the working directory.
inline Path path_at(int directory, const char* name) {
    Path path;
    if (name == nullptr) return path;
    if (name[0] != '/') {
        if (directory == AT_FDCWD) read_link("/proc/self/cwd", path);
        else path = path_of(directory);
    }
    const std::size_t length = std::strlen(path.text);
    std::snprintf(path.text + length, sizeof path.text - length, "%s%s", name[0] != '/' ? "/" : "", name);
    return path;
}

}  // namespace preload
