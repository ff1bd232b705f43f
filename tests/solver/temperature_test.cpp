/// Runs at a temperature that follows a schedule: fluids and walls take it on, and a restart changes no bit.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "physics/collision/laws.hpp"
#include "physics/snapshot.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class ChangingTemperature : public SolverTest {
protected:
    static System fluid(const LawInfo& law, std::array<int, 3> size,
                        std::initializer_list<TemperaturePoint> points) {
        System system;
        system.seed = 12;
        system.box.size = size;
        law.choose(system.collision);
        if (law.energy != Energy::thermal) system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        TemperatureSchedule schedule;
        for (const TemperaturePoint& point : points) schedule.add(point);
        system.fluid.follow(schedule);
        return system;
    }
    /// Relative standard deviation of the temperature of all particles: f / 2 squares of variance 2 / f^2.
    static double spread(const System& system) {
        return std::sqrt(2.0 / (3.0 * static_cast<double>(system.particle_count())));
    }
};

// A collision gives what is not the motion of a cell as a whole the temperature of its step: of 10 particles
// 9/10 of the freedoms, or 8/10 where cells keep their rotation, too. What is left follows in the next steps,
// 0.11 or 0.25 steps later on average. The ramps change kT by 0.01 a step, of 0.8 at least: 0.0032 of it.
TEST_P(ChangingTemperature, is_taken_on_by_the_fluid) {
    for (const LawInfo& law : all_laws) {
        const System system = fluid(law, {8, 8, 8}, {{10, 1.0}, {70, 1.6}, {150, 0.8}});
        const auto solver = make(system, {});
        double sum = 0.0;
        int samples = 0;
        EXPECT_NEAR(solver->measure<TotalsRule>().temperature(), 1.0, 4.5 * spread(system)) << law.name;
        for (int step = 5; step <= 170; step += 5) {
            solver->run(5);
            const double wanted = system.fluid.schedule.at(static_cast<std::uint64_t>(step) - 1);
            const double off = solver->measure<TotalsRule>().temperature() / wanted - 1.0;
            EXPECT_NEAR(off, 0.0, 4.5 * spread(system) + 0.0032) << law.name << " " << step;
            sum += off;
            ++samples;
        }
        // After 5 collisions of these laws nothing is left of an energy: samples are independent.
        EXPECT_NEAR(sum / samples, 0.0, 4.5 * spread(system) / std::sqrt(samples) + 0.0032) << law.name;
    }
}

// Without a thermostat walls alone hold the fluid: those that have no temperature of their own take it along.
TEST_P(ChangingTemperature, is_taken_on_by_walls_that_have_none_of_their_own) {
    const struct {
        const char* name;
        bool virtual_particles;
        AxisFaces faces;
        std::vector<Surface> surfaces;
    } cases[] = {
        {"thermal faces", false, {FaceKind::thermal, FaceKind::thermal}, {}},
        {"faces in collisions", true, {FaceKind::no_slip, FaceKind::no_slip}, {}},
        {"a thermal surface",
         false,
         {},
         {cylinder(2, {4.0, 4.0, 0.0}, 2.5, FluidSide::inside, FaceKind::thermal)}},
        {"a surface in collisions",
         true,
         {},
         {cylinder(2, {4.0, 4.0, 0.0}, 2.5, FluidSide::inside, FaceKind::no_slip)}},
        {"faces beside a surface",
         false,
         {FaceKind::thermal, FaceKind::thermal},
         {cylinder(0, {0.0, 4.0, 1.0}, 0.5, FluidSide::outside, FaceKind::slip)}},
    };
    for (const auto& one : cases) {
        for (const double own : {0.0, 1.5}) {
            SCOPED_TRACE(std::string(one.name) + (own > 0.0 ? ", of their own" : ""));
            System system = fluid(all_laws[0], {8, 8, 2}, {{0, 1.0}, {10, 0.5}});
            system.thermostat = {};
            // Every flight comes to a wall or nearly.
            system.collision.time_step = 1.0;
            system.boundaries.virtual_particles = one.virtual_particles;
            system.boundaries.faces[2] = one.faces;
            std::vector<Surface> surfaces = one.surfaces;
            for (Surface& surface : surfaces)
                if (surface.kind != FaceKind::slip) surface.temperature = own;
            if (!one.faces.is_periodic())
                for (Face* face : {&system.boundaries.faces[2].lower, &system.boundaries.faces[2].upper})
                    face->temperature = own;
            if (!surfaces.empty()) system = with_surfaces(system, surfaces);
            const auto solver = make(system, {});
            solver->run(300);
            EXPECT_NEAR(solver->measure<TotalsRule>().temperature() / (own > 0.0 ? own : 0.5), 1.0,
                        4.5 * spread(system));
        }
    }
}

TEST_P(ChangingTemperature, goes_on_from_a_snapshot_with_the_same_bits) {
    for (const LawInfo& law : all_laws) {
        System system = fluid(law, {7, 6, 5}, {{3, 1.0}, {20, 2.0}, {40, 0.25}});
        system.boundaries.faces[2] = {FaceKind::thermal, FaceKind::no_slip};
        SolverOptions options;
        options.threads = 1;
        const auto whole = make(system, options);
        whole->run(25);
        ParticleSnapshot snapshot;
        whole->copy_particles(snapshot);
        const std::int64_t fast_steps = whole->fast_steps();
        whole->run(20);
        options.threads = 2;
        options.reorder = 7;
        const auto again = make(system, options);
        again->restore(snapshot, fast_steps);
        again->run(19);
        EXPECT_NE(again->state_hash(), whole->state_hash()) << law.name;
        again->run(1);
        EXPECT_EQ(again->state_hash(), whole->state_hash()) << law.name;
    }
}

TEST_P(ChangingTemperature, of_one_point_is_that_of_a_fluid_without_a_schedule) {
    for (const LawInfo& law : all_laws) {
        System system = fluid(law, {7, 6, 5}, {{8, 1.5}});
        system.boundaries.faces[2] = {FaceKind::thermal, FaceKind::no_slip};
        System steady = system;
        steady.fluid.schedule = {};
        const auto one = make(system, {});
        const auto other = make(steady, {});
        one->run(20);
        other->run(20);
        EXPECT_EQ(one->state_hash(), other->state_hash()) << law.name;
    }
}

MPCFLOW_ON_EVERY_SOLVER(ChangingTemperature);

}  // namespace
}  // namespace mpcflow::test
