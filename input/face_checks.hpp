#pragma once
/// What single keys cannot tell of the faces of the box.

#include "input/diagnostics.hpp"
#include "input/yaml_tree.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// The fastest and the warmest that a wall can be, in thermal speeds and temperatures of the fluid: the sums
/// of the cells have room for particles of 32 thermal speeds.
inline constexpr double most_wall_speed = 8.0;
inline constexpr double most_wall_temperature = 8.0;

/// As check_scenario(), of `boundaries`.
void check_faces(const System& system, const Node& root, Diagnostics& diagnostics);

}  // namespace mpcflow::input
