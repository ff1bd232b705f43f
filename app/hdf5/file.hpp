#pragma once
/// An HDF5 file: opened, flushed, closed, or given up.

#include <cstdint>
#include <memory>
#include <string>

#include "app/hdf5/disk_file.hpp"
#include "app/hdf5/group.hpp"
#include "app/hdf5/handle.hpp"
#include "app/storage/directory.hpp"

namespace mpcflow::hdf5 {

using storage::Access;

/// Files are written in HDF5's earliest format: such a file is readable after any H5Fflush, also when
/// its writer is killed later, and by every version of HDF5.
class File {
public:
    /// Creates a file in the directory in place of what has this name. Throws FileError, and leaves none.
    [[nodiscard]] static File create(const storage::Directory& directory, const std::string& name,
                                     WriteOrder order = WriteOrder::any);
    /// Opens a file in the directory to read or change it. Throws FileError whose message tells a missing
    /// file from one that is not HDF5 and from one that is cut short.
    [[nodiscard]] static File open(const storage::Directory& directory, const std::string& name,
                                   Access access);
    /// Opens a file that a user named, to read it.
    [[nodiscard]] static File open(const std::string& path);
    /// Opens the HDF5 file that lies in `disk`.
    [[nodiscard]] static File open(std::shared_ptr<DiskFile> disk, Access access);

    [[nodiscard]] const std::string& path() const { return disk_->path(); }
    [[nodiscard]] Group root() const;
    [[nodiscard]] bool is_open() const { return handle_.is_open(); }
    /// The file beneath, which stays open when this one is closed.
    [[nodiscard]] DiskFile& disk() const { return *disk_; }
    [[nodiscard]] std::shared_ptr<DiskFile> shared_disk() const { return disk_; }

    /// Hands all that was written to the operating system. Throws FileError, also if anything could not be
    /// written before.
    void flush();
    /// Bytes of the file, what is not yet flushed included.
    [[nodiscard]] std::int64_t end_of_file() const;
    /// The POSIX descriptor beneath.
    [[nodiscard]] int descriptor() const { return disk_->descriptor(); }
    /// Closes the file for HDF5; every dataset and group of it must be closed already. Throws FileError as
    /// flush().
    void close();
    /// Forgets the file without another byte written, ever: what the last flush left stays.
    void abandon() noexcept;

private:
    File(std::shared_ptr<DiskFile> disk, FileHandle handle)
        : disk_(std::move(disk)), handle_(std::move(handle)) {}

    std::shared_ptr<DiskFile> disk_;
    FileHandle handle_;
};

}  // namespace mpcflow::hdf5
