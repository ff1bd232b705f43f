#pragma once
/// What a step of an input takes on this machine, and what its outputs add to it.

#include <string>
#include <vector>

#include "input/scenario.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

struct OutputCost {
    std::string name;
    double samples_a_step = 0.0;
    double sample_seconds = 0.0;
    double share = 0.0;  ///< of the time of the steps
};

struct RunCosts {
    double step_seconds = 0.0;  ///< of a step alone
    std::vector<OutputCost> outputs;

    /// Of a step with what is sampled, on average; writing files is not in it.
    [[nodiscard]] double seconds_a_step() const;
};

/// Measures for a second or a few. `solver` is one of `scenario`, and is somewhere else afterwards.
[[nodiscard]] RunCosts measure_costs(const Scenario& scenario, Solver& solver);

}  // namespace mpcflow
