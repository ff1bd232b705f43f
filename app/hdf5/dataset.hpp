#pragma once
/// Datasets of numbers: fixed ones, and lists that grow by rows along their first axis.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/hdf5/handle.hpp"

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

/// Whether a dataset grows along its first axis, by rows; of ragged rows also along its second, to the longest
/// row. What a shorter row lacks reads as the fill value and takes no more than the rest of a chunk.
enum class Growth { fixed, by_rows, by_ragged_rows };

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

class Dataset {
public:
    Dataset() = default;
    Dataset(DatasetHandle handle, std::string label) : handle_(std::move(handle)), label_(std::move(label)) {}

    /// Writes all of a dataset, `count` numbers in C order (checked).
    template <typename T>
    void write(const std::vector<T>& numbers) {
        write_all(numbers.data(), numbers.size(), number_type<T>());
    }
    /// Adds one row.
    template <typename T>
    void append_row(const T* numbers) {
        append_rows(numbers, 1, number_type<T>());
    }
    /// Adds one ragged row: `count` times what the axes beyond the second hold.
    template <typename T>
    void append_ragged_row(const T* numbers, hsize_t count) {
        append_part_of_row(numbers, count, number_type<T>());
    }
    /// Makes a list of numbers longer; the new ones read as the fill value.
    void grow_to(hsize_t length);
    /// Drops the rows from `rows` on.
    void shrink_to(hsize_t rows);
    /// The type of its numbers. Throws FileError for a type that this program does not write.
    [[nodiscard]] NumberType type() const;
    /// Shape now.
    [[nodiscard]] std::vector<hsize_t> shape() const;
    /// Reads all of it, in C order.
    template <typename T>
    [[nodiscard]] std::vector<T> read() const {
        std::vector<T> numbers(number_count());
        read_all(numbers.data(), number_type<T>());
        return numbers;
    }
    /// Reads row `row`.
    template <typename T>
    [[nodiscard]] std::vector<T> read_row(hsize_t row) const {
        std::vector<T> numbers(row_size());
        read_rows(numbers.data(), row, number_type<T>());
        return numbers;
    }
    void write_attribute(const std::string& name, const std::string& text) const;

private:
    [[nodiscard]] std::size_t number_count() const;
    [[nodiscard]] std::size_t row_size() const;
    void write_all(const void* numbers, std::size_t count, NumberType type);
    void append_rows(const void* numbers, hsize_t count, NumberType type);
    void append_part_of_row(const void* numbers, hsize_t count, NumberType type);
    void write_block(const void* numbers, const std::vector<hsize_t>& start, const std::vector<hsize_t>& extent,
                     NumberType type);
    void read_all(void* numbers, NumberType type) const;
    void read_rows(void* numbers, hsize_t row, NumberType type) const;

    DatasetHandle handle_;
    std::string label_;
};

}  // namespace mpcflow::hdf5
