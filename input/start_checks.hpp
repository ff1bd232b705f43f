#pragma once
/// What single keys cannot tell of how particles begin.

#include "input/diagnostics.hpp"
#include "input/scenario.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow::input {

/// As check_scenario(), of `start`. Notes where a file is named, for what is wrong with that one
/// (Start::place); opens none.
void check_start(Scenario& scenario, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
