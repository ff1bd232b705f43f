/// Systems at random: whatever a user may write together has the same bits on every solver, however it is
/// executed. What other tests leave out of all pairs and triples of choices is met here.

#include <exception>
#include <string>

#include <gtest/gtest.h>

#include "tests/solver/random_systems.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

constexpr int system_count = 100;

SolverOptions random_options(Dice& dice, const System& system) {
    SolverOptions options;
    options.precision = dice.one_in(2) ? Precision::mixed : Precision::double_precision;
    options.summation =
        dice.among<Summation>({Summation::automatic, Summation::tile, Summation::tile, Summation::match,
                               Summation::peers, Summation::direct, Summation::cas});
    options.reorder = dice.among<int>({0, 1, 3, 5});
    options.threads = dice.among<int>({1, 2, 3});
    options.vectors = dice.among<VectorUnits>({VectorUnits::plain, VectorUnits::avx2, VectorUnits::avx512});
    options.bins = random_bins(dice, system.box);
    options.pressure = PressureFields::sampled;
    return options;
}

/// Runs it and tells what it has come to.
Report run(Solver& solver) {
    for (const int part : {7, 5}) {
        solver.run(part);
        solver.measure<FieldsRule>().sample();
    }
    return report_of(solver);
}

class RandomSystems : public SolverTest {};

TEST_P(RandomSystems, have_the_bits_of_one_host_thread) {
    Dice dice(20261125);
    for (int number = 0; number < system_count; ++number) {
        const System system = random_system(dice);
        const SolverOptions options = random_options(dice, system);
        SolverOptions plain = options;
        plain.threads = 1;
        plain.reorder = 1000;
        plain.vectors = VectorUnits::plain;
        SCOPED_TRACE("system " + std::to_string(number) + ": " + in_words(system) + "; " + describe(options));
        try {
            const Report expected = run(*make_solver(SolverKind::host, system, plain));
            expect_same_bits(run(*make(system, options)), expected);
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();  // with the trace, which GoogleTest has not for what is thrown
        }
        ASSERT_FALSE(HasFailure());
    }
}

MPCFLOW_ON_EVERY_SOLVER(RandomSystems);

}  // namespace
}  // namespace mpcflow::test
