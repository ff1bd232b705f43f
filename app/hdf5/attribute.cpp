#include "app/hdf5/attribute.hpp"

#include <algorithm>
#include <vector>

#include "app/hdf5/error.hpp"

namespace mpcflow::hdf5 {

namespace {

AttributeHandle create_attribute(hid_t object, const std::string& label, const std::string& name, hid_t type,
                                 const DataspaceHandle& space) {
    return AttributeHandle(
        check(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), label,
              "create attribute " + name));
}

AttributeHandle open_attribute(hid_t object, const std::string& label, const std::string& name) {
    return AttributeHandle(
        check(H5Aopen(object, name.c_str(), H5P_DEFAULT), label, "open attribute " + name));
}

}  // namespace

TypeHandle text_type(std::size_t length, const std::string& label) {
    TypeHandle type(check(H5Tcopy(H5T_C_S1), label, "make a text type"));
    check(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), label, "make a text type");
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), label, "make a text type");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), label, "make a text type");
    return type;
}

void write_text_attribute(hid_t object, const std::string& label, const std::string& name,
                          std::string_view text, std::size_t capacity) {
    std::string bytes(text);
    bytes.resize(std::max({text.size(), capacity, std::size_t{1}}), '\0');
    const TypeHandle type = text_type(bytes.size(), label);
    const DataspaceHandle space(check(H5Screate(H5S_SCALAR), label, "create attribute " + name));
    AttributeHandle attribute = create_attribute(object, label, name, type.get(), space);
    check(H5Awrite(attribute.get(), type.get(), bytes.data()), label, "write attribute " + name);
    check(attribute.close(), label, "close attribute " + name);
}

void write_number_attribute(hid_t object, const std::string& label, const std::string& name, NumberType type,
                            const void* numbers, std::optional<hsize_t> count) {
    const DataspaceHandle space(check(count ? H5Screate_simple(1, &*count, nullptr) : H5Screate(H5S_SCALAR),
                                      label, "create attribute " + name));
    AttributeHandle attribute = create_attribute(object, label, name, native_type(type), space);
    check(H5Awrite(attribute.get(), native_type(type), numbers), label, "write attribute " + name);
    check(attribute.close(), label, "close attribute " + name);
}

void write_texts_attribute(hid_t object, const std::string& label, const std::string& name,
                           std::span<const std::string> texts) {
    std::size_t length = 1;
    for (const std::string& text : texts) length = std::max(length, text.size());
    std::string bytes;
    for (const std::string& text : texts) {
        bytes += text;
        bytes.append(length - text.size(), '\0');
    }
    const TypeHandle type = text_type(length, label);
    const hsize_t count = texts.size();
    const DataspaceHandle space(
        check(H5Screate_simple(1, &count, nullptr), label, "create attribute " + name));
    AttributeHandle attribute = create_attribute(object, label, name, type.get(), space);
    check(H5Awrite(attribute.get(), type.get(), bytes.data()), label, "write attribute " + name);
    check(attribute.close(), label, "close attribute " + name);
}

std::string read_text_attribute(hid_t object, const std::string& label, const std::string& name) {
    const AttributeHandle attribute = open_attribute(object, label, name);
    const TypeHandle type(check(H5Aget_type(attribute.get()), label, "read attribute " + name));
    const DataspaceHandle space(check(H5Aget_space(attribute.get()), label, "read attribute " + name));
    const bool is_plain_text = H5Tget_class(type.get()) == H5T_STRING &&
                               H5Tis_variable_str(type.get()) == 0 &&
                               H5Sget_simple_extent_npoints(space.get()) == 1;
    if (!is_plain_text) throw FileError(label + ": attribute " + name + " is not a text of fixed length", 0);
    std::string text(H5Tget_size(type.get()), '\0');
    check(H5Aread(attribute.get(), type.get(), text.data()), label, "read attribute " + name);
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    return text;
}

void read_number_attribute(hid_t object, const std::string& label, const std::string& name, NumberType type,
                           void* number) {
    const AttributeHandle attribute = open_attribute(object, label, name);
    const TypeHandle stored(check(H5Aget_type(attribute.get()), label, "read attribute " + name));
    const DataspaceHandle space(check(H5Aget_space(attribute.get()), label, "read attribute " + name));
    if (H5Sget_simple_extent_npoints(space.get()) != 1)
        throw FileError(label + ": attribute " + name + " is not a single number", 0);
    // HDF5 would make 3 of 3.7, and a number of a reference.
    if (H5Tget_class(stored.get()) != H5Tget_class(native_type(type)))
        throw FileError(label + ": attribute " + name + " is not a number of the kind that it should be", 0);
    check(H5Aread(attribute.get(), native_type(type), number), label, "read attribute " + name);
}

}  // namespace mpcflow::hdf5
