#pragma once
/// What `mpcflow check` tells of surfaces in the box.

#include <string>

#include "physics/system.hpp"

namespace mpcflow {

/// Prints the volume of the fluid and a slice of the box; of a system without surfaces nothing.
void print_surfaces(const System& system);

/// Prints the flow to expect in a pipe or between cylinders; of other systems nothing.
void print_cylinder_flow(const System& system);

/// A slice of the box as text, a line a row of cells: `.` is fluid, `#` solid, `+` a cell that is both.
/// Normal to the axis of the first cylinder, or to z, and through the centre of the first surface; the last
/// axis points up. Of boxes that are wider than 72 cells every n-th cell is shown.
[[nodiscard]] std::string slice_of_surfaces(const System& system);

}  // namespace mpcflow
