#pragma once
/// `mpcflow bench outputs`: what the outputs of an input cost its run.

#include "input/scenario.hpp"

namespace mpcflow {

struct BenchOutputsOptions {
    std::string file;                    ///< the input
    std::vector<std::string> overrides;  ///< "path=value", in order
    bool json = false;
};

/// Times the steps of the input's run, and a sample of each of its outputs on its device, and sets the
/// samples at their cadence against the steps. Writes no file. Prints a table, or JSON. Returns the exit
/// status; throws InputError, EnvironmentError.
[[nodiscard]] int bench_outputs(const BenchOutputsOptions& options);

}  // namespace mpcflow
