/// Self-diffusion, by the mean square displacement of unwrapped paths.

#include <cstdio>

#include <gtest/gtest.h>

#include "tests/flows/diffusion.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

struct Expected {
    bool conserves_angular_momentum;
    double diffusion;  ///< measured independently of this program (docs/validation.md)
};

class Diffusion : public SolverTest {};

TEST_P(Diffusion, of_particles_is_what_was_measured_before) {
    // 40,960 particles in three directions and two windows: a standard error of the growth from t = 5 to 25 of
    // about sqrt(2 / 245,760) x 1.3 = 0.4 %, so 1.7 % at 4.5 sigma. To that come what is cut off of the tail of
    // the velocity autocorrelation beyond t = 5 ... 25, (4 kT / 3 rho) [4 pi (nu + D)]^(-3/2) t^(-1/2), under 2 %,
    // and the images of a box of L = 16: -2.84 kT / (6 pi rho nu L), 2 % for SRD; both lower D.
    for (const Expected& expected : {Expected{false, 0.0589}, Expected{true, 0.084}}) {
        System system;
        system.seed = 3;
        system.box.size = {16, 16, 16};
        system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        system.collision.conserve_angular_momentum = expected.conserves_angular_momentum;
        SolverOptions options;
        options.threads = 1;
        const auto solver = make(system, options);
        solver->run(100);
        const double found = measure_diffusion(*solver, system, 50, 250, 2);
        std::printf("D = %.4f, %.4f was measured before\n", found, expected.diffusion);
        EXPECT_GT(found, expected.diffusion * (1.0 - 0.017 - 0.02 - 0.02));
        EXPECT_LT(found, expected.diffusion * (1.0 + 0.017 + 0.02));
    }
}

MPCFLOW_ON_EVERY_SOLVER(Diffusion);

}  // namespace
}  // namespace mpcflow::test
