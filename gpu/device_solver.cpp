/// Chooses the device solver for a system: one visit of law and precision.

#include "gpu/device_solver.hpp"

#include "gpu/device_laws.hpp"
#include "physics/collision/laws.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {

template <class Real>
std::unique_ptr<Solver> make_in_precision(const System& system, const SolverOptions& options, int device) {
    return visit_law_line(
        system.collision,
        [&]<class Line>(const Line&) { return make_device_solver_of<Line, Real>(system, options, device); });
}

}  // namespace

std::unique_ptr<Solver> make_device_solver(const System& system, const SolverOptions& options, int device) {
    const DeviceList list = list_devices();
    if (list.devices.empty()) throw EnvironmentError("no CUDA device can be used: " + list.reason);
    if (device < 0 || device >= static_cast<int>(list.devices.size())) {
        throw EnvironmentError("there is no CUDA device " + std::to_string(device) + "; this machine has " +
                               std::to_string(list.devices.size()) +
                               ", numbered from 0 (see `mpcflow devices`)");
    }
    return options.precision == Precision::mixed ? make_in_precision<float>(system, options, device)
                                                 : make_in_precision<double>(system, options, device);
}

}  // namespace mpcflow
