/// Domains that are processes.

#include <gtest/gtest.h>

#include "tests/ranks/exchange_checks.hpp"
#include "tests/ranks/mpi_main.hpp"

namespace mpcflow::test {
namespace {

TEST(MpiRanks, exchange) {
    check_exchange(ranks());
    check_exchange(ranks());
    if (ranks().count() > 1) EXPECT_GT(ranks().waited_seconds(), 0.0);
}

TEST(MpiRanks, follow_rank_0) {
    for (const std::size_t length : {0, 1, 500}) {
        if (ranks().number() == 0) ranks().lead(letter(0, 0, 1, length));
        else EXPECT_TRUE(ranks().await() == letter(0, 0, 1, length));
        // What comes next waits until this is over.
        check_sums(ranks());
    }
}

TEST(MpiRanks, tell_rank_0_of_a_signal) {
    if (ranks().count() == 1) return;
    const int last = ranks().count() - 1;
    if (ranks().number() == last) ranks().set_signal_source([] { return 15; });
    while (ranks().number() == 0 && ranks().signal_of_others() == 0) continue;
    // All the others wait here, so that they tell it.
    static_cast<void>(ranks().share({}));
    if (ranks().number() == 0) EXPECT_EQ(ranks().signal_of_others(), 15);
}

}  // namespace
}  // namespace mpcflow::test
