/// The block algorithms in the emulator: right results for every pattern of keys and number of items.

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "tests/block/reduce_programs.hpp"
#include "tests/block/segmented_programs.hpp"
#include "tests/block/selection_programs.hpp"
#include "tests/block/two_stage_programs.hpp"
#include "tests/support/block_emulator.hpp"
#include "tests/support/emulated_atomics.hpp"

namespace mpcflow::test {
namespace {

template <class Program>
class BlockPrograms : public testing::Test {};
TYPED_TEST_SUITE_P(BlockPrograms);

TYPED_TEST_P(BlockPrograms, agree_with_plain_loops_in_any_order_of_threads) {
    const auto cases = make_block_cases(21, TypeParam::counts());
    const auto report = std::make_unique<typename TypeParam::Report>();
    const auto scratch = std::make_unique<typename TypeParam::Scratch>();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        *report = {};
        for (unsigned block_number = 0; block_number < TypeParam::blocks; ++block_number) {
            std::memset(static_cast<void*>(scratch.get()), 0x5a, sizeof *scratch);
            const GridPlace place{block_number, TypeParam::blocks};
            run_block(i, TypeParam::threads, [&](EmulatedBlock& block) {
                const EmulatedAtomics atomics{block.warp()};
                TypeParam::run(block, atomics, place, cases[i].items(), *report, *scratch);
            });
        }
        TypeParam::check(cases[i], *report);
        ASSERT_FALSE(testing::Test::HasFailure()) << "in case " << i << ": " << cases[i].name;
    }
}

REGISTER_TYPED_TEST_SUITE_P(BlockPrograms, agree_with_plain_loops_in_any_order_of_threads);
INSTANTIATE_TYPED_TEST_SUITE_P(TwoStage, BlockPrograms, TwoStagePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Segmented, BlockPrograms, SegmentedPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Reduce, BlockPrograms, ReducePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Selection, BlockPrograms, SelectionPrograms, ProgramNames);

}  // namespace
}  // namespace mpcflow::test
