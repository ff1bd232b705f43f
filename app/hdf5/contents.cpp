#include "app/hdf5/contents.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/hdf5/attribute.hpp"
#include "app/hdf5/error.hpp"
#include "app/storage/checksum.hpp"

namespace mpcflow::hdf5 {

namespace {

/// Far more than any file of ours has. (One that is just being written has not come to its end.)
constexpr std::uint64_t most_in_header = std::uint64_t{1} << 30;
constexpr int deepest = 32;
/// Of the numbers of a dataset that are in memory.
constexpr std::size_t most_at_once = std::size_t{16} << 20;

/// What is taken of datasets that grow: their names and types alone, or their numbers, too.
enum class Rows { left_out, read };

/// Goes through a file, depth first, the names of a group in the order of their bytes.
class Walk {
public:
    /// But for one attribute of a group.
    Walk(const File& file, Rows rows, std::string group, std::string attribute)
        : file_(file.path()),
          room_(rows == Rows::read ? file.disk().end_of_file()
                                   : std::max<std::uint64_t>(most_in_header, file.disk().end_of_file())),
          rows_(rows),
          group_(std::move(group)),
          attribute_(std::move(attribute)) {}

    void add_object(hid_t parent, const std::string& name, const std::string& path, int depth) {
        if (depth > deepest) throw FileError(file_ + ": groups lie in one another too deep", 0);
        const ObjectHandle object(check(H5Oopen(parent, name.c_str(), H5P_DEFAULT), file_, "open " + path));
        switch (H5Iget_type(object.get())) {
            case H5I_GROUP: return add_group(object.get(), path, depth);
            case H5I_DATASET: return add_dataset(object.get(), path);
            default: throw FileError(file_ + ":" + path + ": neither a group nor a dataset", 0);
        }
    }
    [[nodiscard]] std::uint64_t sum() const { return checksum_.sum(); }

private:
    void add(const std::string& text) { checksum_.add(text.data(), text.size()); }

    void add_group(hid_t group, const std::string& path, int depth) {
        add(fmt::format("G {}\n", path));
        add_attributes(group, path);
        for (const std::string& name : link_names_of(group, file_)) {
            H5L_info_t link{};
            check(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), file_, "look at " + path);
            if (link.type != H5L_TYPE_HARD)
                throw FileError(file_ + ":" + path + ": has a link to elsewhere, " + name, 0);
            add_object(group, name, path == "/" ? path + name : path + "/" + name, depth + 1);
        }
    }

    void add_dataset(hid_t dataset, const std::string& path) {
        const TypeHandle type(check(H5Dget_type(dataset), file_, "read the type of " + path));
        const DataspaceHandle space(check(H5Dget_space(dataset), file_, "read the shape of " + path));
        bool grows = false;
        add(fmt::format("D {} {} {}\n", path, type_name(type.get()), describe_shape(space.get(), grows)));
        add_attributes(dataset, path);
        if (grows && rows_ == Rows::left_out) return;
        if (H5Dget_storage_size(dataset) == 0) return add("F\n");
        add_numbers(dataset, type.get(), space.get(), path);
        add("\n");
    }

    /// Piece by piece along the first axis: a dataset may be a number for each particle.
    void add_numbers(hid_t dataset, hid_t type, hid_t space, const std::string& path) {
        const std::size_t size = byte_count(type, space);
        std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
        check(H5Sget_simple_extent_dims(space, extent.data(), nullptr), file_, "read a shape");
        const hsize_t items = extent.empty() ? 1 : extent[0];
        const std::size_t bytes_of_item = size / std::max<hsize_t>(items, 1);
        const hsize_t most = std::max<hsize_t>(1, most_at_once / std::max<std::size_t>(bytes_of_item, 1));
        std::vector<hsize_t> start(extent.size(), 0);
        for (hsize_t first = 0; first < items; first += most) {
            const hsize_t count = std::min(most, items - first);
            std::vector<char> bytes(count * bytes_of_item);
            DataspaceHandle memory(check(H5Screate(H5S_SCALAR), file_, "read " + path));
            if (!extent.empty()) {
                start[0] = first;
                extent[0] = count;
                check(
                    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
                    file_, "select a part of " + path);
                memory = DataspaceHandle(
                    check(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), file_,
                          "read " + path));
            }
            check(H5Dread(dataset, type, memory.get(), space, H5P_DEFAULT, bytes.data()), file_,
                  "read " + path);
            checksum_.add(bytes.data(), bytes.size());
        }
    }

    void add_attributes(hid_t object, const std::string& path) {
        for (const std::string& name : attribute_names_of(object, file_)) {
            if ((path == group_ && name == attribute_) || refers_to_axes(name)) continue;
            const AttributeHandle attribute(
                check(H5Aopen(object, name.c_str(), H5P_DEFAULT), file_, "open " + name));
            const TypeHandle type(check(H5Aget_type(attribute.get()), file_, "read the type of " + name));
            const DataspaceHandle space(
                check(H5Aget_space(attribute.get()), file_, "read the shape of " + name));
            bool grows = false;
            add(fmt::format("A {} {} {}\n", name, type_name(type.get()), describe_shape(space.get(), grows)));
            std::vector<char> bytes(byte_count(type.get(), space.get()));
            check(H5Aread(attribute.get(), type.get(), bytes.data()), file_, "read " + name);
            add_bytes(bytes);
        }
    }

    void add_bytes(const std::vector<char>& bytes) {
        checksum_.add(bytes.data(), bytes.size());
        add("\n");
    }

    [[nodiscard]] std::string type_name(hid_t type) const {
        if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0)
            return fmt::format("text{}", H5Tget_size(type));
        for (const auto& [number, name] : {std::pair{H5T_IEEE_F32LE, "float32"},
                                           {H5T_IEEE_F64LE, "float64"},
                                           {H5T_STD_I32LE, "int32"},
                                           {H5T_STD_I64LE, "int64"},
                                           {H5T_STD_U64LE, "uint64"}})
            if (H5Tequal(type, number) > 0) return name;
        throw FileError(file_ + ": numbers of a type that is not written here", 0);
    }

    [[nodiscard]] std::string describe_shape(hid_t space, bool& grows) const {
        const int rank = check(H5Sget_simple_extent_ndims(space), file_, "read a shape");
        std::vector<hsize_t> lengths(static_cast<std::size_t>(rank));
        std::vector<hsize_t> most(lengths.size());
        check(H5Sget_simple_extent_dims(space, lengths.data(), most.data()), file_, "read a shape");
        std::vector<std::string> texts;
        for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
            grows = grows || most[axis] == H5S_UNLIMITED;
            texts.push_back(most[axis] == H5S_UNLIMITED ? "*" : fmt::to_string(lengths[axis]));
        }
        return fmt::to_string(fmt::join(texts, " "));
    }

    [[nodiscard]] std::size_t byte_count(hid_t type, hid_t space) const {
        const hssize_t count = check(H5Sget_simple_extent_npoints(space), file_, "read a shape");
        const std::size_t each = H5Tget_size(type);
        if (each == 0 || static_cast<std::size_t>(count) > room_ / each)
            throw FileError(file_ + ": says that it has more numbers than the file has room for", 0);
        return static_cast<std::size_t>(count) * each;
    }

    std::string file_;
    std::uint64_t room_;  ///< bytes that anything in it may say that it has
    Rows rows_;
    std::string group_;
    std::string attribute_;
    storage::Checksum checksum_;
};

}  // namespace

std::uint64_t header_checksum(const File& file, const std::string& group, const std::string& name) {
    Walk walk(file, Rows::left_out, group, name);
    walk.add_object(file.root().id(), ".", "/", 0);
    return walk.sum();
}

void read_everything(const File& file) {
    file.root().check_structure();
    Walk(file, Rows::read, "", "").add_object(file.root().id(), ".", "/", 0);
}

}  // namespace mpcflow::hdf5
