#pragma once
/// What single keys cannot tell of the faces of the box.

#include "input/diagnostics.hpp"
#include "input/yaml_tree.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// As check_scenario(), of `boundaries`.
void check_faces(const System& system, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
