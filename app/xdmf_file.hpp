#pragma once
/// fields.xdmf and fields_in_time.xdmf: tell ParaView, VisIt and other readers of XDMF where in run.h5 and fields.h5 the
/// averaged fields are. Of version 2 and with relative names: what ParaView's readers of both versions take (the one of
/// version 3 aborts on relative names).

#include <string>
#include <vector>

#include "app/storage/directory.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

inline constexpr const char* xdmf_file_name = "fields.xdmf";
inline constexpr const char* window_xdmf_file_name = "fields_in_time.xdmf";

/// The text: one grid of box-shaped cells, the bins, with the fields of `wanted` and their standard errors as cell
/// data. The numbers stay in run.h5, beside which the file must lie.
[[nodiscard]] std::string describe_fields(const Box& box, const FieldsOutput& wanted);

/// The same of the windows of fields.h5, without errors: a grid for each of their times, one after the other.
[[nodiscard]] std::string describe_windows(const Box& box, const FieldsOutput& wanted, const std::vector<double>& times);

/// Writes such a text. A reader sees the whole file, the one before it or none. Throws FileError.
void write_xdmf_file(const storage::Directory& directory, const std::string& name, const std::string& text);

}  // namespace mpcflow
