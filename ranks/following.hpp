#pragma once
/// What the other ranks do while rank 0 has a LeadingSolver.

#include "ranks/domain_maker.hpp"
#include "ranks/errands.hpp"
#include "ranks/ranks.hpp"

namespace mpcflow {

/// Makes the solver of this rank's domain by `make` when rank 0 makes its own, does with it what rank 0 says,
/// and returns when that one is gone. Throws RunHasEnded, and what keeps this rank from going on.
void follow(Ranks& ranks, const DomainMaker& make, const Errands& errands = {});

}  // namespace mpcflow
