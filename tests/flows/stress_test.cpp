/// The stress of whole runs: viscosity by Green and Kubo, and the balance of forces in a flow between two
/// plates.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/stress.hpp"
#include "physics/observables/walls.hpp"
#include "physics/theory.hpp"
#include "tests/flows/channel.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/support/observing.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class StressOfRuns : public SolverTest {};

struct Case {
    CollisionRule rule;
    bool conserves_angular_momentum;
    ThermostatKind thermostat;
    double
        viscosity;  ///< measured from the decay of flows, independently of this program (docs/validation.md)
};

TEST_P(StressOfRuns, gives_the_viscosity_of_flows) {
    for (const Case& c : {Case{CollisionRule::srd, false, ThermostatKind::maxwell_boltzmann, 0.868},
                          Case{CollisionRule::srd, false, ThermostatKind::none, 0.868},
                          Case{CollisionRule::srd, true, ThermostatKind::maxwell_boltzmann, 0.431},
                          Case{CollisionRule::at, false, ThermostatKind::none, 0.812},
                          Case{CollisionRule::at, true, ThermostatKind::none, 0.407}}) {
        System system;
        system.seed = 12;
        system.box.size = {8, 8, 8};
        system.collision.rule = c.rule;
        system.collision.conserve_angular_momentum = c.conserves_angular_momentum;
        system.thermostat.kind = c.thermostat;
        SolverOptions options;
        options.threads = 1;
        const auto solver = make(system, options);
        StressObservable stress(system, {8, 8, 8}, 200);  // unbroken
        run_and_sample(*solver, stress, stress.times().start + 6000);
        const ObservableResults results = stress.results();
        const std::vector<double> all = numbers(results, "viscosity");
        const std::vector<double> errors = numbers(results, "viscosity_error");
        const std::vector<double> kinetic = numbers(results, "kinetic_viscosity");
        const std::vector<double> kinetic_errors = numbers(results, "kinetic_viscosity_error");
        const std::vector<double> collisional = numbers(results, "collisional_viscosity");
        const std::vector<double> collisional_errors = numbers(results, "collisional_viscosity_error");
        ASSERT_EQ(all.size(), 8U);
        std::printf("nu = %.4f(%.0f), %.3f of flows; kinetic %.4f, collisional %.4f\n", all[4],
                    1e4 * errors[4], c.viscosity, kinetic[4], collisional[4]);
        // The temperature of one that has no thermostat is off by chance, (2 / 3N)^(1/2) = 1 %; nu follows
        // it.
        const double of_temperature = c.thermostat == ThermostatKind::none ? 0.01 : 0.0;
        EXPECT_NEAR(all[4], c.viscosity, sigmas * (errors[4] + of_temperature * c.viscosity));
        // Of 6000 samples of six components white noise makes a relative error of (2 / 36000)^(1/2) of lag 0
        // and of 2 (1 / 36000)^(1/2) of each of four more, 2.2 % in all; with +a, where two components are
        // always one, 3.2 %.
        EXPECT_LT(errors[4], 0.04 * c.viscosity) << "sharp enough";

        // Formulas leave out correlations; with h = 0.1 both parts are right within a tenth.
        const double expected_kinetic = theory::transport(system).kinetic_viscosity;
        const double expected_collisional = theory::predicted_viscosity(system) - expected_kinetic;
        // At lag 0 the kinetic part is (h/2) <v^2 v^2>, kT h / 2 m.
        EXPECT_NEAR(kinetic[0], 0.05, sigmas * (kinetic_errors[0] + of_temperature * 0.05) + 0.1 * 0.05);
        EXPECT_NEAR(kinetic[4], expected_kinetic, sigmas * kinetic_errors[4] + 0.2 * expected_kinetic);
        EXPECT_NEAR(collisional[0], expected_collisional,
                    sigmas * collisional_errors[0] + 0.07 * expected_collisional);

        // Without angular momentum ab and ba are two signals; with it they are the same one.
        const std::vector<double> components = numbers(results, "component_correlation");
        const double asymmetry = std::abs(components[0] - components[2]) / components[0];
        if (c.conserves_angular_momentum) EXPECT_LT(asymmetry, 1e-6);
        else EXPECT_GT(asymmetry, 1e-4);
    }
}

// A flow is steady where the fluid's weight hangs on the plates, layer by layer.
TEST_P(StressOfRuns, plates_bear_the_force_on_the_fluid) {
    System system = channel({8, 8, 8}, 2, 0, 0.87, 0.2);
    SolverOptions options;
    options.threads = 1;
    const auto solver = make(system, options);
    WallsObservable walls(system, {1}, 1500);
    run_and_sample(*solver, walls, walls.times().start + 8000);
    const ObservableResults results = walls.results();
    const std::vector<double> stress = numbers(results, "stress");
    const std::vector<double> errors = numbers(results, "stress_error");
    const double weight = system.fluid.density * system.force[0] * 8.0;
    const double both = std::hypot(errors[0], errors[3]);
    std::printf("stress %.4f + %.4f, %.4f expected\n", stress[0], stress[3], weight);
    EXPECT_NEAR(stress[0] + stress[3], weight, sigmas * both);
    EXPECT_NEAR(stress[0], 0.5 * weight, sigmas * errors[0]);
    EXPECT_LT(sigmas * both, 0.4 * weight);
    const double pressure = system.fluid.density * system.fluid.temperature;
    EXPECT_NEAR(stress[2], -pressure, sigmas * errors[2]);
    EXPECT_NEAR(stress[5], pressure, sigmas * errors[5]);
    // Two thirds of 0.2 over 64 cells, lowered by nothing but 2.5 % of the formula for the viscosity; and
    // slip.
    const std::vector<double> flow = numbers(results, "flow_rate");
    std::vector<double> flow_errors = numbers(results, "flow_rate_error");
    // Of 8000 samples there are 62 blocks of 128 steps, 1.7 times the memory of the flow, L^2 / (pi^2 nu h) =
    // 75 steps. So their means hold 1 - (1 - exp(-1.7)) / 1.7 = 0.52 of the variance that independent blocks
    // would have. (The plates' stress forgets within a few steps.)
    for (double& error : flow_errors) error /= std::sqrt(0.52);
    EXPECT_NEAR(flow[0], 64.0 * 0.2 * 2.0 / 3.0, sigmas * flow_errors[0] + 0.06 * 8.5);
    EXPECT_NEAR(flow[1], 0.0, sigmas * flow_errors[1]);
    EXPECT_NEAR(flow[2], 0.0, sigmas * flow_errors[2]);
}

// The force on the fluid between a layer and the middle of the slit is what flows through the layer: P_xz =
// rho g (z - L/2).
TEST_P(StressOfRuns, of_a_flow_grows_in_proportion_to_the_distance_from_the_middle) {
    System system = channel({8, 8, 8}, 2, 0, 0.87, 0.2);
    SolverOptions options;
    options.threads = 1;
    options.bins = {1, 1, 8};
    options.pressure = PressureFields::sampled;
    const auto solver = make(system, options);
    solver->run(1500);
    std::vector<Moments> shear(8), normal(8);
    constexpr int blocks = 20;
    for (int block = 0; block < blocks; ++block) {
        for (int i = 0; i < 100; ++i) {
            solver->run(4);
            solver->measure<FieldsRule>().sample();
        }
        const FieldBlock fields = solver->measure<FieldsRule>().take();
        for (std::size_t z = 0; z < 8; ++z) {
            const PressureSums& bin = fields.pressure[z];
            const double volume = 64.0 * static_cast<double>(fields.samples);
            const double convected = bin.momentum[0] * bin.momentum[2] / (system.fluid.mass * bin.mass);
            shear[z].add((bin.kinetic[4] + bin.collisional[2] - convected) / volume);
            normal[z].add((bin.kinetic[2] + bin.collisional[8]) / volume);
        }
    }
    const double force_density = system.fluid.density * system.force[0];
    double largest_error = 0.0;
    for (std::size_t z = 0; z < 8; ++z) {
        const double expected = force_density * (static_cast<double>(z) + 0.5 - 4.0);
        std::printf("P_xz(%.1f) = %.4f(%.0f), %.4f expected\n", static_cast<double>(z) + 0.5, shear[z].mean(),
                    1e4 * shear[z].standard_error(), expected);
        // Next to the walls the flux of the cells that they cut is counted up to half a cell off.
        const bool is_at_wall = z == 0 || z == 7;
        EXPECT_NEAR(shear[z].mean(), expected,
                    sigmas * shear[z].standard_error() + (is_at_wall ? 0.5 * force_density : 0.0));
        EXPECT_NEAR(normal[z].mean(), 10.0, sigmas * normal[z].standard_error() + (is_at_wall ? 0.1 : 0.0));
        largest_error = std::max(largest_error, shear[z].standard_error());
    }
    EXPECT_LT(sigmas * largest_error, force_density) << "sharp enough to see a layer's shift";
}

MPCFLOW_ON_EVERY_SOLVER(StressOfRuns);

}  // namespace
}  // namespace mpcflow::test
