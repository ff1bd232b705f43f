/// Runs under forces that act at times and at places: what momentum they give, and restarts.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "physics/forces.hpp"
#include "physics/snapshot.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

class Forces : public SolverTest {};

/// Of rounding to the grid of velocities in `steps` steps, as in conservation_test.cpp, and far more.
constexpr double rounding = 1e-8;

TEST_P(Forces, of_a_time_give_their_impulse) {
    System system = fluid_at_rest({7, 6, 5}, 10.0, 0.1, 9);
    system.fluid.mass = 0.5;
    system.force = {0.0, 0.0, 0.01};
    system.forces.add({.amplitude = {0.02, 0.0, 0.0}, .from = 4, .until = 11});
    system.forces.add({.amplitude = {0.0, 0.03, 0.0}, .from = 2, .period = 9});
    system.forces.add({.shape = ForceShape::gravity, .amplitude = {0.0, 0.0, 0.05}, .until = 6});
    const auto solver = make(system, {});
    const auto particles = static_cast<double>(system.particle_count());
    Vec3<double> expected{};
    for (std::uint64_t step = 0; step < 25; ++step) {
        solver->run(1);
        expected.x += 0.1 * (step >= 4 && step < 11 ? 0.02 : 0.0);
        if (step >= 2)
            expected.y +=
                0.1 * 0.03 * std::cos(2.0 * std::numbers::pi * (static_cast<double>(step) - 1.5) / 9.0);
        expected.z += 0.1 * (0.01 + (step < 6 ? 0.5 * 0.05 : 0.0));
        const Totals totals = solver->measure<TotalsRule>();
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(totals.momentum[axis], particles * expected[axis], rounding) << axis << " " << step;
    }
}

TEST_P(Forces, of_places_give_half_of_their_impulse_at_each_end_of_a_flight) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        for (const char* const among : {"nothing", "faces", "a cylinder"}) {
            System system = fluid_at_rest({7, 6, 5}, 10.0, 0.1, 9);
            system.fluid.mass = 2.0;
            const bool has_cylinder = among == std::string("a cylinder");
            if (among == std::string("faces")) system.boundaries.faces[2] = {FaceKind::slip, FaceKind::slip};
            // It takes no momentum along itself.
            if (has_cylinder)
                system = with_surfaces(system,
                                       {cylinder(0, {0, 3, 2.5}, 1.4, FluidSide::outside, FaceKind::slip)});
            system.forces.add({.shape = ForceShape::sine, .amplitude = {0.2, 0.1, 0.0}, .along = 1});
            system.forces.add({.shape = ForceShape::opposed_blocks,
                               .amplitude = {-0.3, 0.0, 0.0},
                               .along = 2,
                               .period = 7});
            SolverOptions options{precision};
            const auto solver = make(system, options);
            const double of_precision = precision == Precision::mixed ? 2e-3 : rounding;
            for (std::uint64_t step = 0; step < 6; ++step) {
                ParticleSnapshot before, after;
                solver->copy_particles(before);
                const Totals first = solver->measure<TotalsRule>();
                solver->run(1);
                solver->copy_particles(after);
                const Totals last = solver->measure<TotalsRule>();
                const double swing =
                    std::cos(2.0 * std::numbers::pi * (static_cast<double>(step) + 0.5) / 7.0);
                double x = 0.0, y = 0.0;
                for (const ParticleSnapshot* at : {&before, &after}) {
                    for (std::size_t i = 0; i < at->id.size(); ++i) {
                        const double sine = std::sin(2.0 * std::numbers::pi * at->position[3 * i + 1] / 6.0);
                        x += 0.05 * (0.2 * sine - 0.3 * swing * (at->position[3 * i + 2] < 2.5 ? 1.0 : -1.0));
                        y += 0.05 * 0.1 * sine;
                    }
                }
                EXPECT_NEAR(last.momentum[0] - first.momentum[0], x, of_precision) << among << step;
                if (has_cylinder) continue;
                EXPECT_NEAR(last.momentum[1] - first.momentum[1], y, of_precision) << among << step;
            }
        }
    }
}

TEST_P(Forces, go_on_from_a_snapshot_with_the_same_bits) {
    System system = fluid_at_rest({8, 7, 6}, 5.0, 0.1, 2);
    system.forces.add({.amplitude = {0.5, 0.0, 0.0}, .from = 10, .until = 40, .period = 13});
    system.forces.add({.shape = ForceShape::sine, .amplitude = {0.2, 0.0, 0.0}, .along = 2, .from = 19});
    const auto whole = make(system, {});
    whole->run(17);
    ParticleSnapshot snapshot;
    whole->copy_particles(snapshot);
    whole->run(30);
    const auto again = make(system, {});
    again->restore(snapshot, whole->fast_steps());
    again->run(29);
    EXPECT_NE(again->state_hash(), whole->state_hash());
    again->run(1);
    EXPECT_EQ(again->state_hash(), whole->state_hash());
}

MPCFLOW_ON_EVERY_SOLVER(Forces);

}  // namespace
}  // namespace mpcflow::test
