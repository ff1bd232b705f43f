#pragma once
/// Writes a Scenario as an input.

#include <string>

#include "input/scenario.hpp"

namespace mpcflow {

/// All keys with their values, defaults written out, as YAML that reads back to the same values: numbers
/// are the shortest that give the same bits.
[[nodiscard]] std::string to_yaml(const Scenario& scenario);

}  // namespace mpcflow
