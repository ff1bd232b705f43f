#pragma once
/// Reading for its own sake: whether all numbers of a file can be read, and rows of particles part by part.

#include <cstddef>
#include <string>
#include <vector>

#include "app/hdf5/dataset.hpp"
#include "app/hdf5/file.hpp"
#include "app/hdf5/handle.hpp"

namespace mpcflow::hdf5 {

/// Reads every group, attribute and index of a file, also those that no reading of numbers comes by. Throws FileError.
void read_structure(const File& file);

/// The same, and reads every number, about a MiB at a time, which proves HDF5's checksums of them. Throws FileError naming
/// the first that cannot be read.
void read_everything(const File& file);

/// Lengths of the axes of the dataset at this path. Throws FileError where there is none.
[[nodiscard]] std::vector<hsize_t> shape_of(const File& file, const std::string& path);

/// A dataset of rows of items (its second axis), of which a few are read at a time. An item is a number, or some (its third
/// axis). All throw FileError.
class RowParts {
public:
    /// Throws also where the dataset is not of items of so many numbers.
    RowParts(const File& file, const std::string& path, std::size_t numbers_in_item);

    [[nodiscard]] NumberType type() const { return type_; }
    [[nodiscard]] const std::vector<hsize_t>& shape() const { return shape_; }
    /// As many items as lie in a chunk.
    [[nodiscard]] std::size_t usual_count() const { return usual_count_; }

    /// `count` items of row `row` from `first` on, converted to T.
    template <typename T>
    void read(hsize_t row, hsize_t first, std::size_t count, std::vector<T>& numbers) const {
        numbers.resize(count * numbers_in_item_);
        read_into(row, first, count, number_type<T>(), numbers.data());
    }

private:
    void read_into(hsize_t row, hsize_t first, std::size_t count, NumberType type, void* numbers) const;

    std::string label_;
    DatasetHandle handle_;
    NumberType type_ = NumberType::float64;
    std::vector<hsize_t> shape_;
    std::size_t numbers_in_item_;
    std::size_t usual_count_ = 1;
};

}  // namespace mpcflow::hdf5
