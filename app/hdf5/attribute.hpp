#pragma once
/// Attributes of any object.

#include <span>
#include <string>
#include <string_view>

#include "app/hdf5/dataset.hpp"
#include "app/hdf5/handle.hpp"

namespace mpcflow::hdf5 {

/// Whether HDF5 itself keeps references in an attribute of this name, between datasets and the scales of
/// their axes.
[[nodiscard]] constexpr bool refers_to_axes(std::string_view name) {
    return name == "DIMENSION_LIST" || name == "REFERENCE_LIST";
}

/// A fixed-length, null-padded UTF-8 string type of max(length, 1) bytes.
[[nodiscard]] TypeHandle text_type(std::size_t length, const std::string& label);

/// Creates text attribute `name` of `object`, with room for at least `capacity` bytes.
void write_text_attribute(hid_t object, const std::string& label, const std::string& name,
                          std::string_view text, std::size_t capacity);
/// Creates a numeric attribute: a scalar for rank 0, else an array of `count` numbers.
void write_number_attribute(hid_t object, const std::string& label, const std::string& name, NumberType type,
                            const void* numbers, std::optional<hsize_t> count);
/// Creates an attribute that is an array of texts of one length.
void write_texts_attribute(hid_t object, const std::string& label, const std::string& name,
                           std::span<const std::string> texts);
/// Text of an attribute or of an open scalar dataset, trailing nulls removed.
[[nodiscard]] std::string read_text_attribute(hid_t object, const std::string& label,
                                              const std::string& name);
/// Reads a scalar numeric attribute as `type` into `number`.
void read_number_attribute(hid_t object, const std::string& label, const std::string& name, NumberType type,
                           void* number);

}  // namespace mpcflow::hdf5
