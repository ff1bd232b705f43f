/// How a run is executed, as the user may ask: what is asked for is done, what is left to the solver is
/// chosen and told.

#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/word_sums.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/names.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class ExecutionTest : public SolverTest {
protected:
    ExecutionTest() { system_.box.size = {12, 11, 10}; }
    System system_;
};

TEST_P(ExecutionTest, what_is_asked_for_is_done_without_a_word) {
    SolverOptions options;
    options.summation = Summation::match;
    options.reorder = 7;
    const auto solver = make(system_, options);
    EXPECT_TRUE(solver->is_settled());
    solver->run(30);
    EXPECT_EQ(solver->reorder_interval(), 7);
    EXPECT_EQ(solver->summation(), GetParam() == SolverKind::device ? Summation::match : Summation::direct);
    EXPECT_TRUE(solver->take_notes().empty());
}

TEST_P(ExecutionTest, what_is_left_to_the_solver_settles_and_is_told_once) {
    const auto solver = make(system_);
    std::vector<std::string> notes;
    for (int runs = 0; !solver->is_settled(); ++runs) {
        ASSERT_LT(runs, 100);
        solver->run(200);
        for (const std::string& note : solver->take_notes()) notes.push_back(note);
    }
    EXPECT_GE(solver->reorder_interval(), 1);
    EXPECT_NE(solver->summation(), Summation::automatic);
    if (GetParam() == SolverKind::host) {
        EXPECT_TRUE(notes.empty());
        return;
    }
    ASSERT_EQ(notes.size(), 1U);
    const std::string chosen{name_of(solver->summation())};
    EXPECT_NE(notes.front().find("summation " + chosen + ", re-ordered every " +
                                 std::to_string(solver->reorder_interval()) + " steps"),
              std::string::npos)
        << notes.front();
}

TEST_P(ExecutionTest, the_bits_are_those_of_the_host_through_all_that_is_tried) {
    system_.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::no_slip};
    for (const bool angular : {false, true}) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            system_.collision.conserve_angular_momentum = angular;
            const auto solver = make(system_, {precision});
            // Parts that no batch of timed steps fits into.
            const int parts[] = {1, 7, 100};
            for (int i = 0; !solver->is_settled(); ++i) {
                ASSERT_LT(solver->current_step(), 20000);
                solver->run(parts[i % 3]);
            }
            solver->run(20);
            SolverOptions one_thread{precision};
            one_thread.threads = 1;
            const auto host = make_solver(SolverKind::host, system_, one_thread);
            host->run(solver->current_step());
            EXPECT_EQ(solver->state_hash(), host->state_hash()) << describe({precision}) << ", " << angular;
        }
    }
}

TEST_P(ExecutionTest, walls_that_nearly_all_particles_meet_give_the_bits_of_the_host) {
    // A box so small, and flights so long, that most particles are turned back several times a step.
    system_.box.size = {3, 4, 3};
    system_.fluid.density = 40.0;
    system_.collision.time_step = 3.0;
    for (auto& faces : system_.boundaries.faces) faces = {FaceKind::no_slip, FaceKind::no_slip};
    for (const bool angular : {false, true}) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            system_.collision.conserve_angular_momentum = angular;
            const auto host = make_solver(SolverKind::host, system_, {precision});
            host->run(25);
            for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
                const auto solver = make(system_, way);
                solver->run(25);
                EXPECT_EQ(solver->state_hash(), host->state_hash()) << describe(way);
            }
        }
    }
}

TEST_P(ExecutionTest, a_fluid_in_which_all_cells_are_like_that_gives_them_too) {
    // In a box that is smaller than a tile, between walls, with as many sums as a law has.
    system_.box.size = {2, 2, 2};
    system_.fluid.density = 1200.0;
    system_.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    for (auto& faces : system_.boundaries.faces) faces = {FaceKind::no_slip, FaceKind::no_slip};
    for (const bool angular : {false, true}) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            system_.collision.conserve_angular_momentum = angular;
            const auto host = make_solver(SolverKind::host, system_, {precision});
            host->run(10);
            for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
                const auto solver = make(system_, way);
                solver->run(10);
                EXPECT_EQ(solver->state_hash(), host->state_hash()) << describe(way);
            }
        }
    }
}

MPCFLOW_ON_EVERY_SOLVER(ExecutionTest);

// So many in one cell, as there may be at this density, that sums in words of 32 bits would overflow. The
// crowd is cold, so that it stays together; without the thermostat, which would heat it.
class CrowdedCell : public ExecutionTest {
protected:
    CrowdedCell() {
        system_.box.size = {6, 7, 5};
        system_.fluid.density = 130.0;
        system_.collision.random_shift = false;
    }
    static constexpr double centre = 2.5;  ///< of the cell, along all axes

    static int occupancy(Solver& solver) {
        ParticleSnapshot all;
        solver.copy_particles(all);
        int count = 0;
        for (std::size_t i = 0; i < all.position.size(); i += 3) {
            bool is_there = true;
            for (std::size_t axis = 0; axis < 3; ++axis)
                is_there &= std::floor(all.position[i + axis]) == std::floor(centre);
            count += is_there ? 1 : 0;
        }
        return count;
    }

    void expect_the_bits_of_the_host() {
        for (const bool angular : {false, true}) {
            system_.collision.conserve_angular_momentum = angular;
            expect_those_of_the_law();
        }
        // AT gives all new velocities: so that the crowd stays together, everyone is as cold.
        system_.collision = {.rule = CollisionRule::at, .random_shift = false};
        system_.fluid.temperature = std::ldexp(1.0, -16);
        if (!system_.surfaces.list.empty()) system_.map_surfaces();
        expect_those_of_the_law();
    }

private:
    void expect_those_of_the_law() {
        constexpr std::size_t crowd = 1010;
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            ParticleSnapshot snapshot;
            const auto host = make_solver(SolverKind::host, system_, {precision});
            host->copy_particles(snapshot);
            for (std::size_t i = 0; i < 3 * crowd; ++i) {
                snapshot.position[i] = centre + std::ldexp(snapshot.position[i] - centre, -8);
                snapshot.velocity[i] = std::ldexp(snapshot.velocity[i], -8);
            }
            host->restore(snapshot, 0);
            ASSERT_GT(occupancy(*host), 1024);
            ASSERT_LE(occupancy(*host), occupancy_limit(system_.fluid, 1.0));
            ASSERT_FALSE(WordSplit(occupancy_limit(system_.fluid, 1.0)).is_enough());
            host->run(4);
            EXPECT_GT(occupancy(*host), 1024);
            for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
                const auto solver = make(system_, way);
                solver->restore(snapshot, 0);
                solver->run(4);
                EXPECT_EQ(solver->state_hash(), host->state_hash()) << describe(way);
            }
        }
    }
};

TEST_P(CrowdedCell, of_more_particles_than_a_word_of_a_tile_holds_gives_the_bits_of_the_host) {
    expect_the_bits_of_the_host();
}

// A sphere cuts the cell 0.2 from the crowd, so that no flight in the cell is free by the map alone; but the
// crowd meets nothing in four steps of 2^-8 x 0.1 thermal speeds. A device adds such particles after all
// others, when the cell is full.
TEST_P(CrowdedCell, near_a_surface_gives_them_too) {
    system_ = with_surfaces(system_, {sphere({4.0, centre, centre}, 1.3, FluidSide::outside)});
    const SurfaceView view = view_of_surfaces(system_);
    const Vec3<double> place{centre, centre, centre};
    ASSERT_FALSE(view.is_free(place, place));
    ASSERT_TRUE(view.is_surely_free(place, place + Vec3<double>{0.1, 0.1, 0.1}));
    expect_the_bits_of_the_host();
}

MPCFLOW_ON_EVERY_SOLVER(CrowdedCell);

}  // namespace
}  // namespace mpcflow::test
