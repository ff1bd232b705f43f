#pragma once
/// The keys of `fluid`.

#include "input/key_visitor.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// As visit_keys(). What species lack or have too much of check_species() finds.
void visit_fluid(KeyVisitor& keys, System& system);

}  // namespace mpcflow::input
