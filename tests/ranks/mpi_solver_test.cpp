/// A solver that leads the domains of other processes is as one of the whole box, to the last bit.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/domain/automatic_cut.hpp"
#include "physics/errors.hpp"
#include "ranks/following.hpp"
#include "ranks/leading_solver.hpp"
#include "tests/ranks/measured.hpp"
#include "tests/ranks/mpi_main.hpp"
#include "tests/solver/golden_cases.hpp"
#include "tests/solver/random_systems.hpp"

namespace mpcflow::test {
namespace {

/// On rank 0 calls function(solver); the others follow.
template <class Function>
void lead(const System& system, const SolverOptions& options, const Function& function) {
    const Cut cut = automatic_cut(system, ranks().count()).value();
    const DomainMaker make = domains_on_cpu(system, options, cut);
    if (ranks().number() != 0) return follow(ranks(), make);
    LeadingSolver solver(ranks(), cut, make);
    function(solver);
}

TEST(LeadingSolver, measures_what_the_whole_box_has) {
    // A seventh of the cases, another one for another number of ranks: all laws and precisions are among
    // each.
    const bool takes_all = std::getenv("MPCFLOW_ALL_CASES") != nullptr;
    int number = 0;
    for (const Case& c : all_cases()) {
        if (!takes_all && (number++ - ranks().count()) % 7 != 0) continue;
        SCOPED_TRACE(c.name);
        SolverOptions options = options_with_fields(c.precision);
        options.threads = 1;
        lead(c.whole_system(), options, [&](Solver& solver) {
            const auto whole = make_host_solver(c.whole_system(), options);
            whole->run(7);
            ParticleRecords centres = some_of(*whole);
            const std::vector<std::uint64_t> expected = measured(*whole, centres);
            ParticleSnapshot all, found;
            whole->copy_particles(all);

            solver.run(7);
            centres = some_of(solver);
            EXPECT_EQ(measured(solver, centres), expected);
            solver.copy_particles(found);
            EXPECT_TRUE(have_same_bits(found, all));
            solver.run(steps - 7);
            EXPECT_EQ(solver.state_hash(), golden_hash(c.name));

            solver.restore(all, 0);
            solver.measure<FieldsRule>().put(solver.measure<FieldsRule>().take());
            solver.run(steps - 7);
            EXPECT_EQ(solver.state_hash(), golden_hash(c.name));
        });
    }
}

/// Flights over several domains, walls on all sides, one layer of cells, hardly a particle.
TEST(LeadingSolver, has_the_bits_of_odd_boxes) {
    std::vector<System> systems(4, small_system());
    systems[0].collision = {.time_step = 2.5, .conserve_angular_momentum = true};
    systems[1].boundaries.faces.fill({FaceKind::no_slip, FaceKind::slip});
    systems[1].collision.conserve_angular_momentum = true;
    systems[2].box.size = {11, 5, 1};
    systems[3].box.size = {1, 1, std::max(5, ranks().count())};
    systems[3].fluid.density = 0.4;
    for (const System& system : systems) {
        lead(
            system, {},
            [&](Solver& solver) {
                const auto whole = make_host_solver(system, {});
                whole->run(25);
                solver.run(25);
                EXPECT_EQ(solver.state_hash(), whole->state_hash())
                    << testing::PrintToString(system.box.size);
                EXPECT_EQ(solver.fast_steps(), whole->fast_steps());
            });
    }
}

/// Whatever a user may write together; a few, other ones for another number of ranks.
TEST(LeadingSolver, has_the_bits_of_random_systems) {
    const int count = std::getenv("MPCFLOW_ALL_CASES") != nullptr ? 100 : 10;
    Dice dice(static_cast<std::uint64_t>(20261202 + ranks().count()));
    for (int number = 0; number < count; ++number) {
        System system = random_system(dice);
        while (system.masses() != Masses::equal || !automatic_cut(system, ranks().count()))
            system = random_system(dice);
        SolverOptions options;
        options.precision = dice.one_in(2) ? Precision::mixed : Precision::double_precision;
        options.threads = 1;
        SCOPED_TRACE("system " + std::to_string(number) + ": " + in_words(system));
        lead(system, options, [&](Solver& solver) {
            // What is thrown must not end the test of rank 0 alone: the others would follow the wrong solver.
            try {
                const auto whole = make_host_solver(system, options);
                try {
                    whole->run(12);
                } catch (const SimulationFault&) {  // a thin gas between walls that move
                    EXPECT_THROW(solver.run(12), SimulationFault);
                    return;
                }
                solver.run(12);
                EXPECT_EQ(solver.state_hash(), whole->state_hash());
                EXPECT_EQ(bits_of(numbers_of(solver.measure<FluxRule>())),
                          bits_of(numbers_of(whole->measure<FluxRule>())));
            } catch (const std::exception& error) {
                ADD_FAILURE() << error.what();
            }
        });
    }
}

TEST(LeadingSolver, has_one_fault_and_another_solver_begins) {
    const System system = small_system();
    lead(system, {}, [&](Solver& solver) {
        ParticleSnapshot start;
        solver.copy_particles(start);
        start.velocity[3 * 17] = 100.0;
        solver.restore(start, 0);
        EXPECT_THROW(solver.run(1), SimulationFault);
        start.id[1] = 0;
        EXPECT_THROW(solver.restore(start, 0), std::invalid_argument);
    });
    lead(system, {}, [&](Solver& solver) {
        solver.run(2);
        EXPECT_EQ(solver.current_step(), 2);
    });
}

TEST(LeadingSolver, tells_how_long_ranks_wait) {
    lead(
        small_system(), {},
        [&](LeadingSolver& solver) {
            solver.run(20);
            const std::vector<RankTimes> times = solver.times();
            ASSERT_EQ(static_cast<int>(times.size()), ranks().count());
            for (const RankTimes& of_rank : times) {
                EXPECT_GT(of_rank.ran, 0.0);
                EXPECT_LT(of_rank.waited, of_rank.ran);
                if (ranks().count() > 1) EXPECT_GT(of_rank.waited, 0.0);
            }
            EXPECT_NE(solver.device_description().find(std::to_string(ranks().count()) + " ranks"),
                      std::string::npos);
            EXPECT_GT(solver.memory_bytes(), 13 * 12 * 11 * 10 * 64);
        });
}

}  // namespace
}  // namespace mpcflow::test
