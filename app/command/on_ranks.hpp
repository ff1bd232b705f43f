#pragma once
/// A command that all ranks of an mpirun run together: rank 0 does what one process would, the others do what
/// it says, and all end with one message and one exit status.

#include <functional>

#include "app/command/commands.hpp"
#include "app/machine/device.hpp"
#include "app/machine/rank_place.hpp"
#include "input/scenario.hpp"
#include "physics/domain/cut.hpp"
#include "physics/solver.hpp"
#include "ranks/domain_maker.hpp"
#include "ranks/ranks.hpp"

namespace mpcflow {

/// On rank 0 calls lead() as run_guarded() does and returns its exit status; on the others calls follow(),
/// which may throw RunHasEnded, waits for the end and returns 0. Whatever fails on any rank ends all.
[[nodiscard]] int on_all_ranks(Ranks& ranks, const std::function<int()>& lead,
                               const std::function<void()>& follow);

/// What a rank knows of the others when it begins.
struct Beginning {
    Scenario scenario;
    Cut cut;
    RankPlace place;
    ChosenDevice device;
};

/// Reads the input on all ranks, which call it alike. Where they are not of one program, or the inputs differ
/// or cannot be read, rank 0 throws and the others wait for the end: they throw RunHasEnded.
[[nodiscard]] Beginning begin_alike(Ranks& ranks, const InputOptions& input);

/// The options for the solver of this rank: its threads are its share of its processors, unless they are
/// given.
[[nodiscard]] SolverOptions options_of_rank(const Beginning& beginning);

/// Makes the solver of this rank's domain.
[[nodiscard]] DomainMaker maker_of_rank(const Beginning& beginning);

/// Throws EnvironmentError where the memory of this machine is too small for the domains of its ranks on the
/// CPU, or for the outputs.
void check_machine(const Ranks& ranks, const Beginning& beginning);

}  // namespace mpcflow
