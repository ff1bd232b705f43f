#include "app/hdf5/group.hpp"

#include <algorithm>

#include "app/hdf5/attribute.hpp"
#include "app/hdf5/error.hpp"

namespace mpcflow::hdf5 {

namespace {

herr_t collect_name(hid_t, const char* name, const H5A_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

PropertyListHandle creation_list(const DatasetLayout& layout, const std::string& label) {
    PropertyListHandle list(check(H5Pcreate(H5P_DATASET_CREATE), label, "prepare it"));
    const bool is_empty = std::find(layout.shape.begin(), layout.shape.end(), hsize_t{0}) != layout.shape.end();
    if (is_empty)
        return list;  // chunks may not be longer than a fixed axis
    const std::vector<hsize_t> chunk = chunk_shape(layout);
    check(H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), label, "choose its chunks");
    check(H5Pset_fletcher32(list.get()), label, "choose its checksum");
    if (layout.fill) {
        check(H5Pset_fill_value(list.get(), H5T_NATIVE_DOUBLE, &*layout.fill), label, "choose its fill value");
    }
    return list;
}

}  // namespace

Group Group::create_group(const std::string& name) const {
    return {GroupHandle(check(H5Gcreate2(handle_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                              label(name), "create the group")),
            disk_};
}

Group Group::open_group(const std::string& name) const {
    return {GroupHandle(check(H5Gopen2(handle_.get(), name.c_str(), H5P_DEFAULT), label(name), "open the group")),
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
    const DataspaceHandle space(check(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), most.data()),
                                      label(name), "shape the dataset"));
    const PropertyListHandle creation = creation_list(layout, label(name));
    Dataset dataset(DatasetHandle(check(H5Dcreate2(handle_.get(), name.c_str(), native_type(layout.type),
                                                   space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                                        label(name), "create the dataset")),
                    label(name), disk_);
    if (!layout.meaning.description.empty())
        dataset.write_attribute("description", layout.meaning.description);
    if (!layout.meaning.unit.empty())
        dataset.write_attribute("unit", layout.meaning.unit);
    return dataset;
}

Dataset Group::open_dataset(const std::string& name) const {
    return {
        DatasetHandle(check(H5Dopen2(handle_.get(), name.c_str(), H5P_DEFAULT), label(name), "open the dataset")),
        label(name), disk_};
}

void Group::link(const std::string& target, const std::string& name) const {
    check(H5Lcreate_hard(handle_.get(), target.c_str(), handle_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
          label(name), "link it to " + target);
}

bool Group::has(const std::string& name) const {
    const htri_t found = H5Lexists(handle_.get(), name.c_str(), H5P_DEFAULT);
    if (found < 0)
        H5Eclear2(H5E_DEFAULT);
    return found > 0;
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

std::vector<std::string> Group::attribute_names() const {
    std::vector<std::string> names;
    hsize_t position = 0;
    check(H5Aiterate2(handle_.get(), H5_INDEX_NAME, H5_ITER_INC, &position, collect_name, &names), file(),
          "list attributes");
    return names;
}

std::vector<std::string> Group::link_names() const {
    std::vector<std::string> names;
    hsize_t position = 0;
    check(H5Literate(handle_.get(), H5_INDEX_NAME, H5_ITER_INC, &position, collect_link, &names), file(),
          "list objects");
    return names;
}

void Group::write_text(const std::string& name, std::string_view text, const Meaning& meaning) const {
    const TypeHandle type = text_type(text.size(), label(name));
    const DataspaceHandle space(check(H5Screate(H5S_SCALAR), label(name), "shape the dataset"));
    DatasetHandle dataset(check(
        H5Dcreate2(handle_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        label(name), "create the dataset"));
    if (!text.empty()) {
        check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), label(name),
              "write it");
    }
    if (!meaning.description.empty()) {
        write_text_attribute(dataset.get(), label(name), "description", meaning.description, 0);
    }
    check(dataset.close(), label(name), "close it");
}

std::string Group::read_text(const std::string& name) const {
    const DatasetHandle dataset(
        check(H5Dopen2(handle_.get(), name.c_str(), H5P_DEFAULT), label(name), "open the dataset"));
    const TypeHandle type(check(H5Dget_type(dataset.get()), label(name), "read its type"));
    const DataspaceHandle space(check(H5Dget_space(dataset.get()), label(name), "read its shape"));
    const bool is_plain_text = H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0 &&
                               H5Sget_simple_extent_npoints(space.get()) == 1;
    if (!is_plain_text)
        throw FileError(label(name) + ": not a text of fixed length", 0);
    std::string text(H5Tget_size(type.get()), '\0');
    check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), label(name), "read it");
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    return text;
}

}  // namespace mpcflow::hdf5
