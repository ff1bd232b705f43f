/// Selected particles are those of all particles that are meant, the same bits whatever executes the run.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/particle.hpp"
#include "physics/selection.hpp"
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

/// The part of a snapshot of all particles that is in [lower, upper) and has a wanted id.
ParticleSnapshot part_of(const ParticleSnapshot& all, const Selection& selection) {
    ParticleSnapshot part;
    part.step = all.step;
    for (std::size_t i = 0; i < all.id.size(); ++i) {
        bool is_wanted = all.id[i] % selection.every_nth_id == 0;
        for (std::size_t axis = 0; selection.region && axis < 3; ++axis) {
            const double x = all.position[3 * i + axis];
            is_wanted &= x >= selection.region->lower[axis] && x < selection.region->upper[axis];
        }
        if (!is_wanted) continue;
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
    EXPECT_TRUE(found.id == expected.id)
        << found.id.size() << " particles, " << expected.id.size() << " expected";
    EXPECT_TRUE(bits_of(found.position) == bits_of(expected.position));
    EXPECT_TRUE(bits_of(found.velocity) == bits_of(expected.velocity));
    EXPECT_TRUE(found.image == expected.image);
}

const Region whole_box{{0.0, 0.0, 0.0}, {9.0, 8.0, 7.0}};
const Selection nobody{Region{{4.0, 4.0, 4.0}, {4.0 + 1e-9, 4.0 + 1e-9, 4.0 + 1e-9}}, 1};
/// 5040 particles.
const std::vector<Selection> selections{
    {Region{{2.0, 3.0, 1.0}, {5.5, 4.25, 6.0}}, 1},
    {Region{{0.0, 0.0, 0.0}, {9.0, 8.0, 3.5}}, 1},
    {Region{{8.9, 0.0, 0.0}, {9.0, 8.0, 7.0}}, 1},
    nobody,
    {std::nullopt, 1},
    {std::nullopt, 2},
    {std::nullopt, 37},
    {std::nullopt, 5039},
    {std::nullopt, 5040},
    {std::nullopt, 2147483647},
    {Region{{2.0, 3.0, 1.0}, {5.5, 4.25, 6.0}}, 3},
};

class Selections : public SolverTest {};

TEST_P(Selections, hold_what_is_meant_in_the_order_of_ids) {
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
            for (const Selection& selection : selections) {
                solver->copy_selection(selection, found);
                expect_same(found, part_of(all, selection));
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

TEST_P(Selections, of_the_whole_box_hold_all) {
    const System system = driven_fluid();
    const auto solver = make(system);
    ParticleSnapshot all, found;
    for (int part = 0; part < 4; ++part) {
        solver->copy_particles(all);
        solver->copy_selection({whole_box, 1}, found);
        EXPECT_EQ(found.id.size(), static_cast<std::size_t>(system.particle_count()));
        expect_same(found, all);
        solver->run(7);
    }
}

TEST_P(Selections, do_not_grow_once_filled_with_many) {
    const auto solver = make(driven_fluid());
    ParticleSnapshot snapshot;
    solver->copy_selection({whole_box, 1}, snapshot);
    solver->copy_selection(nobody, snapshot);
    EXPECT_TRUE(snapshot.id.empty());
    EXPECT_TRUE(snapshot.position.empty());
    EXPECT_TRUE(snapshot.velocity.empty());
    EXPECT_TRUE(snapshot.image.empty());
}

MPCFLOW_ON_EVERY_SOLVER(Selections);

TEST(SelectionRule, takes_the_lower_faces_of_its_region_and_the_faces_of_the_box) {
    const System system = driven_fluid();
    const SelectionRule rule(system, {Region{{1.0, 2.0, 3.0}, {4.0, 8.0, 7.0}}, 1});
    const auto contains = [&](Vec3<double> x) { return rule.contains(ParticleDouble::make(0, x, {})); };
    const auto contains_mixed = [&](Vec3<float> x) { return rule.contains(ParticleMixed::make(0, x, {})); };
    EXPECT_TRUE(contains({1.0, 2.0, 3.0}));
    EXPECT_FALSE(contains({4.0, 2.0, 3.0}));
    EXPECT_FALSE(contains({0.999, 2.0, 3.0}));
    EXPECT_TRUE(contains_mixed({3.9999F, 7.9999F, 7.0F})) << "on the upper wall";
    EXPECT_FALSE(contains_mixed({3.0F, 1.9999F, 7.0F}));
}

TEST(SelectionRule, takes_multiples_of_an_id) {
    const SelectionRule rule(driven_fluid(), {std::nullopt, 3});
    for (std::uint64_t id = 0; id < 10; ++id) {
        EXPECT_EQ(rule.contains(ParticleMixed::make(id, {}, {})), id == 0 || id == 3 || id == 6 || id == 9)
            << id;
    }
    EXPECT_EQ(count_selected_ids(10, 3), 4);
    EXPECT_EQ(count_selected_ids(9, 3), 3);
    EXPECT_EQ(count_selected_ids(1, 3), 1);
    EXPECT_EQ(count_selected_ids(10, 1), 10);
}

}  // namespace
}  // namespace mpcflow::test
