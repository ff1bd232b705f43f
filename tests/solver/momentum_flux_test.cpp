/// The flux of momentum in the step to come: against the step itself, done afterwards, the momentum that
/// walls take, the sum over field bins, and the pressure of an ideal gas.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "physics/cell_grid.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class MomentumFluxOf : public SolverTest {
protected:
    static constexpr std::array<int, 3> size{7, 6, 5};

    /// With and without angular momentum, thermostat and walls on the axes from `first_wall` on.
    static std::vector<System> systems(int first_wall) {
        std::vector<System> all;
        for (int variant = 0; variant < 4; ++variant) {
            System system;
            system.seed = 5;
            system.box.size = size;
            system.fluid = {6.0, 0.5, 2.0};
            system.collision.time_step = 0.2;
            system.collision.conserve_angular_momentum = (variant & 1) != 0;
            if ((variant & 2) != 0) system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
            for (int axis = first_wall; axis < 3; ++axis)
                system.boundaries.faces[axis] = {FaceKind::no_slip, FaceKind::no_slip};
            system.force = {0.05, -0.03, 0.02};
            all.push_back(system);
        }
        return all;
    }
    static SolverOptions with_bins(std::array<int, 3> bins) {
        SolverOptions options;
        options.bins = bins;
        options.pressure = PressureFields::sampled;
        return options;
    }
};

TEST_P(MomentumFluxOf, a_step_is_what_the_step_then_does) {
    for (const System& system : systems(3)) {
        const auto solver = make(system);
        solver->run(3);
        const MomentumFlux flux = solver->measure<FluxRule>();
        ParticleSnapshot before, after;
        solver->copy_particles(before);
        solver->run(1);
        solver->copy_particles(after);
        const double h = system.collision.time_step;
        const double mass = system.fluid.mass;
        const CellGrid<double> grid(system, 3);
        std::array<double, 9> kinetic{}, collisional{};
        std::array<double, 3> momentum{};
        for (std::size_t i = 0; i < before.id.size(); ++i) {
            std::array<double, 3> flight{}, change{};
            const double* const x = &before.position[3 * i];
            const Vec3<double> offset = grid.locate({x[0], x[1], x[2]}).offset;
            for (std::size_t a = 0; a < 3; ++a) {
                const std::size_t at = 3 * i + a;
                const double way = after.position[at] - before.position[at] +
                                   (after.image[at] - before.image[at]) * system.box.size[a];
                flight[a] = way / h;
                change[a] = after.velocity[at] - before.velocity[at] - h * system.force[a] / mass;
                momentum[a] += mass * flight[a];
            }
            for (std::size_t a = 0; a < 3; ++a) {
                for (std::size_t b = 0; b < 3; ++b) {
                    kinetic[3 * a + b] += mass * flight[a] * flight[b];
                    collisional[3 * a + b] += mass / h * change[a] * offset[static_cast<int>(b)];
                }
            }
        }
        // What each particle adds rounds to half a grid: the finest on which 4 x 1260 particles of twice 32
        // thermal speeds add up, 2^-36; for products of two velocities 2^-31, of velocities and places 2^-35.
        const double particles = mass * static_cast<double>(before.id.size());
        for (std::size_t i = 0; i < 9; ++i) {
            EXPECT_NEAR(flux.kinetic[i], kinetic[i], particles * 0x1p-31) << i;
            EXPECT_NEAR(flux.collisional[i], collisional[i], particles / h * 0x1p-35) << i;
        }
        for (std::size_t a = 0; a < 3; ++a)
            EXPECT_NEAR(flux.momentum[a], momentum[a], particles * 0x1p-36) << a;
        for (const std::array<double, 3>& face : flux.to_walls)
            for (const double component : face) EXPECT_EQ(component, 0.0);
    }
}

TEST_P(MomentumFluxOf, walls_take_what_the_fluid_loses) {
    for (const int first_wall : {2, 1, 0}) {
        for (System system : systems(first_wall)) {
            for (const double time_step :
                 {0.2, 20.0}) {  // 20: particles go to and fro several times in a step
                system.collision.time_step = time_step;
                system.force = {1e-3, -2e-3, 1e-3};
                for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
                    SolverOptions options;
                    options.precision = precision;
                    const auto solver = make(system, options);
                    const auto particles = static_cast<double>(system.particle_count());
                    for (int step = 0; step < 5; ++step) {
                        const Totals before = solver->measure<TotalsRule>();
                        const MomentumFlux flux = solver->measure<FluxRule>();
                        solver->run(1);
                        const Totals after = solver->measure<TotalsRule>();
                        double size_of_momenta = 0.0;
                        for (int a = 0; a < 3; ++a) {
                            double taken = 0.0;
                            for (int face = 0; face < 6; ++face) {
                                taken += flux.to_walls[face][a];
                                size_of_momenta += std::abs(flux.to_walls[face][a]);
                                if (face / 2 < first_wall) EXPECT_EQ(flux.to_walls[face][a], 0.0);
                            }
                            const double given = particles * system.force[a] * time_step - taken;
                            // Velocities of order 1 round to 1e-16 or 6e-8, in three places each; what walls
                            // take, for each face to the grid on which 4 x 64 x 1260 particles add up, 2^-29.
                            const double rounding = precision == Precision::mixed ? 3e-7 : 0.0;
                            EXPECT_NEAR(after.momentum[a] - before.momentum[a], given,
                                        2.0 * particles * (rounding + 0x1p-30));
                        }
                        EXPECT_GT(size_of_momenta, 10.0);
                    }
                }
            }
        }
    }
}

/// Walls that move, have temperatures of their own, or follow that of the fluid as it rises, in a fluid whose
/// energy only they change.
std::vector<System> systems_of_moving_walls() {
    System system;
    system.seed = 6;
    system.box.size = {7, 6, 5};
    system.fluid = {6.0, 0.5, 2.0};
    system.boundaries.faces[1] = {Face{FaceKind::no_slip, {0.2, 0, 0.1}}, FaceKind::no_slip};
    system.boundaries.faces[2] = {Face{FaceKind::no_slip, {-0.1, 0.3, 0}, 0.8},
                                  Face{FaceKind::no_slip, {0.1, 0, 0}, 0.3}};
    System plates = system;
    plates.boundaries.faces[1] = {};
    System slippery = system;
    slippery.boundaries.faces[1].upper = FaceKind::slip;
    slippery.boundaries.faces[2].lower = FaceKind::slip;
    System heated = system;
    heated.boundaries.faces[2].upper = FaceKind::thermal;
    TemperatureSchedule rise;
    rise.add({0, system.fluid.temperature});
    rise.add({10, 8.0});
    heated.fluid.follow(rise);
    return {system, plates, slippery, heated};
}

TEST_P(MomentumFluxOf, moving_walls_take_the_momentum_and_the_energy_that_the_fluid_loses) {
    for (System system : systems_of_moving_walls()) {
        const bool has_edges = !system.boundaries.faces[1].is_periodic();
        for (const double time_step : {0.2, has_edges ? 1.0 : 4.0}) {  // 4: particles go to and fro in a step
            system.collision.time_step = time_step;
            for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
                SolverOptions options;
                options.precision = precision;
                const auto solver = make(system, options);
                const auto particles = static_cast<double>(system.particle_count());
                double energy_taken = 0.0;
                for (int step = 0; step < 10; ++step) {
                    const Totals before = solver->measure<TotalsRule>();
                    const MomentumFlux flux = solver->measure<FluxRule>();
                    solver->run(1);
                    const Totals after = solver->measure<TotalsRule>();
                    // Velocities of order 1 round to 1e-16 or 6e-8 in three places; what walls take, to the
                    // grid on which 2 x 128 x 1260 particles add up, of velocities 2^-29, of their squares
                    // 2^-24.
                    const double rounding = precision == Precision::mixed ? 6e-7 : 0.0;
                    for (std::size_t a = 0; a < 3; ++a) {
                        double taken = 0.0;
                        for (const auto& face : flux.to_walls) taken += face[a];
                        EXPECT_NEAR(after.momentum[a] - before.momentum[a], -taken,
                                    2.0 * particles * (rounding + 0x1p-30));
                    }
                    double taken = 0.0;
                    for (const double energy : flux.energy_to_walls) taken += energy;
                    EXPECT_NEAR(after.kinetic_energy - before.kinetic_energy, -taken,
                                2.0 * particles * (rounding + 0x1p-25));
                    energy_taken += std::abs(taken);
                    EXPECT_EQ(flux.energy_to_walls[0], 0.0);
                }
                EXPECT_GT(energy_taken, 10.0);
            }
        }
    }
}

// Of the normal momentum the lower wall gets less than nothing and the upper one more.
TEST_P(MomentumFluxOf, walls_feel_the_pressure_of_the_fluid) {
    System system = systems(2).front();
    system.force = {};
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    const auto solver = make(system);
    solver->run(50);
    Moments lower, upper, along;
    constexpr int samples = 2000;
    for (int sample = 0; sample < samples; ++sample) {
        solver->run(1);
        const MomentumFlux flux = solver->measure<FluxRule>();
        const double area_and_time = 42.0 * system.collision.time_step;
        lower.add(flux.to_walls[4][2] / area_and_time);
        upper.add(flux.to_walls[5][2] / area_and_time);
        along.add(flux.to_walls[5][0] / area_and_time);
    }
    // Steps follow each other with hits of fresh particles; three times the error of independent ones is
    // ample.
    const double pressure = system.fluid.density * system.fluid.temperature;
    EXPECT_NEAR(lower.mean(), -pressure, 3.0 * sigmas * lower.standard_error());
    EXPECT_NEAR(upper.mean(), pressure, 3.0 * sigmas * upper.standard_error());
    EXPECT_NEAR(along.mean(), 0.0, 3.0 * sigmas * along.standard_error());
    EXPECT_LT(3.0 * sigmas * upper.standard_error(), 0.3 * pressure)
        << "the test is sharp enough to see a factor";
}

TEST_P(MomentumFluxOf, bins_add_up_to_the_whole) {
    for (const int first_wall : {3, 2}) {
        for (const System& system : systems(first_wall)) {
            // The last has more bins than a block's shared memory on the device.
            for (const std::array<int, 3>& bins :
                 {std::array{1, 1, 1}, std::array{1, 3, 5}, std::array{7, 6, 5}}) {
                const auto solver = make(system, with_bins(bins));
                solver->run(2);
                MomentumFlux flux;
                for (int sample = 0; sample < 2; ++sample) {
                    const MomentumFlux one = solver->measure<FluxRule>();
                    for (std::size_t i = 0; i < 9; ++i) {
                        flux.kinetic[i] += one.kinetic[i];
                        flux.collisional[i] += one.collisional[i];
                    }
                    for (std::size_t a = 0; a < 3; ++a) flux.momentum[a] += one.momentum[a];
                    solver->measure<FieldsRule>().sample();
                    solver->run(1);
                }
                const FieldBlock block = solver->measure<FieldsRule>().take();
                ASSERT_EQ(block.pressure.size(), block.bins.size());
                PressureSums sum;
                for (const PressureSums& bin : block.pressure) {
                    sum.mass += bin.mass;
                    for (std::size_t i = 0; i < 3; ++i) sum.momentum[i] += bin.momentum[i];
                    for (std::size_t i = 0; i < 6; ++i) sum.kinetic[i] += bin.kinetic[i];
                    for (std::size_t i = 0; i < 9; ++i) sum.collisional[i] += bin.collisional[i];
                }
                EXPECT_EQ(sum.mass, 2.0 * static_cast<double>(system.particle_count()));
                // Half the grids of a bin: 4 x 32 (8 M + 120) particles in one cell, more in others, of twice
                // 32 thermal speeds; and what is added up, twice.
                const double rounding =
                    4.0 * static_cast<double>(system.particle_count()) * (bins[0] == 7 ? 0x1p-29 : 0x1p-23);
                constexpr std::array<std::size_t, 6> place{0, 4, 8, 1, 2, 5};
                for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(sum.momentum[a], flux.momentum[a], rounding);
                for (std::size_t i = 0; i < 6; ++i)
                    EXPECT_NEAR(sum.kinetic[i], flux.kinetic[place[i]], rounding);
                for (std::size_t i = 0; i < 9; ++i) {
                    EXPECT_NEAR(sum.collisional[i], flux.collisional[i],
                                rounding / system.collision.time_step);
                }
            }
        }
    }
}

TEST_P(MomentumFluxOf, a_block_goes_on_in_another_solver) {
    const System system = systems(2).front();
    const auto whole = make(system, with_bins({1, 2, 5}));
    const auto first = make(system, with_bins({1, 2, 5}));
    const auto second = make(system, with_bins({1, 2, 5}));
    for (Solver* const solver : {whole.get(), first.get(), second.get()}) solver->run(2);
    whole->measure<FieldsRule>().sample();
    whole->run(1);
    whole->measure<FieldsRule>().sample();
    first->measure<FieldsRule>().sample();
    second->measure<FieldsRule>().put(first->measure<FieldsRule>().take());
    second->run(1);
    second->measure<FieldsRule>().sample();
    const FieldBlock expected = whole->measure<FieldsRule>().take();
    const FieldBlock found = second->measure<FieldsRule>().take();
    EXPECT_EQ(found.samples, 2);
    for (std::size_t b = 0; b < expected.pressure.size(); ++b) {
        EXPECT_EQ(found.pressure[b].mass, expected.pressure[b].mass);
        EXPECT_EQ(found.pressure[b].kinetic, expected.pressure[b].kinetic);
        EXPECT_EQ(found.pressure[b].collisional, expected.pressure[b].collisional);
    }
    FieldBlock without = expected;
    without.pressure.clear();
    EXPECT_THROW(second->measure<FieldsRule>().put(without), std::invalid_argument);
    EXPECT_THROW(make(system, SolverOptions{})->measure<FieldsRule>().put(expected), std::invalid_argument);
}

// p = M kT on the diagonal, all of it kinetic, as in an ideal gas: collisions act at zero distance on
// average.
TEST_P(MomentumFluxOf, equilibrium_is_the_pressure_of_an_ideal_gas) {
    for (System system : systems(3)) {
        system.force = {};
        system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        const auto solver = make(system);
        solver->run(20);
        const auto volume = static_cast<double>(system.box.volume());
        std::array<Moments, 9> kinetic, collisional;
        for (int sample = 0; sample < 400; ++sample) {
            solver->run(5);
            const MomentumFlux flux = solver->measure<FluxRule>();
            for (std::size_t i = 0; i < 9; ++i) {
                kinetic[i].add(flux.kinetic[i] / volume);
                collisional[i].add(flux.collisional[i] / volume);
            }
        }
        // The total momentum is zero: a share 1/N of the pressure is missing. Samples five collisions apart
        // are independent but for a long tail; half as much again is allowed for it.
        const double n = static_cast<double>(system.particle_count());
        const double pressure = system.fluid.density * system.fluid.temperature * (1.0 - 1.0 / n);
        for (std::size_t i = 0; i < 9; ++i) {
            const bool is_diagonal = i % 4 == 0;
            EXPECT_NEAR(kinetic[i].mean(), is_diagonal ? pressure : 0.0,
                        1.5 * sigmas * kinetic[i].standard_error())
                << i;
            EXPECT_NEAR(collisional[i].mean(), 0.0, 1.5 * sigmas * collisional[i].standard_error()) << i;
        }
        EXPECT_LT(1.5 * sigmas * kinetic[0].standard_error(), 0.03 * pressure);
    }
}

MPCFLOW_ON_EVERY_SOLVER(MomentumFluxOf);

}  // namespace
}  // namespace mpcflow::test
