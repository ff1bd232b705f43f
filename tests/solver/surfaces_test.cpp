/// Surfaces in the box in whole runs: no particle gets behind one, what is given is taken, and all that
/// measures knows of them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "physics/boundary/surface_map.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

/// Runs fast particles, most of which fly several cells in a step, and looks where they are.
void expect_no_particle_is_lost(SolverKind kind, const Geometry& geometry, double density, int steps,
                                int parts) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        System system = geometry.system;
        system.collision.time_step = 1.0;
        system.fluid.density = density;
        system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        system.map_surfaces();
        SolverOptions options;
        options.precision = precision;
        options.threads = 1;
        const auto solver = make_solver(kind, system, options);
        const SurfaceView view = view_of_surfaces(system);
        for (int part = 0; part < parts; ++part) {
            solver->run(steps / parts);
            ParticleSnapshot snapshot;
            solver->copy_particles(snapshot);
            ASSERT_EQ(particles_in_solid(snapshot, view), 0)
                << geometry.name << " by step " << solver->current_step();
            // A surface that slides carries the fluid more boxes far than mixed precision counts.
            std::ranges::fill(snapshot.image, 0);
            solver->restore(snapshot, 0);
        }
    }
}

class Surfaces : public SolverTest {};

TEST_P(Surfaces, lose_no_particle) {
    for (const Geometry& geometry : unmapped_geometries())
        expect_no_particle_is_lost(GetParam(), geometry, 2.0, 60, 3);
}

class SurfacesOf : public testing::TestWithParam<std::tuple<SolverKind, int>> {
protected:
    void SetUp() override { skip_without(std::get<0>(GetParam())); }
};

TEST_P(SurfacesOf, lose_no_particle_in_a_hundred_thousand_steps) {
    const auto [kind, number] = GetParam();
    expect_no_particle_is_lost(kind, unmapped_geometries()[static_cast<std::size_t>(number)], 1.0, 100000,
                               20);
}

INSTANTIATE_TEST_SUITE_P(
    all, SurfacesOf,
    testing::Combine(testing::ValuesIn(built_solvers()),
                     testing::Range(0, static_cast<int>(unmapped_geometries().size()))),
    [](const auto& chosen) {
        return name_of(std::get<0>(chosen.param)) + "_" +
               unmapped_geometries()[static_cast<std::size_t>(std::get<1>(chosen.param))].name;
    });

// What the fluid loses in a step, but for what the force gives, faces and surfaces take.
TEST_P(Surfaces, take_what_the_fluid_loses) {
    for (const char* const name :
         {"pipe", "annulus", "overlapping", "on_a_floor", "container_through_faces"}) {
        System system = geometry_of(name);
        system.force = {0.01, -0.02, 0.03};
        const auto solver = make(system);
        solver->run(5);
        for (int step = 0; step < 5; ++step) {
            const Totals before = solver->measure<TotalsRule>();
            const MomentumFlux flux = solver->measure<FluxRule>();
            solver->run(1);
            const Totals after = solver->measure<TotalsRule>();
            const double given = system.collision.time_step * static_cast<double>(system.particle_count());
            for (std::size_t a = 0; a < 3; ++a) {
                double taken = 0.0;
                for (const auto& face : flux.to_walls) taken += face[a];
                for (const ToSurface& surface : flux.to_surfaces) taken += surface.momentum[a];
                // Sums over thousands of particles, each rounded to 1e-11 or so.
                EXPECT_NEAR(taken, before.momentum[a] - after.momentum[a] + given * system.force[a], 1e-5)
                    << name << " " << a;
            }
        }
    }
}

// At rest surfaces of slip and of no slip without virtual particles keep the energy of every particle.
TEST_P(Surfaces, at_rest_keep_the_energy) {
    for (const FaceKind kind : {FaceKind::slip, FaceKind::no_slip}) {
        System system;
        system.box.size = {12, 12, 8};
        system.boundaries.virtual_particles = false;
        system = with_surfaces(system, {cylinder(2, {6, 6, 0}, 5.5, FluidSide::inside, kind),
                                        sphere({6, 6, 4}, 2, FluidSide::outside, kind)});
        const auto solver = make(system);
        const double before = solver->measure<TotalsRule>().kinetic_energy;
        solver->run(50);
        EXPECT_NEAR(solver->measure<TotalsRule>().kinetic_energy / before, 1.0, 1e-9);
    }
}

// Thermal surfaces, which are all that exchanges heat here, bring the fluid to their temperature: of N
// particles the mean energy of one scatters by sqrt(2 / 3 N).
TEST_P(Surfaces, warm_the_fluid) {
    System system;
    system.box.size = {10, 10, 8};
    system.boundaries.virtual_particles = false;
    Surface pipe = cylinder(2, {5, 5, 0}, 4, FluidSide::inside, FaceKind::thermal);
    pipe.temperature = 1.5;
    system = with_surfaces(system, {pipe});
    const auto solver = make(system);
    solver->run(1500);
    double mean = 0.0;
    for (int sample = 0; sample < 100; ++sample) {
        solver->run(10);
        mean += solver->measure<TotalsRule>().kinetic_energy / 100.0;
    }
    const auto particles = static_cast<double>(system.particle_count());
    EXPECT_NEAR(mean / (1.5 * particles), 1.5, 4.5 * 1.5 * std::sqrt(2.0 / (3.0 * particles)));
}

// Whole cells are those that no surface cuts: far from it each holds M particles on average.
TEST_P(Surfaces, are_in_no_cell_that_is_counted) {
    const System system = geometry_of("pipe");
    const auto solver = make(system);
    double cells = 0.0;
    double particles = 0.0;
    for (int step = 0; step < 40; ++step) {
        solver->run(1);
        const auto counts = solver->measure<OccupancyBins>(Histograms(Histograms::most_bins - 1, 1, 1.0));
        for (std::size_t count = 0; count < counts.size(); ++count) {
            cells += static_cast<double>(counts[count]);
            particles += static_cast<double>(count * counts[count]);
        }
    }
    // Of 970 cells in the pipe those that lie in it as a whole, on average over shifts of the grid: the
    // centres of these are where all four corners are in the disc, a quadrant of which has the area of the
    // integral of (R^2 - x^2)^(1/2) - 1/2 from 1/2 to where that is 0. In a layer their number scatters by
    // 1.35 (4000 shifts), and is the same in all layers.
    constexpr double R = 5.3;
    const auto area = [](double x) {
        return 0.5 * (x * std::sqrt(R * R - x * x) + R * R * std::asin(x / R) - x);
    };
    const double whole = 4.0 * (area(std::sqrt(R * R - 0.25)) - area(0.5));
    EXPECT_NEAR(cells / 40.0, 11.0 * whole, 4.5 * 11.0 * 1.35 / std::sqrt(40.0));
    // That of one sample: from step to step particles hardly move.
    EXPECT_NEAR(particles / cells, 10.0, 4.5 * std::sqrt(10.0 / (11.0 * whole)));
}

TEST_P(Surfaces, are_asked_at_a_restart) {
    const System system = geometry_of("annulus");
    const auto solver = make(system);
    solver->run(3);
    ParticleSnapshot snapshot;
    solver->copy_particles(snapshot);
    solver->run(10);
    const std::uint64_t expected = solver->state_hash();
    solver->restore(snapshot, 0);
    solver->run(10);
    EXPECT_EQ(solver->state_hash(), expected);
    snapshot.position[0] = 6.5;
    snapshot.position[2] = 5.5;
    EXPECT_THROW(solver->restore(snapshot, 0), std::invalid_argument);
}

MPCFLOW_ON_EVERY_SOLVER(Surfaces);

}  // namespace
}  // namespace mpcflow::test
