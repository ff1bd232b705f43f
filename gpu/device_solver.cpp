/// Chooses the device solver for a system: one visit of law and precision.

#include "gpu/device_solver.hpp"

#include <stdexcept>
#include <string>

#include "gpu/device_laws.hpp"
#include "physics/collision/laws.hpp"
#include "physics/errors.hpp"
#include "physics/names.hpp"

namespace mpcflow {

namespace {

void check_device(int device) {
    const DeviceList list = list_devices();
    if (list.devices.empty()) throw EnvironmentError("no CUDA device can be used: " + list.reason);
    if (device < 0 || device >= static_cast<int>(list.devices.size())) {
        throw EnvironmentError("there is no CUDA device " + std::to_string(device) + "; this machine has " +
                               std::to_string(list.devices.size()) +
                               ", numbered from 0 (see `mpcflow devices`)");
    }
}

template <class Real>
std::unique_ptr<Solver> make_in_precision(const System& system, const SolverOptions& options, int device) {
    return visit_law_line(
        system.collision,
        [&]<class Line>(const Line&) { return make_device_solver_of<Line, Real>(system, options, device); });
}

}  // namespace

std::unique_ptr<Solver> make_device_solver(const System& system, const SolverOptions& options, int device) {
    check_device(device);
    return options.precision == Precision::mixed ? make_in_precision<float>(system, options, device)
                                                 : make_in_precision<double>(system, options, device);
}

std::unique_ptr<Solver> make_device_domain_solver(const System& system, const SolverOptions& options,
                                                  const Cut& cut, Exchange& exchange, int device) {
    if (cut.count() != exchange.count()) {
        throw std::invalid_argument("a cut into " + std::to_string(cut.count()) +
                                    " domains for an exchange of " + std::to_string(exchange.count()));
    }
    if (options.summation != Summation::automatic && options.summation != Summation::tile) {
        throw EnvironmentError("execution.summation: " + std::string(name_of(options.summation)) +
                               " is a way of one GPU alone; on several ranks use auto or tile");
    }
    check_device(device);
    return visit_law_line(system.collision, [&]<class Line>(const Line&) {
        return options.precision == Precision::mixed
                   ? make_device_domain_of<Line, float>(system, options, cut, exchange, device)
                   : make_device_domain_of<Line, double>(system, options, cut, exchange, device);
    });
}

}  // namespace mpcflow
