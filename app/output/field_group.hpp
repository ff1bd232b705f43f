#pragma once
/// The averaged fields in HDF5 files. docs/output.md has the formats.

#include <array>
#include <string>
#include <vector>

#include "app/hdf5/group.hpp"
#include "app/run/field_statistics.hpp"
#include "app/run/run_record.hpp"

namespace mpcflow {

/// A field that an input can ask for.
struct FieldQuantity {
    std::string name;
    std::vector<hsize_t> components;  ///< of a bin; none: a number
    std::string description;
    std::string unit;
    std::vector<double> FieldAverages::*value;
    std::vector<double> FieldAverages::*error;
};

/// Those that are wanted, in the order of files.
[[nodiscard]] std::vector<FieldQuantity> field_quantities(const FieldsOutput& wanted);

/// Writes edges and centres of the bins along each axis.
void write_field_axes(const hdf5::Group& group, const Box& box, const std::array<int, 3>& bins);

/// Writes the group `fields` of run.h5.
void write_fields(const hdf5::Group& root, const RunRecord& record);

}  // namespace mpcflow
