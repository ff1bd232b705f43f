#pragma once
/// Finding peers (peers.hpp) by a hash table in shared memory.

#include "gpu/warp/atomics.hpp"

namespace mpcflow::warp {

/// Where find_peers_by_hash works: shared memory of its own for each set of lanes that is in it at one time,
/// usually one of each warp. Needs no preparation, and holds nothing afterwards.
template <PeerKey Key>
struct PeerTable {
    /// Twice as many as there can be keys, so that a probe seldom meets another key.
    static constexpr unsigned slots = 2 * warp_size;

    Key keys[warp_size];          ///< of each lane
    std::uint32_t groups[slots];  ///< lanes that share a key; none of them: the slot is unclaimed

    /// Where the search for a key starts: the top bits of its product with 2^32 over the golden ratio (D. E.
    /// Knuth, The Art of Computer Programming 3, 6.4). They depend on all bits of the key, so that keys with
    /// a stride, a power of two too, spread over the table. The upper half of a long key has a multiplier of
    /// its own, 2^32 over the square of the plastic number.
    [[nodiscard]] static MPCFLOW_HD unsigned first_slot(Key key) {
        std::uint32_t product = static_cast<std::uint32_t>(key) * std::uint32_t{0x9e3779b9};
        if constexpr (sizeof(Key) == 8) {
            product +=
                static_cast<std::uint32_t>(static_cast<std::uint64_t>(key) >> 32) * std::uint32_t{0x91e10da5};
        }
        return product >> 26;
    }
};

/// The lanes of `mask` that have the caller's key, the caller included.
///
/// A slot of the table holds the set of lanes that have claimed it, which all have one key. A lane that finds
/// its first slot empty claims it by a compare-and-swap; one that finds lanes there compares its key with
/// theirs, joins them if it is the same, or else goes on to the next slot. An unclaimed slot is an empty set,
/// not a mark among the keys: every key is valid. The search ends: the other lanes claim at most 31 of the 64
/// slots, and the probes of a lane go through all of them.
/// Costs three synchronisations and, where keys seldom collide, two atomics in shared memory a lane that has
/// peers, one for a lane that has none.
template <IsWarp Warp, IsAtomics Atomics, PeerKey Key>
[[nodiscard]] MPCFLOW_WARP unsigned find_peers_by_hash(Warp warp, Atomics atomics, unsigned mask, Key key,
                                                       PeerTable<Key>& table) {
    const unsigned lane = warp.lane();
    const unsigned lanes = popc(mask);
    for (unsigned slot = rank_in(mask, lane); slot < PeerTable<Key>::slots; slot += lanes)
        table.groups[slot] = 0;
    table.keys[lane] = key;
    warp.sync(mask);
    unsigned slot = PeerTable<Key>::first_slot(key);
    while (true) {
        const std::uint32_t claimed = atomics.compare_and_swap(&table.groups[slot], 0u, lane_bit(lane));
        if (claimed == 0) break;
        if (table.keys[lowest_lane(claimed)] == key) {
            atomics.bit_or(&table.groups[slot], lane_bit(lane));
            break;
        }
        slot = (slot + 1) % PeerTable<Key>::slots;
    }
    warp.sync(mask);
    const unsigned peers = table.groups[slot];
    warp.sync(mask);  // before the table is used again
    return peers;
}

}  // namespace mpcflow::warp
