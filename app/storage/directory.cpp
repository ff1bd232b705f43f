#include "app/storage/directory.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/storage/file_error.hpp"

namespace mpcflow::storage {

Directory::Directory(const std::string& path)
    : path_(path), descriptor_(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })) {
    if (!descriptor_.is_open())
        fail_file(path_, "open it", errno);
}

std::string Directory::file(const std::string& name) const { return (std::filesystem::path(path_) / name).string(); }

Descriptor Directory::create(const std::string& name) const {
    remove(name);
    Descriptor file(uninterrupted([&] {
        return openat(descriptor(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }));
    if (!file.is_open())
        fail_file(this->file(name), "create it", errno);
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
        if (error_number == ENOENT)
            throw FileError(label + ": no such file", error_number);
        if (error_number == ELOOP)
            throw FileError(label + ": this is a link, which is not followed in a directory of results; put the file itself there", 0);
        if (error_number == EISDIR)
            throw FileError(label + ": this is a directory, not a file", 0);
        if (error_number == ENXIO)
            throw FileError(label + ": this is a socket or a device, not a file", 0);
        fail_file(label, "open it", error_number);
    }
    require_regular(file.get(), label);
    return file;
}

bool Directory::has(const std::string& name) const {
    struct stat status {};
    if (fstatat(descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        return true;
    if (errno != ENOENT)
        fail_file(file(name), "look for it", errno);
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

void Directory::sync() const { sync_file(descriptor(), path_); }

}  // namespace mpcflow::storage
