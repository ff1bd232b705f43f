/// Chooses the solver of a domain for a system: one visit of law and precision.

#include "physics/domain/domain_solver.hpp"

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "physics/collision/laws.hpp"
#include "physics/errors.hpp"
#include "physics/host/domain_laws.hpp"

namespace mpcflow {

DomainNeeds domain_solver_needs(const System& system, const SolverOptions& options, const Cut& cut,
                                int number) {
    return visit_law_line(
        system.collision,
        [&]<class Line>(const Line&) {
            return options.precision == Precision::mixed
                       ? domain_solver_needs_of<Line, float>(system, options, cut, number)
                       : domain_solver_needs_of<Line, double>(system, options, cut, number);
        });
}

std::unique_ptr<Solver> make_domain_solver(const System& system, const SolverOptions& options, const Cut& cut,
                                           Exchange& exchange) {
    if (cut.count() != exchange.count()) {
        throw std::invalid_argument("a cut into " + std::to_string(cut.count()) +
                                    " domains for an exchange of " + std::to_string(exchange.count()));
    }
    try {
        return visit_law_line(
            system.collision,
            [&]<class Line>(const Line&) {
                return options.precision == Precision::mixed
                           ? make_domain_solver_of<Line, float>(system, options, cut, exchange)
                           : make_domain_solver_of<Line, double>(system, options, cut, exchange);
            });
    } catch (const std::bad_alloc&) {
        throw EnvironmentError(
            "not enough memory for domain " + std::to_string(exchange.number()) + " of " +
            std::to_string(cut.count()) +
            "; use more ranks, a smaller box.size, a lower fluid.density or precision: mixed");
    }
}

}  // namespace mpcflow
