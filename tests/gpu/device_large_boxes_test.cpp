/// Boxes of more tiles than a card takes at a time: blocks ask for the particles of later ones, and begin
/// where others have ended.

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "physics/solver_options.hpp"
#include "physics/system.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class LargeBoxes : public testing::Test {
protected:
    void SetUp() override { skip_without(SolverKind::device); }
};

/// 2304 tiles: a card of 132 multiprocessors takes at most 1056 blocks of so many threads at a time.
System large_box() {
    System system;
    system.box.size = {72, 32, 128};
    system.fluid.density = 2.7;
    return system;
}

void expect_bits_of_host(const System& system, Precision precision) {
    SolverOptions options;
    options.precision = precision;
    const auto host = make_host_solver(system, options);
    options.summation = Summation::tile;
    options.reorder = 3;
    const auto device = make_solver(SolverKind::device, system, options);
    for (const int steps : {1, 7}) {
        host->run(steps);
        device->run(steps);
        EXPECT_EQ(device->state_hash(), host->state_hash()) << "after " << steps << " steps more";
    }
}

TEST_F(LargeBoxes, have_the_bits_of_the_host) {
    System system = large_box();
    for (const Precision precision : {Precision::double_precision, Precision::mixed})
        expect_bits_of_host(system, precision);
    system.collision.conserve_angular_momentum = true;
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    expect_bits_of_host(system, Precision::mixed);
}

// In tiles alone, four bytes a particle.
TEST_F(LargeBoxes, of_long_flights_have_room_to_note_who_is_left_over) {
    System system = large_box();
    const auto bytes = [&](double time_step, Summation summation) {
        system.collision.time_step = time_step;
        SolverOptions options;
        options.summation = summation;
        return make_solver(SolverKind::device, system, options)->memory_bytes();
    };
    const auto list = static_cast<std::int64_t>(sizeof(std::uint32_t)) * system.particle_count();
    EXPECT_EQ(bytes(1.0, Summation::tile), bytes(0.1, Summation::tile) + list);
    EXPECT_EQ(bytes(1.0, Summation::match), bytes(0.1, Summation::match));
}

// 105 MB of sums: with an L2 cache of less they are in compressible memory (gpu_memory_test).
TEST_F(LargeBoxes, with_many_sums_have_the_bits_of_the_host) {
    System system = large_box();
    system.box.size = {160, 64, 64};
    system.fluid.density = 1.3;
    system.collision.conserve_angular_momentum = true;
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    expect_bits_of_host(system, Precision::mixed);
}

TEST_F(LargeBoxes, of_several_species_have_the_bits_of_the_host) {
    System system = large_box();
    system.set_species(
        {{.name = "light", .mass = 1.0, .density = 1.5}, {.name = "heavy", .mass = 3.0, .density = 1.2}});
    for (const Precision precision : {Precision::double_precision, Precision::mixed})
        expect_bits_of_host(system, precision);
}

TEST_F(LargeBoxes, between_walls_and_among_surfaces_have_the_bits_of_the_host) {
    System system = large_box();
    system.boundaries.faces[1] = {{FaceKind::no_slip}, {FaceKind::slip}};
    expect_bits_of_host(system, Precision::double_precision);
    system.surfaces.list = {sphere({30.0, 16.0, 50.0}, 9.0, FluidSide::outside)};
    system.map_surfaces();
    expect_bits_of_host(system, Precision::mixed);
    system.forces.add({.shape = ForceShape::sine, .amplitude = {0.05, 0.0, 0.1}, .along = 1});
    expect_bits_of_host(system, Precision::double_precision);
}

// 7296 tiles: particles that hit surfaces are left to a kernel of their own, as far as there is room for
// them, which is an eighth of all. Among so many spheres, in so long a flight, three in ten do: a quarter of
// the mean speed is 0.4, the flight lasts 2, and a volume of fluid has 0.46 of surface. Mixtures have no such
// queue.
TEST_F(LargeBoxes, among_many_surfaces_have_the_bits_of_the_host) {
    System system;
    system.box.size = {96, 64, 152};
    system.fluid.density = 1.0;
    System pipe = with_surfaces(system, {cylinder(2, {48.0, 32.0, 0.0}, 31.0, FluidSide::inside)});
    expect_bits_of_host(pipe, Precision::mixed);
    for (int i = 0; i < 16 * 10 * 25; ++i)
        system.surfaces.list.push_back(
            sphere({3.0 + 6.0 * (i % 16), 3.0 + 6.0 * (i / 16 % 10), 3.0 + 6.0 * (i / 160)}, 2.4,
                   FluidSide::outside));
    system.collision.time_step = 2.0;
    system.map_surfaces();
    expect_bits_of_host(system, Precision::double_precision);
    pipe.set_species(
        {{.name = "light", .mass = 1.0, .density = 0.5}, {.name = "heavy", .mass = 3.0, .density = 0.5}});
    pipe.map_surfaces();
    expect_bits_of_host(pipe, Precision::mixed);
    system.collision.rule = CollisionRule::at;
    expect_bits_of_host(system, Precision::mixed);
}

}  // namespace
}  // namespace mpcflow::test
