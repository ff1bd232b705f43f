#pragma once
/// How a rank comes to the solver of its domain: this folder knows no devices.

#include <functional>
#include <memory>

#include "physics/domain/cut.hpp"
#include "physics/domain/domain_solver.hpp"
#include "physics/domain/exchange.hpp"
#include "physics/solver.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Makes the solver of domain ranks.number(); all ranks call theirs alike.
using DomainMaker = std::function<std::unique_ptr<Solver>(Exchange& ranks)>;

/// That of a domain on CPU threads.
[[nodiscard]] inline DomainMaker domains_on_cpu(const System& system, const SolverOptions& options,
                                                const Cut& cut) {
    return [=](Exchange& ranks) { return make_domain_solver(system, options, cut, ranks); };
}

}  // namespace mpcflow
