/// A hundred systems at random, cut at random: domains have the bits of the whole box.

#include <algorithm>
#include <array>
#include <exception>
#include <string>

#include <gtest/gtest.h>

#include "physics/domain/domain_solver.hpp"
#include "physics/domain/in_process.hpp"
#include "tests/solver/random_systems.hpp"
#include "tests/solver/same_bits.hpp"

namespace mpcflow::test {
namespace {

constexpr int system_count = 100;

/// Two to twelve domains, and a halo of one to three layers.
Cut random_cut(Dice& dice, const Box& box) {
    Cut cut;
    cut.halo = 1 + dice.below(3);
    for (int tries = 0; cut.count() < 2; ++tries) {
        for (int axis = 0; axis < 3; ++axis) cut.domains[axis] = 1 + dice.below(std::min(box.size[axis], 4));
        if (cut.count() > 12) cut.domains = {1, 1, 1};
        if (tries == 100) break;  // of a box of one cell
    }
    return cut;
}

/// Of a solver of the whole box, or of all domains alike.
Report run(Solver& solver) {
    for (const int part : {7, 5}) {
        solver.run(part);
        solver.measure<FieldsRule>().sample();
    }
    return report_of(solver);
}

TEST(RandomDomains, have_the_bits_of_the_whole_box) {
    Dice dice(20261201);
    int cuts = 0;
    for (int number = 0; number < system_count; ++number) {
        System system = random_system(dice);
        while (system.masses() != Masses::equal) system = random_system(dice);
        SolverOptions options;
        options.precision = dice.one_in(2) ? Precision::mixed : Precision::double_precision;
        options.bins = random_bins(dice, system.box);
        options.pressure = PressureFields::sampled;
        options.threads = 1;
        const Cut cut = random_cut(dice, system.box);
        cuts += cut.count() > 1 ? 1 : 0;
        SCOPED_TRACE("system " + std::to_string(number) + ": " + in_words(system) + "; in " +
                     testing::PrintToString(cut.domains) + ", halo " + std::to_string(cut.halo));
        const Report expected = run(*make_host_solver(system, options));
        options.threads = 1 + dice.below(2);
        options.reorder = dice.among<int>({0, 1, 3, 5});
        InProcess(cut.count()).run([&](int domain, Exchange& exchange) {
            Report found = run(*make_domain_solver(system, options, cut, exchange));
            if (domain != 0) found.snapshot = expected.snapshot;  // domain 0 alone has it
            expect_same_bits(found, expected);
        });
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(cuts, system_count * 9 / 10);
}

}  // namespace
}  // namespace mpcflow::test
