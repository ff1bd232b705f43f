#pragma once
/// An HDF5 file: opened, flushed, closed, or given up.

#include <cstdint>
#include <string>

#include "app/hdf5/group.hpp"
#include "app/hdf5/handle.hpp"

namespace mpcflow::hdf5 {

enum class Access { read_only, read_write };

/// How the blocks of a file reach the disk.
enum class WriteOrder {
    any,     ///< the file is whole after a flush
    ordered  ///< the file is whole at every instant after its first flush (ordered_driver.hpp)
};

/// Files are written in HDF5's earliest format: such a file is readable after any H5Fflush, also when
/// its writer is killed later, and by every version of HDF5.
class File {
public:
    /// Creates `path`, replacing what is there. Throws FileError, and leaves no file that was not there.
    [[nodiscard]] static File create(const std::string& path, WriteOrder order = WriteOrder::any);
    /// Opens an existing file. Throws FileError whose message tells a missing file from one that is
    /// not HDF5 and from one that is cut short.
    [[nodiscard]] static File open(const std::string& path, Access access);
    /// Opens an existing file to add to it with WriteOrder::ordered, after bytes at its end that nothing refers to
    /// (a killed writer leaves them) are cut off. Throws FileError.
    [[nodiscard]] static File open_ordered(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] Group root() const;
    [[nodiscard]] bool is_open() const { return handle_.is_open(); }

    /// Hands all that was written to the operating system. Throws FileError.
    void flush();
    /// Bytes of the file, what is not yet flushed included.
    [[nodiscard]] std::int64_t end_of_file() const;
    /// The POSIX descriptor beneath.
    [[nodiscard]] int descriptor() const;
    /// Closes the file; every dataset and group of it must be closed already. Throws FileError.
    void close();
    /// Forgets the file without another byte written, ever: what the last flush left stays.
    void abandon() noexcept;

private:
    static File open(const std::string& path, Access access, WriteOrder order);
    File(std::string path, FileHandle handle) : path_(std::move(path)), handle_(std::move(handle)) {}

    std::string path_;
    FileHandle handle_;
};

}  // namespace mpcflow::hdf5
