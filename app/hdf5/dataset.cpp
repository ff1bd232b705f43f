#include "app/hdf5/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5_hl.h>

#include "app/hdf5/attribute.hpp"
#include "app/hdf5/disk_file.hpp"
#include "app/hdf5/error.hpp"
#include "app/storage/checksum.hpp"

namespace mpcflow::hdf5 {

Dataset::~Dataset() {
    if (handle_.close() >= 0) return;
    H5Eclear2(H5E_DEFAULT);
    disk_->fail(0);
}

void Dataset::write_attribute(const std::string& name, const std::string& text) const {
    write_text_attribute(handle_.get(), label_, name, text, 0);
}

void Dataset::make_scale(const std::string& name) const {
    check(H5DSset_scale(handle_.get(), name.c_str()), label_, "make it a dimension scale");
}

void Dataset::name_axis(std::size_t axis, const Dataset& scale) const {
    check(H5DSattach_scale(handle_.get(), scale.handle_.get(), static_cast<unsigned>(axis)), label_,
          "name its axes");
}

NumberType Dataset::type() const {
    const TypeHandle stored(check(H5Dget_type(handle_.get()), label_, "read its type"));
    for (const NumberType type :
         {NumberType::float32, NumberType::float64, NumberType::int32, NumberType::int64, NumberType::uint64})
        if (H5Tequal(stored.get(), native_type(type)) > 0) return type;
    throw FileError(label_ + ": numbers of a type that is not written here", 0);
}

std::vector<hsize_t> Dataset::shape() const {
    const DataspaceHandle space(check(H5Dget_space(handle_.get()), label_, "read its shape"));
    const int rank = check(H5Sget_simple_extent_ndims(space.get()), label_, "read its rank");
    std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
    check(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), label_, "read its shape");
    return shape;
}

hsize_t Dataset::row_count() const {
    const std::vector<hsize_t> all = shape();
    if (all.empty()) throw FileError(label_ + ": is a single number, where rows should be", 0);
    return all[0];
}

std::size_t Dataset::number_count() const { return product(shape()); }

std::size_t Dataset::readable_count() const { return count_in_file(shape()); }

/// Of rows that are ragged all would be too many: what shorter ones lack takes no room.
std::size_t Dataset::row_size() const {
    std::vector<hsize_t> row = shape();
    row.erase(row.begin());
    return count_in_file(row);
}

std::size_t Dataset::item_size() const {
    std::vector<hsize_t> item = shape();
    item.erase(item.begin(), item.begin() + 2);
    return count_in_file(item);
}

std::size_t Dataset::count_in_file(const std::vector<hsize_t>& shape) const {
    const TypeHandle stored(check(H5Dget_type(handle_.get()), label_, "read its type"));
    const hsize_t room = disk_->end_of_file() / std::max<std::size_t>(H5Tget_size(stored.get()), 1);
    hsize_t count = 1;
    for (const hsize_t length : shape) {
        if (length > 0 && count > room / length)
            throw FileError(label_ + ": says that it has more numbers than the file has room for", 0);
        count *= length;
    }
    return count;
}

void Dataset::require_row(hsize_t row) const {
    const std::vector<hsize_t> all = shape();
    if (all.empty() || row >= all[0]) throw FileError(fmt::format("{}: has no row {}", label_, row), 0);
}

void Dataset::require_rows(hsize_t rows, const std::vector<hsize_t>& shape_of_row) const {
    const std::vector<hsize_t> all = shape();
    // A row has a checksum of its own, at the least. HDF5 goes through all that are dropped one by one.
    if (!all.empty() && all[0] > std::max<hsize_t>(disk_->end_of_file() / sizeof(std::uint64_t), rows))
        throw FileError(label_ + ": says that it has more rows than the file has room for", 0);
    if (all.size() != shape_of_row.size() + 1 || all[0] < rows ||
        !std::equal(all.begin() + 1, all.end(), shape_of_row.begin())) {
        throw FileError(fmt::format("{}: is of the shape [{}], where {} rows of [{}] should be", label_,
                                    fmt::join(all, ", "), rows, fmt::join(shape_of_row, ", ")),
                        0);
    }
}

bool Dataset::has_just_rows(hsize_t rows) const {
    constexpr hsize_t checksum_bytes = 4;
    const std::vector<hsize_t> all = shape();
    if (all.empty() || all[0] != rows) return false;
    const TypeHandle stored(check(H5Dget_type(handle_.get()), label_, "read its type"));
    hsize_t chunks = 1;
    hsize_t bytes = H5Tget_size(stored.get());
    for (std::size_t axis = 0; axis < all.size(); ++axis) {
        const hsize_t length = std::max<hsize_t>(chunk().at(axis), 1);
        chunks *= (all[axis] + length - 1) / length;
        bytes *= length;
    }
    return H5Dget_storage_size(handle_.get()) <= chunks * (bytes + checksum_bytes);
}

void Dataset::require_shape(const std::vector<hsize_t>& wanted) const {
    if (const std::vector<hsize_t> all = shape(); all != wanted) {
        throw FileError(fmt::format("{}: is of the shape [{}], where [{}] should be", label_,
                                    fmt::join(all, ", "), fmt::join(wanted, ", ")),
                        0);
    }
}

void Dataset::require_fill(double fill) const {
    const PropertyListHandle list(check(H5Dget_create_plist(handle_.get()), label_, "read its layout"));
    double found = 0.0;
    check(H5Pget_fill_value(list.get(), H5T_NATIVE_DOUBLE, &found), label_, "read its fill value");
    if (found != fill && !(std::isnan(found) && std::isnan(fill)))
        throw FileError(
            fmt::format("{}: what was not written reads as {}, where {} should be", label_, found, fill), 0);
}

void Dataset::require_unwritten(double fill) const {
    require_fill(fill);
    if (H5Dget_storage_size(handle_.get()) != 0)
        throw FileError(label_ + ": has numbers of its own, which are never written", 0);
}

/// Whole numbers are not read as others, nor anything else as numbers: HDF5 would convert what it can.
void Dataset::require_readable_as(NumberType type) const {
    const TypeHandle stored(check(H5Dget_type(handle_.get()), label_, "read its type"));
    if (H5Tget_class(stored.get()) != H5Tget_class(native_type(type)))
        throw FileError(label_ + ": its numbers are not of the kind that they should be", 0);
}

void Dataset::write_all(const void* numbers, std::size_t count, NumberType type) {
    if (count != number_count())
        throw std::logic_error(label_ + ": written with another number of elements than it has");
    check(H5Dwrite(handle_.get(), native_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), label_,
          "write it");
}

void Dataset::append_rows(const void* numbers, hsize_t count, NumberType type) {
    std::vector<hsize_t> extent = shape();
    std::vector<hsize_t> start(extent.size(), 0);
    start[0] = extent[0];
    extent[0] += count;
    check(H5Dset_extent(handle_.get(), extent.data()), label_, "add to it");
    extent[0] = count;
    write_block(numbers, start, extent, type);
}

void Dataset::write_made(NumberType type, const MakeItems<void>& make) {
    std::vector<hsize_t> part = shape();
    if (product(part) == 0) return;
    std::vector<hsize_t> start(part.size(), 0);
    const hsize_t items = part[0];
    // Whole chunks: part of one would be read again to have its rest written.
    part[0] = std::min(items, chunk().at(0));
    std::vector<std::byte> numbers(product(part) * byte_size(type));
    for (; start[0] < items; start[0] += part[0]) {
        part[0] = std::min(part[0], items - start[0]);
        make(start[0], part[0], numbers.data());
        write_block(numbers.data(), start, part, type);
    }
}

RowInPieces Dataset::begin_row(hsize_t count, NumberType type) {
    std::vector<hsize_t> extent = shape();
    extent[0] += 1;
    extent[1] = std::max(extent[1], count);
    check(H5Dset_extent(handle_.get(), extent.data()), label_, "add to it");
    return {*this, count, type};
}

std::vector<hsize_t> Dataset::chunk() const {
    const PropertyListHandle list(check(H5Dget_create_plist(handle_.get()), label_, "read its layout"));
    std::vector<hsize_t> chunk(shape().size());
    check(H5Pget_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), label_, "read its layout");
    return chunk;
}

/// Whether its chunks are parts of rows that can be written as they come, with their checksums, past HDF5's
/// own filters, conversions and caches, which take more than half of the time.
bool Dataset::takes_whole_chunks(NumberType type) const {
    const PropertyListHandle list(check(H5Dget_create_plist(handle_.get()), label_, "read its layout"));
    if (H5Pget_nfilters(list.get()) != 1 || this->type() != type) return false;
    unsigned flags = 0;
    std::size_t values = 0;
    if (H5Pget_filter2(list.get(), 0, &flags, &values, nullptr, 0, nullptr, nullptr) != H5Z_FILTER_FLETCHER32)
        return false;
    const std::vector<hsize_t> all = shape();
    const std::vector<hsize_t> part = chunk();
    return part[0] == 1 && std::equal(part.begin() + 2, part.end(), all.begin() + 2);
}

std::vector<std::byte> Dataset::fill_value(NumberType type) const {
    const PropertyListHandle list(check(H5Dget_create_plist(handle_.get()), label_, "read its layout"));
    std::vector<std::byte> value(byte_size(type));
    check(H5Pget_fill_value(list.get(), native_type(type), value.data()), label_, "read its fill value");
    return value;
}

void Dataset::write_whole_chunk(const std::vector<hsize_t>& start, const std::vector<std::byte>& bytes) {
    check(H5Dwrite_chunk(handle_.get(), H5P_DEFAULT, 0, start.data(), bytes.size(), bytes.data()), label_,
          "write to it");
}

void Dataset::grow_to(hsize_t length) { check(H5Dset_extent(handle_.get(), &length), label_, "add to it"); }

void Dataset::shrink_to(hsize_t rows) {
    std::vector<hsize_t> extent = shape();
    if (extent.at(0) <= rows) return;
    extent[0] = rows;
    check(H5Dset_extent(handle_.get(), extent.data()), label_, "shorten it");
}

void Dataset::write_block(const void* numbers, const std::vector<hsize_t>& start,
                          const std::vector<hsize_t>& extent, NumberType type) {
    const DataspaceHandle space(check(H5Dget_space(handle_.get()), label_, "add to it"));
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
          label_, "select rows of it");
    const DataspaceHandle memory(check(
        H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), label_, "add to it"));
    check(H5Dwrite(handle_.get(), native_type(type), memory.get(), space.get(), H5P_DEFAULT, numbers), label_,
          "write to it");
}

void Dataset::read_all(void* numbers, NumberType type) const {
    require_readable_as(type);
    check(H5Dread(handle_.get(), native_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), label_,
          "read it");
}

void Dataset::read_block(void* numbers, const std::vector<hsize_t>& start, const std::vector<hsize_t>& extent,
                         NumberType type) const {
    const DataspaceHandle space(check(H5Dget_space(handle_.get()), label_, "read it"));
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
          label_, "select rows of it");
    const DataspaceHandle memory(
        check(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), label_, "read it"));
    check(H5Dread(handle_.get(), native_type(type), memory.get(), space.get(), H5P_DEFAULT, numbers), label_,
          "read it");
}

void Dataset::read_items_into(void* numbers, hsize_t row, hsize_t first, hsize_t count,
                              NumberType type) const {
    require_readable_as(type);
    std::vector<hsize_t> extent = shape();
    std::vector<hsize_t> start(extent.size(), 0);
    start[0] = row;
    extent[0] = 1;
    if (extent.size() > 1) {
        start[1] = first;
        extent[1] = count;
    }
    read_block(numbers, start, extent, type);
}

void Dataset::read_part_into(void* numbers, hsize_t first, hsize_t count, NumberType type) const {
    require_readable_as(type);
    std::vector<hsize_t> extent = shape();
    std::vector<hsize_t> start(extent.size(), 0);
    if (extent.empty() || first + count > extent[0])
        throw FileError(fmt::format("{}: has fewer than {} items", label_, first + count), 0);
    start[0] = first;
    extent[0] = count;
    read_block(numbers, start, extent, type);
}

hsize_t Dataset::items_in_row() const {
    const std::vector<hsize_t> all = shape();
    return all.size() > 1 ? all[1] : 1;
}

std::uint64_t Dataset::row_checksum(hsize_t row) const { return row_checksum(row, items_in_row()); }

std::uint64_t Dataset::row_checksum(hsize_t row, hsize_t items) const {
    require_row(row);
    static_cast<void>(row_size());  // what it says of its size is possible
    std::vector<hsize_t> part = shape();
    std::vector<hsize_t> start(part.size(), 0);
    start[0] = row;
    part[0] = 1;
    const bool has_items = part.size() > 1;
    if (has_items && items > part[1])
        throw FileError(fmt::format("{}: has fewer than {} items in a row", label_, items), 0);
    const hsize_t at_a_time = has_items ? std::min(items, chunk().at(1)) : 1;
    const NumberType stored = type();
    storage::Checksum checksum;
    std::vector<std::byte> numbers;
    for (hsize_t first = 0; first < (has_items ? items : 1); first += at_a_time) {
        if (has_items) {
            start[1] = first;
            part[1] = std::min(at_a_time, items - first);
        }
        numbers.resize(product(part) * byte_size(stored));
        read_block(numbers.data(), start, part, stored);
        checksum.add(numbers.data(), numbers.size());
    }
    return checksum.sum();
}

}  // namespace mpcflow::hdf5
