#pragma once
/// Which solver a run gets.

#include <memory>
#include <string>

#include "app/machine/memory_limits.hpp"
#include "gpu/device_solver.hpp"
#include "input/scenario.hpp"
#include "physics/domain/cut.hpp"
#include "physics/domain/exchange.hpp"
#include "physics/solver.hpp"
#include "ranks/domain_maker.hpp"

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

/// The same of a rank, `before` of whose machine have lower numbers: ranks take the devices in turn, with
/// cuda:N from N on, and `automatic` from the first one. `list` are the devices of this rank; all ranks call
/// it alike. `automatic` is the CPU where no rank has a device, not even a refused one. Else, where a rank
/// has none that can be used, all throw EnvironmentError, with the same words.
[[nodiscard]] ChosenDevice choose_device_of_rank(const DeviceChoice& choice, const DeviceList& list,
                                                 int before, Exchange& ranks);

/// How a rank on that device makes the solver of its domain.
[[nodiscard]] DomainMaker domain_maker(const System& system, const SolverOptions& options, const Cut& cut,
                                       const ChosenDevice& device);

/// What a solver on the CPU needs beyond what the program has when it begins.
[[nodiscard]] MemoryNeed memory_need(const System& system, const SolverOptions& options);

/// The solver on that device. Throws EnvironmentError where memory or the device fails.
[[nodiscard]] std::unique_ptr<Solver> make_solver(const System& system, const SolverOptions& options,
                                                  const ChosenDevice& device);

/// What the solver needs to know of a scenario.
[[nodiscard]] SolverOptions solver_options(const Scenario& scenario);

}  // namespace mpcflow
