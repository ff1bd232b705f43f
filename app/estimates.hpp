#pragma once
/// What a run will take of the machine, and what may be wrong with it.

#include <cstdint>
#include <string>
#include <vector>

#include "input/scenario.hpp"

namespace mpcflow {

struct FileEstimate {
    std::string name;
    std::int64_t bytes = 0;
    std::string contents;
};

/// Bytes of memory of the solver: two copies of the particle records (the second for re-ordering) and
/// what it holds for every cell. Within a third of Solver::memory_bytes().
[[nodiscard]] std::int64_t estimate_memory(const System& system, Precision precision);

/// Copies of the particles that may be on their way to the disk at a time: two, so that the run goes on while one is
/// written, or one where two took more than a quarter of this machine's memory.
[[nodiscard]] int copies_in_flight(const Scenario& scenario);

/// Field blocks that may be on their way to the disk at a time: small ones wait for a slow disk in large numbers, of
/// large ones the run goes on while one is written.
[[nodiscard]] int field_blocks_in_flight(const Scenario& scenario);

/// Bytes of the host that outputs hold while the run goes on: frames and field blocks on their way to the disk, blocks
/// of the averages, the series, what observables gather.
[[nodiscard]] std::int64_t estimate_output_memory(const Scenario& scenario);

/// The result files at the end of the run.
[[nodiscard]] std::vector<FileEstimate> estimate_files(const Scenario& scenario);

/// What is allowed but hardly meant: each line names a key, says what is wrong and what to do.
[[nodiscard]] std::vector<std::string> find_warnings(const Scenario& scenario);

/// What this machine has too little of for the run.
[[nodiscard]] std::vector<std::string> find_shortages(const Scenario& scenario);

/// Bytes of memory that this machine has; 0 if it does not say.
[[nodiscard]] std::int64_t machine_memory();

}  // namespace mpcflow
