/// Streams through whole runs: the flow that they drive, what walls and surfaces in their slabs take, and
/// restarts.

#include <array>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "physics/snapshot.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

class Streams : public SolverTest {};

// The whole of a periodic box takes on the velocity: what is between slab and slab, 4 cells, in a time of
// (4 / pi)^2 / nu = 3 to 4 by viscosity. Of a mean over N particles a component has the variance kT / (N m),
// and twice 4 in time make an independent sample.
TEST_P(Streams, drive_a_periodic_box_to_their_velocity) {
    for (const LawInfo& law : all_laws) {
        System system = fluid_at_rest({12, 6, 6}, 5.0, 0.1, 4);
        law.choose(system.collision);
        if (law.energy == Energy::thermal) system.thermostat.kind = ThermostatKind::none;
        system.stream = Stream{0, 2.0, 10.0, {0.2, -0.1, 0.05}};
        const auto solver = make(system, {});
        solver->run(300);
        Vec3<double> mean{};
        double energy = 0.0;
        constexpr int samples = 300;
        const auto particles = static_cast<double>(system.particle_count());
        for (int sample = 0; sample < samples; ++sample) {
            solver->run(4);
            const Totals totals = solver->measure<TotalsRule>();
            for (int a = 0; a < 3; ++a)
                mean[a] += totals.momentum[static_cast<std::size_t>(a)] / particles / samples;
            energy += totals.kinetic_energy / particles / samples;
        }
        const double independent = samples * 0.4 / 8.0;
        const double allowed = 4.5 * std::sqrt(1.0 / particles / independent);
        EXPECT_NEAR(mean.x, 0.2, allowed) << law.name;
        EXPECT_NEAR(mean.y, -0.1, allowed) << law.name;
        EXPECT_NEAR(mean.z, 0.05, allowed) << law.name;
        // 3/2 kT, of variance 3/2 (kT)^2 / N, and that of the flow.
        EXPECT_NEAR(energy, 1.5 + 0.5 * (0.04 + 0.01 + 0.0025),
                    4.5 * std::sqrt(1.5 / particles / independent) + 0.25 * allowed)
            << law.name;
    }
}

/// What all faces and surfaces take in the next step.
Vec3<double> taken(Solver& solver) {
    const MomentumFlux flux = solver.measure<FluxRule>();
    Vec3<double> sum{};
    for (int a = 0; a < 3; ++a) {
        for (const auto& face : flux.to_walls) sum[a] += face[static_cast<std::size_t>(a)];
        for (const auto& surface : flux.to_surfaces) sum[a] += surface.momentum[static_cast<std::size_t>(a)];
    }
    return sum;
}

// What the particles lose in a step the walls and the stream take. Where the stream is weak, the walls take
// all but a little; a stream that is all but as strong as they are takes its part.
TEST_P(Streams, take_their_part_of_what_walls_would) {
    for (const bool angular : {false, true}) {
        System system = fluid_at_rest({8, 7, 6}, 10.0, 0.1, 8);
        system.collision.conserve_angular_momentum = angular;
        system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        system = with_surfaces(system, {sphere({4, 3.5, 3}, 1.6, FluidSide::outside)});
        system.stream = Stream{0, 0.0, 8.0, {0.0, 0.0, 0.0}, StreamProfile::uniform, 1e-9};
        const auto weak = make(system, {});
        for (int step = 0; step < 10; ++step) {
            const Totals before = weak->measure<TotalsRule>();
            const Vec3<double> walls = taken(*weak);
            weak->run(1);
            const Totals after = weak->measure<TotalsRule>();
            // But for what the stream's virtual particles bring, a Gaussian as of 1e-9 of the fluid.
            const double of_stream = 4.5 * std::sqrt(1e-9 * static_cast<double>(system.particle_count()));
            for (std::size_t a = 0; a < 3; ++a)
                EXPECT_NEAR(after.momentum[a] - before.momentum[a], -walls[static_cast<int>(a)], of_stream)
                    << step << angular;
        }
        // The flow that meets the walls, and the stream of another velocity in the same cells.
        system.stream->strength = 5.0;
        system.stream->velocity = {0.5, 0.0, 0.0};
        const auto strong = make(system, {});
        strong->run(3);
        const double before = strong->measure<TotalsRule>().momentum[0];
        const double walls = taken(*strong).x;
        strong->run(1);
        const double given = strong->measure<TotalsRule>().momentum[0] - before + walls;
        // Walls at rest slow the fluid down, and what the stream gives makes up for it.
        EXPECT_GT(walls, 0.0);
        EXPECT_GT(given, 0.0);
    }
}

TEST_P(Streams, go_on_from_a_snapshot_with_the_same_bits) {
    System system = fluid_at_rest({8, 7, 6}, 5.0, 0.1, 2);
    system.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::no_slip};
    system.stream = Stream{0, 1.5, 4.0, {0.3, 0.0, 0.0}, StreamProfile::parabolic, 2.0};
    const auto whole = make(system, {});
    whole->run(17);
    ParticleSnapshot snapshot;
    whole->copy_particles(snapshot);
    whole->run(30);
    const auto again = make(system, {});
    again->restore(snapshot, whole->fast_steps());
    again->run(30);
    EXPECT_EQ(again->state_hash(), whole->state_hash());
    System without = system;
    without.stream.reset();
    const auto other = make(without, {});
    other->restore(snapshot, whole->fast_steps());
    other->run(30);
    EXPECT_NE(other->state_hash(), whole->state_hash());
}

MPCFLOW_ON_EVERY_SOLVER(Streams);

}  // namespace
}  // namespace mpcflow::test
