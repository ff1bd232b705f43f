#pragma once
/// What must hold among the species of a mixture.

#include "input/diagnostics.hpp"
#include "input/yaml_tree.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// Names of letters and digits that differ, no more species than there can be, particles of each, and masses
/// that are not too far apart.
void check_species(const System& system, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
