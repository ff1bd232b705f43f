#pragma once
/// The checks of forces, which need more than one key.

#include "input/diagnostics.hpp"
#include "input/yaml_tree.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// Reports items of `forces` that say none or several forces, that end before they begin, whose waves do not
/// fit, and what would carry particles out of the box in a step.
void check_forces(const System& system, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
