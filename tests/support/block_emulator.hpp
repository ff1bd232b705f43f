#pragma once
/// A block of threads without a GPU: several emulated warps (warp_emulator.hpp) and the barrier of the block.
///
/// The warps take turns as the lanes of a warp do, in an order that the seed decides: for some seeds all
/// warps go on alike, for others one warp runs ahead of the rest, or far ahead, so that a missing sync shows.

#include <cstdint>
#include <functional>
#include <source_location>

#include "gpu/block/block.hpp"
#include "tests/support/warp_emulator.hpp"

namespace mpcflow::test {

/// One thread's handle of the emulated block, a model of block::IsBlock.
class EmulatedBlock {
public:
    using Where = std::source_location;

    EmulatedBlock(const EmulatedWarp& warp, unsigned thread, unsigned size)
        : warp_{warp}, thread_{thread}, size_{size} {}

    [[nodiscard]] unsigned thread() const { return thread_; }
    [[nodiscard]] unsigned size() const { return size_; }
    [[nodiscard]] EmulatedWarp warp() const { return warp_; }
    void sync(Where where = Where::current()) const { warp_.sync_block(where); }

private:
    EmulatedWarp warp_;
    unsigned thread_;
    unsigned size_;
};

static_assert(block::IsBlock<EmulatedBlock>);

/// Runs `thread_program` in each of `threads` threads, a multiple of 32; returns how many collectives of
/// each kind all warps together completed, a sync of the block counting once.
///
/// Throws WarpError for what run_warp does, and where a sync of the block is not called by all of its
/// threads from one place: some have left, are at another sync, or wait in a collective of their warp for
/// a thread that is at the sync. What a thread itself throws is thrown on. Either way all threads have left
/// and their destructors have run.
WarpCounts run_block(std::uint64_t seed, unsigned threads,
                     const std::function<void(EmulatedBlock&)>& thread_program);

}  // namespace mpcflow::test
