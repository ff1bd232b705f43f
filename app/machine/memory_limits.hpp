#pragma once
/// How much memory a process may have: of the machine, of its control groups (containers, batch jobs), by its
/// own limits.
///
/// Linux grants memory that a control group does not have, and kills who uses it: who needs much must ask
/// before.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace mpcflow {

/// A bound on the memory of this process.
struct MemoryBound {
    std::int64_t bytes = 0;      ///< in all
    std::int64_t available = 0;  ///< of these, what is not in use and can be had
    std::string owner;  ///< for messages: "this machine", "the control group /sys/fs/cgroup/job (memory.max)"
};

/// What a process needs beyond what it has.
struct MemoryNeed {
    std::int64_t bytes = 0;          ///< of memory that it writes to
    std::int64_t address_space = 0;  ///< with the stacks of threads, of which little is ever used
};

/// Limits as getrlimit has them.
struct ResourceLimits {
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t address_space = none;  ///< RLIMIT_AS
    std::int64_t data = none;           ///< RLIMIT_DATA
};

[[nodiscard]] ResourceLimits resource_limits();

/// Bytes of memory that this machine has; 0 if it does not say.
[[nodiscard]] std::int64_t machine_memory();

/// Bytes of address space that a thread takes, which are those of its stack.
[[nodiscard]] std::int64_t thread_stack();

/// To be called before there are threads: where address space is limited, they share the heap. Otherwise
/// malloc takes 64 MiB of it for each, as long as it gets them, which arrays then lack.
void share_heap_where_limited();

/// The limits of the control groups that this process is in, of version 1, 2 or both, up to the topmost one
/// that is mounted here. What a group uses already is not available, but for pages of files, which the kernel
/// drops first. What is missing or makes no sense is no limit. `root` is where the folders proc and sys are.
[[nodiscard]] std::vector<MemoryBound> control_group_bounds(const std::filesystem::path& root = "/");

/// Bounds on the address space of this process, less what it has mapped already.
[[nodiscard]] std::vector<MemoryBound> address_space_bounds(const ResourceLimits& limits = resource_limits(),
                                                            const std::filesystem::path& root = "/");

/// The memory of the machine or a limit below it, whatever is in use.
[[nodiscard]] std::int64_t memory_in_all();

/// What there is too little of, and what to do, as a line; empty where there is enough. `limits`: see above.
[[nodiscard]] std::string describe_shortage(const MemoryNeed& need, const std::vector<MemoryBound>& memory,
                                            const std::vector<MemoryBound>& address_space);
/// The same for this process, here and now.
[[nodiscard]] std::string describe_shortage(const MemoryNeed& need);

}  // namespace mpcflow
