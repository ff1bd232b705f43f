#pragma once
/// `mpcflow bench auto`: what the solver chooses for itself, against all that it could have been told.

#include <optional>
#include <vector>

#include "input/scenario.hpp"

namespace mpcflow {

struct BenchAutoOptions {
    DeviceChoice device;
    std::vector<double> densities{3, 10, 30, 100};
    std::vector<std::int64_t> particles{10'000'000};  ///< about so many, in a cubic box
    std::vector<Summation> ways{Summation::peers,     Summation::match,     Summation::hash,  Summation::sorted,
                                Summation::segmented, Summation::two_stage, Summation::direct};
    std::vector<int> intervals{4, 8, 16, 32, 64};  ///< steps between re-orderings
    bool json = false;
};

/// For each law, precision, density and size: times the step with summation and re-order interval left to the
/// solver, and with each of `ways` at each of `intervals`; prints how far it is from the best of these. SRD at 130
/// degrees, h = 0.1, periodic. Returns the exit status; throws EnvironmentError, also where there is no GPU.
[[nodiscard]] int bench_auto(const BenchAutoOptions& options);

}  // namespace mpcflow
