#pragma once
/// The device solver, seen from outside: plain C++, also in a build without CUDA.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "physics/domain/cut.hpp"
#include "physics/domain/exchange.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

struct DeviceInfo {
    int index = 0;
    std::string name;
    int compute_capability_major = 0;
    int compute_capability_minor = 0;
    int multiprocessors = 0;
    std::int64_t memory_bytes = 0;
    std::int64_t free_bytes = 0;
};

/// A device that is there and cannot be used now: set to one process at a time while another one has it, or
/// closed to all.
struct RefusedDevice {
    int index = 0;
    std::string name;
    std::string reason;
};

/// The CUDA devices of this machine; `reason` says why there are none where there are none.
struct DeviceList {
    std::vector<DeviceInfo> devices;
    std::string reason;
    std::vector<RefusedDevice> refused{};
};

/// Never throws for want of a device or driver.
[[nodiscard]] DeviceList list_devices();

/// The device solver on CUDA device `device`. Throws EnvironmentError where there is no such device
/// or its memory is too small.
[[nodiscard]] std::unique_ptr<Solver> make_device_solver(const System& system, const SolverOptions& options,
                                                         int device);

/// The solver of domain exchange.number() of the cut on CUDA device `device`, which may have several domains;
/// what make_domain_solver() (physics/domain/domain_solver.hpp) says of calls and errors holds for it, too.
/// Sums are made by tiles. Throws EnvironmentError also where another way of summing is asked for.
[[nodiscard]] std::unique_ptr<Solver> make_device_domain_solver(const System& system,
                                                                const SolverOptions& options, const Cut& cut,
                                                                Exchange& exchange, int device);

}  // namespace mpcflow
