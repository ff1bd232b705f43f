/// The team of threads: what a task throws on one of them, and the processors that there are for them.

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include "physics/errors.hpp"
#include "physics/host/processors.hpp"
#include "physics/host/thread_team.hpp"

namespace mpcflow::test {
namespace {

/// Every thread waits three times; `thrower` throws before its wait number `wait`.
void run_with_a_failure(ThreadTeam& team, int thrower, int wait, std::atomic<int>& through) {
    team.run([&](int thread) {
        for (int i = 0; i < 3; ++i) {
            if (thread == thrower && i == wait) throw std::runtime_error("thread " + std::to_string(thread));
            team.wait();
        }
        if (thread == thrower && wait == 3) throw std::runtime_error("thread " + std::to_string(thread));
        ++through;
    });
}

TEST(ThreadTeam, ThrowsWhatItsTaskThrewAndWorksOn) {
    for (const int size : {1, 2, 5}) {
        ThreadTeam team(size);
        for (int thrower = 0; thrower < size; ++thrower) {
            for (int wait = 0; wait <= 3; ++wait) {
                std::atomic<int> through{0};
                try {
                    run_with_a_failure(team, thrower, wait, through);
                    FAIL() << "nothing was thrown";
                } catch (const std::runtime_error& error) {
                    EXPECT_EQ(error.what(), "thread " + std::to_string(thrower));
                }
                EXPECT_EQ(through, wait < 3 ? 0 : size - 1) << "the others leave at their next wait";
                through = 0;
                run_with_a_failure(team, -1, 0, through);
                EXPECT_EQ(through, size);
            }
        }
    }
}

TEST(ThreadTeam, OneFailureOfSeveralIsThrown) {
    ThreadTeam team(4);
    for (int repetition = 0; repetition < 200; ++repetition) {
        EXPECT_THROW(team.run([&](int thread) {
            team.wait();
            if (thread != 1) throw std::runtime_error("no");
            team.wait();
        }),
                     std::runtime_error);
    }
}

TEST(ThreadTeam, SaysWhenThereMayNotBeSoManyThreads) {
#ifdef MPCFLOW_SANITIZED
    GTEST_SKIP() << "a sanitizer takes terabytes of address space";
#endif
    // In a process of its own, whose stacks find no address space.
    const auto try_it = [] {
        const rlimit limit{rlim_t{1} << 28, rlim_t{1} << 28};
        if (setrlimit(RLIMIT_AS, &limit) != 0) std::exit(1);
        try {
            const ThreadTeam team(1000);
        } catch (const EnvironmentError& error) {
            std::fputs(error.what(), stderr);
            std::exit(3);
        }
        std::exit(0);
    };
    EXPECT_EXIT(try_it(), testing::ExitedWithCode(3),
                "execution\\.threads: the system grants [0-9]+ of 1000 threads");
}

TEST(Processors, AreThoseOfTheCpuSet) {
    const int all = available_processors();
    EXPECT_GE(all, 1);
    int in_one = 0;
    std::thread([&] {  // a set of its own, which ends with it
        cpu_set_t set;
        ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
        ASSERT_EQ(CPU_COUNT(&set), all);
        int first = 0;
        while (!CPU_ISSET(first, &set)) ++first;
        CPU_ZERO(&set);
        CPU_SET(first, &set);
        ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
        in_one = available_processors();
    })
        .join();
    EXPECT_EQ(in_one, 1);
}

}  // namespace
}  // namespace mpcflow::test
