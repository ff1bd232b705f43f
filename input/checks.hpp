#pragma once
/// What single keys cannot tell: settings that contradict each other, or are likely slips.

#include "input/diagnostics.hpp"
#include "input/scenario.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow::input {

/// Adds errors and warnings about `scenario`, placed where `root` has the keys they are about. A check
/// whose keys have errors already is left out.
void check_scenario(const Scenario& scenario, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
