/// The block algorithms in the emulator: right results for every pattern of keys and number of items, and no
/// wrong use that goes unseen.

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/block/grouped_programs.hpp"
#include "tests/block/reduce_programs.hpp"
#include "tests/block/scan_programs.hpp"
#include "tests/block/segmented_programs.hpp"
#include "tests/block/selection_programs.hpp"
#include "tests/block/two_stage_programs.hpp"
#include "tests/block/vote_programs.hpp"
#include "tests/support/block_emulator.hpp"
#include "tests/support/emulated_atomics.hpp"

namespace mpcflow::test {
namespace {

/// Runs all blocks of the program's grid, one after the other; a thread for which `stays_away` is true
/// leaves.
template <class Program, class StaysAway>
void run_grid(std::uint64_t seed, const BlockCase& input, typename Program::Report& report,
              StaysAway stays_away) {
    const auto scratch = std::make_unique<typename Program::Scratch>();
    for (unsigned number = 0; number < Program::blocks; ++number) {
        std::memset(static_cast<void*>(scratch.get()), 0x5a, sizeof *scratch);
        const GridPlace place{number, Program::blocks};
        run_block(seed, Program::threads, [&](EmulatedBlock& block) {
            if (!stays_away(block.thread())) {
                const EmulatedAtomics atomics{block.warp()};
                Program::run(block, atomics, place, input.items(), report, *scratch);
            }
        });
    }
}

template <class Program>
class BlockPrograms : public testing::Test {};
TYPED_TEST_SUITE_P(BlockPrograms);

TYPED_TEST_P(BlockPrograms, agree_with_plain_loops_in_any_order_of_threads) {
    const auto cases = make_block_cases(21, TypeParam::counts());
    const auto report = std::make_unique<typename TypeParam::Report>();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        *report = {};
        run_grid<TypeParam>(i, cases[i], *report, [](unsigned) { return false; });
        TypeParam::check(cases[i], *report);
        ASSERT_FALSE(testing::Test::HasFailure()) << "in case " << i << ": " << cases[i].name;
    }
}

template <class Program>
class CollectiveBlockPrograms : public testing::Test {};
TYPED_TEST_SUITE_P(CollectiveBlockPrograms);

TYPED_TEST_P(CollectiveBlockPrograms, want_all_threads_of_the_block) {
    const auto input = make_block_cases(22, {33}).back();
    const auto report = std::make_unique<typename TypeParam::Report>();
    for (unsigned thread = 0; thread < TypeParam::threads; thread += 7) {
        const auto run = [&] {
            run_grid<TypeParam>(thread, input, *report, [=](unsigned other) { return other == thread; });
        };
        EXPECT_THROW(run(), WarpError) << "without thread " << thread;
    }
}

TEST(ImagesOfNumbers, are_in_the_order_of_the_numbers) {
    const auto check = [](const auto& numbers) {
        using T = std::decay_t<decltype(numbers[0])>;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto back = block::value_of_image<T>(block::image_of(numbers[i]));
            EXPECT_EQ(std::memcmp(&back, &numbers[i], sizeof back), 0) << numbers[i];
            if (i > 0) EXPECT_LT(block::image_of(numbers[i - 1]), block::image_of(numbers[i])) << numbers[i];
        }
        EXPECT_EQ(block::image_of(numbers.front()), block::image_of_least<T>());
    };
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr float inf_float = std::numeric_limits<float>::infinity();
    check(std::vector<double>{-inf, -1e300, -1.5, -1, -1e-310, -0.0, 0.0, 1e-310, 1, 1.5, 1e300, inf});
    check(std::vector<float>{-inf_float, -1e30f, -1.5f, -1, -1e-40f, -0.0f, 0, 1e-40f, 1, 1.5f, 1e30f,
                             inf_float});
}

// Leaders write their rows at the same time: 16 words of 8 bytes, which the hardware serves together, are in
// as many pairs of banks.
TEST(TwoStageSums, leaders_write_to_different_banks) {
    const auto count_pairs = [](int row_length) {
        std::set<int> pairs;
        for (int row = 0; row < 16; ++row) pairs.insert(row * row_length % 16);
        return pairs.size();
    };
    EXPECT_EQ(count_pairs(block::TwoStageScratch<4, 256>::row_length), 16u);
    EXPECT_EQ(count_pairs(block::TwoStageScratch<9, 256>::row_length), 16u);
    EXPECT_EQ(count_pairs(block::TwoStageScratch<16, 256>::row_length), 16u);
}

// However many leaders a cell has in the block: one addition for each component, by threads next to each
// other.
TEST(TwoStageSums, neighbouring_threads_add_neighbouring_components) {
    constexpr int k_count = 16;
    const auto scratch = std::make_unique<block::TwoStageScratch<k_count, 128>>();
    std::vector<std::pair<std::int32_t, int>> adds(128, {-1, -1});
    const auto counts = run_block(5, 128, [&](EmulatedBlock& block) {
        const double sums[k_count] = {};
        const auto cell = static_cast<std::int32_t>(block.thread() % 8);
        block::add_two_stage(block, EmulatedAtomics{block.warp()}, block.thread() % 3 != 0, cell, sums,
                             *scratch, [&](std::int32_t to, int component, double) {
                                 EXPECT_EQ(adds[block.thread()].first, -1);
                                 adds[block.thread()] = {to, component};
                             });
    });
    std::set<std::int32_t> cells;
    for (std::size_t thread = 0; thread < adds.size(); ++thread) {
        EXPECT_EQ(adds[thread].second, static_cast<int>(thread % k_count));
        EXPECT_EQ(adds[thread].first, adds[thread / k_count * k_count].first);
        cells.insert(adds[thread].first);
    }
    EXPECT_EQ(cells, (std::set<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(counts.of(Collective::block_sync), 3u);
}

/// The atomics of scan_segments_of_grid, for blocks in several threads of the host.
class SharedAtomics : public EmulatedAtomics {
public:
    using EmulatedAtomics::add;
    using EmulatedAtomics::EmulatedAtomics;
    using EmulatedAtomics::exchange;
    using EmulatedAtomics::load;

    std::uint32_t add(std::uint32_t* to, std::uint32_t value) const {
        return std::atomic_ref{*to}.fetch_add(value);
    }
    unsigned long long exchange(unsigned long long* at, unsigned long long desired) const {
        return std::atomic_ref{*at}.exchange(desired);
    }
    /// Lets the host's other threads go on: a warp of the emulator asks no more than so many times.
    unsigned long long load(const unsigned long long* at) const {
        std::this_thread::sleep_for(std::chrono::microseconds{1});
        return std::atomic_ref{*const_cast<unsigned long long*>(at)}.load();
    }
};

// Four blocks, each in a thread of the host, so that tiles really wait for those before them.
TEST(GridScan, blocks_at_the_same_time_look_back_at_each_other) {
    constexpr std::uint32_t count = 2000;
    constexpr int own_count = 2;
    constexpr unsigned threads = 32;
    for (const std::uint32_t length : {1u, 60u, 700u, count}) {
        std::vector<std::uint32_t> sums(count);
        std::vector<unsigned long long> words(count / (own_count * threads) + 1);
        std::uint32_t taken = 0;
        const auto load = [&](std::int64_t first) {
            block::OwnItems<own_count, std::uint32_t> own{};
            for (int i = 0; i < own_count && first + i < count; ++i) {
                own.values[i] = static_cast<std::uint32_t>(first + i) * 0x9e3779b9u;
                if ((first + i) % length == 0) own.heads |= 1u << i;
            }
            return own;
        };
        const auto store = [&](std::int64_t first, const std::uint32_t(&values)[own_count]) {
            for (int i = 0; i < own_count && first + i < count; ++i)
                sums[static_cast<std::size_t>(first + i)] = values[i];
        };
        const auto run = [&](std::uint64_t seed) {
            block::GridScanScratch<std::uint32_t> scratch;
            run_block(seed, threads, [&](EmulatedBlock& block) {
                block::scan_segments_of_grid<own_count, std::uint32_t>(
                    block, SharedAtomics{block.warp()}, count, {words.data(), &taken}, scratch, load, store);
            });
        };
        std::vector<std::jthread> blocks;
        for (std::uint64_t seed = 0; seed < 4; ++seed) blocks.emplace_back(run, seed);
        blocks.clear();
        std::uint32_t sum = 0;
        for (std::uint32_t item = 0; item < count; ++item) {
            sum = item % length == 0 ? item * 0x9e3779b9u : sum + item * 0x9e3779b9u;
            ASSERT_EQ(sums[item], sum) << "item " << item << " in segments of " << length;
        }
        EXPECT_EQ(taken, words.size() + 4);
    }
}

REGISTER_TYPED_TEST_SUITE_P(CollectiveBlockPrograms, want_all_threads_of_the_block);
REGISTER_TYPED_TEST_SUITE_P(BlockPrograms, agree_with_plain_loops_in_any_order_of_threads);
INSTANTIATE_TYPED_TEST_SUITE_P(TwoStage, BlockPrograms, TwoStagePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Segmented, BlockPrograms, SegmentedPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Grouped, BlockPrograms, GroupedPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Reduce, BlockPrograms, ReducePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Selection, BlockPrograms, SelectionPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Scan, BlockPrograms, ScanPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Vote, BlockPrograms, VotePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Waiting, BlockPrograms, WaitingPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Lone, BlockPrograms, LonePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(TwoStage, CollectiveBlockPrograms, TwoStagePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Segmented, CollectiveBlockPrograms, SegmentedPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Grouped, CollectiveBlockPrograms, GroupedPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Reduce, CollectiveBlockPrograms, ReducePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Selection, CollectiveBlockPrograms, SelectionPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Scan, CollectiveBlockPrograms, ScanPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Vote, CollectiveBlockPrograms, VotePrograms, ProgramNames);

}  // namespace
}  // namespace mpcflow::test
