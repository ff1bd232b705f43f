#pragma once
/// The solver of one domain of the box, on CPU threads.

#include <cstdint>
#include <memory>

#include "physics/domain/cut.hpp"
#include "physics/domain/exchange.hpp"
#include "physics/solver.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// The solver of domain exchange.number() of the cut, which has exchange.count() domains. All domains must
/// call the functions of their solvers alike, but for those that say what they are (current_step(),
/// fast_steps(), system(), memory_bytes() and the like): they wait for each other. What is measured is of the
/// whole box, and the same in all domains; so are faults. Copies of particles domain 0 alone gets, the others
/// get empty ones; restore() goes by the snapshot and the steps that domain 0 gives. `exchange` must outlive
/// it. Throws std::invalid_argument where the box cannot be cut so, EnvironmentError where there is no
/// memory.
[[nodiscard]] std::unique_ptr<Solver> make_domain_solver(const System& system, const SolverOptions& options,
                                                         const Cut& cut, Exchange& exchange);

/// What a domain takes of its machine, and of the way to others.
struct DomainNeeds {
    HostNeeds host;
    int neighbours = 0;                   ///< to each of which it sends two messages in a step
    std::int64_t bytes_of_sums = 0;       ///< of cells, that it sends to all of them in a step
    std::int64_t most_bytes_of_sums = 0;  ///< to the one to which it sends most
};
/// Of domain `number`; takes no memory for the solver.
[[nodiscard]] DomainNeeds domain_solver_needs(const System& system, const SolverOptions& options,
                                              const Cut& cut, int number);

}  // namespace mpcflow
