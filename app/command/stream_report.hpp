#pragma once
/// What `check` says of a stream.

#include "physics/system.hpp"

namespace mpcflow {

/// The stream, its Mach number, and the Reynolds numbers of what is in its way; nothing where there is none.
void print_stream(const System& system);

}  // namespace mpcflow
