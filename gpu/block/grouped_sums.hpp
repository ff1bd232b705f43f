#pragma once
/// Sums by key over the items of a block, of which each thread brings several, in any order: the items are
/// put into groups of equal keys first.
///
/// Other than peers of a warp, who are as many as the warp happens to hold, a group is all that the block
/// has of a key. So there are few groups to be reduced, as long as there are few keys.

#include <bit>
#include <cstdint>

#include "gpu/block/hash_table.hpp"
#include "gpu/warp/peers.hpp"
#include "gpu/warp/reduce.hpp"

namespace mpcflow::block {

/// A block's piece of shared memory for add_grouped, in blocks of `Threads` threads with `PerThread` items
/// each.
template <int Threads, int PerThread>
struct GroupScratch {
    static constexpr unsigned items = Threads * PerThread;
    static constexpr unsigned slots = std::bit_ceil(items);
    static_assert(items <= 1U << 16);

    std::uint32_t table[slots];   ///< keys
    std::uint32_t places[slots];  ///< at first how many items a key has, then where they begin
    std::uint32_t order[items];   ///< key's slot and item's number, 16 bits each, groups after each other
    std::uint32_t grouped;        ///< items in groups
};

/// What is in no group.
inline constexpr std::int32_t no_group = -1;

namespace detail {

/// Fills `order`; see add_grouped.
template <int Threads, int PerThread, IsBlock Block, warp::IsAtomics Atomics>
MPCFLOW_WARP void find_groups(Block block, Atomics atomics, const std::int32_t (&keys)[PerThread],
                              GroupScratch<Threads, PerThread>& scratch) {
    using Scratch = GroupScratch<Threads, PerThread>;
    const auto warp = block.warp();
    const unsigned lane = warp.lane();
    clear_table(block, scratch.table);
    for (unsigned slot = block.thread(); slot < Scratch::slots; slot += Threads) scratch.places[slot] = 0;
    if (block.thread() == 0) scratch.grouped = 0;
    block.sync();

    unsigned slots[PerThread];
    unsigned ranks[PerThread];  // in their groups
    MPCFLOW_UNROLL
    for (int j = 0; j < PerThread; ++j) {
        const unsigned peers = warp::find_peers_by_match(warp, warp::full_mask, keys[j]);
        unsigned slot = 0;
        unsigned before = 0;
        if (keys[j] != no_group && warp::is_leader(peers, lane)) {
            slot = claim_slot(atomics, scratch.table, static_cast<std::uint32_t>(keys[j])).slot;
            before = atomics.add(&scratch.places[slot], warp::popc(peers));
        }
        slots[j] = warp.shfl(warp::full_mask, slot, warp::leader_of(peers));
        ranks[j] = warp.shfl(warp::full_mask, before, warp::leader_of(peers)) + warp::rank_in(peers, lane);
    }
    block.sync();
    // Groups follow each other in any order.
    for (unsigned slot = block.thread(); slot < Scratch::slots; slot += Threads) {
        const std::uint32_t count = scratch.places[slot];
        if (count > 0) scratch.places[slot] = atomics.add(&scratch.grouped, count);
    }
    block.sync();
    MPCFLOW_UNROLL
    for (int j = 0; j < PerThread; ++j) {
        if (keys[j] == no_group) continue;
        const unsigned item = static_cast<unsigned>(j) * Threads + block.thread();
        scratch.order[scratch.places[slots[j]] + ranks[j]] = slots[j] << 16 | item;
    }
    block.sync();
}

}  // namespace detail

/// Adds up K <= 32 values an item by key. Item j * Threads + t is thread t's j-th; its key is at least 0, or
/// no_group for none. Calls values_of(item, values) once for each item with a key, by any thread: what it
/// reads of the item must lie in memory, written before the call by the thread that brings the item. Calls
/// add(key, component, sum) for each component of a part of a group, neighbouring lanes for neighbouring
/// components; a group has a part in each warp that came by it, so that there are fewer parts than keys and
/// warps together.
///
/// Called by all threads of a block of `Threads` threads. Nothing is asked of `scratch` before, and nothing
/// is left in it: the block may use it, and what values_of reads, for something else at once.
template <int K, int Threads, int PerThread, IsBlock Block, warp::IsAtomics Atomics, class ValuesOf,
          class AddToKey>
MPCFLOW_WARP void add_grouped(Block block, Atomics atomics, const std::int32_t (&keys)[PerThread],
                              GroupScratch<Threads, PerThread>& scratch, ValuesOf&& values_of,
                              AddToKey&& add) {
    detail::find_groups(block, atomics, keys, scratch);

    constexpr unsigned share = PerThread * warp::warp_size;
    const auto warp = block.warp();
    const unsigned begin = warp_number(block) * share;
    const unsigned end = begin + share < scratch.grouped ? begin + share : scratch.grouped;
    const auto slot_at = [&](unsigned place) { return scratch.order[place] >> 16; };
    unsigned place = begin;
    while (place < end) {
        double sums[K]{};
        const unsigned slot = slot_at(place);
        bool goes_on = true;
        while (goes_on) {
            const unsigned mine = place + warp.lane();
            const bool is_of_group = mine < end && slot_at(mine) == slot;
            if (is_of_group) {
                double values[K];
                values_of(scratch.order[mine] & 0xffffU, values);
                MPCFLOW_UNROLL
                for (int k = 0; k < K; ++k) sums[k] += values[k];
            }
            place += warp::popc(warp.ballot(warp::full_mask, is_of_group));
            goes_on = place < end && slot_at(place) == slot;
        }
        const int component = warp::reduce_scatter(warp, sums);
        if (component < K) add(static_cast<std::int32_t>(scratch.table[slot]), component, sums[0]);
    }
    block.sync();
}

}  // namespace mpcflow::block
