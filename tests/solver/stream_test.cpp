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

// What surfaces take in a step is what they take without a stream, and in its slab what hits them alone.
TEST_P(Streams, leave_what_walls_take_elsewhere_as_it_is) {
    for (const bool angular : {false, true}) {
        System system = fluid_at_rest({9, 7, 6}, 10.0, 0.1, 8);
        system.collision.conserve_angular_momentum = angular;
        system = with_surfaces(system, {sphere({6, 3.5, 3}, 1.6, FluidSide::outside)});
        System with_stream = system;
        with_stream.stream = Stream{0, 0.0, 2.0, {0.3, 0.0, 0.0}};
        // Of the first step, before which both have the same particles.
        const Vec3<double> without = taken(*make(system, {}));
        const Vec3<double> with = taken(*make(with_stream, {}));
        for (int a = 0; a < 3; ++a) EXPECT_EQ(with[a], without[a]) << angular;
        with_stream.stream->to = 9.0;
        const Vec3<double> of_hits = taken(*make(with_stream, {}));
        EXPECT_NE(of_hits.x, without.x);
        EXPECT_TRUE(std::isfinite(of_hits.x));
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
