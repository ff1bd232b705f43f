#pragma once
/// What tests that run under mpirun have in common.

#include "ranks/mpi_ranks.hpp"

namespace mpcflow::test {

/// Those of this mpirun. All tests run on all of them, side by side.
[[nodiscard]] MpiRanks& ranks();

}  // namespace mpcflow::test
