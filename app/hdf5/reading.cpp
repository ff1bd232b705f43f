#include "app/hdf5/reading.hpp"

#include <algorithm>
#include <cstdint>

#include "app/hdf5/attribute.hpp"
#include "app/hdf5/error.hpp"

namespace mpcflow::hdf5 {

namespace {

constexpr hsize_t part_bytes = hsize_t{1} << 20;
constexpr int deepest = 32;

std::vector<hsize_t> read_shape(hid_t dataset, const std::string& label) {
    const DataspaceHandle space(check(H5Dget_space(dataset), label, "read its shape"));
    const int rank = check(H5Sget_simple_extent_ndims(space.get()), label, "read its rank");
    std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
    check(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), label, "read its shape");
    return shape;
}

/// The chunks of a dataset; empty where it has none.
std::vector<hsize_t> read_chunks(hid_t dataset, std::size_t rank, const std::string& label) {
    const PropertyListHandle list(check(H5Dget_create_plist(dataset), label, "read its layout"));
    if (check(H5Pget_layout(list.get()), label, "read its layout") != H5D_CHUNKED)
        return {};
    std::vector<hsize_t> chunk(rank);
    check(H5Pget_chunk(list.get(), static_cast<int>(rank), chunk.data()), label, "read its layout");
    return chunk;
}

/// Reads the indices of an object, those that have no entries included, as tools do that list a file.
bool has_whole_indices(hid_t object) {
#if H5_VERSION_GE(1, 12, 0)
    H5O_native_info_t info{};
    return H5Oget_native_info(object, &info, H5O_NATIVE_INFO_ALL) >= 0;
#else
    H5O_info_t info{};
    return H5Oget_info(object, &info) >= 0;
#endif
}

enum class Extent { structure, all };

/// Goes through a file, depth first.
class Reader {
public:
    Reader(const File& file, Extent extent) : file_(file), extent_(extent) {}

    void read_object(hid_t parent, const std::string& name, const std::string& path, int depth) {
        if (depth > deepest)
            throw FileError(file_.path() + ": groups lie in one another too deep", 0);
        const ObjectHandle object(check(H5Oopen(parent, name.c_str(), H5P_DEFAULT), file_.path(), "open " + path));
        if (!has_whole_indices(object.get()))
            fail(file_.path(), "read the indices of " + path);
        read_attributes(object.get(), path);
        switch (H5Iget_type(object.get())) {
            case H5I_GROUP: return read_group(object.get(), path, depth);
            case H5I_DATASET:
                if (extent_ == Extent::all)
                    read_dataset(object.get(), path);
                return;
            default: return;
        }
    }

private:
    void read_group(hid_t group, const std::string& path, int depth) {
        std::vector<std::string> names;
        const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
            static_cast<std::vector<std::string>*>(to)->emplace_back(name);
            return 0;
        };
        hsize_t position = 0;
        check(H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collect, &names), file_.path(), "list " + path);
        for (const std::string& name : names) {
            H5L_info_t link{};
            check(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), file_.path(), "look at " + path);
            if (link.type != H5L_TYPE_HARD)
                throw FileError(file_.path() + ":" + path + ": has a link to elsewhere, " + name, 0);
            read_object(group, name, (path == "/" ? path : path + "/") + name, depth + 1);
        }
    }

    void read_attributes(hid_t object, const std::string& path) {
        std::vector<std::string> names;
        const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
            static_cast<std::vector<std::string>*>(to)->emplace_back(name);
            return 0;
        };
        hsize_t position = 0;
        check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collect, &names), file_.path(),
              "list the attributes of " + path);
        for (const std::string& name : names) {
            if (refers_to_axes(name))
                continue;
            const AttributeHandle attribute(check(H5Aopen(object, name.c_str(), H5P_DEFAULT), file_.path(), "open " + name));
            const TypeHandle type(check(H5Aget_type(attribute.get()), file_.path(), "read the type of " + name));
            require_plain(type.get(), path);
            const hsize_t bytes = H5Aget_storage_size(attribute.get());
            if (bytes > room())
                throw FileError(file_.path() + ":" + path + ": an attribute larger than the file", 0);
            bytes_.resize(std::max<std::size_t>(bytes, 1));
            check(H5Aread(attribute.get(), type.get(), bytes_.data()), file_.path(), "read " + path + " attribute " + name);
        }
    }

    void read_dataset(hid_t dataset, const std::string& path) {
        const TypeHandle type(check(H5Dget_type(dataset), file_.path(), "read the type of " + path));
        require_plain(type.get(), path);
        // Never written: all of it reads the fill value.
        if (H5Dget_storage_size(dataset) == 0)
            return;
        const std::string label = file_.path() + ":" + path;
        const std::vector<hsize_t> shape = read_shape(dataset, label);
        std::vector<hsize_t> part = part_of(dataset, shape, H5Tget_size(type.get()), label);
        std::vector<hsize_t> start(shape.size(), 0);
        const DataspaceHandle space(check(H5Dget_space(dataset), label, "read its shape"));
        std::size_t axis = 0;
        do {
            hsize_t numbers = 1;
            std::vector<hsize_t> extent(shape.size());
            for (std::size_t i = 0; i < shape.size(); ++i) {
                extent[i] = std::min(part[i], shape[i] - start[i]);
                numbers *= extent[i];
            }
            bytes_.resize(std::max<std::size_t>(numbers * H5Tget_size(type.get()), 1));
            read_part(dataset, space.get(), type.get(), start, extent, label);
            for (axis = shape.size(); axis > 0; --axis) {
                start[axis - 1] += part[axis - 1];
                if (start[axis - 1] < shape[axis - 1])
                    break;
                start[axis - 1] = 0;
            }
        } while (axis > 0);
    }

    void read_part(hid_t dataset, hid_t space, hid_t type, const std::vector<hsize_t>& start,
                   const std::vector<hsize_t>& extent, const std::string& label) {
        if (start.empty()) {
            check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes_.data()), label, "read it");
            return;
        }
        check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr), label, "read it");
        const DataspaceHandle memory(
            check(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), label, "read it"));
        check(H5Dread(dataset, type, memory.get(), space, H5P_DEFAULT, bytes_.data()), label, "read it");
    }

    /// Lengths of what is read at a time: a chunk, or about a MiB of what has none.
    std::vector<hsize_t> part_of(hid_t dataset, const std::vector<hsize_t>& shape, hsize_t number_bytes,
                                 const std::string& label) {
        std::vector<hsize_t> part = read_chunks(dataset, shape.size(), label);
        hsize_t bytes = number_bytes;
        const bool is_chunked = !part.empty();
        part.resize(shape.size(), 1);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            if (!is_chunked)
                part[axis] = std::clamp<hsize_t>(part_bytes / bytes, 1, std::max<hsize_t>(shape[axis], 1));
            if (part[axis] == 0 || part[axis] > room() / bytes)
                throw FileError(label + ": says that it has more numbers than the file has room for", 0);
            bytes *= part[axis];
        }
        // A dataset of few chunks that claims a giant's shape would be gone through for ever.
        hsize_t parts = 1;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const hsize_t along = (shape[axis] + part[axis] - 1) / part[axis];
            if (along > 0 && parts > most_parts / along)
                throw FileError(label + ": says that it has more numbers than the file has room for", 0);
            parts *= along;
        }
        return part;
    }

    void require_plain(hid_t type, const std::string& path) {
        const H5T_class_t kind = H5Tget_class(type);
        const bool is_plain = kind == H5T_INTEGER || kind == H5T_FLOAT || (kind == H5T_STRING && H5Tis_variable_str(type) == 0);
        if (!is_plain || H5Tget_size(type) == 0)
            throw FileError(file_.path() + ":" + path + ": of a type that is not written here", 0);
    }

    [[nodiscard]] hsize_t room() const { return file_.disk().end_of_file(); }

    static constexpr hsize_t most_parts = hsize_t{1} << 32U;

    const File& file_;
    Extent extent_;
    std::vector<std::byte> bytes_;
};

}  // namespace

void read_structure(const File& file) { Reader(file, Extent::structure).read_object(file.root().id(), ".", "/", 0); }

void read_everything(const File& file) { Reader(file, Extent::all).read_object(file.root().id(), ".", "/", 0); }

std::vector<hsize_t> shape_of(const File& file, const std::string& path) {
    const DatasetHandle dataset(
        check(H5Dopen2(file.root().id(), path.c_str(), H5P_DEFAULT), file.path(), "open the dataset " + path));
    return read_shape(dataset.get(), file.path());
}

RowParts::RowParts(const File& file, const std::string& path, std::size_t numbers_in_item)
    : label_(file.path() + ":" + path),
      handle_(check(H5Dopen2(file.root().id(), path.c_str(), H5P_DEFAULT), label_, "open the dataset")),
      shape_(read_shape(handle_.get(), label_)),
      numbers_in_item_(numbers_in_item) {
    const TypeHandle stored(check(H5Dget_type(handle_.get()), label_, "read its type"));
    bool is_known = false;
    for (const NumberType type : {NumberType::float32, NumberType::float64, NumberType::int32, NumberType::int64}) {
        if (H5Tequal(stored.get(), native_type(type)) > 0) {
            type_ = type;
            is_known = true;
        }
    }
    const bool has_shape = numbers_in_item == 1 ? shape_.size() == 2 : shape_.size() == 3 && shape_[2] == numbers_in_item;
    if (!is_known || !has_shape)
        throw FileError(label_ + ": is of another type or shape than numbers of particles", 0);
    const std::vector<hsize_t> chunk = read_chunks(handle_.get(), shape_.size(), label_);
    // What a file says of its chunks is not taken for granted.
    usual_count_ = static_cast<std::size_t>(std::clamp<hsize_t>(chunk.empty() ? 1 : chunk[1], 1, part_bytes / 8));
}

void RowParts::read_into(hsize_t row, hsize_t first, std::size_t count, NumberType type, void* numbers) const {
    std::vector<hsize_t> start(shape_.size(), 0);
    std::vector<hsize_t> extent = shape_;
    start[0] = row;
    start[1] = first;
    extent[0] = 1;
    extent[1] = count;
    const DataspaceHandle space(check(H5Dget_space(handle_.get()), label_, "read it"));
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr), label_, "read it");
    const DataspaceHandle memory(
        check(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), label_, "read it"));
    check(H5Dread(handle_.get(), native_type(type), memory.get(), space.get(), H5P_DEFAULT, numbers), label_, "read it");
}

}  // namespace mpcflow::hdf5
