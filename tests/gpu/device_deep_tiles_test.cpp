/// Domains on a card whose deep tiles go through a step apart from the others.

#include <cmath>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "gpu/deep_tiles.hpp"
#include "gpu/left_over.hpp"
#include "physics/domain/in_process.hpp"
#include "physics/snapshot.hpp"
#include "tests/gpu/device_domains.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

/// How many of the tiles of domain 0 are deep (gpu/deep_tiles.hpp).
int deep_tiles_of(const System& system, const Cut& cut) {
    int deep = 0;
    InProcess(cut.count()).run([&](int number, Exchange& exchange) {
        if (number != 0) return;
        const Border<double> border(system, cut, number, exchange);
        deep = deep_tiles(border, border.first_grid(system)).count();
    });
    return deep;
}

struct Apart {
    System system;
    Cut cut{{1, 1, 2}};
    Precision precision = Precision::mixed;
    int reorder = 4;
    int steps = 30;
    double part = 0.25;  ///< of the cut axis behind which one particle is fast at first
    double flow_y = 0.0;
};

/// Domains have the bits of the whole box, and count its fast steps.
void expect_bits_of_whole_box(const Apart& c) {
    const int axis = c.cut.domains[0] > 1 ? 0 : 2;
    SCOPED_TRACE(testing::PrintToString(c.system.box.size) + ", re-ordered every " +
                 std::to_string(c.reorder));
    ASSERT_GT(deep_tiles_of(c.system, c.cut), 0);
    SolverOptions options;
    options.precision = c.precision;
    const auto whole = make_host_solver(c.system, options);
    ParticleSnapshot start;
    whole->copy_particles(start);
    const double at = c.part * c.system.box.size[axis];
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < start.id.size(); ++i) {
        start.velocity[3 * i + 1] += c.flow_y;
        if (std::abs(start.position[3 * i + axis] - at) < std::abs(start.position[3 * nearest + axis] - at))
            nearest = i;
    }
    start.velocity[3 * nearest + axis] = 27.0;
    whole->restore(start, 0);
    whole->run(c.steps);
    const std::uint64_t expected = whole->state_hash();
    // A thermostat takes its speed from it in the first collision, before it flies, and so does AT.
    if (c.system.thermostat.kind == ThermostatKind::none && c.system.collision.rule == CollisionRule::srd)
        EXPECT_GT(whole->fast_steps(), 2);
    options.reorder = c.reorder;
    in_domains(c.system, c.cut, options, [&](Solver& solver, int number) {
        if (number == 0) solver.restore(start, 0);
        else solver.restore({}, 0);
        for (const int part : {1, 2, 5, c.steps - 8}) solver.run(part);
        EXPECT_EQ(solver.state_hash(), expected) << "in domain " << number;
        EXPECT_EQ(solver.fast_steps(), whole->fast_steps()) << "in domain " << number;
    });
}

System box_for_deep_tiles() {
    System system;
    system.box.size = {6, 5, 90};
    return system;
}

/// Deep tiles go apart from the others: between walls, sheared, among surfaces, of several species. The fast
/// particle is in one of them, or changes domains.
TEST_F(DeviceDomains, have_the_bits_of_the_whole_box_where_deep_tiles_go_apart) {
    const System plain = box_for_deep_tiles();
    expect_bits_of_whole_box({plain});
    expect_bits_of_whole_box({plain, {{1, 1, 2}, 2}, Precision::double_precision, 40, 60, 0.49});
    System walls = plain;
    walls.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    walls.collision.conserve_angular_momentum = true;
    walls.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    expect_bits_of_whole_box({walls, {{1, 1, 2}}, Precision::double_precision, 7, 40});
    System sheared;
    sheared.box.size = {4, 50, 90};
    sheared.boundaries.faces[1] = {{}, {}, {0.05, 0}};
    expect_bits_of_whole_box({sheared, {{1, 1, 2}}, Precision::mixed, 9, 25, 0.49});
    System balls = plain;
    balls.surfaces.list = {sphere({3.0, 2.5, 22.0}, 1.8, FluidSide::outside),
                           sphere({3.0, 2.5, 44.0}, 1.5, FluidSide::outside, FaceKind::thermal)};
    balls.map_surfaces();
    expect_bits_of_whole_box({balls, {{1, 1, 2}}, Precision::double_precision, 5, 30});
    System species = walls;
    species.set_species(
        {{.name = "light", .mass = 1.0, .density = 5.0}, {.name = "heavy", .mass = 3.0, .density = 5.0}});
    expect_bits_of_whole_box({species, {{1, 1, 2}}, Precision::mixed, 6, 25});
}

/// They are re-ordered so late that particles of deep tiles are astray: they drift, or flow across the faces
/// of a sheared box, and are elsewhere along its flow then.
TEST_F(DeviceDomains, have_the_bits_of_the_whole_box_where_particles_are_astray) {
    System hot = box_for_deep_tiles();
    hot.box.size = {4, 4, 170};
    hot.collision.time_step = 0.3;
    expect_bits_of_whole_box({hot, {{1, 1, 2}}, Precision::mixed, 150, 200});
    System random = hot;
    random.collision.rule = CollisionRule::at;
    expect_bits_of_whole_box({random, {{1, 1, 2}}, Precision::double_precision, 150, 200});
    // Flights so long that those beyond their boxes are left over.
    System hotter = hot;
    hotter.box.size[2] = 330;
    hotter.collision.time_step = 0.6;
    hotter.collision.conserve_angular_momentum = true;
    ASSERT_TRUE(are_left_over_outside(hotter) && !are_left_over_outside(hot));
    expect_bits_of_whole_box({hotter, {{1, 1, 2}}, Precision::mixed, 150, 200});
    System sheared;
    sheared.box.size = {160, 50, 2};
    sheared.boundaries.faces[1] = {{}, {}, {0.001, 0}};
    expect_bits_of_whole_box({sheared, {{2, 1, 1}}, Precision::mixed, 150, 140, 0.25, 2.0});
}

/// Most tiles are deep, more than a card takes at a time: they are at work long after the others.
TEST_F(DeviceDomains, have_the_bits_of_the_whole_box_where_most_are_deep) {
    System system;
    system.box.size = {48, 32, 400};
    expect_bits_of_whole_box({system, {{1, 1, 2}}, Precision::mixed, 4, 14});
    system.set_species(
        {{.name = "light", .mass = 1.0, .density = 1.5}, {.name = "heavy", .mass = 3.0, .density = 1.0}});
    expect_bits_of_whole_box({system, {{1, 1, 2}}, Precision::double_precision, 4, 14});
}

/// In a step in which deep tiles are apart all particles become too fast.
TEST_F(DeviceDomains, all_have_the_fault_of_deep_tiles) {
    System system = box_for_deep_tiles();
    system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    system.force = {120.0, 0.0, 0.0};
    ASSERT_GT(deep_tiles_of(system, {{1, 1, 2}}), 0);
    const auto faults = faults_of(system, {{1, 1, 2}}, {}, [](Solver& solver) { solver.run(20); });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults.begin()->find("a particle was faster than 32"), std::string::npos) << *faults.begin();
}

}  // namespace
}  // namespace mpcflow::test
