#pragma once

#include "input/key_visitor.hpp"
#include "input/scenario.hpp"

namespace mpcflow::input {

/// The section `start`: its words, or its keys (check_start() sees to it that there is but one).
void visit_start(KeyVisitor& keys, Scenario& scenario);

}  // namespace mpcflow::input
