#pragma once
/// Names of axes as HDF5's dimension scales have them, which xarray and netCDF read.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/hdf5/group.hpp"

namespace mpcflow {

/// Datasets of the root that are axes of components: of a vector, and of a tensor.
constexpr std::array<std::string_view, 3> component_axes{"component", "a", "b"};
/// And that which is the axis of species, of the datasets whose names begin so; it comes before components.
constexpr std::string_view species_axis_name = "species";
constexpr std::string_view species_prefix = "species_";

/// Names the axes of all datasets of the group `name` of `root`. The first ones are those of `scales`, lists
/// in the group that say where along the axis numbers stand; what comes after them are components, whose axes
/// are made where they are not there yet. Lists of edges have axes of their own. Throws FileError.
void name_axes(const hdf5::Group& root, const std::string& name, const std::vector<std::string>& scales);

}  // namespace mpcflow
