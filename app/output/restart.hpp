#pragma once
/// Which checkpoint a run goes on from, and whether it may.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/output/output_directory.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/observables.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

enum class RestartMode {
    automatic,  ///< from the newest good checkpoint of the output directory, if there is one
    never,
    file
};

struct RestartChoice {
    RestartMode mode = RestartMode::automatic;
    std::string file;  ///< the checkpoint, in mode `file`
};

/// "auto", "never" or the name of a file.
[[nodiscard]] RestartChoice parse_restart(const std::string& text);

/// Whether a file lies in a folder itself, by whatever names.
[[nodiscard]] bool lies_in(const std::string& file, const std::string& folder);

/// What happens to results in `folder`, given what was asked for: they are kept if the run goes on from one
/// of their checkpoints.
[[nodiscard]] Existing treatment_of_results(const RestartChoice& restart, Existing wanted,
                                            const std::string& folder);

/// Whether run.h5 in `folder` is of this input and says that all its steps are done.
[[nodiscard]] bool is_complete(const std::string& folder, const Scenario& scenario);

/// The checkpoint to go on from; none where the run begins anew. One of the output directory whose seal
/// proves that it is damaged is passed over, and removed, for the one before it, and those of later steps
/// than one that was asked for are moved aside; `remarks` says so. Throws EnvironmentError where there is no
/// good one, where one cannot be read, or where it is of another input, precision or version, naming the
/// differences, and where the other files of the directory are of another run.
[[nodiscard]] std::optional<Checkpoint> find_checkpoint(const RestartChoice& restart,
                                                        const Scenario& scenario,
                                                        const storage::Directory& directory,
                                                        Existing existing, std::vector<std::string>& remarks);

/// Puts the solver where the checkpoint was. Throws std::invalid_argument if that is no state of its system.
using RestoreParticles = std::function<void(const Checkpoint& checkpoint)>;

/// Puts solver and observables where the checkpoint was (`remarks`: see restore_observables()), closes the
/// checkpoint and frees its states. Throws EnvironmentError if the state is not one of this system.
void restore(Solver& solver, const RestoreParticles& restore_particles, Observables& observables,
             Checkpoint& checkpoint, std::vector<std::string>& remarks);

/// What keeps a run of input `now` from going on after one of input `before` (both as to_yaml() writes them):
/// a line of the keys that differ, but for those of what is written and how it is run; empty where nothing
/// does.
[[nodiscard]] std::string describe_obstacles(const std::string& before, const std::string& now);

}  // namespace mpcflow
