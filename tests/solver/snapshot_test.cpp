/// Snapshots: particles in the order of their ids, and paths without jumps once image counts are added.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

#include "physics/initial_state.hpp"
#include "physics/particle.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class Snapshots : public SolverTest {
protected:
    static System falling_fluid() {
        System system;
        system.seed = 11;
        system.box.size = {5, 4, 3};
        system.collision.time_step = 0.3;
        system.force = {0.4, -0.2, 0.1};
        return system;
    }
    static double unwrapped(const ParticleSnapshot& snapshot, const System& system, std::size_t i) {
        return snapshot.position[i] + snapshot.image[i] * static_cast<double>(system.box.size[i % 3]);
    }
};

TEST_P(Snapshots, hold_the_initial_state_in_the_order_of_ids) {
    const System system = falling_fluid();
    const auto solver = make(system);
    ParticleSnapshot snapshot;
    solver->copy_particles(snapshot);
    EXPECT_EQ(snapshot.step, 0);
    const InitialState initial(system);
    ASSERT_EQ(snapshot.position.size(), static_cast<std::size_t>(3 * system.particle_count()));
    const auto first = initial.particle<ParticleDouble>(0);
    for (std::int64_t id = 0; id < system.particle_count(); ++id) {
        const auto particle = initial.particle<ParticleDouble>(id);
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_EQ(snapshot.position[3 * id + axis], particle.position[axis]);
            // All lost the same mean velocity.
            EXPECT_NEAR(snapshot.velocity[3 * id + axis] - snapshot.velocity[axis],
                        particle.velocity[axis] - first.velocity[axis], 1e-14);
            EXPECT_EQ(snapshot.image[3 * id + axis], 0);
        }
    }
    const Totals totals = solver->measure<TotalsRule>();
    for (const double p : totals.momentum) EXPECT_NEAR(p, 0.0, 1e-12 * static_cast<double>(totals.particles));
}

TEST_P(Snapshots, follow_paths_without_jumps_across_periodic_faces) {
    // v is the velocity after the step, with its second half kick, so the flight was h (v - g h / 2).
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const double tolerance = precision == Precision::mixed ? 2e-6 : 1e-14;
        const System system = falling_fluid();
        SolverOptions options{precision};
        options.reorder = 3;
        const auto solver = make(system, options);
        ParticleSnapshot before, after;
        solver->copy_particles(before);
        for (int step = 1; step <= 40; ++step) {
            solver->run(1);
            solver->copy_particles(after);
            EXPECT_EQ(after.step, step);
            double worst = 0.0;
            for (std::size_t i = 0; i < after.position.size(); ++i) {
                const double h = system.collision.time_step;
                const double flight = h * (after.velocity[i] - 0.5 * h * system.force[i % 3]);
                // In whole boxes first: so no digits are lost to a long way.
                const double boxes = static_cast<double>(after.image[i] - before.image[i]);
                const double moved = after.position[i] - before.position[i] + boxes * system.box.size[i % 3];
                worst = std::max(worst, std::abs(moved - flight));
            }
            EXPECT_LT(worst, tolerance) << "step " << step;
            std::swap(before, after);
        }
        // The fluid has fallen for t = 12: g t^2 / 2 is many boxes.
        double mean = 0.0;
        for (std::size_t i = 0; i < before.position.size(); i += 3) mean += unwrapped(before, system, i);
        mean /= static_cast<double>(system.particle_count());
        EXPECT_NEAR(mean, 2.5 + 0.5 * 0.4 * 12.0 * 12.0, 1.0);
    }
}

TEST_P(Snapshots, between_walls_reverse_a_particle_that_hits) {
    // A wall stops half of the particles near it in a step. Each path is straight, or it came back: a whole
    // reversal keeps the speed along x and z, too, so the flight cannot be longer than h |v|.
    System system = falling_fluid();
    system.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::no_slip};
    system.force = {};
    const auto solver = make(system);
    ParticleSnapshot before, after;
    solver->copy_particles(before);
    std::size_t straight = 0;
    std::size_t reversed = 0;
    for (int step = 0; step < 20; ++step) {
        solver->run(1);
        solver->copy_particles(after);
        for (std::size_t i = 0; i < after.position.size(); i += 3) {
            double along = 0.0, moved_squared = 0.0, v_squared = 0.0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double moved = unwrapped(after, system, i + axis) - unwrapped(before, system, i + axis);
                along += moved * after.velocity[i + axis];
                moved_squared += moved * moved;
                v_squared += after.velocity[i + axis] * after.velocity[i + axis];
            }
            const double h = system.collision.time_step;
            const double flight = h * std::sqrt(v_squared);
            EXPECT_LE(std::sqrt(moved_squared), flight + 1e-12);
            EXPECT_NEAR(along * along, moved_squared * v_squared, 1e-12 * (1.0 + v_squared * v_squared))
                << "the path is on a line along the velocity";
            EXPECT_EQ(after.image[i + 1], 0);
            if (std::abs(along - h * v_squared) < 1e-12 * (1.0 + v_squared)) ++straight;
            else ++reversed;
        }
        std::swap(before, after);
    }
    // In a step a share h <|v_y|> / 2 of all meets one of the two walls, L = 4 apart: 2 h sqrt(1 / 2 pi) / 4.
    const double expected = 2.0 * system.collision.time_step * 0.39894 / 4.0 * 20.0 * 600.0;
    EXPECT_NEAR(static_cast<double>(reversed), expected, 4.5 * std::sqrt(expected));
    EXPECT_EQ(straight + reversed, 20U * 600U);
}

MPCFLOW_ON_EVERY_SOLVER(Snapshots);

}  // namespace
}  // namespace mpcflow::test
