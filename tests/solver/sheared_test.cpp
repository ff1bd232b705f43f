/// Runs in a box with sheared faces: what they conserve, what they heat, and what they leave as it is.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "physics/boundary/surface_map.hpp"
#include "physics/collision/laws.hpp"
#include "physics/snapshot.hpp"
#include "physics/theory.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

System sheared(std::array<int, 3> size, int normal, int along, double rate) {
    System system = fluid_at_rest(size, 10.0, 0.1, 3);
    system.boundaries.faces[normal].shear = {rate, along};
    return system;
}

class Sheared : public SolverTest {
protected:
    [[nodiscard]] ParticleSnapshot after(const System& system, std::int64_t steps) const {
        const auto solver = make(system, {});
        solver->run(steps);
        ParticleSnapshot snapshot;
        solver->copy_particles(snapshot);
        return snapshot;
    }
};

TEST_P(Sheared, at_the_rate_0_is_a_periodic_box) {
    System system = sheared({7, 6, 5}, 1, 0, 0.0);
    for (const LawInfo& law : all_laws) {
        law.choose(system.collision);
        system.thermostat.kind =
            law.energy == Energy::thermal ? ThermostatKind::none : ThermostatKind::maxwell_boltzmann;
        System periodic = system;
        periodic.boundaries.faces[1].shear = {};
        const ParticleSnapshot found = after(system, 30), expected = after(periodic, 30);
        EXPECT_EQ(bits_of(found.position), bits_of(expected.position)) << law.name;
        EXPECT_EQ(bits_of(found.velocity), bits_of(expected.velocity)) << law.name;
    }
}

/// Relative to the flow; in the box's frame it is not: who crosses changes his.
TEST_P(Sheared, keep_their_momentum) {
    for (const LawInfo& law : all_laws) {
        for (int normal = 0; normal < 3; ++normal) {
            System system = sheared({8, 7, 6}, normal, (normal + 1) % 3, 0.2);
            law.choose(system.collision);
            if (law.energy == Energy::thermal) system.thermostat.kind = ThermostatKind::none;
            const auto solver = make(system, {});
            solver->run(200);
            const Totals totals = solver->measure<TotalsRule>();
            // A rounding to the grid of velocities, 2^-39, of each of 3360 particles in 200 steps, at random.
            for (const double p : totals.momentum) EXPECT_LT(std::abs(p), 1e-8) << law.name;
            EXPECT_NEAR(totals.temperature(), 1.0, 0.07) << law.name;
        }
    }
}

TEST_P(Sheared, go_on_from_a_snapshot_with_the_same_bits) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const System system = sheared({8, 7, 6}, 2, 1, -0.15);
        SolverOptions options{precision};
        const auto whole = make(system, options);
        whole->run(37);
        ParticleSnapshot snapshot;
        whole->copy_particles(snapshot);
        whole->run(21);
        const auto again = make(system, options);
        again->restore(snapshot, whole->fast_steps());
        again->run(20);
        EXPECT_NE(again->state_hash(), whole->state_hash());
        again->run(1);
        EXPECT_EQ(again->state_hash(), whole->state_hash());
    }
}

/// In mid-flight over the sheared face and in cells that straddle it: with one layer of cells nearly all are.
TEST_P(Sheared, have_the_pressure_of_an_ideal_gas_and_an_even_density_however_flat) {
    for (const int layers : {1, 2}) {
        const System system = sheared({16, layers, 16}, 1, 0, 0.1);
        SolverOptions options;
        options.bins = {16, 1, 1};
        options.pressure = PressureFields::sampled;
        const auto solver = make(system, options);
        Moments pressure[3];
        for (int sample = 0; sample < 200; ++sample) {
            solver->run(2);
            const MomentumFlux flux = solver->measure<FluxRule>();
            for (int axis = 0; axis < 3; ++axis)
                pressure[axis].add((flux.kinetic[4 * axis] + flux.collisional[4 * axis]) /
                                   static_cast<double>(system.box.volume()));
            solver->measure<FieldsRule>().sample();
        }
        for (const Moments& p : pressure) EXPECT_NEAR(p.mean(), 10.0, sigmas * p.standard_error());
        const FieldBlock block = solver->measure<FieldsRule>().take();
        double in_flight = 0.0, collisional = 0.0;
        for (const PressureSums& bin : block.pressure) {
            in_flight += bin.mass;
            collisional += bin.collisional[1];
        }
        EXPECT_EQ(in_flight, 200.0 * static_cast<double>(system.particle_count()));
        EXPECT_NE(collisional, 0.0);
    }
}

/// d(kT)/dt = (2/3) m nu rate^2 where nothing takes the heat.
TEST_P(Sheared, are_heated_by_their_viscosity) {
    System system = sheared({16, 16, 16}, 1, 0, 0.2);
    system.thermostat.kind = ThermostatKind::none;
    SolverOptions options;
    const auto solver = make(system, options);
    const double before = solver->measure<TotalsRule>().temperature();
    solver->run(100);
    const double heat = solver->measure<TotalsRule>().temperature() - before;
    // Of the mean stress over a time t and a volume V the variance is 2 eta kT / (V t), 0.021^2, of a stress
    // of 1.74: 1.2 %. The viscosity of h = 0.1, M = 10 is that of theory within 1 %; its kinetic part, 6 % of
    // it, grows as the temperature does, 12 % over half of the time on average.
    const double expected = 10.0 * theory::sheared_flow(system)->heating(system);
    EXPECT_NEAR(heat, expected, (sigmas * 0.012 + 0.01 + 0.06 * 0.12) * expected);
}

/// Sheared across y, with a sphere in the middle that is as far from the faces as it must be.
System sheared_with_a_sphere(double rate, double radius) {
    System system = sheared({12, 12, 12}, 1, 0, rate);
    return with_surfaces(system, {sphere({6.0, 6.0, 6.0}, radius, FluidSide::outside)});
}

TEST_P(Sheared, at_the_rate_0_a_box_with_a_sphere_is_a_periodic_one) {
    System system = sheared_with_a_sphere(0.0, 2.4);
    System periodic = system;
    periodic.boundaries.faces[1].shear = {};
    const ParticleSnapshot found = after(system, 30), expected = after(periodic, 30);
    EXPECT_EQ(bits_of(found.position), bits_of(expected.position));
    EXPECT_EQ(bits_of(found.velocity), bits_of(expected.velocity));
}

void expect_no_particle_in_the_sphere(SolverKind kind, double density, int steps, int parts) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        System system = sheared_with_a_sphere(0.4, 2.4);
        system.fluid.density = density;
        system.map_surfaces();
        const SurfaceView view = view_of_surfaces(system);
        SolverOptions options{precision};
        options.threads = 1;
        const auto solver = make_solver(kind, system, options);
        for (int part = 0; part < parts; ++part) {
            solver->run(steps / parts);
            ParticleSnapshot snapshot;
            solver->copy_particles(snapshot);
            ASSERT_EQ(particles_in_solid(snapshot, view), 0) << "by step " << solver->current_step();
        }
    }
}

TEST_P(Sheared, lose_no_particle_in_a_sphere) { expect_no_particle_in_the_sphere(GetParam(), 10.0, 500, 5); }
TEST_P(Sheared, lose_no_particle_in_a_sphere_in_a_hundred_thousand_steps) {
    expect_no_particle_in_the_sphere(GetParam(), 1.0, 100000, 20);
}

/// Across the flow, where faces that are sheared give nothing.
TEST_P(Sheared, give_a_sphere_what_they_lose) {
    const System system = sheared_with_a_sphere(0.2, 2.4);
    const auto solver = make(system, {});
    solver->run(5);
    for (int step = 0; step < 5; ++step) {
        const Totals before = solver->measure<TotalsRule>();
        const MomentumFlux flux = solver->measure<FluxRule>();
        solver->run(1);
        const Totals after = solver->measure<TotalsRule>();
        for (const std::size_t a : {1, 2})
            // Sums over thousands of particles, each rounded to 1e-11 or so.
            EXPECT_NEAR(flux.to_surfaces[0].momentum[a], before.momentum[a] - after.momentum[a], 1e-5);
    }
}

/// A sphere at rest takes the torque 4 pi eta R^3 rate about the axis across flow and gradient, of a fluid
/// that conserves angular momentum. Of the mean over a time t the variance is 2 kT 8 pi eta R^3 / t: 4.6 %.
/// Its images, of 3.8 % of the box, the inertia of the fluid, R^2 rate / nu = 1.4, and the cells, which are
/// not small beside it, are allowed a tenth.
TEST_P(Sheared, turn_a_sphere) {
    constexpr double rate = 0.1, radius = 2.4;
    constexpr int steps = 2500;
    System system = sheared_with_a_sphere(rate, radius);
    system.collision.conserve_angular_momentum = true;
    const auto solver = make(system, {});
    solver->run(200);
    double torque = 0.0;
    for (int step = 0; step < steps; ++step) {
        torque += solver->measure<FluxRule>().to_surfaces[0].angular_momentum[2] /
                  (steps * system.collision.time_step);
        solver->run(1);
    }
    // As measured at h = 0.1, M = 10 (docs/validation.md); theory has 0.426.
    constexpr double viscosity = 0.432;
    const double expected =
        -4.0 * std::numbers::pi * system.fluid.density * viscosity * radius * radius * radius * rate;
    EXPECT_NEAR(torque / expected, 1.0, sigmas * 0.046 + 0.1);
}

MPCFLOW_ON_EVERY_SOLVER(Sheared);

}  // namespace
}  // namespace mpcflow::test
