#pragma once
/// What an algorithm for one block of threads may ask of the block.
///
/// A block is a row of whole warps that share memory and can wait for each other. The algorithms of this
/// folder are written once, over a type `Block` that models IsBlock: on the GPU it is CudaBlock
/// (cuda_block.cuh), in unit tests an emulator (tests/support/block_emulator.hpp). They are called by all
/// threads of the block together; a thread without an item of its own comes along and says so.
///
/// The rules of `sync`, which the hardware leaves to the caller and the emulator enforces: all threads of
/// the block call it, from the same place in the source, and none has left the program before.

#include <concepts>

#include "gpu/warp/warp.hpp"

namespace mpcflow::block {

/// The operations of a block. `B` is a handle, cheap to copy.
template <class B>
concept IsBlock = std::copyable<B> && requires(const B& block) {
    /// The caller's own number in the block, from 0. Its warp is thread() / 32, its lane thread() % 32.
    { block.thread() } -> std::same_as<unsigned>;
    /// How many threads the block has: a multiple of 32, at most 1024.
    { block.size() } -> std::same_as<unsigned>;
    /// The caller's warp; all its 32 lanes are threads of the block.
    { block.warp() } -> warp::IsWarp;
    /// Waits for all threads of the block; what they wrote to memory before it, all of them see after it.
    block.sync();
};

/// The number of the caller's warp in the block, from 0.
template <IsBlock Block>
[[nodiscard]] MPCFLOW_WARP unsigned warp_number(Block block) {
    return block.thread() / warp::warp_size;
}

/// How many warps the block has.
template <IsBlock Block>
[[nodiscard]] MPCFLOW_WARP unsigned warp_count(Block block) {
    return block.size() / warp::warp_size;
}

/// The largest block that the hardware knows, in threads and in warps.
inline constexpr unsigned largest_block = 1024;
inline constexpr unsigned largest_warp_count = largest_block / warp::warp_size;

}  // namespace mpcflow::block
