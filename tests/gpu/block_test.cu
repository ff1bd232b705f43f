/// The block algorithms on the card: the programs and checks of tests/block.

#include <vector>

#include <gtest/gtest.h>

#include "gpu/block/compact_by_groups.cuh"
#include "gpu/block/cuda_block.cuh"
#include "gpu/block/hardware_votes.cuh"
#include "gpu/warp/cuda_atomics.cuh"
#include "tests/block/grouped_programs.hpp"
#include "tests/block/reduce_programs.hpp"
#include "tests/block/scan_programs.hpp"
#include "tests/block/segmented_programs.hpp"
#include "tests/block/selection_programs.hpp"
#include "tests/block/two_stage_programs.hpp"
#include "tests/block/vote_programs.hpp"
#include "tests/support/device_array.hpp"
#include "tests/support/gpu_required.hpp"

namespace mpcflow::test {
namespace {

// The scratch as dynamic shared memory, which may be larger than 48 KB; nothing has been written to it.
template <class Program>
__global__ void run_program(Items items, typename Program::Report* report) {
    extern __shared__ __align__(16) unsigned char shared[];
    Program::run(block::CudaBlock{}, warp::CudaAtomics{}, GridPlace{blockIdx.x, gridDim.x}, items, *report,
                 *reinterpret_cast<typename Program::Scratch*>(shared));
}

struct PlaceByGroup {
    using Scratch = block::PlaceScratch<std::uint32_t>;
    static std::string name() { return "by_group"; }
    static std::size_t most_asks(unsigned, unsigned, std::size_t selected) { return selected; }
    template <class Block, class Atomics, class FetchAdd>
    static __device__ std::uint32_t place(Block, Atomics, bool is_selected, Scratch&, FetchAdd&& fetch_add) {
        return block::place_by_coalesced_group(is_selected, fetch_add);
    }
};

using GroupPrograms = testing::Types<Compact<PlaceByGroup, 32, 1, 1>, Compact<PlaceByGroup, 128, 2, 4>,
                                     Compact<PlaceByGroup, 64, 1, 8>>;

struct VotesOfHardware {
    using Scratch = block::VoteScratch;
    static std::string name() { return "by_hardware"; }
    template <class Block>
    static __device__ unsigned count(Block, bool vote, Scratch&) {
        return block::count_votes_at_barrier(vote);
    }
    template <class Block>
    static __device__ bool any(Block, bool vote, Scratch&) {
        return block::is_any_at_barrier(vote);
    }
    template <class Block>
    static __device__ bool all(Block, bool vote, Scratch&) {
        return block::are_all_at_barrier(vote);
    }
};

using HardwareVotePrograms = testing::Types<Vote<VotesOfHardware, 32>, Vote<VotesOfHardware, 1024>>;

template <class Program>
class BlockProgramsOnGpu : public GpuTest {};
TYPED_TEST_SUITE_P(BlockProgramsOnGpu);

TYPED_TEST_P(BlockProgramsOnGpu, agree_with_plain_loops) {
    constexpr std::size_t scratch_size = sizeof(typename TypeParam::Scratch);
    require(cudaFuncSetAttribute(run_program<TypeParam>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(scratch_size)));
    for (std::uint64_t seed = 200; seed < 203; ++seed) {
        for (const BlockCase& input : make_block_cases(seed, TypeParam::counts())) {
            const DeviceArray<std::int32_t> keys{input.keys};
            const DeviceArray<ItemValues> values{input.values};
            std::vector<typename TypeParam::Report> report(1);  // all zero
            DeviceArray<typename TypeParam::Report> device_report{report};
            const Items items{input.count(), keys.data(),
                              reinterpret_cast<const double(*)[item_values]>(values.data())};
            run_program<TypeParam>
                <<<TypeParam::blocks, TypeParam::threads, scratch_size>>>(items, device_report.data());
            require(cudaGetLastError());
            device_report.copy_to(report);
            TypeParam::check(input, report[0]);
            ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", case " << input.name;
        }
    }
}

REGISTER_TYPED_TEST_SUITE_P(BlockProgramsOnGpu, agree_with_plain_loops);
INSTANTIATE_TYPED_TEST_SUITE_P(TwoStage, BlockProgramsOnGpu, TwoStagePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Segmented, BlockProgramsOnGpu, SegmentedPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Grouped, BlockProgramsOnGpu, GroupedPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Reduce, BlockProgramsOnGpu, ReducePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Selection, BlockProgramsOnGpu, SelectionPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Lone, BlockProgramsOnGpu, LonePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Scan, BlockProgramsOnGpu, ScanPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Waiting, BlockProgramsOnGpu, WaitingPrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(Vote, BlockProgramsOnGpu, VotePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(HardwareVote, BlockProgramsOnGpu, HardwareVotePrograms, ProgramNames);
INSTANTIATE_TYPED_TEST_SUITE_P(CooperativeGroups, BlockProgramsOnGpu, GroupPrograms, ProgramNames);

}  // namespace
}  // namespace mpcflow::test
