#pragma once
/// What a run is made of at one moment, as plain data: enough to go on as if it had never stopped.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "physics/observables/observable.hpp"
#include "physics/particle_records.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// The state of a run between two steps, before anything is written that is due there.
struct SolverState {
    std::shared_ptr<const ParticleRecords> particles;  ///< all, in the order of their ids
    std::int64_t fast_steps = 0;                       ///< as Solver::fast_steps()
    std::uint64_t state_hash = 0;                      ///< as Solver::state_hash()
    std::vector<Later<ObservableState>> observables;
};

/// A checkpoint as it was read from its file.
struct Checkpoint {
    std::string path;
    std::string run_id;
    std::string resolved_input;  ///< of the run that wrote it
    std::string program_version;
    ParticleSnapshot particles;
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
