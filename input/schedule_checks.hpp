#pragma once
/// What must hold of a temperature that follows a schedule.

#include "input/diagnostics.hpp"
#include "input/scenario.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow::input {

/// Points whose steps ascend, no more of them than there can be, temperatures that are not too far apart, and
/// something that holds them. Warns where averages are of several temperatures.
void check_schedule(const Scenario& scenario, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
