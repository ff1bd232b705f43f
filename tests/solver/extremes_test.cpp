/// Extremes of speed and occupancy, and the count of steps with a fast particle, against the particles
/// themselves.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/cell_grid.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

double fastest(const ParticleSnapshot& snapshot) {
    double most = 0.0;
    for (std::size_t i = 0; i < snapshot.velocity.size(); i += 3) {
        const double* v = &snapshot.velocity[i];
        most = std::max(most, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return std::sqrt(most);
}

/// Fewest and most particles in the cells of the grid of the next collision that no wall cuts, by the places
/// of the cells' faces alone.
template <class Real>
std::pair<std::int64_t, std::int64_t> occupancy_range(const System& system,
                                                      const ParticleSnapshot& snapshot) {
    const CellGrid<Real> grid(system, static_cast<std::uint64_t>(snapshot.step));
    std::vector<std::int64_t> counts(static_cast<std::size_t>(grid.cell_count()), 0);
    for (std::size_t i = 0; i < snapshot.position.size(); i += 3) {
        const double* x = &snapshot.position[i];
        ++counts[grid.locate({static_cast<Real>(x[0]), static_cast<Real>(x[1]), static_cast<Real>(x[2])})
                     .cell];
    }
    std::int64_t least = -1;
    std::int64_t most = 0;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
        bool is_whole = true;
        auto rest = static_cast<int>(cell);
        for (int axis = 0; axis < 3; ++axis) {
            const double lower = rest % grid.cells()[axis] - static_cast<double>(grid.shift()[axis]);
            rest /= grid.cells()[axis];
            if (!system.boundaries.faces[axis].is_periodic())
                is_whole &= lower >= 0.0 && lower + 1.0 <= system.box.size[axis];
        }
        if (!is_whole) continue;
        least = least < 0 ? counts[cell] : std::min(least, counts[cell]);
        most = std::max(most, counts[cell]);
    }
    return {std::max<std::int64_t>(least, 0), most};
}

class ExtremesOf : public SolverTest {
protected:
    static System fluid(bool has_walls) {
        System system;
        system.seed = 3;
        system.box.size = {7, 6, 5};
        system.fluid = {6.0, 0.5, 2.0};
        if (has_walls) {
            system.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::no_slip};
            system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        }
        return system;
    }
};

TEST_P(ExtremesOf, speed_and_occupancy_are_those_of_the_particles) {
    for (const bool has_walls : {false, true}) {
        for (const bool shifts : {true, false}) {
            for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
                System system = fluid(has_walls);
                system.collision.random_shift = shifts;
                SolverOptions options;
                options.precision = precision;
                options.threads = 3;
                const auto solver = make(system, options);
                ParticleSnapshot snapshot;
                for (int part = 0; part < 6; ++part) {
                    solver->copy_particles(snapshot);
                    const Extremes found = solver->measure<ExtremesRule>();
                    EXPECT_EQ(found.maximum_speed, fastest(snapshot));
                    const auto [least, most] = precision == Precision::mixed
                                                   ? occupancy_range<float>(system, snapshot)
                                                   : occupancy_range<double>(system, snapshot);
                    EXPECT_EQ(found.minimum_occupancy, least);
                    EXPECT_EQ(found.maximum_occupancy, most);
                    solver->run(part);
                }
            }
        }
    }
}

TEST_P(ExtremesOf, asking_does_not_change_the_run) {
    const System system = fluid(true);
    SolverOptions options;
    options.threads = 3;
    const auto asked = make(system, options);
    const auto left_alone = make(system, options);
    for (int step = 0; step < 12; ++step) {
        asked->run(1);
        static_cast<void>(asked->measure<ExtremesRule>());
    }
    left_alone->run(12);
    EXPECT_EQ(asked->state_hash(), left_alone->state_hash());
}

TEST_P(ExtremesOf, no_whole_cell_between_close_walls) {
    System system = fluid(true);
    system.box.size = {4, 4, 1};
    const auto solver = make(system);
    solver->run(3);
    EXPECT_EQ(solver->measure<ExtremesRule>().minimum_occupancy, 0);
    EXPECT_EQ(solver->measure<ExtremesRule>().maximum_occupancy, 0);
}

TEST_P(ExtremesOf, steps_with_a_fast_particle_are_counted_once_and_alike_everywhere) {
    // 1260 particles; |v| h > 1 is 4.2 thermal speeds: about half of the steps have one.
    System system = fluid(true);
    const double thermal_speed = std::sqrt(system.fluid.temperature / system.fluid.mass);
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    system.collision.time_step = 1.0 / (4.2 * thermal_speed);
    constexpr int steps = 60;
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const auto plain = make(system, {precision});
        ParticleSnapshot snapshot;
        std::int64_t expected = 0;
        for (int step = 0; step < steps; ++step) {
            plain->run(1);
            plain->copy_particles(snapshot);
            expected += fastest(snapshot) * system.collision.time_step > 1.0 ? 1 : 0;
            EXPECT_EQ(plain->fast_steps(), expected) << "after step " << step + 1;
        }
        EXPECT_GT(expected, 5);
        EXPECT_LT(expected, steps - 5);
        for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
            const auto solver = make(system, way);
            solver->run(steps);
            EXPECT_EQ(solver->fast_steps(), expected) << describe(way);
        }
    }
}

TEST_P(ExtremesOf, fast_particles_are_no_fault_and_slow_ones_no_notice) {
    System system = fluid(false);
    const auto slow = make(system);
    EXPECT_NO_THROW(slow->run(20));
    EXPECT_EQ(slow->fast_steps(), 0) << "20 thermal speeds";
    system.collision.time_step = 4.0;
    const auto fast = make(system);
    EXPECT_NO_THROW(fast->run(20));
    EXPECT_EQ(fast->fast_steps(), 20) << "the mean free path is 2 cells";
}

MPCFLOW_ON_EVERY_SOLVER(ExtremesOf);

}  // namespace
}  // namespace mpcflow::test
