#include "app/xdmf_file.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/field_group.hpp"
#include "app/run_file.hpp"
#include "app/storage/file_error.hpp"
#include "app/window_file.hpp"

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
        <DataItem Name="spacing" Dimensions="3" NumberType="Float" Precision="8" Format="XML">{} {} {}</DataItem>
      </Geometry>
)",
                       bins[2] + 1, bins[1] + 1, bins[0] + 1, width(2), width(1), width(0));
}

/// Lengths of the axes of an array in a bin-wise field: those of the bins, then of the components.
std::vector<int> lengths(const std::array<int, 3>& bins, const FieldQuantity& quantity) {
    std::vector<int> all{bins[2], bins[1], bins[0]};
    int components = 1;
    for (const hsize_t count : quantity.components)
        components *= static_cast<int>(count);
    // A tensor's dataset has two axes for its nine components, of which readers want one.
    if (components > 1)
        all.push_back(components);
    return all;
}

const char* kind_of(const FieldQuantity& quantity) {
    return quantity.components.empty() ? "Scalar" : quantity.components.size() == 1 ? "Vector" : "Tensor";
}

std::string attribute(const std::string& name, const FieldQuantity& quantity, const std::string& item) {
    return fmt::format("      <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Cell\">\n{}      </Attribute>\n", name,
                       kind_of(quantity), item);
}

/// A whole dataset.
template <class Length>
std::string data_item(const std::vector<Length>& shape, const std::string& file, const std::string& name) {
    return fmt::format("        <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"8\" "
                       "Format=\"HDF\">{}:/fields/{}</DataItem>\n",
                       fmt::join(shape, " "), file, name);
}

/// Row `row` of the `rows` of a dataset.
std::string row_item(const std::array<int, 3>& bins, const FieldQuantity& quantity, std::size_t row, std::size_t rows) {
    std::vector<std::size_t> shape{1};
    for (std::size_t axis = 3; axis-- > 0;)
        shape.push_back(static_cast<std::size_t>(bins[axis]));
    shape.insert(shape.end(), quantity.components.begin(), quantity.components.end());
    std::vector<std::size_t> start(shape.size(), 0);
    start[0] = row;
    const std::vector<std::size_t> stride(shape.size(), 1);
    std::string text = fmt::format("        <DataItem ItemType=\"HyperSlab\" Dimensions=\"{}\" Type=\"HyperSlab\">\n",
                                   fmt::join(lengths(bins, quantity), " "));
    text += fmt::format("          <DataItem Dimensions=\"3 {}\" Format=\"XML\">{} {} {}</DataItem>\n", shape.size(),
                        fmt::join(start, " "), fmt::join(stride, " "), fmt::join(shape, " "));
    shape[0] = rows;
    return text + "  " + data_item(shape, window_file_name, quantity.name) + "        </DataItem>\n";
}

}  // namespace

std::string describe_fields(const Box& box, const FieldsOutput& wanted) {
    std::string text = head + std::string("    <Grid Name=\"fields\" GridType=\"Uniform\">\n") + grid(box, wanted.bins);
    for (const FieldQuantity& quantity : field_quantities(wanted)) {
        for (const std::string& name : {quantity.name, quantity.name + "_error"})
            text += attribute(name, quantity, data_item(lengths(wanted.bins, quantity), run_file_name, name));
    }
    return text + "    </Grid>\n" + tail;
}

std::string describe_windows(const Box& box, const FieldsOutput& wanted, const std::vector<double>& times) {
    std::string text =
        head + std::string("    <Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (std::size_t row = 0; row < times.size(); ++row) {
        text += fmt::format("    <Grid Name=\"window {}\" GridType=\"Uniform\">\n      <Time Value=\"{}\"/>\n", row, times[row]) +
                grid(box, wanted.bins);
        for (const FieldQuantity& quantity : field_quantities(wanted)) {
            text += attribute(quantity.name, quantity, row_item(wanted.bins, quantity, row, times.size()));
        }
        text += "    </Grid>\n";
    }
    return text + "    </Grid>\n" + tail;
}

void write_xdmf_file(const storage::Directory& directory, const std::string& name, const std::string& text) {
    const std::string temporary = name + ".tmp";
    storage::Descriptor file = directory.create(temporary);
    int error_number = storage::write_at(file.get(), 0, text.data(), text.size());
    if (const int at_close = file.close(); error_number == 0)
        error_number = at_close;
    if (error_number != 0) {
        directory.remove(temporary);
        fail_file(directory.file(name), "write it", error_number);
    }
    directory.rename(temporary, name);
}

}  // namespace mpcflow
