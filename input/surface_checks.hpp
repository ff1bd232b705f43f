#pragma once
/// What single keys cannot tell of the surfaces in the box.

#include "input/diagnostics.hpp"
#include "input/yaml_tree.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// As check_scenario(), of `surfaces`. Of such as are sound it makes the map (System::map_surfaces()), by
/// which it knows whether fluid is left; all that asks for the number of particles comes after it.
void check_surfaces(System& system, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
