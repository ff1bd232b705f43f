#pragma once
/// How the particles of a checkpoint come from the solver to the disk and back: all by one process, or each
/// rank's own by itself, as rank 0 says.

#include <string>

#include "app/output/background_writer.hpp"
#include "app/output/restart.hpp"
#include "physics/solver.hpp"
#include "ranks/errands.hpp"
#include "ranks/leading_solver.hpp"

namespace mpcflow {

/// On one process.
[[nodiscard]] RestoreParticles restoring_all(Solver& solver);
/// On rank 0: each rank reads a share.
[[nodiscard]] RestoreParticles restoring_shares(LeadingSolver& solver);
/// On rank 0: the others write their parts of a checkpoint into this directory.
[[nodiscard]] SaveOthers saving_parts(LeadingSolver& solver, const std::string& directory);
/// On the others: what these two ask of rank `number` of `count`.
[[nodiscard]] Errands errands_of_rank(int number, int count);

}  // namespace mpcflow
