#include "app/output/xdmf_file.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/output/run_file.hpp"
#include "app/output/window_file.hpp"
#include "app/storage/file_error.hpp"

namespace mpcflow {

namespace {

constexpr const char* head = R"(<?xml version="1.0" ?>
<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>
<Xdmf Version="2.0">
  <Domain>
)";
constexpr const char* tail = "  </Domain>\n</Xdmf>\n";

/// Everything in the order z y x, the slowest axis first.
std::string grid(const Box& box, const std::array<int, 3>& bins) {
    const auto width = [&](std::size_t axis) { return static_cast<double>(box.size[axis]) / bins[axis]; };
    return fmt::format(R"(      <Topology TopologyType="3DCoRectMesh" Dimensions="{} {} {}"/>
      <Geometry GeometryType="ORIGIN_DXDYDZ">
        <DataItem Name="origin" Dimensions="3" NumberType="Float" Precision="8" Format="XML">0 0 0</DataItem>
        <DataItem Name="spacing" Dimensions="3" NumberType="Float" Precision="8" Format="XML">
          {} {} {}
        </DataItem>
      </Geometry>
)",
                       bins[2] + 1, bins[1] + 1, bins[0] + 1, width(2), width(1), width(0));
}

/// Lengths of the axes of an array in a bin-wise field: those of the bins, then of the components.
std::vector<int> lengths(const std::array<int, 3>& bins, const FieldQuantity& quantity) {
    std::vector<int> all{bins[2], bins[1], bins[0]};
    int components = 1;
    for (const std::int64_t count : quantity.components) components *= static_cast<int>(count);
    // A tensor's dataset has two axes for its nine components, of which readers want one.
    if (components > 1) all.push_back(components);
    return all;
}

const char* kind_of(const FieldQuantity& quantity) {
    return quantity.components.empty() ? "Scalar" : quantity.components.size() == 1 ? "Vector" : "Tensor";
}

/// Those of all particles. Of as many components as there are species readers know nothing.
std::vector<FieldQuantity> quantities_of_all(const FieldsOutput& wanted) {
    return field_quantities(wanted, 1);
}

std::string attribute(const std::string& name, const FieldQuantity& quantity, const std::string& item) {
    return fmt::format(
        "      <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Cell\">\n{}      </Attribute>\n", name,
        kind_of(quantity), item);
}

/// A whole dataset.
template <class Length>
std::string data_item(const std::vector<Length>& shape, const std::string& file, const std::string& name) {
    return fmt::format(
        "        <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"8\" "
        "Format=\"HDF\">{}:/fields/{}</DataItem>\n",
        fmt::join(shape, " "), file, name);
}

/// Where row `row` is in a dataset of rows, and how long the dataset was when this row was its last: what is
/// written of a row then stays true, however many follow.
struct RowPlace {
    std::vector<std::size_t> start, stride, count, extent;
};

RowPlace place_of(const std::array<int, 3>& bins, const FieldQuantity& quantity, std::size_t row) {
    RowPlace place;
    place.count.push_back(1);
    for (std::size_t axis = 3; axis-- > 0;) place.count.push_back(static_cast<std::size_t>(bins[axis]));
    place.count.insert(place.count.end(), quantity.components.begin(), quantity.components.end());
    place.start.resize(place.count.size(), 0);
    place.start[0] = row;
    place.stride.resize(place.count.size(), 1);
    place.extent = place.count;
    place.extent[0] = row + 1;
    return place;
}

/// A row as version 2 of the format says it.
std::string row_item(const std::vector<int>& lengths, const FieldQuantity& quantity, const RowPlace& place) {
    return fmt::format(
        "        <DataItem ItemType=\"HyperSlab\" Dimensions=\"{}\" Type=\"HyperSlab\">\n"
        "          <DataItem Dimensions=\"3 {}\" Format=\"XML\">{} {} {}</DataItem>\n  {}"
        "        </DataItem>\n",
        fmt::join(lengths, " "), place.start.size(), fmt::join(place.start, " "),
        fmt::join(place.stride, " "), fmt::join(place.count, " "),
        data_item(place.extent, window_file_name, quantity.name));
}

/// A row as version 3 does. Readers of that version, of which ParaView takes one unless told otherwise, leave
/// an array empty that is a HyperSlab. They take the first array within an Attribute, be it an Attribute
/// itself, and those of version 2 its first DataItem: what is read of this inner Attribute by the ones is not
/// seen by the others.
std::string row_attribute(const FieldQuantity& quantity, const RowPlace& place) {
    return fmt::format(
        "        <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Cell\">\n"
        "          <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"8\" "
        "Format=\"HDF\">{}:/fields/{}|{}:{}:{}:{}</DataItem>\n        </Attribute>\n",
        quantity.name, kind_of(quantity), fmt::join(place.count, " "), window_file_name, quantity.name,
        fmt::join(place.start, " "), fmt::join(place.stride, " "), fmt::join(place.count, " "),
        fmt::join(place.extent, " "));
}

constexpr const char* window_tail = "    </Grid>\n  </Domain>\n</Xdmf>\n";

std::string window_head() {
    return std::string(head) +
           "    <Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
}

}  // namespace

std::string describe_fields(const Box& box, const FieldsOutput& wanted) {
    std::string text =
        head + std::string("    <Grid Name=\"fields\" GridType=\"Uniform\">\n") + grid(box, wanted.bins);
    for (const FieldQuantity& quantity : quantities_of_all(wanted))
        for (const std::string& name : {quantity.name, quantity.name + "_error"})
            text += attribute(name, quantity, data_item(lengths(wanted.bins, quantity), run_file_name, name));
    return text + "    </Grid>\n" + tail;
}

std::string describe_window(const Box& box, const FieldsOutput& wanted, std::int64_t row, double time) {
    std::string text =
        fmt::format("    <Grid Name=\"window {}\" GridType=\"Uniform\">\n      <Time Value=\"{}\"/>\n", row,
                    time) +
        grid(box, wanted.bins);
    for (const FieldQuantity& quantity : quantities_of_all(wanted)) {
        const RowPlace place = place_of(wanted.bins, quantity, static_cast<std::size_t>(row));
        text += attribute(
            quantity.name, quantity,
            row_attribute(quantity, place) + row_item(lengths(wanted.bins, quantity), quantity, place));
    }
    return text + "    </Grid>\n";
}

void write_xdmf_file(const storage::Directory& directory, const std::string& name, const std::string& text) {
    const std::string temporary = name + ".tmp";
    const std::string path = directory.file(name);
    storage::Descriptor file = directory.create(temporary);
    try {
        if (const int error_number = storage::write_at(file.get(), 0, text.data(), text.size());
            error_number != 0)
            fail_file(path, "write it", error_number);
        storage::sync_file(file.get(), path);
        if (const int error_number = file.close(); error_number != 0)
            fail_file(path, "write it", error_number);
        directory.rename(temporary, name);
    } catch (const FileError&) {
        directory.discard(temporary);
        throw;
    }
}

WindowXdmf::WindowXdmf(const storage::Directory& directory, const Box& box, const FieldsOutput& wanted,
                       const std::vector<double>& times)
    : directory_(directory), path_(directory.file(window_xdmf_file_name)), box_(box), wanted_(wanted) {
    if (!times.empty()) create(times);
}

void WindowXdmf::close() {
    if (!file_.is_open()) return;
    storage::sync_file(file_.get(), path_);
    if (const int error_number = file_.close(); error_number != 0) fail_file(path_, "write it", error_number);
}

void WindowXdmf::add(double time) {
    if (windows_ == 0) return create({time});
    const std::string text = describe_window(box_, wanted_, windows_, time);
    try {
        // In one piece: who reads sees the file of before, or the whole of this one.
        write(text + window_tail);
    } catch (const FileError&) {
        put_back();
        throw;
    }
    end_ += text.size();
    ++windows_;
}

/// Writes the whole file and puts it in its place.
void WindowXdmf::create(const std::vector<double>& times) {
    const std::string temporary = std::string(window_xdmf_file_name) + ".tmp";
    file_ = directory_.create(temporary);
    try {
        write_whole(times);
        directory_.rename(temporary, window_xdmf_file_name);
    } catch (const FileError&) {
        file_.drop();
        directory_.discard(temporary);
        throw;
    }
    windows_ = static_cast<std::int64_t>(times.size());
}

/// The text is never all in memory.
void WindowXdmf::write_whole(const std::vector<double>& times) {
    constexpr std::size_t piece = std::size_t{64} << 10;
    end_ = 0;
    std::string text = window_head();
    for (std::size_t row = 0; row < times.size(); ++row) {
        text += describe_window(box_, wanted_, static_cast<std::int64_t>(row), times[row]);
        if (text.size() < piece) continue;
        write(text);
        end_ += text.size();
        text.clear();
    }
    write(text + window_tail);
    end_ += text.size();
}

/// From where the closing tags are on.
void WindowXdmf::write(std::string_view text) {
    if (const int error_number = storage::write_at(file_.get(), end_, text.data(), text.size());
        error_number != 0)
        fail_file(path_, "write it", error_number);
}

/// Closes the file again after the window that was its last one. It has the room for that; if even this
/// fails, the next restart writes the file anew.
void WindowXdmf::put_back() noexcept {
    const std::string_view tail = window_tail;
    [[maybe_unused]] const int written = storage::write_at(file_.get(), end_, tail.data(), tail.size());
    [[maybe_unused]] const int cut = storage::resize_file(file_.get(), end_ + tail.size());
}

}  // namespace mpcflow
