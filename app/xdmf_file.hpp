#pragma once
/// fields.xdmf: tells ParaView, VisIt and other readers of XDMF where in run.h5 the averaged fields are.

#include <string>

#include "input/scenario.hpp"

namespace mpcflow {

inline constexpr const char* xdmf_file_name = "fields.xdmf";

/// The text: one grid of box-shaped cells, the bins, with the fields of `wanted` and their standard errors as cell
/// data. The numbers stay in run.h5, beside which the file must lie.
[[nodiscard]] std::string describe_fields(const Box& box, const FieldsOutput& wanted);

/// Writes that text. A reader sees the whole file or none. Throws hdf5::FileError.
void write_xdmf_file(const std::string& path, const Box& box, const FieldsOutput& wanted);

}  // namespace mpcflow
