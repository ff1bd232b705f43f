#pragma once
/// The keys of `surfaces`.

#include <vector>

#include "input/key_visitor.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// As visit_keys(). What is not along the axis of a cylinder and should be, a shape that is missing and a
/// second one check_surfaces() finds.
void visit_surfaces(KeyVisitor& keys, std::vector<Surface>& surfaces);

}  // namespace mpcflow::input
