#include "app/storage/directory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "app/storage/file_error.hpp"

namespace mpcflow::storage {

Directory::Directory(const std::string& path)
    : path_(path),
      descriptor_(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })) {
    if (!descriptor_.is_open()) fail_file(path_, "open it", errno);
}

std::string Directory::file(const std::string& name) const {
    return (std::filesystem::path(path_) / name).string();
}

Descriptor Directory::create(const std::string& name) const {
    remove(name);
    Descriptor file(uninterrupted([&] {
        return openat(descriptor(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }));
    if (!file.is_open()) fail_file(this->file(name), "create it", errno);
    return file;
}

Descriptor Directory::open(const std::string& name, Access access) const {
    const int mode = access == Access::read_only ? O_RDONLY : O_RDWR;
    const std::string label = file(name);
    Descriptor file(uninterrupted([&] {
        return openat(descriptor(), name.c_str(), mode | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }));
    if (!file.is_open()) {
        const int error_number = errno;
        if (error_number == ENOENT) throw FileError(label + ": no such file", error_number);
        if (error_number == ELOOP)
            throw FileError(label +
                                ": this is a link, which is not followed in a directory of results; put the "
                                "file itself there",
                            0);
        if (error_number == EISDIR) throw FileError(label + ": this is a directory, not a file", 0);
        if (error_number == ENXIO) throw FileError(label + ": this is a socket or a device, not a file", 0);
        fail_file(label, "open it", error_number);
    }
    require_regular(file.get(), label);
    return file;
}

std::vector<std::string> Directory::names() const {
    const int copy =
        uninterrupted([&] { return openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : fdopendir(copy), closedir);
    if (!stream) fail_file(path_, "list it", errno);
    std::vector<std::string> names;
    // A listing that ends too early is told from one that ends by errno alone.
    for (errno = 0; const dirent* const entry = readdir(stream.get()); errno = 0)
        names.emplace_back(entry->d_name);
    if (errno != 0) fail_file(path_, "list it", errno);
    std::sort(names.begin(), names.end());
    return names;
}

bool Directory::has(const std::string& name) const {
    struct stat status {};
    if (fstatat(descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return true;
    if (errno != ENOENT) fail_file(file(name), "look for it", errno);
    return false;
}

void Directory::remove(const std::string& name) const {
    if (uninterrupted([&] { return unlinkat(descriptor(), name.c_str(), 0); }) != 0 && errno != ENOENT)
        fail_file(file(name), "remove it", errno);
}

void Directory::discard(const std::string& name) const noexcept {
    [[maybe_unused]] const int ignored =
        uninterrupted([&] { return unlinkat(descriptor(), name.c_str(), 0); });
}

void Directory::rename(const std::string& from, const std::string& to) const {
    if (uninterrupted([&] { return renameat(descriptor(), from.c_str(), descriptor(), to.c_str()); }) != 0)
        fail_file(file(to), "put the new file in its place", errno);
}

bool Directory::lock() const { return flock(descriptor(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

bool Directory::is_locked() const {
    struct stat status {};
    if (fstat(descriptor(), &status) != 0) return false;
    const std::string place =
        fmt::format(" {:02x}:{:02x}:{} ", major(status.st_dev), minor(status.st_dev), status.st_ino);
    const auto has = [](const std::string& line, const std::string& word) {
        return line.find(word) != std::string::npos;
    };
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        // "1: FLOCK  ADVISORY  WRITE 4711 fe:00:123456 0 EOF"; lines of those who wait have an arrow.
        if (has(line, ": FLOCK ") && has(line, " WRITE ") && has(line, place)) return true;
    }
    return false;
}

void Directory::sync() const { sync_file(descriptor(), path_); }

}  // namespace mpcflow::storage
