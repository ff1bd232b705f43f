#pragma once
/// What a run is made of at one moment, as plain data: enough to go on as if it had never stopped.

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "physics/observables/observable.hpp"
#include "physics/particle_records.hpp"
#include "physics/particle_source.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// A file that holds some of the particles of a checkpoint.
struct CheckpointPart {
    std::int64_t particles = 0;
    std::int64_t bytes = 0;      ///< before its seal
    std::uint64_t checksum = 0;  ///< in its seal
};

/// The files of one checkpoint.
struct PartList {
    std::string token;  ///< in their names, and in those of no other checkpoint
    std::vector<CheckpointPart> parts;
};

/// Where several processes have the particles: what all but this one have written of a checkpoint, or why one
/// of them could not.
struct PartsOfOthers : PartList {
    std::exception_ptr failure;
};

/// The state of a run between two steps, before anything is written that is due there.
struct SolverState {
    /// All, in the order of their ids; or those of this process, in any order, where there are others.
    std::shared_ptr<const ParticleRecords> particles;
    std::optional<PartsOfOthers> others;
    std::int64_t fast_steps = 0;   ///< as Solver::fast_steps()
    std::uint64_t state_hash = 0;  ///< as Solver::state_hash()
    std::vector<Later<ObservableState>> observables;
};

/// A checkpoint as it was read from its file.
struct Checkpoint {
    std::string path;
    std::string run_id;
    std::string resolved_input;  ///< of the run that wrote it
    std::string program_version;
    std::int64_t step = 0;
    PartList parts;  ///< none where its own file has the particles
    /// Opens the share that number `number` of `count` reads of the particles, which stay on the disk; the
    /// shares together are all. Throws EnvironmentError.
    std::function<std::unique_ptr<ParticleSource>(int number, int count)> open_share;
    std::int64_t fast_steps = 0;
    std::uint64_t state_hash = 0;
    std::vector<ObservableState> observables;

    // What the results held by then.
    std::int64_t windows = 0;            ///< in fields.h5
    std::uint64_t windows_checksum = 0;  ///< chained_checksum() of them
    std::int64_t frames = 0;             ///< in trajectory.h5
    std::uint64_t frames_checksum = 0;

    std::string start_time;
    double wall_time = 0.0;
    std::int64_t restarts = 0;
    std::vector<std::string> notes;
};

}  // namespace mpcflow
