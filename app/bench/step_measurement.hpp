#pragma once
/// How fast a solver runs whole steps: what the benchmarks of the step share.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/machine/device.hpp"
#include "physics/collision/laws.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// A law and a precision to time.
struct StepKind {
    LawInfo law;
    Precision precision = Precision::double_precision;
};

/// Which of them to time: a member that is empty lets both pass.
struct StepKindFilter {
    std::optional<std::string> law;  ///< its name
    std::optional<Precision> precision;
};

/// Those that pass, in the order of the table of laws, double before mixed.
[[nodiscard]] std::vector<StepKind> kinds_that_pass(const StepKindFilter& filter);

struct StepMeasurement {
    std::string law;  ///< its name, such as srd+a
    Precision precision = Precision::double_precision;
    Summation summation = Summation::direct;  ///< in force while it was timed, as the interval
    int reorder = 0;
    std::int64_t particles = 0;
    double step_seconds = 0.0;
    double updates_per_second = 0.0;
    double bytes_per_particle = 0.0;
    std::string device;
};

/// Runs steps until the solver has settled how to execute them.
void settle(Solver& solver);

/// Seconds that a step took on average of the next `steps` steps.
[[nodiscard]] double mean_step_seconds(Solver& solver, std::int64_t steps);

/// The record of a solver whose step was found to take `step_seconds`.
[[nodiscard]] StepMeasurement measurement_of(const Solver& solver, const System& system, Precision precision,
                                             double step_seconds);

/// At least so many steps, of whole intervals between re-orderings where these are 100 steps at most: else
/// some timings would have one more of these than others, and the best of them the fewest.
[[nodiscard]] std::int64_t whole_intervals(std::int64_t steps, int reorder);

/// Seconds that a step takes: the best of three timings of `steps` steps each (0: about a second's), or of
/// some more, whole_intervals().
[[nodiscard]] double time_step(Solver& solver, std::int64_t steps);

/// Runs `system` until the solver has settled how to execute it, then times it as time_step() does.
[[nodiscard]] StepMeasurement measure_step(const System& system, const SolverOptions& options,
                                           const ChosenDevice& device, std::int64_t steps);

/// The same of a solver that there is.
[[nodiscard]] StepMeasurement measure_step(Solver& solver, Precision precision, std::int64_t steps);

}  // namespace mpcflow
