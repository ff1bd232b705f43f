#pragma once

namespace mpcflow {

/// Processors that this process may use, 1 or more: those of its CPU set (sched_setaffinity(2), taskset, a
/// cpuset, a batch system's binding), which std::thread::hardware_concurrency() does not look at.
[[nodiscard]] int available_processors();

}  // namespace mpcflow
