#pragma once
/// Whether the numbers of a checkpoint are such as a run writes: it may be forged, and its seal be right.

#include "app/run/checkpoint.hpp"

namespace mpcflow {

/// Throws EnvironmentError where counts are not those that any run can have come to.
void check_counts(const Checkpoint& checkpoint);

}  // namespace mpcflow
