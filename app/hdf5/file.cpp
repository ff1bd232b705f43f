#include "app/hdf5/file.hpp"

#include <cerrno>
#include <filesystem>

#include <unistd.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/ordered_driver.hpp"

namespace mpcflow::hdf5 {

namespace {

PropertyListHandle file_access(const std::string& path) {
    PropertyListHandle list(check(H5Pcreate(H5P_FILE_ACCESS), path, "prepare access"));
    check(H5Pset_libver_bounds(list.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18), path, "choose the file format");
    // A small chunk that is rewritten in place (the open end of a list) then lies within one page, which
    // the kernel writes whole or not at all when the process is killed.
    constexpr hsize_t page = 4096;
    check(H5Pset_alignment(list.get(), page / 2, page), path, "choose the alignment");
    return list;
}

/// Why `path` does not open as HDF5, in words for a user.
std::string why_not_readable(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        return "no such file";
    if (status.type() == fs::file_type::directory)
        return "this is a directory; give a file in it";
    if (access(path.c_str(), R_OK) != 0)
        return describe_errno(errno);
    if (fs::file_size(path, error) == 0)
        return "the file is empty";
    const htri_t is_hdf5 = H5Fis_hdf5(path.c_str());
    H5Eclear2(H5E_DEFAULT);
    if (is_hdf5 == 0)
        return "not an HDF5 file";
    return {};
}

}  // namespace

File File::create(const std::string& path, WriteOrder order) {
    initialise_library();
    const PropertyListHandle access_list = file_access(path);
    if (order == WriteOrder::ordered)
        use_ordered_driver(access_list.get());
    std::error_code ignored;
    const bool was_there = std::filesystem::exists(path, ignored);
    FileHandle handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_list.get()));
    if (!handle.is_open()) {
        // On a full disk the file comes to be, but not its first block.
        if (!was_there)
            std::filesystem::remove(path, ignored);
        fail(path, "create it");
    }
    return {path, std::move(handle)};
}

File File::open(const std::string& path, Access access) { return open(path, access, WriteOrder::any); }

File File::open_ordered(const std::string& path) {
    haddr_t end = 0;
    {
        const File file = open(path, Access::read_only);
        check(H5Fget_eoa(file.handle_.get(), &end), path, "find its end");
    }
    std::error_code error;
    if (std::filesystem::file_size(path, error) > end)
        std::filesystem::resize_file(path, end, error);
    if (error)
        throw FileError(path + ": cannot shorten it: " + describe_errno(error.value()), error.value());
    return open(path, Access::read_write, WriteOrder::ordered);
}

File File::open(const std::string& path, Access access, WriteOrder order) {
    initialise_library();
    if (const std::string reason = why_not_readable(path); !reason.empty())
        throw FileError(path + ": " + reason, 0);
    const PropertyListHandle access_list = file_access(path);
    if (order == WriteOrder::ordered)
        use_ordered_driver(access_list.get());
    const unsigned flags = access == Access::read_only ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
    FileHandle handle(H5Fopen(path.c_str(), flags, access_list.get()));
    if (!handle.is_open()) {
        std::string detail = "unknown HDF5 error";
        try {
            fail(path, "open it");
        } catch (const FileError& error) {
            detail = error.what();
        }
        throw FileError(detail + " (the file is damaged or cut short)", 0);
    }
    return {path, std::move(handle)};
}

Group File::root() const {
    return {GroupHandle(check(H5Gopen2(handle_.get(), "/", H5P_DEFAULT), path_, "open its root group")), path_};
}

void File::flush() { check(H5Fflush(handle_.get(), H5F_SCOPE_LOCAL), path_, "flush it"); }

std::int64_t File::end_of_file() const {
    hsize_t size = 0;
    check(H5Fget_filesize(handle_.get(), &size), path_, "read its size");
    return static_cast<std::int64_t>(size);
}

int File::descriptor() const {
    void* driver_handle = nullptr;
    check(H5Fget_vfd_handle(handle_.get(), H5P_DEFAULT, &driver_handle), path_, "find its descriptor");
    return *static_cast<int*>(driver_handle);
}

void File::close() {
    if (handle_.is_open())
        check(H5Fclose(handle_.release()), path_, "close it");
}

void File::abandon() noexcept { static_cast<void>(handle_.release()); }

}  // namespace mpcflow::hdf5
