#pragma once
/// What a result file says of the machine and the program that made it.

#include <string>

#include "app/machine/batch_job.hpp"

namespace mpcflow {

struct MachineInfo {
    std::string hostname;
    std::string cpu;
    int hardware_threads = 0;
    std::string operating_system;
    BatchJob job;
};

/// Never fails: what cannot be found out is "unknown".
[[nodiscard]] MachineInfo describe_machine();

/// The processors that this process may use, as the system lists them, for example "0-7,16"; empty if it does
/// not say.
[[nodiscard]] std::string processor_set();

/// Name of the user who runs the program, or "unknown".
[[nodiscard]] std::string user_name();

/// "0.1.0".
[[nodiscard]] std::string program_version();
/// The commit that the program was built from, "-dirty" after it if the tree had changes.
[[nodiscard]] std::string program_commit();

/// The present time as ISO 8601 in UTC, to the second: "2025-01-31T12:34:56Z".
[[nodiscard]] std::string utc_now();

}  // namespace mpcflow
