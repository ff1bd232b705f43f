/// Systems at the edges of what is allowed: boxes of one cell, long rods, few particles or none, and more
/// threads than there is work for. All must run, conserve what they should and have the same bits whatever
/// executes them.

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

constexpr int run_length = 30;

struct OddSystem {
    std::string name;
    std::array<int, 3> size;
    double density;

    friend void PrintTo(const OddSystem& odd, std::ostream* out) { *out << odd.name; }
};

const std::vector<OddSystem>& odd_systems() {
    static const std::vector<OddSystem> systems{
        {"one_cell", {1, 1, 1}, 10.0},
        {"one_cell_one_particle", {1, 1, 1}, 1.0},
        {"six_cells", {2, 1, 3}, 10.0},
        {"rod_along_z", {1, 1, 1000}, 3.0},
        {"rod_along_x", {1000, 1, 1}, 3.0},
        {"sheet", {1, 50, 40}, 2.0},
        {"no_particle", {2, 2, 2}, 0.01},
        {"one_particle", {4, 4, 4}, 1.0 / 64.0},
        {"two_particles", {1, 1, 2}, 1.0},
        // Around the size of a warp.
        {"31_particles", {4, 4, 4}, 31.0 / 64.0},
        {"32_particles", {4, 4, 4}, 32.0 / 64.0},
        {"33_particles", {4, 4, 4}, 33.0 / 64.0},
        {"most_cells_empty", {12, 11, 10}, 0.05},
        {"dense", {3, 3, 3}, 200.0},
    };
    return systems;
}

/// The system with each law and thermostat, periodic and between walls on all sides.
std::vector<System> variants(const OddSystem& odd) {
    std::vector<System> systems;
    for (int variant = 0; variant < 16; ++variant) {
        System system;
        system.seed = 7;
        system.box.size = odd.size;
        system.fluid.density = odd.density;
        system.collision.conserve_angular_momentum = (variant & 1) != 0;
        if ((variant & 2) != 0) system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        if ((variant & 4) != 0) system.boundaries.faces.fill({FaceKind::no_slip, FaceKind::no_slip});
        system.collision.random_shift = (variant & 8) == 0;
        systems.push_back(system);
    }
    return systems;
}

std::string kind_of(const System& system) {
    return std::string{system.collision.conserve_angular_momentum ? "angular" : "plain"} +
           (system.thermostat.kind == ThermostatKind::none ? "" : ", thermostat") +
           (system.boundaries.faces[0].is_periodic() ? "" : ", walls") +
           (system.collision.random_shift ? "" : ", grid at rest");
}

class OddSystems : public testing::TestWithParam<std::tuple<SolverKind, OddSystem>> {
protected:
    void SetUp() override { skip_without(kind()); }
    [[nodiscard]] static SolverKind kind() { return std::get<0>(GetParam()); }
    [[nodiscard]] static const OddSystem& odd() { return std::get<1>(GetParam()); }
};

TEST_P(OddSystems, have_the_same_bits_whatever_executes_them) {
    for (const System& system : variants(odd())) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            SolverOptions plain;
            plain.precision = precision;
            plain.threads = 1;
            plain.bins = {1, 1, 1};
            const auto run = [](Solver& solver) {
                solver.run(run_length);
                solver.measure<FieldsRule>().sample();
                return report_of(solver);
            };
            const Report expected = run(*make_solver(SolverKind::host, system, plain));
            SolverOptions other = plain;
            other.threads = 4;
            other.reorder = 3;
            SCOPED_TRACE(kind_of(system) + (precision == Precision::mixed ? ", mixed" : ", double"));
            expect_same_bits(run(*make_solver(kind(), system, other)), expected);
            if (kind() == SolverKind::host) continue;
            other.summation = Summation::tile;
            expect_same_bits(run(*make_solver(kind(), system, other)), expected);
        }
    }
}

TEST_P(OddSystems, stay_finite_inside_and_conserve_momentum) {
    for (const System& system : variants(odd())) {
        SCOPED_TRACE(kind_of(system));
        const auto solver = make_solver(kind(), system);
        const Totals before = solver->measure<TotalsRule>();
        EXPECT_EQ(before.particles, system.particle_count());
        solver->run(run_length);
        const Totals after = solver->measure<TotalsRule>();
        ParticleSnapshot snapshot;
        solver->copy_particles(snapshot);
        ASSERT_EQ(snapshot.position.size(), static_cast<std::size_t>(3 * system.particle_count()));
        const bool walls = !system.boundaries.faces[0].is_periodic();
        for (std::size_t i = 0; i < snapshot.position.size(); ++i) {
            const double length = system.box.size[i % 3];
            EXPECT_GE(snapshot.position[i], 0.0);
            if (walls) {
                EXPECT_LE(snapshot.position[i], length);
                EXPECT_EQ(snapshot.image[i], 0);
            } else {
                EXPECT_LT(snapshot.position[i], length);
            }
            EXPECT_TRUE(std::isfinite(snapshot.velocity[i]));
        }
        EXPECT_TRUE(std::isfinite(after.temperature()));
        if (walls) continue;
        // The worst case of the sums' grid: at density 200 it is 2^-35, half of it an error, times the number
        // of particles and steps, times |1 - R| < 2.
        const double n = static_cast<double>(std::max<std::int64_t>(after.particles, 1));
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(after.momentum[axis], before.momentum[axis], n * run_length * 0x1p-35);
        const bool energy_is_kept =
            !system.collision.conserve_angular_momentum && system.thermostat.kind == ThermostatKind::none;
        if (energy_is_kept)
            EXPECT_NEAR(after.kinetic_energy, before.kinetic_energy, n * run_length * 0x1p-32);
    }
}

INSTANTIATE_TEST_SUITE_P(on, OddSystems,
                         testing::Combine(testing::ValuesIn(built_solvers()),
                                          testing::ValuesIn(odd_systems())),
                         [](const auto& chosen) {
                             return name_of(std::get<0>(chosen.param)) + "_" + std::get<1>(chosen.param).name;
                         });

class FewParticles : public SolverTest {};

TEST_P(FewParticles, none_has_totals_of_zero) {
    System system;
    system.box.size = {2, 2, 2};
    system.fluid.density = 0.01;
    ASSERT_EQ(system.particle_count(), 0);
    const auto solver = make(system);
    solver->run(2);
    const Totals totals = solver->measure<TotalsRule>();
    EXPECT_EQ(totals.particles, 0);
    EXPECT_EQ(totals.mass, 0.0);
    EXPECT_EQ(totals.kinetic_energy, 0.0);
    EXPECT_EQ(totals.temperature(), 0.0);
    EXPECT_EQ(solver->state_hash(), 0U);
}

TEST_P(FewParticles, one_falls_freely) {
    // It starts at rest, for the total momentum is zero, and meets nobody; the collision must not touch it,
    // and it must feel the force as everybody else does.
    System system;
    system.box.size = {4, 4, 4};
    system.fluid.density = 1.0 / 64.0;
    system.fluid.mass = 2.0;
    system.force = {1.0, -0.5, 0.25};
    for (const bool angular : {false, true}) {
        system.collision.conserve_angular_momentum = angular;
        const auto solver = make(system);
        ParticleSnapshot start, end;
        solver->copy_particles(start);
        solver->run(100);
        solver->copy_particles(end);
        const double time = 100 * system.collision.time_step;
        for (int axis = 0; axis < 3; ++axis) {
            const double g = system.force[axis] / system.fluid.mass;
            EXPECT_NEAR(start.velocity[axis], 0.0, 1e-13);
            EXPECT_NEAR(end.velocity[axis], g * time, 1e-12);
            EXPECT_NEAR(end.position[axis] + 4.0 * end.image[axis],
                        start.position[axis] + 0.5 * g * time * time, 1e-11);
        }
    }
}

class ManyThreads : public testing::TestWithParam<bool> {};

TEST_P(ManyThreads, than_there_is_work_for_change_nothing) {
    // 5000 threads are wanted; a thread takes at least eight cells, so the rod gets 112 of them, the cube
    // one.
    System system;
    system.fluid.density = 1.5;
    system.collision.conserve_angular_momentum = GetParam();
    SolverOptions one;
    one.threads = 1;
    SolverOptions many;
    many.threads = 5000;
    many.reorder = 2;
    System tiny = system;
    tiny.box.size = {2, 2, 2};
    System rod = system;
    rod.box.size = {1, 1, 900};
    for (const System& s : {tiny, rod}) {
        const auto expected = make_host_solver(s, one);
        const auto found = make_host_solver(s, many);
        expected->run(5);
        found->run(5);
        EXPECT_EQ(found->state_hash(), expected->state_hash()) << found->device_description();
    }
}

INSTANTIATE_TEST_SUITE_P(with, ManyThreads, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "srd_angular" : "srd"; });

MPCFLOW_ON_EVERY_SOLVER(FewParticles);

}  // namespace
}  // namespace mpcflow::test
