#pragma once
/// What a run will take of the machine, and what may be wrong with it.

#include <cstdint>
#include <string>
#include <vector>

#include "app/machine/device.hpp"
#include "app/run/observables.hpp"
#include "input/scenario.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

struct FileEstimate {
    std::string name;
    std::int64_t bytes = 0;
    std::string contents;
};

/// Bytes of memory of the solver: two copies of the particle records (the second for re-ordering) and
/// what it holds for every cell. Within a third of Solver::memory_bytes().
[[nodiscard]] std::int64_t estimate_memory(const System& system, Precision precision);

/// The same of the solver on that kind of device; on the CPU as it will be, threads and all.
[[nodiscard]] std::int64_t estimate_solver_memory(const Scenario& scenario, DeviceKind device);
/// The same of a domain of so many particles and cells, those of the halo among them, on a GPU.
[[nodiscard]] std::int64_t estimate_domain_memory(const Scenario& scenario, std::int64_t particles,
                                                  std::int64_t cells);

/// Copies of the particles that may be on their way to the disk at a time: two, so that the run goes on while
/// one is written, or one where two took more than a quarter of the memory that the process may have.
[[nodiscard]] int copies_in_flight(const Scenario& scenario, int ranks = 1);

/// Bytes of observables' work that may wait for a slow disk: of small pieces a large number, of large ones
/// two, so that the run goes on while one is written.
[[nodiscard]] std::int64_t work_in_flight(const Observables& observables);

/// Bytes of the host that outputs hold (of several ranks, on rank 0) while the run goes on: what observables
/// gather, and work of them and frames on their way to the disk.
[[nodiscard]] std::int64_t estimate_output_memory(const Scenario& scenario, int ranks = 1);

/// The result files at the end of the run.
[[nodiscard]] std::vector<FileEstimate> estimate_files(const Scenario& scenario);

/// What is allowed but hardly meant: each line names a key, says what is wrong and what to do.
[[nodiscard]] std::vector<std::string> find_warnings(const Scenario& scenario);

/// What the writing of a run needs beyond what the program has when it begins: outputs and the thread that
/// writes.
[[nodiscard]] MemoryNeed memory_need_of_writing(const Scenario& scenario, int ranks = 1);

/// Bytes of the copy that a rank makes of its own particles for its part of a checkpoint.
[[nodiscard]] std::int64_t part_copy_bytes(const Scenario& scenario, int ranks);

/// What a run on that kind of device needs beyond what the program has when it begins: its solver, if it runs
/// on the CPU; outputs, threads.
[[nodiscard]] MemoryNeed memory_need(const Scenario& scenario, DeviceKind device);

/// What there is too little of for the run on that kind of device, a line each.
[[nodiscard]] std::vector<std::string> find_shortages(const Scenario& scenario, DeviceKind device);

}  // namespace mpcflow
