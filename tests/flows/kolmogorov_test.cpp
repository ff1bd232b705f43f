/// The flow of a force that is a sine of the place (Kolmogorov flow), and of opposed blocks.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/field_statistics.hpp"
#include "physics/observables/mode_rule.hpp"
#include "physics/theory.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

class Kolmogorov : public SolverTest {
protected:
    /// The amplitude of sin(2 pi z / 16) in the velocity along x, over `steps` after as many as it takes to
    /// be there.
    [[nodiscard]] double amplitude(ForceShape shape, int steps) const {
        System system = fluid_at_rest({12, 12, 16}, 10.0, 0.1, 6);
        system.forces.add({.shape = shape, .amplitude = {0.0535, 0.0, 0.0}, .along = 2});
        const auto solver = make(system, on_one_thread());
        solver->run(450);  // 1 / (nu k^2) = 7.5 are 75 steps
        WaveNumbers waves;
        waves.along = {0, 0, 1};
        Moments sine;
        for (int step = 0; step < steps; step += 10) {
            solver->run(10);
            // u_k = (1/N) sum v exp(-i k z): of a sine of amplitude u the imaginary part is -u / 2.
            sine.add(-2.0 * solver->measure<VelocityModes>(waves).at(1));
        }
        return sine.mean();
    }
};

// The mode's mean square at rest is 2 kT / (m N), its life 1 / (nu k^2) = 7.5: over a time of 400 there is an
// error of 0.0018, 0.45 % of the amplitude of 0.4. That of the known viscosity, 0.868(3), is 0.35 %. (The
// temperature varies little where the flow is sheared: the thermostat is in every cell.)
TEST_P(Kolmogorov, flow_has_the_amplitude_of_theory) {
    const double k = 2.0 * std::numbers::pi / 16.0;
    const double found = amplitude(ForceShape::sine, 4000);
    std::printf("nu = %.4f\n", 0.0535 / (k * k * found));
    EXPECT_NEAR(found, 0.0535 / (0.868 * k * k), 0.02 * 0.4);
}

// The first wave of a square wave is 4 / pi of it.
TEST_P(Kolmogorov, flow_of_opposed_blocks_has_that_of_their_first_wave) {
    const double k = 2.0 * std::numbers::pi / 16.0;
    EXPECT_NEAR(amplitude(ForceShape::opposed_blocks, 4000),
                4.0 / std::numbers::pi * 0.0535 / (0.868 * k * k), 0.02 * 0.51);
}

MPCFLOW_ON_EVERY_SOLVER(Kolmogorov);

}  // namespace
}  // namespace mpcflow::test
