#pragma once
/// How the numbers of a dataset lie on the disk.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hdf5.h>

namespace mpcflow::hdf5 {

enum class NumberType { float32, float64, int32, int64, uint64 };

/// The type of a C++ number in memory.
template <typename T>
[[nodiscard]] constexpr NumberType number_type();
template <>
constexpr NumberType number_type<float>() {
    return NumberType::float32;
}
template <>
constexpr NumberType number_type<double>() {
    return NumberType::float64;
}
template <>
constexpr NumberType number_type<std::int32_t>() {
    return NumberType::int32;
}
template <>
constexpr NumberType number_type<std::int64_t>() {
    return NumberType::int64;
}
template <>
constexpr NumberType number_type<std::uint64_t>() {
    return NumberType::uint64;
}

[[nodiscard]] hid_t native_type(NumberType type);
[[nodiscard]] std::size_t byte_size(NumberType type);

/// What a dataset's numbers are; stored as attributes `description` and `unit` (none where empty).
struct Meaning {
    std::string description;
    std::string unit;
};

/// Whether a dataset grows along its first axis, by rows; of ragged rows also along its second, to the
/// longest row. What a shorter row lacks reads as the fill value and takes no more than the rest of a chunk.
enum class Growth { fixed, by_rows, by_ragged_rows };

/// Numbers in an array of this shape.
[[nodiscard]] hsize_t product(const std::vector<hsize_t>& shape);

struct DatasetLayout {
    NumberType type = NumberType::float64;
    /// Of the whole dataset, or of one row (the axis of rows left out); of ragged rows the usual one.
    std::vector<hsize_t> shape;
    Growth growth = Growth::fixed;
    std::optional<double> fill;  ///< what is read where nothing was written
    Meaning meaning;
};

/// Chunks of a dataset of this layout (all axes): about 1 MiB, never more than a row of a large one,
/// so that adding a row leaves the bytes of earlier rows alone; rows much smaller than a page share one.
[[nodiscard]] std::vector<hsize_t> chunk_shape(const DatasetLayout& layout);

/// Bytes on disk of a row of this shape, in chunks for rows of the layout's shape: whole chunks, each begun
/// on a page of its own, and their places in the index.
[[nodiscard]] std::int64_t row_bytes(const DatasetLayout& layout, const std::vector<hsize_t>& shape);

}  // namespace mpcflow::hdf5
