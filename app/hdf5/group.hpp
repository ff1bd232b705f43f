#pragma once
/// Groups, their attributes, and small whole datasets.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/hdf5/dataset.hpp"
#include "app/hdf5/disk_file.hpp"
#include "app/hdf5/handle.hpp"

namespace mpcflow::hdf5 {

/// Names of the attributes or of the links of an object, in the order of their bytes; `label` is for
/// messages.
[[nodiscard]] std::vector<std::string> attribute_names_of(hid_t object, const std::string& label);
[[nodiscard]] std::vector<std::string> link_names_of(hid_t group, const std::string& label);

/// A group of a file. Writing and reading throw FileError naming file and object.
class Group {
public:
    Group(GroupHandle handle, std::shared_ptr<DiskFile> disk)
        : handle_(std::move(handle)), disk_(std::move(disk)) {}

    [[nodiscard]] hid_t id() const { return handle_.get(); }
    [[nodiscard]] Group create_group(const std::string& name) const;
    /// What is opened lies in this very file: links to elsewhere, which this program never writes, are not
    /// followed.
    [[nodiscard]] Group open_group(const std::string& name) const;
    [[nodiscard]] Dataset create_dataset(const std::string& name, const DatasetLayout& layout) const;
    [[nodiscard]] Dataset open_dataset(const std::string& name) const;
    /// A second name, in this group, for the object at `target` of the same file.
    void link(const std::string& target, const std::string& name) const;
    /// Whether there is an object at this path, whose last but one part must exist.
    [[nodiscard]] bool has(const std::string& name) const;
    [[nodiscard]] bool has_attribute(const std::string& name) const;

    /// Text is stored at fixed length, UTF-8; `capacity` > 0 leaves room to rewrite it longer.
    void write_attribute(const std::string& name, std::string_view text, std::size_t capacity = 0) const;
    void write_attribute(const std::string& name, double value) const;
    void write_attribute(const std::string& name, std::int64_t value) const;
    void write_attribute(const std::string& name, std::uint64_t value) const;
    void write_attribute(const std::string& name, std::span<const std::int32_t> values) const;
    void write_attribute(const std::string& name, std::span<const double> values) const;
    /// An array of texts of one fixed length.
    void write_attribute(const std::string& name, std::span<const std::string> texts) const;
    /// Rewrites text in the room that the attribute has; what does not fit is cut off.
    void rewrite_attribute(const std::string& name, std::string_view text) const;

    [[nodiscard]] std::string read_text_attribute(const std::string& name) const;
    [[nodiscard]] double read_double_attribute(const std::string& name) const;
    [[nodiscard]] std::int64_t read_int_attribute(const std::string& name) const;
    [[nodiscard]] std::uint64_t read_unsigned_attribute(const std::string& name) const;
    /// Names of the attributes, in alphabetical order.
    [[nodiscard]] std::vector<std::string> attribute_names() const;
    /// Names of groups and datasets in this group, in alphabetical order.
    [[nodiscard]] std::vector<std::string> link_names() const;

    /// Goes through all objects beneath with the indices that lead to their numbers. Throws FileError where
    /// one of these cannot be read, or leads to another file.
    void check_structure() const;

    /// A scalar dataset that holds a text of any length.
    void write_text(const std::string& name, std::string_view text, const Meaning& meaning) const;
    [[nodiscard]] std::string read_text(const std::string& name) const;

private:
    [[nodiscard]] const std::string& file() const { return disk_->path(); }
    [[nodiscard]] std::string label(const std::string& name) const { return file() + ":" + name; }
    void require_own(const std::string& path) const;

    GroupHandle handle_;
    std::shared_ptr<DiskFile> disk_;
};

}  // namespace mpcflow::hdf5
