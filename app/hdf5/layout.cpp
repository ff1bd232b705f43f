#include "app/hdf5/layout.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace mpcflow::hdf5 {

namespace {

constexpr hsize_t large_chunk_bytes = hsize_t{1} << 20;
/// A page less the four bytes of a checksum.
constexpr hsize_t small_chunk_bytes = 4096 - 4;

/// Splits an axis into equal parts of at most `most`: no nearly empty chunk at the end.
hsize_t even_part(hsize_t length, hsize_t most) {
    if (length <= most || most == 0) return std::max<hsize_t>(length, 1);
    const hsize_t parts = (length + most - 1) / most;
    return (length + parts - 1) / parts;
}

}  // namespace

hsize_t product(const std::vector<hsize_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), hsize_t{1}, std::multiplies<>());
}

hid_t native_type(NumberType type) {
    switch (type) {
        case NumberType::float32: return H5T_NATIVE_FLOAT;
        case NumberType::float64: return H5T_NATIVE_DOUBLE;
        case NumberType::int32: return H5T_NATIVE_INT32;
        case NumberType::int64: return H5T_NATIVE_INT64;
        case NumberType::uint64: return H5T_NATIVE_UINT64;
    }
    throw std::logic_error("unknown NumberType");
}

std::size_t byte_size(NumberType type) {
    return type == NumberType::float32 || type == NumberType::int32 ? 4 : 8;
}

std::vector<hsize_t> chunk_shape(const DatasetLayout& layout) {
    std::vector<hsize_t> chunk(layout.shape.size());
    hsize_t bytes = byte_size(layout.type);
    // From the last axis up: whole axes while they fit into a chunk, then one part, then single indices.
    for (std::size_t axis = chunk.size(); axis-- > 0;) {
        chunk[axis] = even_part(layout.shape[axis], large_chunk_bytes / bytes);
        bytes *= chunk[axis];
    }
    if (layout.growth != Growth::fixed) {
        const hsize_t row_bytes = product(layout.shape) * byte_size(layout.type);
        chunk.insert(chunk.begin(),
                     std::max<hsize_t>(1, small_chunk_bytes / std::max<hsize_t>(row_bytes, 1)));
    }
    return chunk;
}

std::int64_t row_bytes(const DatasetLayout& layout, const std::vector<hsize_t>& shape) {
    constexpr hsize_t page = 4096;
    constexpr hsize_t index_entry = 128;  // of the chunk B-tree, half full nodes and checksum included
    const std::vector<hsize_t> chunk = chunk_shape(layout);
    hsize_t chunk_bytes = byte_size(layout.type);
    hsize_t chunks = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        chunk_bytes *= chunk[axis + 1];
        chunks *= (shape[axis] + chunk[axis + 1] - 1) / chunk[axis + 1];
    }
    return static_cast<std::int64_t>(chunks * ((chunk_bytes + page) / page * page + index_entry));
}

}  // namespace mpcflow::hdf5
