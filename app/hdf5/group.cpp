#include "app/hdf5/group.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <new>

#include "app/hdf5/attribute.hpp"
#include "app/hdf5/error.hpp"

namespace mpcflow::hdf5 {

namespace {

/// HDF5 is C, through which nothing may be thrown.
herr_t add_name(const char* name, void* names) noexcept {
    try {
        static_cast<std::vector<std::string>*>(names)->emplace_back(name);
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

/// Throws FileError where the numbers of a dataset are to be had from other files, or in chunks far larger
/// than this program writes: HDF5 counts the bytes of one in 32 bits, and reads past its end where a damaged
/// file has more.
void require_own_numbers(hid_t dataset, const std::string& label) {
    const PropertyListHandle list(check(H5Dget_create_plist(dataset), label, "read its layout"));
    const H5D_layout_t layout = H5Pget_layout(list.get());
    if (layout == H5D_VIRTUAL || H5Pget_external_count(list.get()) > 0)
        throw FileError(label + ": its numbers are in another file, where mpcflow puts none", 0);
    if (layout != H5D_CHUNKED) return;
    constexpr hsize_t most_bytes = hsize_t{64} << 20;
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int rank = check(H5Pget_chunk(list.get(), H5S_MAX_RANK, chunk.data()), label, "read its layout");
    const TypeHandle type(check(H5Dget_type(dataset), label, "read its type"));
    hsize_t bytes = H5Tget_size(type.get());
    for (int axis = 0; axis < rank; ++axis) {
        if (chunk[static_cast<std::size_t>(axis)] > most_bytes / std::max<hsize_t>(bytes, 1))
            throw FileError(label + ": is in chunks far larger than mpcflow writes", 0);
        bytes *= chunk[static_cast<std::size_t>(axis)];
    }
}

DatasetHandle open_own_dataset(hid_t group, const std::string& name, const std::string& label) {
    DatasetHandle dataset(check(H5Dopen2(group, name.c_str(), H5P_DEFAULT), label, "open the dataset"));
    require_own_numbers(dataset.get(), label);
    return dataset;
}

#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info1_t;
#else
using ObjectInfo = H5O_info_t;
#endif

/// What check_structure() throws where it cannot go on.
struct StructureVisit {
    std::string file;
    std::exception_ptr fault;
};

herr_t visit_object(hid_t group, const char* name, const ObjectInfo* object, void* to) {
    auto& visit = *static_cast<StructureVisit*>(to);
    constexpr std::ptrdiff_t most_above = 32;
    const std::string_view path = name;
    // HDF5 is C, through which nothing may be thrown.
    try {
        if (std::count(path.begin(), path.end(), '/') > most_above)
            throw FileError(visit.file + ": groups lie in one another too deep", 0);
        if (object->type == H5O_TYPE_DATASET)
            static_cast<void>(open_own_dataset(group, name, visit.file + ":" + name));
        return 0;
    } catch (...) {
        visit.fault = std::current_exception();
        return 1;
    }
}

PropertyListHandle creation_list(const DatasetLayout& layout, const std::string& label) {
    PropertyListHandle list(check(H5Pcreate(H5P_DATASET_CREATE), label, "prepare it"));
    const bool is_empty =
        std::find(layout.shape.begin(), layout.shape.end(), hsize_t{0}) != layout.shape.end();
    if (is_empty) return list;  // chunks may not be longer than a fixed axis
    const std::vector<hsize_t> chunk = chunk_shape(layout);
    check(H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), label, "choose its chunks");
    check(H5Pset_fletcher32(list.get()), label, "choose its checksum");
    if (layout.fill) {
        check(H5Pset_fill_value(list.get(), H5T_NATIVE_DOUBLE, &*layout.fill), label,
              "choose its fill value");
    }
    return list;
}

}  // namespace

Group Group::create_group(const std::string& name) const {
    return {GroupHandle(check(H5Gcreate2(handle_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                              label(name), "create the group")),
            disk_};
}

void Group::require_own(const std::string& path) const {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        H5L_info_t link{};
        // Where there is none, to open it says so.
        if (H5Lget_info(handle_.get(), part.c_str(), &link, H5P_DEFAULT) < 0) break;
        if (link.type != H5L_TYPE_HARD)
            throw FileError(label(part) + ": is a link to elsewhere, which is not followed", 0);
        if (end == std::string::npos) return;
    }
    H5Eclear2(H5E_DEFAULT);
}

Group Group::open_group(const std::string& name) const {
    require_own(name);
    return {
        GroupHandle(check(H5Gopen2(handle_.get(), name.c_str(), H5P_DEFAULT), label(name), "open the group")),
        disk_};
}

Dataset Group::create_dataset(const std::string& name, const DatasetLayout& layout) const {
    std::vector<hsize_t> dims = layout.shape;
    std::vector<hsize_t> most = layout.shape;
    if (layout.growth == Growth::by_ragged_rows) {
        dims[0] = 0;
        most[0] = H5S_UNLIMITED;
    }
    if (layout.growth != Growth::fixed) {
        dims.insert(dims.begin(), 0);
        most.insert(most.begin(), H5S_UNLIMITED);
    }
    const DataspaceHandle space(
        check(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), most.data()), label(name),
              "shape the dataset"));
    const PropertyListHandle creation = creation_list(layout, label(name));
    Dataset dataset(DatasetHandle(check(H5Dcreate2(handle_.get(), name.c_str(), native_type(layout.type),
                                                   space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                                        label(name), "create the dataset")),
                    label(name), disk_);
    if (!layout.meaning.description.empty())
        dataset.write_attribute("description", layout.meaning.description);
    if (!layout.meaning.unit.empty()) dataset.write_attribute("unit", layout.meaning.unit);
    return dataset;
}

Dataset Group::open_dataset(const std::string& name) const {
    require_own(name);
    return {open_own_dataset(handle_.get(), name, label(name)), label(name), disk_};
}

void Group::link(const std::string& target, const std::string& name) const {
    check(
        H5Lcreate_hard(handle_.get(), target.c_str(), handle_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        label(name), "link it to " + target);
}

bool Group::has(const std::string& name) const {
    return check(H5Lexists(handle_.get(), name.c_str(), H5P_DEFAULT), label(name), "look for it") > 0;
}

bool Group::has_attribute(const std::string& name) const {
    return check(H5Aexists(handle_.get(), name.c_str()), label(name), "look for the attribute") > 0;
}

void Group::write_attribute(const std::string& name, std::string_view text, std::size_t capacity) const {
    write_text_attribute(handle_.get(), file(), name, text, capacity);
}

void Group::write_attribute(const std::string& name, double value) const {
    write_number_attribute(handle_.get(), file(), name, NumberType::float64, &value, std::nullopt);
}

void Group::write_attribute(const std::string& name, std::int64_t value) const {
    write_number_attribute(handle_.get(), file(), name, NumberType::int64, &value, std::nullopt);
}

void Group::write_attribute(const std::string& name, std::uint64_t value) const {
    write_number_attribute(handle_.get(), file(), name, NumberType::uint64, &value, std::nullopt);
}

void Group::write_attribute(const std::string& name, std::span<const std::int32_t> values) const {
    write_number_attribute(handle_.get(), file(), name, NumberType::int32, values.data(), values.size());
}

void Group::write_attribute(const std::string& name, std::span<const double> values) const {
    write_number_attribute(handle_.get(), file(), name, NumberType::float64, values.data(), values.size());
}

void Group::write_attribute(const std::string& name, std::span<const std::string> texts) const {
    write_texts_attribute(handle_.get(), file(), name, texts);
}

void Group::rewrite_attribute(const std::string& name, std::string_view text) const {
    AttributeHandle attribute(
        check(H5Aopen(handle_.get(), name.c_str(), H5P_DEFAULT), label(name), "open the attribute"));
    const TypeHandle type(check(H5Aget_type(attribute.get()), label(name), "read the attribute's type"));
    std::string bytes(text);
    bytes.resize(H5Tget_size(type.get()), '\0');
    check(H5Awrite(attribute.get(), type.get(), bytes.data()), label(name), "rewrite the attribute");
    check(attribute.close(), label(name), "close the attribute");
}

std::string Group::read_text_attribute(const std::string& name) const {
    return hdf5::read_text_attribute(handle_.get(), file(), name);
}

double Group::read_double_attribute(const std::string& name) const {
    double value = 0.0;
    read_number_attribute(handle_.get(), file(), name, NumberType::float64, &value);
    return value;
}

std::int64_t Group::read_int_attribute(const std::string& name) const {
    std::int64_t value = 0;
    read_number_attribute(handle_.get(), file(), name, NumberType::int64, &value);
    return value;
}

std::uint64_t Group::read_unsigned_attribute(const std::string& name) const {
    std::uint64_t value = 0;
    read_number_attribute(handle_.get(), file(), name, NumberType::uint64, &value);
    return value;
}

std::vector<std::string> attribute_names_of(hid_t object, const std::string& label) {
    std::vector<std::string> names;
    hsize_t position = 0;
    const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
        return add_name(name, to);
    };
    // Where one cannot be decoded, HDF5 1.10 lists them by freeing what it has not made. Looking for one that
    // is not there decodes all, and fails as it should.
    check(H5Aexists(object, "-"), label, "list attributes");
    check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collect, &names), label,
          "list attributes");
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> link_names_of(hid_t group, const std::string& label) {
    std::vector<std::string> names;
    hsize_t position = 0;
    const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
        return add_name(name, to);
    };
    check(H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collect, &names), label,
          "list objects");
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> Group::attribute_names() const { return attribute_names_of(handle_.get(), file()); }

std::vector<std::string> Group::link_names() const { return link_names_of(handle_.get(), file()); }

void Group::check_structure() const {
    StructureVisit visit{file(), {}};
    // Sizes of objects are added up over all nodes of their indices.
    check(H5Ovisit1(handle_.get(), H5_INDEX_NAME, H5_ITER_NATIVE, visit_object, &visit), file(),
          "go through it");
    if (visit.fault) std::rethrow_exception(visit.fault);
}

void Group::write_text(const std::string& name, std::string_view text, const Meaning& meaning) const {
    const TypeHandle type = text_type(text.size(), label(name));
    const DataspaceHandle space(check(H5Screate(H5S_SCALAR), label(name), "shape the dataset"));
    DatasetHandle dataset(check(H5Dcreate2(handle_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT),
                                label(name), "create the dataset"));
    if (!text.empty()) {
        check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), label(name),
              "write it");
    }
    if (!meaning.description.empty())
        write_text_attribute(dataset.get(), label(name), "description", meaning.description, 0);
    check(dataset.close(), label(name), "close it");
}

std::string Group::read_text(const std::string& name) const {
    require_own(name);
    const DatasetHandle dataset = open_own_dataset(handle_.get(), name, label(name));
    const TypeHandle type(check(H5Dget_type(dataset.get()), label(name), "read its type"));
    const DataspaceHandle space(check(H5Dget_space(dataset.get()), label(name), "read its shape"));
    const bool is_plain_text = H5Tget_class(type.get()) == H5T_STRING &&
                               H5Tis_variable_str(type.get()) == 0 &&
                               H5Sget_simple_extent_npoints(space.get()) == 1;
    if (!is_plain_text) throw FileError(label(name) + ": not a text of fixed length", 0);
    if (H5Tget_size(type.get()) > disk_->end_of_file())
        throw FileError(label(name) + ": says that it is longer than the file has room for", 0);
    std::string text(H5Tget_size(type.get()), '\0');
    check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), label(name),
          "read it");
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    return text;
}

}  // namespace mpcflow::hdf5
