#pragma once
/// `mpcflow bench auto`: what the solver chooses for itself, against the best that it could have been told.

#include <cstdint>
#include <vector>

#include "app/bench/step_measurement.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

struct BenchAutoOptions {
    DeviceChoice device;
    StepKindFilter kinds;
    std::vector<double> densities{3, 10, 30, 100};
    std::vector<std::int64_t> particles{10'000'000};  ///< about so many, in a cubic box
    std::vector<Summation> ways{Summation::tile, Summation::match, Summation::peers, Summation::direct};
    std::vector<int> intervals{4, 8, 16, 32, 64};  ///< steps between re-orderings
    bool json = false;
};

/// For each kind of step, density and size: times the step with each of `ways` at each of `intervals`, then
/// the fastest two ways at their best intervals in turns with the step whose summation and re-order interval
/// were left to the solver; prints how far the solver's choice is from the best. In turns, as a card that
/// reaches its limit of power changes its clock all the time. At 130 degrees, h = 0.1, periodic; srd+a with a
/// thermostat, as it does not keep the energy. Up to three solvers are on the card at a time. Returns the
/// exit status; throws EnvironmentError, also where there is no GPU.
[[nodiscard]] int bench_auto(const BenchAutoOptions& options);

}  // namespace mpcflow
