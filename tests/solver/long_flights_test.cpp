/// Flights so long that many particles leave the box of their tile within a step or two.

#include <string>

#include <gtest/gtest.h>

#include "gpu/left_over.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class LongFlights : public SolverTest {
protected:
    /// In all ways, those of tiles with each of their two ways beyond a box.
    void expect_the_bits_of_the_host(System system) {
        for (const double time_step : {0.35, 1.0, 3.0}) {
            system.collision.time_step = time_step;
            EXPECT_EQ(are_left_over_outside(system), time_step > 0.5);
            for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
                SCOPED_TRACE("h = " + std::to_string(time_step));
                const auto host = make_solver(SolverKind::host, system, {precision});
                host->run(9);
                for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
                    const auto solver = make(system, way);
                    for (const int part : {2, 7}) solver->run(part);
                    EXPECT_EQ(solver->state_hash(), host->state_hash()) << describe(way);
                }
            }
        }
    }
    static System box(CollisionRule rule) {
        System system;
        system.box.size = {25, 17, 13};  // a layer more than tiles have, along each axis
        system.fluid.density = 2.0;
        system.collision.rule = rule;
        return system;
    }
};

TEST_P(LongFlights, of_srd_have_the_bits_of_the_host) {
    System system = box(CollisionRule::srd);
    expect_the_bits_of_the_host(system);
    system.collision.conserve_angular_momentum = true;
    expect_the_bits_of_the_host(system);
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    expect_the_bits_of_the_host(system);
}

TEST_P(LongFlights, of_at_have_the_bits_of_the_host) {
    System system = box(CollisionRule::at);
    expect_the_bits_of_the_host(system);
    system.collision.conserve_angular_momentum = true;
    expect_the_bits_of_the_host(system);
}

TEST_P(LongFlights, between_walls_have_the_bits_of_the_host) {
    System system = box(CollisionRule::srd);
    system.boundaries.faces[1] = {{FaceKind::no_slip}, {FaceKind::slip}};
    expect_the_bits_of_the_host(system);
}

TEST_P(LongFlights, across_sheared_faces_have_the_bits_of_the_host) {
    System system = box(CollisionRule::srd);
    system.boundaries.faces[1] = {{}, {}, {0.05, 0}};
    expect_the_bits_of_the_host(system);
}

// Particles near the sphere are listed, too, at the other end of the same list.
TEST_P(LongFlights, around_a_sphere_have_the_bits_of_the_host) {
    expect_the_bits_of_the_host(
        with_surfaces(box(CollisionRule::srd), {sphere({12.0, 8.0, 6.0}, 4.0, FluidSide::outside)}));
}

TEST_P(LongFlights, of_a_mixture_have_the_bits_of_the_host) {
    System system = box(CollisionRule::srd);
    system.set_species(
        {{.name = "light", .mass = 1.0, .density = 1.0}, {.name = "heavy", .mass = 3.0, .density = 1.0}});
    expect_the_bits_of_the_host(system);
}

MPCFLOW_ON_EVERY_SOLVER(LongFlights);

}  // namespace
}  // namespace mpcflow::test
