/// Mass, temperature and time step come in no other combinations than those of the units: a run in other
/// units is the same run.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

/// The plain system of each law, with a thermostat or not, periodic or between walls.
std::vector<System> plain_systems() {
    std::vector<System> systems;
    for (int variant = 0; variant < 8; ++variant) {
        System system;
        system.seed = 5;
        system.box.size = {6, 5, 4};
        system.collision.conserve_angular_momentum = (variant & 1) != 0;
        if ((variant & 2) != 0) system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        if ((variant & 4) != 0) system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        system.force = {0.125, 0.0, 0.0};
        systems.push_back(system);
    }
    return systems;
}

/// The same fluid in units of a mass m and an energy kT: time is a sqrt(m / kT), force kT / a.
System in_other_units(System system, double mass, double temperature) {
    system.fluid.mass *= mass;
    system.fluid.temperature *= temperature;
    system.collision.time_step *= std::sqrt(mass / temperature);
    for (double& f : system.force) f *= temperature;
    return system;
}

class Units : public SolverTest {
protected:
    static ParticleSnapshot run(Solver& solver, int steps) {
        solver.run(steps);
        ParticleSnapshot snapshot;
        solver.copy_particles(snapshot);
        return snapshot;
    }
};

TEST_P(Units, that_are_powers_of_two_give_the_same_bits) {
    // kT/m = 4^k: speeds scale by 2^k, and so do the grids of all sums. Nothing is rounded another way.
    const struct {
        double mass, temperature, speed;
    } units[] = {{1.0, 4.0, 2.0}, {4.0, 1.0, 0.5}, {0.25, 64.0, 16.0}, {8.0, 2.0, 0.5}, {2.0, 2.0, 1.0}};
    for (const System& plain : plain_systems()) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            const auto reference = make(plain, {precision});
            const ParticleSnapshot expected = run(*reference, 25);
            for (const auto& unit : units) {
                const auto solver = make(in_other_units(plain, unit.mass, unit.temperature), {precision});
                const ParticleSnapshot found = run(*solver, 25);
                std::vector<double> velocity = expected.velocity;
                for (double& v : velocity) v *= unit.speed;
                EXPECT_TRUE(found.position == expected.position) << unit.mass << ", " << unit.temperature;
                EXPECT_TRUE(found.image == expected.image) << unit.mass << ", " << unit.temperature;
                EXPECT_TRUE(found.velocity == velocity) << unit.mass << ", " << unit.temperature;
                EXPECT_EQ(solver->measure<TotalsRule>().kinetic_energy,
                          reference->measure<TotalsRule>().kinetic_energy * unit.temperature);
                EXPECT_EQ(solver->measure<TotalsRule>().temperature(),
                          reference->measure<TotalsRule>().temperature() * unit.temperature);
            }
        }
    }
}

TEST_P(Units, of_any_size_give_the_same_run_up_to_rounding) {
    // Sums differ by their grid, 2^-37 or 7e-12 a particle at M = 30, and the difference grows slowly from
    // step to step. With few particles in a cell it may jump: the thermostat divides by their relative
    // energy, and two or three particles may have next to none. M = 30 has no such cells.
    //
    // SRD+a with a thermostat gives particles a spin and a scale that are floats: in each of 10 steps off by
    // up to 2^-24 of speeds up to 5 and as much again of spins, 6e-6 if all were off alike.
    const struct { double mass, temperature; } units[] = {{3.0, 1.0}, {1.0, 0.7}, {18.0, 2.5}, {1.7, 1.7}};
    for (System plain : plain_systems()) {
        plain.fluid.density = 30.0;
        const bool has_floats =
            plain.collision.conserve_angular_momentum && plain.thermostat.kind != ThermostatKind::none;
        const ParticleSnapshot expected = run(*make(plain), 10);
        for (const auto& unit : units) {
            const ParticleSnapshot found = run(*make(in_other_units(plain, unit.mass, unit.temperature)), 10);
            const double speed = std::sqrt(unit.temperature / unit.mass);
            double worst = 0.0;
            for (std::size_t i = 0; i < found.position.size(); ++i) {
                const double length = plain.box.size[i % 3];
                const double moved = found.position[i] - expected.position[i] +
                                     length * static_cast<double>(found.image[i] - expected.image[i]);
                worst = std::max(
                    {worst, std::abs(moved), std::abs(found.velocity[i] / speed - expected.velocity[i])});
            }
            EXPECT_LT(worst, has_floats ? 6e-6 : 1e-9)
                << "mass " << unit.mass << ", temperature " << unit.temperature;
        }
    }
}

MPCFLOW_ON_EVERY_SOLVER(Units);

}  // namespace
}  // namespace mpcflow::test
