#pragma once
/// The exceptions that carry an exit status with them (app/ maps them).

#include <stdexcept>

namespace mpcflow {

/// The environment fails us: no such device, out of memory, disk full, unreadable file. Exit status 3.
struct EnvironmentError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The simulation itself went wrong: a state that is not finite, a sum that outgrew its grid. Exit status 1.
struct SimulationFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace mpcflow
