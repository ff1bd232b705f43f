#pragma once
/// The checksums of fields.h5. docs/output.md has the format.

#include <cstdint>
#include <vector>

#include "app/output/growing_file.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

/// What a window is made of.
struct WindowParts {
    std::int64_t first_step = 0;
    std::int64_t last_step = 0;
    double time = 0.0;
    std::int64_t samples = 0;
    std::vector<std::uint64_t>
        values;  ///< checksums of density, velocity, temperature and pressure tensor that are there
};

/// The checksum of window `index`; the same in every run of an input.
[[nodiscard]] std::uint64_t window_checksum(std::int64_t index, const WindowParts& parts);

/// Lengths of the axes of a quantity in a window.
[[nodiscard]] std::vector<hsize_t> row_shape(const FieldsOutput& wanted, const FieldQuantity& quantity);

/// The checksum of what fields.h5 says of itself.
[[nodiscard]] std::uint64_t window_header_checksum(const hdf5::File& file);

/// Reads the windows of a fields.h5. Throws FileError.
[[nodiscard]] RowReader read_windows(const hdf5::File& file);

/// Drops the windows from `windows` on. Throws FileError.
void drop_windows(hdf5::File& file, std::int64_t windows);

/// Throws FileError unless the windows are of these bins and quantities: a row that is added is taken to have
/// as many numbers.
void require_windows_of(const hdf5::File& file, const FieldsOutput& wanted, int species);

}  // namespace mpcflow
