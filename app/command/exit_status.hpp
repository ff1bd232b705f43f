#pragma once
/// What the program's exit status means; docs/output.md lists them for users.

namespace mpcflow {

enum class ExitStatus {
    done = 0,
    fault = 1,        ///< a fault of the program or of the simulation
    bad_input = 2,    ///< input file or arguments
    environment = 3,  ///< no such device, disk full, output exists, unreadable result file
    stopped = 85,     ///< by a signal, after writing a checkpoint: run again to go on
};

}  // namespace mpcflow
