#pragma once
/// The batch job that the program runs in, from what its scheduler puts into the environment.

#include <functional>
#include <optional>
#include <string>

namespace mpcflow {

struct BatchJob {
    std::string scheduler;      ///< "slurm", "pbs"; empty outside of a job, as the rest
    std::string id;             ///< as its commands take it: "1234", "1234_7", "1234[7].server"
    std::optional<int> cpus{};  ///< for a task, where the scheduler tells
    std::string array_task{};   ///< the number in its array; empty outside of one
};

/// Reads an environment variable: nothing where it is not set.
using ReadVariable = std::function<std::optional<std::string>(const char*)>;

[[nodiscard]] BatchJob find_batch_job(const ReadVariable& variable);

/// Of this process.
[[nodiscard]] BatchJob find_batch_job();

/// The threads that `execution.threads: auto` takes: as many as the process may have processors, which Linux
/// tells (its CPU set), and no more than its batch job has for a task, which not every scheduler sees to.
[[nodiscard]] int automatic_threads(const BatchJob& job);

}  // namespace mpcflow
