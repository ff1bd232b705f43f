#pragma once
/// Sums by key over the items of a block, in any order: the items are put into groups of equal keys first.
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
template <TableKey Key, int Threads, int PerThread>
struct GroupScratch {
    static constexpr unsigned items = Threads * PerThread;
    static constexpr unsigned slots = std::bit_ceil(items);
    static_assert(items < 1U << 16);  // a slot and a rank, of 16 bits each, and a mark beside them

    Key table[slots];
    std::uint32_t places[slots];  ///< at first how many items a key has, then where they begin
    std::uint32_t order[items];   ///< key's slot and item's number, 16 bits each, groups after each other
    std::uint32_t grouped;        ///< items in groups, which come first in `order`
    std::uint32_t alone;          ///< items that are added alone, which come last in it
};

/// The key of items that are left out.
template <TableKey Key>
inline constexpr Key no_key = unclaimed<Key>;

/// Items of a key up to which each is added alone: to add up a group costs as much as some atomics.
inline constexpr std::uint32_t most_alone = 4;

namespace detail {

/// Fills `order`; see add_grouped.
template <TableKey Key, int Threads, int PerThread, IsBlock Block, warp::IsAtomics Atomics, class KeyOf>
MPCFLOW_WARP void find_groups(Block block, Atomics atomics, GroupScratch<Key, Threads, PerThread>& scratch,
                              KeyOf&& key_of) {
    using Scratch = GroupScratch<Key, Threads, PerThread>;
    const auto warp = block.warp();
    const unsigned lane = warp.lane();
    clear_table(block, scratch.table);
    for (unsigned slot = block.thread(); slot < Scratch::slots; slot += Threads) scratch.places[slot] = 0;
    if (block.thread() == 0) scratch.grouped = scratch.alone = 0;
    block.sync();

    constexpr std::uint32_t none = 0xffffffffU;
    std::uint32_t slot_and_rank[PerThread];  // in its group, 16 bits each
    MPCFLOW_UNROLL
    for (int j = 0; j < PerThread; ++j) {
        const Key key = key_of(static_cast<unsigned>(j) * Threads + block.thread());
        const unsigned peers = warp::find_peers_by_match(warp, warp::full_mask, key);
        std::uint32_t first = 0;
        if (key != no_key<Key> && warp::is_leader(peers, lane)) {
            const unsigned slot = claim_slot(atomics, scratch.table, key).slot;
            first = slot << 16 | atomics.add(&scratch.places[slot], warp::popc(peers));
        }
        first = warp.shfl(warp::full_mask, first, warp::leader_of(peers));
        slot_and_rank[j] = key == no_key<Key> ? none : first + warp::rank_in(peers, lane);
    }
    block.sync();
    // Groups follow each other in any order.
    for (unsigned slot = block.thread(); slot < Scratch::slots; slot += Threads) {
        const std::uint32_t count = scratch.places[slot];
        if (count > most_alone) scratch.places[slot] = atomics.add(&scratch.grouped, count);
        else if (count > 0)
            scratch.places[slot] = Scratch::items - count - atomics.add(&scratch.alone, count);
    }
    block.sync();
    MPCFLOW_UNROLL
    for (int j = 0; j < PerThread; ++j) {
        if (slot_and_rank[j] == none) continue;
        const std::uint32_t slot = slot_and_rank[j] >> 16;
        const std::uint32_t item = static_cast<unsigned>(j) * Threads + block.thread();
        scratch.order[scratch.places[slot] + (slot_and_rank[j] & 0xffffU)] = slot << 16 | item;
    }
    block.sync();
}

}  // namespace detail

/// Adds up K <= 32 values an item by key. Calls
///
///     key_of(item)             once for each item, by thread item % Threads: its key, or no_key<Key>;
///     measure(key, item)       once for each item with a key, by any thread: what its values are made of;
///     put_values(of, values)   as often, by the same thread: makes them;
///     add(key, component, sum) for each component of each part of a group, neighbouring lanes for
///                              neighbouring components, or for each of an item by its own lane; for one
///                              key by many threads at once.
///
/// A group has a part in each warp that came by it, so that there are fewer parts than keys and warps
/// together; where it has few items each of them is a part. What measure reads must lie in memory, written by
/// the time that key_of returns.
///
/// Called by all threads of a block of `Threads` threads. Nothing is asked of `scratch` before, and nothing
/// is left in it: the block may use it, and what measure reads, for something else at once.
template <int K, TableKey Key, int Threads, int PerThread, IsBlock Block, warp::IsAtomics Atomics,
          class KeyOf, class Measure, class PutValues, class AddToKey>
MPCFLOW_WARP void add_grouped(Block block, Atomics atomics, GroupScratch<Key, Threads, PerThread>& scratch,
                              KeyOf&& key_of, Measure&& measure, PutValues&& put_values, AddToKey&& add) {
    using Scratch = GroupScratch<Key, Threads, PerThread>;
    detail::find_groups(block, atomics, scratch, key_of);

    const auto warp = block.warp();
    const unsigned items = scratch.grouped + scratch.alone;
    double sums[K]{};
    constexpr unsigned no_slot = Scratch::slots;
    unsigned slot = no_slot;  // whose sums these are
    const auto flush = [&] {
        if (slot == no_slot) return;
        const int component = warp::reduce_scatter(warp, sums);
        if (component < K) add(scratch.table[slot], component, sums[0]);
        MPCFLOW_UNROLL
        for (int k = 0; k < K; ++k) sums[k] = 0.0;
    };
    // Each warp has a share of neighbours, as far as possible in whole warps.
    const unsigned share = (items + Threads - 1) / Threads * warp::warp_size;
    const unsigned begin = warp_number(block) * share;
    const unsigned end = begin + share < items ? begin + share : items;
    for (unsigned place = begin; place < end; place += warp::warp_size) {
        const unsigned mine = place + warp.lane();
        const bool is_there = mine < end;
        const bool is_alone = is_there && mine >= scratch.grouped;
        const std::uint32_t entry =
            is_there ? scratch.order[is_alone ? mine + Scratch::items - items : mine] : 0;
        const unsigned own_slot = entry >> 16;
        const Key key = scratch.table[own_slot];
        decltype(measure(key, 0U)) of{};
        double values[K];
        if (is_there) of = measure(key, entry & 0xffffU);
        if (is_alone) {
            put_values(of, values);
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) add(key, k, values[k]);
        }
        unsigned left = warp.ballot(warp::full_mask, is_there && !is_alone);
        while (left != 0) {
            const unsigned next = warp.shfl(warp::full_mask, own_slot, warp::lowest_lane(left));
            if (next != slot) flush();
            slot = next;
            const bool is_of_group = own_slot == slot && is_there && !is_alone;
            if (is_of_group) {
                put_values(of, values);
                MPCFLOW_UNROLL
                for (int k = 0; k < K; ++k) sums[k] += values[k];
            }
            left &= ~warp.ballot(warp::full_mask, is_of_group);
        }
    }
    flush();
    block.sync();
}

}  // namespace mpcflow::block
