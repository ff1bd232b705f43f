#include "app/xdmf_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "app/disk_space.hpp"
#include "app/hdf5/error.hpp"
#include "app/run_file.hpp"

namespace mpcflow {

namespace {

/// A field with its error, in two attributes.
std::string attributes(const std::string& name, int components, const std::array<int, 3>& bins) {
    std::string dimensions = fmt::format("{} {} {}", bins[2], bins[1], bins[0]);
    if (components > 1)
        dimensions += fmt::format(" {}", components);
    // A tensor's dataset has two axes for its nine components, of which readers want one.
    const char* const type = components == 1 ? "Scalar" : components == 3 ? "Vector" : "Tensor";
    std::string text;
    for (const std::string& dataset : {name, name + "_error"}) {
        text += fmt::format(R"(      <Attribute Name="{0}" AttributeType="{1}" Center="Cell">
        <DataItem Dimensions="{2}" NumberType="Float" Precision="8" Format="HDF">{3}:/fields/{0}</DataItem>
      </Attribute>
)",
                            dataset, type, dimensions, run_file_name);
    }
    return text;
}

}  // namespace

std::string describe_fields(const Box& box, const FieldsOutput& wanted) {
    const std::array<int, 3>& bins = wanted.bins;
    const auto width = [&](std::size_t axis) { return static_cast<double>(box.size[axis]) / bins[axis]; };
    // Everything in the order z y x, the slowest axis first. Version 2 and relative names: what ParaView's readers of
    // both versions take (the one of version 3 aborts on relative names).
    std::string text = fmt::format(R"(<?xml version="1.0" ?>
<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>
<Xdmf Version="2.0">
  <Domain>
    <Grid Name="fields" GridType="Uniform">
      <Topology TopologyType="3DCoRectMesh" Dimensions="{} {} {}"/>
      <Geometry GeometryType="ORIGIN_DXDYDZ">
        <DataItem Name="origin" Dimensions="3" NumberType="Float" Precision="8" Format="XML">0 0 0</DataItem>
        <DataItem Name="spacing" Dimensions="3" NumberType="Float" Precision="8" Format="XML">{} {} {}</DataItem>
      </Geometry>
)",
                                   bins[2] + 1, bins[1] + 1, bins[0] + 1, width(2), width(1), width(0));
    if (wanted.density)
        text += attributes("density", 1, bins);
    if (wanted.velocity)
        text += attributes("velocity", 3, bins);
    if (wanted.temperature)
        text += attributes("temperature", 1, bins);
    if (wanted.pressure_tensor)
        text += attributes("pressure_tensor", 9, bins);
    return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

void write_xdmf_file(const std::string& path, const Box& box, const FieldsOutput& wanted) {
    const std::string temporary = path + ".tmp";
    errno = 0;
    std::ofstream file(temporary);
    file << describe_fields(box, wanted);
    file.close();
    if (!file) {
        const int error = errno;
        std::remove(temporary.c_str());
        throw hdf5::FileError(path + ": cannot write it: " + hdf5::describe_errno(error), error);
    }
    rename_file(temporary, path, Durability::page_cache);
}

}  // namespace mpcflow
