/// Flow and heat between two plates that move and have temperatures of their own.
///
/// The statistical error: between plates of area A the mean over a time T of the velocity in the middle has
/// the variance (kT / rho A nu T) L / 2 (tests/flows/channel_test.cpp): at M = 10, A = 8^2, L = 12 and T =
/// 4000 it is 0.0016^2.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "physics/theory.hpp"
#include "tests/flows/channel.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

constexpr int width = 12;
constexpr double area = 64.0;
constexpr double measured_viscosity = 0.868;  // measured by Kolmogorov flow (docs/validation.md)

Measured measured(const Moments& moments) { return {moments.mean(), moments.standard_error()}; }

/// What the two plates take a time and an area, and what is in the layers between them, with the errors of 20
/// blocks.
struct Plates {
    std::array<Measured, 2> shear, heat;  ///< lower, upper
    Measured shear_sum, heat_sum;
    Measured work;  ///< of the plates on the fluid, a time and an area
    std::vector<Measured> velocity, temperature, density;
};

System between_plates(const Face& lower, const Face& upper, ThermostatKind thermostat) {
    System system;
    system.seed = 11;
    system.box.size = {8, 8, width};
    system.thermostat.kind = thermostat;
    system.boundaries.faces[2] = {lower, upper};
    return system;
}

class PlatesFlow : public SolverTest {
protected:
    /// `chance` is about five standard errors of what is measured, as parts of the differences.
    void expect_couette(const Sampling& sampling, double chance) const;
    void expect_heat(const Sampling& sampling, double chance) const;

    Plates measure(const System& system, const Sampling& sampling) const {
        SolverOptions options;
        options.threads = 1;
        options.bins = channel_bins(system);
        const auto solver = make(system, options);
        solver->run(sampling.equilibration);
        const double h = system.collision.time_step;
        std::array<Moments, 2> shear, heat;
        Moments shear_sum, heat_sum, work;
        std::vector<Moments> velocity(width), temperature(width), density(width);
        const std::int64_t samples = sampling.steps / sampling.blocks;
        for (int block = 0; block < sampling.blocks; ++block) {
            std::array<double, 2> force{}, warmth{};
            double power = 0.0;
            for (std::int64_t sample = 0; sample < samples; ++sample) {
                // In every step: what a plate takes in one it largely gives back in the next, and only the
                // sum is sharp.
                const MomentumFlux flux = solver->measure<FluxRule>();
                solver->run(1);
                if (sample % sampling.every == 0) solver->measure<FieldsRule>().sample();
                for (std::size_t side = 0; side < 2; ++side) {
                    const auto& taken = flux.to_walls[4 + side];
                    const auto& v = system.boundaries.faces[2][static_cast<int>(side)].velocity;
                    const double of_motion = taken[0] * v[0] + taken[1] * v[1];
                    force[side] += taken[0];
                    warmth[side] += flux.energy_to_walls[4 + side] - of_motion;
                    power -= of_motion;
                }
            }
            const double all = static_cast<double>(samples) * area * h;
            for (std::size_t side = 0; side < 2; ++side) {
                shear[side].add(force[side] / all);
                heat[side].add(warmth[side] / all);
            }
            shear_sum.add((force[0] + force[1]) / all);
            heat_sum.add((warmth[0] + warmth[1]) / all);
            work.add(power / all);
            const FieldBlock fields = solver->measure<FieldsRule>().take();
            for (std::size_t b = 0; b < width; ++b) {
                const FieldSums& bin = fields.bins[b];
                velocity[b].add(bin.momentum[0] / (system.fluid.mass * bin.particles));
                temperature[b].add(2.0 * bin.relative_energy / bin.relative_freedoms);
                density[b].add(bin.particles / (static_cast<double>(fields.samples) * area));
            }
        }
        Plates plates{{measured(shear[0]), measured(shear[1])},
                      {measured(heat[0]), measured(heat[1])},
                      measured(shear_sum),
                      measured(heat_sum),
                      measured(work),
                      {},
                      {},
                      {}};
        for (std::size_t b = 0; b < width; ++b) {
            plates.velocity.push_back(measured(velocity[b]));
            plates.temperature.push_back(measured(temperature[b]));
            plates.density.push_back(measured(density[b]));
            std::printf(
                "%4.1f: u %.4f(%.0f), kT %.4f(%.0f), density %.3f(%.0f)\n", static_cast<double>(b) + 0.5,
                plates.velocity[b].value, 1e4 * plates.velocity[b].error, plates.temperature[b].value,
                1e4 * plates.temperature[b].error, plates.density[b].value, 1e3 * plates.density[b].error);
        }
        std::printf(
            "shear on the plates %.4f(%.0f) %.4f(%.0f), heat %.4f(%.0f) %.4f(%.0f), work %.4f(%.0f)\n",
            plates.shear[0].value, 1e4 * plates.shear[0].error, plates.shear[1].value,
            1e4 * plates.shear[1].error, plates.heat[0].value, 1e4 * plates.heat[0].error,
            plates.heat[1].value, 1e4 * plates.heat[1].error, plates.work.value, 1e4 * plates.work.error);
        return plates;
    }

    /// A line a + b z through the centres of the layers, without those next to the plates.
    static std::array<double, 2> line_through(const std::vector<Measured>& layers) {
        double n = 0.0, z1 = 0.0, z2 = 0.0, u1 = 0.0, zu = 0.0;
        for (std::size_t b = 1; b + 1 < layers.size(); ++b) {
            const double z = static_cast<double>(b) + 0.5;
            n += 1.0, z1 += z, z2 += z * z, u1 += layers[b].value, zu += z * layers[b].value;
        }
        const double slope = (n * zu - z1 * u1) / (n * z2 - z1 * z1);
        return {(u1 - slope * z1) / n, slope};
    }
};

void PlatesFlow::expect_couette(const Sampling& sampling, double chance) const {
    constexpr double speed = 0.4;
    const System system =
        between_plates(Face{FaceKind::no_slip, {-speed, 0, 0}}, Face{FaceKind::no_slip, {speed, 0, 0}},
                       ThermostatKind::maxwell_boltzmann);
    const Plates plates = measure(system, sampling);
    const auto [at_lower, rate] = line_through(plates.velocity);
    for (std::size_t b = 0; b < width; ++b) {
        const double z = static_cast<double>(b) + 0.5;
        EXPECT_NEAR(plates.velocity[b].value, at_lower + rate * z, chance * 2.0 * speed) << b;
    }
    // At most 0.1 cells of slip at each plate: L + 0.2 in place of L, 1.7 %; and what chance does.
    EXPECT_NEAR(rate, theory::plane_flow(system)->shear_rate(0.0), (0.017 + chance) * 2.0 * speed / width);
    // The stress is eta times the rate, within its error and that of the slope; and what one plate gives
    // the other takes.
    const double stress = system.fluid.density * measured_viscosity * rate;
    EXPECT_NEAR(plates.shear[0].value, stress, sigmas * plates.shear[0].error + (0.005 + chance) * stress);
    EXPECT_NEAR(plates.shear[1].value, -stress, sigmas * plates.shear[1].error + (0.005 + chance) * stress);
    EXPECT_NEAR(plates.shear_sum.value, 0.0, sigmas * plates.shear_sum.error);
    EXPECT_LT(sigmas * plates.shear[0].error, 10.0 * chance * stress) << "sharp enough";
    EXPECT_NEAR(plates.work.value, 2.0 * speed * stress,
                sigmas * plates.work.error + (0.005 + chance) * 2.0 * speed * stress);
    // The thermostat takes the heat where it arises; what is left for the plates is that of the cells that
    // they cut.
    EXPECT_NEAR(plates.temperature[width / 2].value, 1.0, 0.005);
    EXPECT_GT(plates.heat_sum.value, 0.0);
    EXPECT_LT(plates.heat_sum.value, 0.5 * plates.work.value);
}

// Of the difference between the plates 1 % is 5 standard errors after 40,000 steps, 2 % after 10,000.
TEST_P(PlatesFlow, of_moving_plates_is_couettes) { expect_couette({2000, 10000, 4}, 0.02); }
TEST_P(PlatesFlow, of_moving_plates_is_couettes_to_one_percent) { expect_couette({2000, 40000, 4}, 0.01); }

TEST_P(PlatesFlow, turns_work_to_heat_that_the_plates_take) {
    const System system =
        between_plates(FaceKind::no_slip, Face{FaceKind::no_slip, {0.6, 0, 0}}, ThermostatKind::none);
    const Plates plates = measure(system, {6000, 20000, 4});
    EXPECT_GT(plates.temperature[width / 2].value, 1.02) << "the fluid is warmer than the plates";
    EXPECT_GT(plates.work.value, 10.0 * plates.work.error) << "sharp enough";
    const double error = std::hypot(plates.work.error, plates.heat_sum.error);
    EXPECT_NEAR(plates.heat_sum.value, plates.work.value, sigmas * error);
    EXPECT_LT(sigmas * error, 0.2 * plates.work.value) << "sharp enough";
    // By symmetry half of it goes to each.
    const double halves = std::hypot(plates.heat[0].error, plates.heat[1].error);
    EXPECT_NEAR(plates.heat[0].value, plates.heat[1].value, sigmas * halves);
    EXPECT_NEAR(plates.shear_sum.value, 0.0, sigmas * plates.shear_sum.error);
}

void PlatesFlow::expect_heat(const Sampling& sampling, double chance) const {
    constexpr double cold = 0.8, warm = 1.2;
    const System system = between_plates(Face{FaceKind::no_slip, {}, cold}, Face{FaceKind::no_slip, {}, warm},
                                         ThermostatKind::none);
    const Plates plates = measure(system, sampling);
    const auto [at_lower, slope] = line_through(plates.temperature);
    for (std::size_t b = 1; b + 1 < width; ++b) {
        const double z = static_cast<double>(b) + 0.5;
        // A conductivity that follows the density bends the line by an eighth of its change, 1 % of the
        // difference.
        EXPECT_NEAR(plates.temperature[b].value, at_lower + slope * z,
                    sigmas * plates.temperature[b].error + 0.01 * (warm - cold))
            << b;
        // At one pressure everywhere.
        const double pressure = plates.temperature[b].value * plates.density[b].value;
        EXPECT_NEAR(pressure, 9.9, 10.0 * chance) << b;
    }
    // Symmetric about the middle, and with a jump at each plate.
    EXPECT_NEAR(at_lower + 0.5 * width * slope, 0.5 * (cold + warm), chance);
    EXPECT_LT(slope * width, warm - cold);
    EXPECT_GT(slope * width, 0.5 * (warm - cold));
    // What the warm plate gives the cold one takes.
    EXPECT_GT(plates.heat[0].value, sigmas * plates.heat[0].error);
    EXPECT_NEAR(plates.heat_sum.value, 0.0, sigmas * plates.heat_sum.error);
    EXPECT_NEAR(plates.shear[0].value, 0.0, sigmas * plates.shear[0].error);
}

TEST_P(PlatesFlow, heat_goes_from_the_warm_plate_to_the_cold_one) { expect_heat({3000, 10000, 4}, 0.026); }
TEST_P(PlatesFlow, heat_goes_from_plate_to_plate_over_a_long_time) { expect_heat({6000, 30000, 4}, 0.015); }

// After 10 of the times L^2 / (pi^2 nu), 35 with the least viscosity, the fluid is at rest in the frame of
// the plates.
TEST_P(PlatesFlow, of_plates_that_move_alike_is_rest_in_their_frame) {
    for (const bool angular : {false, true}) {
        const Face plate{FaceKind::no_slip, {0.5, 0, 0}};
        System system = between_plates(plate, plate, ThermostatKind::maxwell_boltzmann);
        system.collision.conserve_angular_momentum = angular;
        const Plates plates = measure(system, {3500, 4000, 4});
        for (std::size_t b = 0; b < width; ++b) {
            EXPECT_NEAR(plates.velocity[b].value, 0.5, 6.2 * plates.velocity[b].error)
                << b;  // Student's t of 20 blocks
            EXPECT_NEAR(plates.temperature[b].value, 1.0, 0.005 + 6.2 * plates.temperature[b].error) << b;
        }
        EXPECT_NEAR(plates.shear_sum.value, 0.0, 6.2 * plates.shear_sum.error);
    }
}

// Under a force: all fall alike. What the faces take along themselves is nothing at all.
TEST_P(PlatesFlow, between_faces_of_slip_is_a_plug) {
    System system = between_plates(FaceKind::slip, FaceKind::slip, ThermostatKind::maxwell_boltzmann);
    system.force[0] = 0.004;
    const Plates plates = measure(system, {0, 2000, 4});
    for (std::size_t side = 0; side < 2; ++side) {
        EXPECT_EQ(plates.shear[side].value, 0.0);
        EXPECT_EQ(plates.heat[side].value, 0.0);
    }
    // At the mean time of the samples, which come after the first step of four.
    const double velocity = 0.004 * 0.1 * (0.5 * 2000.0 - 1.0);
    double mean = 0.0;
    for (const Measured& layer : plates.velocity) mean += layer.value / width;
    EXPECT_NEAR(mean, velocity, 0.003);  // layers have different numbers of particles by chance
    // A wave between the faces is there by chance, (kT / rho A nu T)^(1/2) L / pi of it or less.
    for (std::size_t b = 0; b < width; ++b) EXPECT_NEAR(plates.velocity[b].value, velocity, 0.03) << b;
}

TEST_P(PlatesFlow, between_faces_of_slip_keeps_its_energy) {
    const System system = between_plates(FaceKind::slip, FaceKind::slip, ThermostatKind::none);
    const auto solver = make(system, on_one_thread());
    const Totals before = solver->measure<TotalsRule>();
    solver->run(1000);
    const Totals after = solver->measure<TotalsRule>();
    // Collisions round: 1e-11 of a velocity or less, 7680 x 1000 times at random.
    EXPECT_NEAR(after.kinetic_energy, before.kinetic_energy, 1e-9 * before.kinetic_energy);
    for (const std::size_t axis : {0U, 1U}) EXPECT_NEAR(after.momentum[axis], before.momentum[axis], 1e-6);
}

// u = g (L^2 - (L - z)^2) / 2 nu: the half of a Poiseuille flow of twice the width.
TEST_P(PlatesFlow, between_a_sticky_plate_and_one_of_slip_is_half_of_poiseuilles) {
    System system = between_plates(FaceKind::no_slip, FaceKind::slip, ThermostatKind::maxwell_boltzmann);
    system.force[0] = 0.006;
    const Plates plates = measure(system, {3000, 30000, 4});
    auto flow = theory::plane_flow(system);
    ASSERT_TRUE(flow);
    flow->viscosity = measured_viscosity;
    // Slip of up to 0.1 cells at the sticky plate is 2 x 0.1 / 12 of the maximum; the mean of the
    // fluctuation's slowest mode has the error (kT / rho A nu T)^(1/2) (2 L)^(1/2) = 0.0038 of the 0.5 at T =
    // 3000.
    for (std::size_t b = 0; b < width; ++b) {
        const double z = static_cast<double>(b) + 0.5;
        EXPECT_NEAR(plates.velocity[b].value, flow->velocity(z), 0.02 * flow->maximum() + sigmas * 0.0038)
            << b;
    }
    EXPECT_EQ(plates.shear[1].value, 0.0);
    EXPECT_EQ(plates.heat[1].value, 0.0);
    // The sticky plate bears all of the force.
    EXPECT_NEAR(plates.shear[0].value, system.fluid.density * system.force[0] * width,
                sigmas * plates.shear[0].error);
    EXPECT_LT(sigmas * plates.shear[0].error, 0.1 * plates.shear[0].value) << "sharp enough";
}

MPCFLOW_ON_EVERY_SOLVER(PlatesFlow);

}  // namespace
}  // namespace mpcflow::test
