#pragma once
/// `mpcflow bench step`: how fast this machine runs whole steps.

#include <array>
#include <optional>

#include "app/bench/step_measurement.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

struct BenchStepOptions {
    DeviceChoice device;
    int threads = 0;  ///< of the CPU; 0: all
    StepKindFilter kinds;
    ThermostatKind thermostat = ThermostatKind::none;  ///< of laws that take one
    Summation summation = Summation::automatic;        ///< on a GPU
    VectorUnits vectors = VectorUnits::avx512;         ///< of a CPU, the widest
    int reorder = 0;                                   ///< 0: the solver's own choice
    std::optional<std::array<int, 3>> cells;  ///< of the periodic box; without, 200^3 on a GPU, 32^3 on a CPU
    double density = 10.0;
    int steps = 0;  ///< as time_step() takes them
    bool json = false;
};

class Ranks;

/// Times the step at h = 0.1, of SRD at 130 degrees, in a periodic box; on rank 0 of several, of all of them.
/// On a GPU the rate at which the card copies is measured beside it, and each step's rate is set against one
/// read and one write of the particles' records. Prints a table, or JSON. Returns the exit status; throws
/// EnvironmentError.
[[nodiscard]] int bench_step(const BenchStepOptions& options, Ranks* ranks = nullptr);
/// What the other ranks do meanwhile.
void follow_bench_step(const BenchStepOptions& options, Ranks& ranks);

}  // namespace mpcflow
