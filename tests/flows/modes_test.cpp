/// Velocity modes of a fluid in equilibrium: their mean square, and how the transverse ones decay.

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/modes.hpp"
#include "physics/theory.hpp"
#include "tests/support/observing.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class Modes : public SolverTest {};

/// The mean of some estimates, all of one quantity, and its error, as of independent ones.
struct Mean {
    double value = 0.0;
    double error = 0.0;
};
Mean mean_of(const std::vector<double>& values, const std::vector<double>& errors, std::size_t stride) {
    Mean mean;
    double count = 0.0;
    for (std::size_t i = 0; i < values.size(); i += stride) {
        mean.value += values[i];
        mean.error += errors[i] * errors[i];
        count += 1.0;
    }
    return {mean.value / count, std::sqrt(mean.error) / count};
}

TEST_P(Modes, have_the_energy_of_equipartition_and_decay_by_viscosity) {
    System system;
    system.seed = 6;
    system.box.size = {8, 8, 8};
    system.fluid.mass = 0.5;
    system.fluid.temperature = 0.5;
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    SolverOptions options;
    options.threads = 1;
    const auto solver = make(system, options);
    solver->run(100);
    ModesObservable modes(system, {2, 1}, 100);
    for (int sample = 0; sample < 8000; ++sample) {
        solver->run(2);
        modes.sample(*solver, solver->current_step());
    }
    const ObservableResults results = modes.results();
    const std::size_t lags = numbers(results, "time").size();

    // <|u_k|^2> = kT / (m N) for each component. The thermostat keeps kT; that the momentum of all is nought
    // takes 1 / N of it. Errors by blocking, of 32 blocks or more: 4.5 of them.
    const double expected =
        system.fluid.temperature / (system.fluid.mass * static_cast<double>(system.particle_count()));
    const Mean transverse =
        mean_of(numbers(results, "transverse"), numbers(results, "transverse_error"), lags);
    const Mean longitudinal =
        mean_of(numbers(results, "longitudinal"), numbers(results, "longitudinal_error"), lags);
    std::printf("<|u|^2> m N / kT = %.3f +- %.3f across k, %.3f +- %.3f along k\n",
                transverse.value / expected, transverse.error / expected, longitudinal.value / expected,
                longitudinal.error / expected);
    EXPECT_NEAR(transverse.value, expected, 4.5 * transverse.error);
    EXPECT_NEAR(longitudinal.value, expected, 4.5 * longitudinal.error);
    EXPECT_LT(transverse.error, 0.03 * expected);
    EXPECT_LT(longitudinal.error, 0.03 * expected);

    // exp(-nu k^2 t) with the viscosity of theory, which is good to 2.5 % for SRD (docs/validation.md). Waves
    // of 8 cells are damped by collisions a little less than long ones: momentum is spread over a cell, and
    // what is left of a wave's amplitude after that is s = sinc(k/2)^2; 1 - s stands in place of k^2 / 12.
    const double k = 2.0 * std::numbers::pi / 8.0;
    const double s = std::pow(std::sin(0.5 * k) / (0.5 * k), 2);
    const theory::Transport transport = theory::transport(system);
    const double viscosity =
        transport.kinetic_viscosity + transport.collisional_viscosity * 12.0 * (1.0 - s) / (k * k);
    const Mean found = mean_of(numbers(results, "viscosity"), numbers(results, "viscosity_error"), 1);
    std::printf("viscosity %.3f +- %.3f, theory %.3f\n", found.value, found.error, viscosity);
    EXPECT_NEAR(found.value, viscosity, 4.5 * found.error + 0.025 * viscosity);
    EXPECT_LT(found.error, 0.025 * viscosity);
}

MPCFLOW_ON_EVERY_SOLVER(Modes);

}  // namespace
}  // namespace mpcflow::test
