#pragma once
/// What a run says on its end.

#include <cstdint>
#include <vector>

#include "app/output/result_writer.hpp"
#include "app/run/run_loop.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

/// Prints steps, time, rate, state hash and files to stdout.
void print_summary(const Scenario& scenario, const RunLoopResult& result, std::uint64_t hash,
                   const std::vector<WrittenFile>& files);

}  // namespace mpcflow
