#pragma once
/// All that `run.h5` says of a run, as plain data.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/machine/machine_info.hpp"
#include "input/scenario.hpp"
#include "physics/observables/observable.hpp"

namespace mpcflow {

enum class RunStatus { running, completed, interrupted, failed };

[[nodiscard]] const char* status_name(RunStatus status);

struct RunRecord {
    Scenario scenario;
    std::vector<std::string> overrides;  ///< "path=value", as given on the command line
    std::string resolved_input;          ///< YAML that reads back as `scenario`

    MachineInfo machine;
    std::string device;                       ///< what the solver says of itself
    std::string device_reason;                ///< why this device was taken
    Summation summation = Summation::direct;  ///< in force, as the interval: they may be found in the run
    int reorder_interval = 0;
    std::vector<std::string> notes;  ///< what the solver had to tell
    std::int64_t memory_bytes = 0;
    int ranks = 1;                        ///< processes of the run, each with a domain
    std::array<int, 3> domains{1, 1, 1};  ///< along x, y, z

    std::string id;          ///< of the run: 32 hexadecimal digits, in all its files, kept over restarts
    std::string start_time;  ///< ISO 8601, UTC
    double wall_time = 0.0;  ///< seconds of the run loop, output included, before and after restarts
    double writing_wait =
        0.0;  ///< seconds of these that the run waited for outputs to be written, since the restart
    double exchange_wait = 0.0;  ///< seconds that ranks waited for each other, on average, since the restart
    std::int64_t restarts = 0;   ///< times that it went on from a checkpoint
    std::int64_t steps_done = 0;
    std::int64_t fast_steps = 0;  ///< of these, with a particle that crossed more than a cell edge
    RunStatus status = RunStatus::running;
    std::string message;                      ///< why it was interrupted or failed
    std::optional<std::uint64_t> state_hash;  ///< of the state after steps_done

    std::vector<std::shared_ptr<const ObservableResults>> observables;  ///< of those that have a sample
};

/// A new RunRecord::id, drawn at random.
[[nodiscard]] std::string draw_run_id();

/// A state hash as it is printed: 16 hexadecimal digits.
[[nodiscard]] std::string format_hash(std::uint64_t hash);

}  // namespace mpcflow
