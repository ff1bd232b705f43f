#pragma once
/// Counting the distinct keys that the threads of a block hold, by a hash table in shared memory.

#include "gpu/block/hash_table.hpp"

namespace mpcflow::block {

/// A block's piece of shared memory for count_unique, in blocks of up to `Threads` threads, with a power of
/// two of slots: at least one a thread, or a search might not end.
template <int Threads, unsigned Slots = slots_for(Threads)>
struct UniqueScratch {
    static_assert(std::has_single_bit(Slots) && Slots >= static_cast<unsigned>(Threads));

    std::uint32_t table[Slots];
    std::uint32_t count;
    std::uint32_t has_mark;  ///< 1 when some thread has the key that marks unclaimed slots
};

/// How many slots a search tries at a time.
enum class Hashes { one, two };

/// The number of distinct keys among the threads with `is_valid`, in all threads. Keys may have any value.
///
/// Called by all threads of the block. Nothing is asked of `scratch` before, and nothing is left in it: the
/// block may use it for something else at once.
template <Hashes hashes, int Threads, unsigned Slots, IsBlock Block, warp::IsAtomics Atomics>
[[nodiscard]] MPCFLOW_WARP unsigned count_unique(Block block, Atomics atomics, bool is_valid,
                                                 std::uint32_t key, UniqueScratch<Threads, Slots>& scratch) {
    clear_table(block, scratch.table);
    if (block.thread() == 0) {
        scratch.count = 0;
        scratch.has_mark = 0;
    }
    block.sync();

    bool is_new = false;
    if (is_valid && key == unclaimed<std::uint32_t>) {
        is_new = atomics.exchange(&scratch.has_mark, std::uint32_t{1}) == 0;
    } else if (is_valid) {
        if constexpr (hashes == Hashes::one) is_new = claim_slot(atomics, scratch.table, key).is_new;
        else is_new = claim_one_of_two_slots(atomics, scratch.table, key).is_new;
    }
    const auto warp = block.warp();
    const unsigned new_keys = warp.ballot(warp::full_mask, is_new);
    if (new_keys != 0 && warp.lane() == 0) atomics.add(&scratch.count, std::uint32_t{warp::popc(new_keys)});
    block.sync();
    const unsigned count = scratch.count;
    block.sync();  // before the scratch is written again
    return count;
}

}  // namespace mpcflow::block
