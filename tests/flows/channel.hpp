#pragma once
/// Measuring the flow between two walls: viscosity, slip, temperature and density.

#include <array>
#include <cstdint>
#include <vector>

#include "physics/solver.hpp"
#include "physics/system.hpp"

namespace mpcflow::test {

/// How long to run and how often to look, in steps.
struct Sampling {
    std::int64_t equilibration = 0;
    std::int64_t steps = 0;
    std::int64_t every = 10;
    int blocks = 20;  ///< parts of the run, whose scatter gives the standard errors
};

/// A number and its standard error.
struct Measured {
    double value = 0.0;
    double error = 0.0;
};

struct ChannelFlow {
    Measured viscosity;  ///< and slip length: fitted to u = (g / 2 nu) [y (L - y) + b L]
    Measured slip_length;
    double temperature = 0.0;        ///< kT of the motion relative to that of each bin
    double wall_temperature = 0.0;   ///< the same, next to the walls alone
    std::vector<Measured> density;   ///< particles a cell, in bins one cell wide from wall to wall
    std::vector<Measured> velocity;  ///< along the force
};

/// A plane Poiseuille flow along `flow_axis` between no-slip walls on `wall_axis` that reaches
/// `maximum` = g L^2 / (8 nu) where `viscosity` is right; thermostatted, of `size` cells.
[[nodiscard]] System channel(std::array<int, 3> size, int wall_axis, int flow_axis, double viscosity,
                             double maximum);

/// The bins that `measure_channel` needs: slabs one cell wide.
[[nodiscard]] std::array<int, 3> channel_bins(const System& system);

/// Runs a solver of a plane Poiseuille flow and fits its profile. Each block is fitted by itself; the
/// errors are those of the mean of the blocks.
[[nodiscard]] ChannelFlow measure_channel(Solver& solver, const System& system, const Sampling& sampling);

}  // namespace mpcflow::test
