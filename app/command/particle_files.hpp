#pragma once
/// How the particles of a checkpoint come from the solver to the disk and back, and those that a run begins
/// with from a file: all by one process, or each rank's own by itself, as rank 0 says.

#include <string>

#include "app/output/background_writer.hpp"
#include "app/output/restart.hpp"
#include "app/start/start_file.hpp"
#include "input/scenario.hpp"
#include "physics/solver.hpp"
#include "ranks/errands.hpp"
#include "ranks/leading_solver.hpp"

namespace mpcflow {

/// On one process.
[[nodiscard]] RestoreParticles restoring_all(Solver& solver);
/// On rank 0: each rank reads a share.
[[nodiscard]] RestoreParticles restoring_shares(LeadingSolver& solver);
/// Puts the solver where a file says that the run begins. Throws std::invalid_argument if that is no state of
/// its system, and EnvironmentError.
void begin_all(Solver& solver, const StartFile& start);
/// The same on rank 0: each rank reads a share.
void begin_shares(LeadingSolver& solver, const StartFile& start);
/// On rank 0: the others write their parts of a checkpoint into this directory.
[[nodiscard]] SaveOthers saving_parts(LeadingSolver& solver, const std::string& directory);
/// On the others: what these ask of rank `number` of `count` of the run of an input.
[[nodiscard]] Errands errands_of_rank(const Scenario& scenario, int number, int count);

}  // namespace mpcflow
