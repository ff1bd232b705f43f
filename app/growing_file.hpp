#pragma once
/// What the files have in common that grow by rows while a run goes on: trajectory.h5 and fields.h5.
///
/// Such a file is PATH.tmp until its first row is in it. The values of a row are written and flushed first, and its step,
/// which says that it is there, last. A failed write leaves the file as the last row left it.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/hdf5/file.hpp"

namespace mpcflow {

/// Rows that a file has when a run goes on at `step`: all of before it.
struct RowsBefore {
    std::int64_t rows = 0;
    std::int64_t step = 0;
};

[[nodiscard]] hdf5::File create_growing_file(const std::string& path);

/// When a row is in the file; the first one gives the file its name.
void name_growing_file(const std::string& path, bool is_first_row);

/// Writes all to the disk and closes. Throws hdf5::FileError.
void close_growing_file(hdf5::File file, const std::string& path);

/// Throws hdf5::FileError, saying what to do, unless the file is there. `rows` is what its rows are called.
void check_growing_file_is_there(const std::string& path, const std::string& rows, RowsBefore before);

/// Throws hdf5::FileError, saying what to do, unless as many rows of this file are of before the step; `steps` are those of
/// all its rows. They grow from above `lowest` on: where they do not, a kill fell while rows were dropped.
void check_rows_before(const std::string& path, const std::string& rows, RowsBefore before,
                       std::span<const std::int64_t> steps, std::int64_t lowest);

/// Leaves the file as its last row left it, and removes it if it has none.
void leave_growing_file(hdf5::File& file, const std::string& path, bool has_rows) noexcept;

/// The same for `objects`, whose `file` it is and which hold its datasets.
template <class Objects>
void abandon_growing_file(std::unique_ptr<Objects> objects, const std::string& path, bool has_rows) noexcept {
    // HDF5 writes what it still holds when its identifiers are closed. They are kept open for the rest
    // of the process, in a place that is never destroyed.
    static auto* const given_up = new std::vector<std::unique_ptr<Objects>>;
    leave_growing_file(objects->file, path, has_rows);
    given_up->push_back(std::move(objects));
}

}  // namespace mpcflow
