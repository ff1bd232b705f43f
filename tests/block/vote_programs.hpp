#pragma once
/// The programs of gpu/block/votes.hpp and, on the card, of hardware_votes.cuh.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/block/votes.hpp"
#include "tests/block/block_programs.hpp"

namespace mpcflow::test {

/// Who counts. The hardware's way is on the card alone.
struct VotesOfWarps {
    using Scratch = block::VoteScratch;
    static std::string name() { return "by_warps"; }
    template <class Block>
    static MPCFLOW_WARP unsigned count(Block block, bool vote, Scratch& scratch) {
        return block::count_votes(block, vote, scratch);
    }
    template <class Block>
    static MPCFLOW_WARP bool any(Block block, bool vote, Scratch& scratch) {
        return block::is_any(block, vote, scratch);
    }
    template <class Block>
    static MPCFLOW_WARP bool all(Block block, bool vote, Scratch& scratch) {
        return block::are_all(block, vote, scratch);
    }
};

/// Votes on whether a thread has an item, on its key, on whether it is one certain thread, and on whether it
/// is not: each kind, with the scratch used again at once.
template <class Way, int Threads>
struct Vote {
    using Scratch = typename Way::Scratch;
    static constexpr unsigned threads = Threads;
    static constexpr unsigned blocks = 1;
    static constexpr unsigned questions = 4;
    static std::string name() { return "vote_" + Way::name() + "_in_" + std::to_string(Threads); }
    static std::vector<std::uint32_t> counts() { return some_counts_up_to(threads); }

    struct Report {
        unsigned numbers[questions][Threads];
        unsigned any[questions][Threads];  // 2 and 1, so that what nobody writes is not right
        unsigned all[questions][Threads];
    };

    static MPCFLOW_HD bool vote(Items items, unsigned thread, unsigned question) {
        const unsigned certain = items.count * 7 % Threads;
        if (question == 0) return thread < items.count;
        if (question == 1) return thread < items.count && items.keys[thread] % 2 == 0;
        return (thread == certain) == (question == 2);
    }

    template <class Block, class Atomics>
    static MPCFLOW_WARP void run(Block block, Atomics, GridPlace, Items items, Report& report,
                                 Scratch& scratch) {
        const unsigned thread = block.thread();
        for (unsigned question = 0; question < questions; ++question) {
            const bool mine = vote(items, thread, question);
            report.numbers[question][thread] = Way::count(block, mine, scratch);
            report.any[question][thread] = Way::any(block, mine, scratch) ? 2 : 1;
            report.all[question][thread] = Way::all(block, mine, scratch) ? 2 : 1;
        }
    }

    static void check(const BlockCase& input, const Report& report) {
        for (unsigned question = 0; question < questions; ++question) {
            unsigned number = 0;
            for (unsigned thread = 0; thread < threads; ++thread)
                if (vote(input.items(), thread, question)) ++number;
            for (unsigned thread = 0; thread < threads; ++thread) {
                EXPECT_EQ(report.numbers[question][thread], number) << question << ", thread " << thread;
                EXPECT_EQ(report.any[question][thread], number > 0 ? 2u : 1u)
                    << question << ", thread " << thread;
                EXPECT_EQ(report.all[question][thread], number == threads ? 2u : 1u)
                    << question << ", thread " << thread;
            }
        }
    }
};

using VotePrograms = testing::Types<Vote<VotesOfWarps, 32>, Vote<VotesOfWarps, 64>, Vote<VotesOfWarps, 1024>>;

}  // namespace mpcflow::test
