/// Self-diffusion: by the mean square displacement of unwrapped paths, and as the observable finds it from
/// tracers.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "physics/observables/diffusion.hpp"
#include "physics/theory.hpp"
#include "tests/flows/diffusion.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/support/observing.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

struct Expected {
    CollisionRule rule;
    bool conserves_angular_momentum;
    double diffusion;  ///< measured independently of this program (docs/validation.md)
};

class Diffusion : public SolverTest {};

TEST_P(Diffusion, of_particles_is_what_was_measured_before) {
    // 40,960 particles in three directions and two windows: a standard error of the growth from t = 5 to 25
    // of about sqrt(2 / 245,760) x 1.3 = 0.4 %, so 1.7 % at 4.5 sigma. To that come what is cut off of the
    // tail of the velocity autocorrelation beyond t = 5 ... 25, (4 kT / 3 rho) [4 pi (nu + D)]^(-3/2)
    // t^(-1/2), under 2 %, and the images of a box of L = 16: -2.84 kT / (6 pi rho nu L), 2 % for SRD; both
    // lower D.
    for (const Expected& expected :
         {Expected{CollisionRule::srd, false, 0.0589}, Expected{CollisionRule::srd, true, 0.084},
          Expected{CollisionRule::at, false, 0.069}, Expected{CollisionRule::at, true, 0.095}}) {
        System system;
        system.seed = 3;
        system.box.size = {16, 16, 16};
        if (expected.rule == CollisionRule::srd) system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        system.collision.rule = expected.rule;
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

TEST_P(Diffusion, of_tracers_is_what_was_measured_before) {
    struct Case {
        double time_step;
        double diffusion;  ///< measured independently of this program (docs/validation.md)
        double viscosity;
    };
    for (const Case& c : {Case{0.1, 0.0589, 0.868}, Case{1.0, 0.518, 0.578}}) {
        const System system = fluid_at_rest({16, 16, 16}, 10.0, c.time_step, 4);
        const auto solver = make(system, on_one_thread());
        DiffusionObservable observable(system, {10, 8192}, 50);
        run_and_sample(*solver, observable, 2050);
        const ObservableResults results = observable.results();
        const double found = attribute<double>(results, "diffusion");
        const double error = attribute<double>(results, "diffusion_error");
        std::printf("D = %.4f +- %.4f, %.4f was measured before\n", found, error, c.diffusion);
        EXPECT_EQ(attribute<std::string>(results, "free_axes"), "xyz");
        EXPECT_DOUBLE_EQ(attribute<double>(results, "diffusion_from_time"), 30 * c.time_step);
        EXPECT_DOUBLE_EQ(attribute<double>(results, "diffusion_to_time"), 100 * c.time_step);
        // 8192 x 3 paths of 20 times the longest lag: sqrt(2 / 491520) = 0.20 % of independent displacements,
        // and up to 1.4 times that of a difference. The error itself is of ten blocks, so known to a quarter.
        EXPECT_GT(error, 0.001 * found);
        EXPECT_LT(error, 0.006 * found);
        // The images of a box of L = 16 lower D by 2.84 kT / (6 pi rho nu L). Of the tail of the velocity
        // autocorrelation beyond t = 3 h x 10 is missing (4 kT / 3 rho) [4 pi (nu + D)]^(-3/2) t^(-1/2) at
        // most. 2 % is the error of a measurement of this kind at h = 0.1, to which the earlier one is known
        // in its last digit.
        constexpr double pi = 3.14159265358979323846;
        const double images = 2.84 / (6.0 * pi * 10.0 * c.viscosity * 16.0);
        const double tail = 4.0 / 30.0 * std::pow(4.0 * pi * (c.viscosity + c.diffusion), -1.5) /
                            std::sqrt(30.0 * c.time_step);
        EXPECT_GT(found, c.diffusion - images - tail - sigmas * error);
        EXPECT_LT(found, 1.01 * c.diffusion - images + sigmas * error);
        // With ten steps between samples an integral of the velocities would be several times D.
        for (const char* const name : {"diffusion_by_velocity", "diffusion_by_velocity_error"})
            for (const double value : numbers(results, name)) EXPECT_TRUE(std::isnan(value)) << name;
        // kT/m a component.
        const auto& products = numbers(results, "velocity_autocorrelation_xyz");
        const auto& errors = numbers(results, "velocity_autocorrelation_xyz_error");
        for (std::size_t axis = 0; axis < 3; ++axis) {
            EXPECT_TRUE(is_near(products[axis], 1.0, errors[axis])) << axis;
            // Independent velocities: a variance of 2 (kT/m)^2 each.
            EXPECT_NEAR(errors[axis], std::sqrt(2.0 / (8192.0 * 200.0)),
                        0.6 * std::sqrt(2.0 / (8192.0 * 200.0)));
        }
    }
}

// With a sample every step the integral of the velocities is the discrete formula of Green and Kubo, so both
// ways agree.
TEST_P(Diffusion, is_the_same_by_displacements_and_by_velocities) {
    const System system = fluid_at_rest({16, 16, 16}, 10.0, 1.0, 4);
    const auto solver = make(system, on_one_thread());
    DiffusionObservable observable(system, {1, 8192}, 20);
    run_and_sample(*solver, observable, 420);
    const ObservableResults results = observable.results();
    const auto& lags = numbers<std::int64_t>(results, "lag");
    ASSERT_EQ(lags[15], 15);
    EXPECT_EQ(numbers(results, "diffusion_by_velocity")[0], 0.0);
    const double by_velocity = numbers(results, "diffusion_by_velocity")[15];
    const double by_growth = (numbers(results, "mean_square_displacement")[15] -
                              numbers(results, "mean_square_displacement")[14]) /
                             6.0;
    // MSD(15) - MSD(14) = 2 h^2 (C(0)/2 + C(1) + ... + C(14)) for each component; half of C(15) is over, and
    // the first and last samples, which are in one lag and not in another, tell it within the noise.
    const double error = numbers(results, "diffusion_by_velocity_error")[15];
    EXPECT_GT(error, 0.0);
    EXPECT_NEAR(by_velocity, by_growth, sigmas * error);
    EXPECT_NEAR(by_velocity, 0.518, 0.01 * 0.518 + sigmas * error);
    EXPECT_NEAR(attribute<double>(results, "expected_diffusion"), theory::transport(system).diffusion, 1e-15);
}

MPCFLOW_ON_EVERY_SOLVER(Diffusion);

}  // namespace
}  // namespace mpcflow::test
