#pragma once
/// Which solver a run gets.

#include <memory>
#include <string>

#include "app/machine/memory_limits.hpp"
#include "gpu/device_solver.hpp"
#include "input/scenario.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// A device and why it was taken.
struct ChosenDevice {
    DeviceKind kind = DeviceKind::cpu;  ///< cpu or cuda
    int index = 0;                      ///< of the CUDA device
    std::string reason;
};

/// Turns execution.device into a device of this machine: `automatic` takes the CUDA device with the most
/// multiprocessors (of equal ones, the most free memory), or the CPU where there is none. Throws
/// EnvironmentError, listing what there is, if a device is asked for that is not there, and where the one
/// asked for, or with `automatic` every one, is refused.
[[nodiscard]] ChosenDevice choose_device(const DeviceChoice& choice, const DeviceList& list);

/// The same among the devices of this machine, which are only asked for where they matter: a driver takes
/// seconds to start.
[[nodiscard]] ChosenDevice choose_device(const DeviceChoice& choice);

/// What a solver on the CPU needs beyond what the program has when it begins.
[[nodiscard]] MemoryNeed memory_need(const System& system, const SolverOptions& options);

/// The solver on that device. Throws EnvironmentError where memory or the device fails.
[[nodiscard]] std::unique_ptr<Solver> make_solver(const System& system, const SolverOptions& options,
                                                  const ChosenDevice& device);

/// What the solver needs to know of a scenario.
[[nodiscard]] SolverOptions solver_options(const Scenario& scenario);

}  // namespace mpcflow
