/// Runs all tests on every rank of an mpirun, and ends with exit status 1 where one fails on any of them.

#include <mpi.h>

#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include "tests/ranks/mpi_main.hpp"

namespace mpcflow::test {
namespace {
MpiRanks* the_ranks = nullptr;
}

MpiRanks& ranks() { return *the_ranks; }

namespace {

int run(int count, char** arguments) {
    int provided = 0;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
    MpiRanks ranks(1000);  // so short that what tests send goes in pieces
    the_ranks = &ranks;
    testing::InitGoogleTest(&count, arguments);
    if (ranks.number() != 0) {
        // What went well, one rank tells.
        delete testing::UnitTest::GetInstance()->listeners().Release(
            testing::UnitTest::GetInstance()->listeners().default_result_printer());
    }
    std::uint64_t failures = RUN_ALL_TESTS() == 0 ? 0 : 1;
    ranks.add_up(std::span(&failures, 1));
    const int status = failures == 0 ? 0 : 1;
    if (ranks.number() == 0) {
        ranks.end_all(status);
        return status;
    }
    try {
        static_cast<void>(ranks.await());
    } catch (const RunHasEnded&) {
        ranks.leave();
        return 0;
    }
    return 1;  // rank 0 had nothing to lead
}

}  // namespace
}  // namespace mpcflow::test

int main(int count, char** arguments) { return mpcflow::test::run(count, arguments); }
