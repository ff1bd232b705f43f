/// Chooses the host solver for a system: one visit of law and precision.

#include <memory>
#include <new>
#include <string>

#include "physics/collision/laws.hpp"
#include "physics/errors.hpp"
#include "physics/host/host_laws.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

HostNeeds host_solver_needs(const System& system, const SolverOptions& options) {
    return visit_law_line(
        system.collision,
        [&]<class Line>(const Line&) {
            return options.precision == Precision::mixed
                       ? host_solver_needs_of<Line, float>(system, options)
                       : host_solver_needs_of<Line, double>(system, options);
        });
}

std::unique_ptr<Solver> make_host_solver(const System& system, const SolverOptions& options) {
    try {
        return visit_law_line(
            system.collision,
            [&]<class Line>(const Line&) {
                return options.precision == Precision::mixed
                           ? make_host_solver_of<Line, float>(system, options)
                           : make_host_solver_of<Line, double>(system, options);
            });
    } catch (const std::bad_alloc&) {
        throw EnvironmentError(
            "not enough memory for " + std::to_string(system.particle_count()) +
            " particles; use a smaller box.size, a lower fluid.density or precision: mixed");
    }
}

}  // namespace mpcflow
