#pragma once
/// What single keys cannot tell of the output.

#include "input/diagnostics.hpp"
#include "input/scenario.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow::input {

/// As check_scenario(), of `output`: samples within the run, and what fits the box and its boundaries.
void check_output(const Scenario& scenario, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
