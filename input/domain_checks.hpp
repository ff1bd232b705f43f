#pragma once
/// Whether the box can be cut into the domains of a run of several ranks.

#include <optional>

#include "input/diagnostics.hpp"
#include "input/scenario.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow::input {

/// Adds errors about execution.domains and, where `ranks` says how many will run it, about their number.
void check_domains(const Scenario& scenario, std::optional<int> ranks, const Node& root,
                   Diagnostics& diagnostics);

}  // namespace mpcflow::input
