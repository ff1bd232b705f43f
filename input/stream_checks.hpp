#pragma once
/// What single keys cannot tell of a stream.

#include "input/diagnostics.hpp"
#include "input/yaml_tree.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// As check_scenario(), of `stream`.
void check_stream(const System& system, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
