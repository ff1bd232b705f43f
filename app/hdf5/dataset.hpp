#pragma once
/// Datasets of numbers: fixed ones, and lists that grow by rows along their first axis.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/hdf5/handle.hpp"
#include "app/hdf5/layout.hpp"
#include "app/hdf5/row_in_pieces.hpp"

namespace mpcflow::hdf5 {

class DiskFile;

/// A dataset of an open file. All throw FileError, those that read also where the dataset is not of the shape
/// that is asked for, or says that it has more numbers than its file has room for.
class Dataset {
public:
    Dataset() = default;
    Dataset(DatasetHandle handle, std::string label, std::shared_ptr<DiskFile> disk)
        : handle_(std::move(handle)), label_(std::move(label)), disk_(std::move(disk)) {}
    /// Closing writes what was not flushed: where that fails, the file knows (DiskFile::check()).
    ~Dataset();
    Dataset(const Dataset&) = delete;
    Dataset& operator=(const Dataset&) = delete;
    Dataset(Dataset&&) noexcept = default;
    /// What this one was is closed by `other`'s destructor, which needs the file, too.
    Dataset& operator=(Dataset&& other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(label_, other.label_);
        std::swap(disk_, other.disk_);
        return *this;
    }

    /// Writes all of a dataset, `count` numbers in C order (checked).
    template <typename T>
    void write(std::span<const T> numbers) {
        write_all(numbers.data(), numbers.size(), number_type<T>());
    }
    template <typename T>
    void write(const std::vector<T>& numbers) {
        write(std::span<const T>(numbers));
    }
    /// Adds one row.
    template <typename T>
    void append_row(const T* numbers) {
        append_rows(numbers, 1, number_type<T>());
    }
    /// Gives the numbers of `count` items from `first` on. An item is what lies at one index of an axis.
    template <typename T>
    using MakeItems = std::function<void(std::size_t first, std::size_t count, T* numbers)>;
    /// Writes all of a dataset item by item of its first axis, a chunk at a time: the numbers never are all
    /// in memory.
    template <typename T>
    void write_by_items(const MakeItems<T>& make) {
        write_made(
            number_type<T>(), [&](std::size_t first, std::size_t count,
                                  void* numbers) { make(first, count, static_cast<T*>(numbers)); });
    }
    /// Adds one row of `count` items of its second axis in the same way. Ragged rows may have more or fewer
    /// than others. Returns the checksum of its numbers, which are of the dataset's own type.
    template <typename T>
    std::uint64_t append_row_by_items(hsize_t count, const MakeItems<T>& make) {
        RowInPieces row = begin_row(count, number_type<T>());
        row.add(count, [&](std::size_t first, std::size_t part, void* numbers) {
            make(first, part, static_cast<T*>(numbers));
        });
        return row.finish();
    }
    /// The same of items that come piece by piece.
    [[nodiscard]] RowInPieces begin_row(hsize_t count, NumberType type);
    /// Makes a list of numbers longer; the new ones read as the fill value.
    void grow_to(hsize_t length);
    /// Drops the rows from `rows` on.
    void shrink_to(hsize_t rows);
    /// The type of its numbers. Throws FileError for a type that this program does not write.
    [[nodiscard]] NumberType type() const;
    /// Shape now.
    [[nodiscard]] std::vector<hsize_t> shape() const;
    /// Rows: the length of its first axis. Throws FileError where it is a single number.
    [[nodiscard]] hsize_t row_count() const;
    /// Reads all of it, in C order.
    template <typename T>
    [[nodiscard]] std::vector<T> read() const {
        std::vector<T> numbers(readable_count());
        read_all(numbers.data(), number_type<T>());
        return numbers;
    }
    /// The same row by row, each in memory of its own.
    template <typename T>
    [[nodiscard]] std::vector<std::vector<T>> read_rows() const {
        std::vector<std::vector<T>> rows(readable_count() == 0 ? 0 : row_count());
        for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = read_row<T>(row);
        return rows;
    }
    /// Reads row `row`.
    template <typename T>
    [[nodiscard]] std::vector<T> read_row(hsize_t row) const {
        require_row(row);
        std::vector<T> numbers(row_size());
        read_items_into(numbers.data(), row, 0, items_in_row(), number_type<T>());
        return numbers;
    }
    /// Reads `count` items of row `row` from `first` on; an item is what lies at one index of the second
    /// axis.
    template <typename T>
    void read_items(hsize_t row, hsize_t first, hsize_t count, std::vector<T>& numbers) const {
        numbers.resize(count * item_size());
        read_items_into(numbers.data(), row, first, count, number_type<T>());
    }
    /// Reads `count` items of the first axis from `first` on.
    template <typename T>
    void read_part(hsize_t first, hsize_t count, std::vector<T>& numbers) const {
        numbers.resize(count * row_size());
        read_part_into(numbers.data(), first, count, number_type<T>());
    }
    /// Items of a row that lie in one chunk.
    [[nodiscard]] hsize_t items_in_chunk() const { return chunk().at(1); }
    /// The checksum of row `row`, of its first `items` items where it has a second axis; never all in memory.
    [[nodiscard]] std::uint64_t row_checksum(hsize_t row, hsize_t items) const;
    [[nodiscard]] std::uint64_t row_checksum(hsize_t row) const;
    /// Throws FileError unless the dataset has at least so many rows, each of this shape.
    void require_rows(hsize_t rows, const std::vector<hsize_t>& shape_of_row) const;
    /// Whether it has so many rows, and no more chunks in the file than these need.
    [[nodiscard]] bool has_just_rows(hsize_t rows) const;
    /// Throws FileError unless the dataset is of this shape.
    void require_shape(const std::vector<hsize_t>& wanted) const;
    /// Throws FileError unless nothing was ever written to it, so that all of it reads as this fill value
    /// (NaN among them).
    void require_unwritten(double fill) const;
    /// Throws FileError unless what was not written reads as this.
    void require_fill(double fill) const;
    void write_attribute(const std::string& name, const std::string& text) const;
    /// Makes it a dimension scale: what says where along an axis numbers stand.
    void make_scale(const std::string& name) const;
    /// Gives axis `axis` this scale, which is of its length.
    void name_axis(std::size_t axis, const Dataset& scale) const;

private:
    friend class RowInPieces;

    [[nodiscard]] std::size_t number_count() const;
    [[nodiscard]] std::size_t readable_count() const;
    [[nodiscard]] std::size_t row_size() const;
    [[nodiscard]] std::size_t item_size() const;
    [[nodiscard]] hsize_t items_in_row() const;
    [[nodiscard]] std::size_t count_in_file(const std::vector<hsize_t>& shape) const;
    void write_all(const void* numbers, std::size_t count, NumberType type);
    void append_rows(const void* numbers, hsize_t count, NumberType type);
    void write_made(NumberType type, const MakeItems<void>& make);
    [[nodiscard]] std::vector<hsize_t> chunk() const;
    [[nodiscard]] bool takes_whole_chunks(NumberType type) const;
    void write_whole_chunk(const std::vector<hsize_t>& start, const std::vector<std::byte>& bytes);
    [[nodiscard]] std::vector<std::byte> fill_value(NumberType type) const;
    void write_block(const void* numbers, const std::vector<hsize_t>& start,
                     const std::vector<hsize_t>& extent, NumberType type);
    void read_all(void* numbers, NumberType type) const;
    void read_block(void* numbers, const std::vector<hsize_t>& start, const std::vector<hsize_t>& extent,
                    NumberType type) const;
    void read_items_into(void* numbers, hsize_t row, hsize_t first, hsize_t count, NumberType type) const;
    void read_part_into(void* numbers, hsize_t first, hsize_t count, NumberType type) const;
    void require_row(hsize_t row) const;
    void require_readable_as(NumberType type) const;

    DatasetHandle handle_;
    std::string label_;
    std::shared_ptr<DiskFile> disk_;
};

}  // namespace mpcflow::hdf5
