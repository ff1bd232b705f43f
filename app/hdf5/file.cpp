#include "app/hdf5/file.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "app/hdf5/driver.hpp"
#include "app/hdf5/error.hpp"

namespace mpcflow::hdf5 {

namespace {

/// Sets how many bytes of metadata, as they are in the file, HDF5 keeps of a file that grows. A node of a
/// chunk index takes 2.7 KB of them and 18 KB of memory, so that with HDF5's own 2 MiB and more a run would
/// go on taking memory for ten thousand frames. Adding rows needs the last node of each level.
void limit_metadata_cache(hid_t list, const std::string& path) {
    H5AC_cache_config_t config{};
    config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    check(H5Pget_mdc_config(list, &config), path, "find its metadata cache");
    config.set_initial_size = true;
    config.initial_size = config.min_size = config.max_size = std::size_t{256} << 10;
    config.incr_mode = H5C_incr__off;
    config.flash_incr_mode = H5C_flash_incr__off;
    config.decr_mode = H5C_decr__off;
    check(H5Pset_mdc_config(list, &config), path, "choose its metadata cache");
}

PropertyListHandle file_access(const std::shared_ptr<DiskFile>& disk) {
    const std::string& path = disk->path();
    PropertyListHandle list(check(H5Pcreate(H5P_FILE_ACCESS), path, "prepare access"));
    check(H5Pset_libver_bounds(list.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18), path,
          "choose the file format");
    use_driver(list.get(), disk);
    if (disk->order() == WriteOrder::ordered) limit_metadata_cache(list.get(), path);
    return list;
}

/// Why a file does not open as HDF5, in words for a user; empty where that is not known.
std::string why_not_hdf5(DiskFile& disk) {
    constexpr std::array<std::byte, 8> signature{std::byte{0x89}, std::byte{'H'},  std::byte{'D'},
                                                 std::byte{'F'},  std::byte{'\r'}, std::byte{'\n'},
                                                 std::byte{0x1a}, std::byte{'\n'}};
    if (disk.end_of_file() == 0) return "the file is empty";
    std::array<std::byte, signature.size()> head{};
    if (const int error_number = disk.read(0, head.size(), head.data()); error_number != 0)
        fail_file(disk.path(), "read it", error_number);
    return head == signature ? "" : "not an HDF5 file";
}

}  // namespace

File File::create(const storage::Directory& directory, const std::string& name, WriteOrder order) {
    initialise_library();
    const auto disk = std::make_shared<DiskFile>(directory.create(name), directory.file(name), order);
    try {
        const PropertyListHandle access_list = file_access(disk);
        FileHandle handle(H5Fcreate(disk->path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_list.get()));
        if (!handle.is_open()) hdf5::fail(disk->path(), "create it");
        return {disk, std::move(handle)};
    } catch (const FileError&) {
        disk->give_up();
        directory.discard(name);
        throw;
    }
}

File File::open(const storage::Directory& directory, const std::string& name, Access access) {
    return open(
        std::make_shared<DiskFile>(directory.open(name, access), directory.file(name), WriteOrder::any),
        access);
}

File File::open(const std::string& path) {
    return open(std::make_shared<DiskFile>(storage::open_to_read(path), path, WriteOrder::any),
                Access::read_only);
}

File File::open(std::shared_ptr<DiskFile> disk, Access access) {
    initialise_library();
    const std::string& path = disk->path();
    if (const std::string reason = why_not_hdf5(*disk); !reason.empty())
        throw FileError(path + ": " + reason, 0);
    const PropertyListHandle access_list = file_access(disk);
    const unsigned flags = access == Access::read_only ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
    FileHandle handle(H5Fopen(path.c_str(), flags, access_list.get()));
    if (!handle.is_open()) {
        try {
            hdf5::fail(path, "open it");
        } catch (const FileError& error) {
            if (error.error_number != 0) throw;
            throw FileError(std::string(error.what()) + " (the file is damaged or cut short)", 0);
        }
    }
    disk->note_opened();
    return {std::move(disk), std::move(handle)};
}

Group File::root() const {
    return {GroupHandle(check(H5Gopen2(handle_.get(), "/", H5P_DEFAULT), path(), "open its root group")),
            disk_};
}

void File::flush() {
    check(H5Fflush(handle_.get(), H5F_SCOPE_LOCAL), path(), "flush it");
    disk_->check();
}

std::int64_t File::end_of_file() const {
    hsize_t size = 0;
    check(H5Fget_filesize(handle_.get(), &size), path(), "read its size");
    return static_cast<std::int64_t>(size);
}

void File::close() {
    if (!handle_.is_open()) return;
    check(H5Fclose(handle_.release()), path(), "close it");
    disk_->check();
}

void File::abandon() noexcept {
    if (disk_ == nullptr) return;
    disk_->give_up();
    if (handle_.is_open()) static_cast<void>(H5Fclose(handle_.release()));
    H5Eclear2(H5E_DEFAULT);
}

}  // namespace mpcflow::hdf5
