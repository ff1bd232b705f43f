/// The particles of a region are those of all particles that are there, the same bits whatever executes the run.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/particle.hpp"
#include "physics/region.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

System driven_fluid() {
    System system;
    system.seed = 21;
    system.box.size = {9, 8, 7};
    system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    system.force = {0.3, 0.1, 0.0};
    return system;
}

/// The part of a snapshot of all particles that is in [lower, upper).
ParticleSnapshot part_of(const ParticleSnapshot& all, const Region& region) {
    ParticleSnapshot part;
    part.step = all.step;
    for (std::size_t i = 0; i < all.id.size(); ++i) {
        bool is_inside = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double x = all.position[3 * i + axis];
            is_inside &= x >= region.lower[axis] && x < region.upper[axis];
        }
        if (!is_inside) continue;
        part.id.push_back(all.id[i]);
        for (std::size_t at = 3 * i; at < 3 * i + 3; ++at) {
            part.position.push_back(all.position[at]);
            part.velocity.push_back(all.velocity[at]);
            part.image.push_back(all.image[at]);
        }
    }
    return part;
}

void expect_same(const ParticleSnapshot& found, const ParticleSnapshot& expected) {
    EXPECT_EQ(found.step, expected.step);
    EXPECT_TRUE(found.id == expected.id) << found.id.size() << " particles, " << expected.id.size() << " expected";
    EXPECT_TRUE(bits_of(found.position) == bits_of(expected.position));
    EXPECT_TRUE(bits_of(found.velocity) == bits_of(expected.velocity));
    EXPECT_TRUE(found.image == expected.image);
}

const std::vector<Region> regions{
    {{2.0, 3.0, 1.0}, {5.5, 4.25, 6.0}},
    {{0.0, 0.0, 0.0}, {9.0, 8.0, 3.5}},
    {{8.9, 0.0, 0.0}, {9.0, 8.0, 7.0}},
    {{4.0, 4.0, 4.0}, {4.0 + 1e-9, 4.0 + 1e-9, 4.0 + 1e-9}},
};

class Regions : public SolverTest {};

TEST_P(Regions, hold_what_is_in_them_in_the_order_of_ids) {
    const System system = driven_fluid();
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        // Of one host thread.
        const auto reference = make_solver(SolverKind::host, system, {precision});
        ParticleSnapshot all;
        reference->run(35);
        reference->copy_particles(all);
        for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
            SCOPED_TRACE(describe(way));
            const auto solver = make(system, way);
            ParticleSnapshot found;
            solver->run(35);
            for (const Region& region : regions) {
                solver->copy_region(region, found);
                expect_same(found, part_of(all, region));
            }
            // Asking changed nothing, also where a re-ordering comes next.
            EXPECT_EQ(solver->state_hash(), reference->state_hash());
            solver->run(16);
            const auto left_alone = make(system, way);
            left_alone->run(51);
            EXPECT_EQ(solver->state_hash(), left_alone->state_hash());
        }
    }
}

TEST_P(Regions, that_are_the_whole_box_hold_all) {
    const System system = driven_fluid();
    const auto solver = make(system);
    ParticleSnapshot all, found;
    for (int part = 0; part < 4; ++part) {
        solver->copy_particles(all);
        solver->copy_region({{0.0, 0.0, 0.0}, {9.0, 8.0, 7.0}}, found);
        EXPECT_EQ(found.id.size(), static_cast<std::size_t>(system.particle_count()));
        expect_same(found, all);
        solver->run(7);
    }
}

TEST_P(Regions, do_not_grow_once_filled_with_many) {
    const auto solver = make(driven_fluid());
    ParticleSnapshot snapshot;
    solver->copy_region({{0.0, 0.0, 0.0}, {9.0, 8.0, 7.0}}, snapshot);
    solver->copy_region(regions[3], snapshot);
    EXPECT_TRUE(snapshot.id.empty());
    EXPECT_TRUE(snapshot.position.empty());
    EXPECT_TRUE(snapshot.velocity.empty());
    EXPECT_TRUE(snapshot.image.empty());
}

MPCFLOW_ON_EVERY_SOLVER(Regions);

TEST(RegionRule, takes_its_lower_faces_and_those_of_the_box) {
    const System system = driven_fluid();
    const RegionRule rule(system, {{1.0, 2.0, 3.0}, {4.0, 8.0, 7.0}});
    EXPECT_TRUE(rule.contains(Vec3<double>{1.0, 2.0, 3.0}));
    EXPECT_FALSE(rule.contains(Vec3<double>{4.0, 2.0, 3.0}));
    EXPECT_FALSE(rule.contains(Vec3<double>{0.999, 2.0, 3.0}));
    EXPECT_TRUE(rule.contains(Vec3<float>{3.9999F, 7.9999F, 7.0F})) << "on the upper wall";
    EXPECT_FALSE(rule.contains(Vec3<float>{3.0F, 1.9999F, 7.0F}));
}

}  // namespace
}  // namespace mpcflow::test
