#pragma once
/// A hash table of keys of 32 or 64 bits in the shared memory of a block, filled by many threads at once:
/// open addressing, slots claimed by compare-and-swap and never given back.

#include <bit>
#include <concepts>
#include <cstdint>

#include "gpu/block/block.hpp"
#include "gpu/warp/atomics.hpp"

namespace mpcflow::block {

/// What a compare-and-swap can claim a slot for.
template <class Key>
concept TableKey = std::same_as<Key, std::uint32_t> || std::same_as<Key, unsigned long long>;

/// The mark of a slot that no key has claimed; no key that is put into a table may have this value.
template <TableKey Key>
inline constexpr Key unclaimed = ~Key{0};

/// How many slots a table for up to `keys` distinct keys has: a power of two, so that a slot is found by
/// masking bits, and at least twice the keys, so that a search ends soon. With as many slots as keys it ends,
/// too, as no key has the value of the mark, but may have to look at all of them.
constexpr unsigned slots_for(int keys) { return std::bit_ceil(2u * static_cast<unsigned>(keys)); }

/// Where the search for `key` begins among a power of two of slots: the upper bits of a product with
/// 2^32 / golden ratio, which spreads neighbouring and strided keys alike. Of 64 bits each half has an odd
/// factor of its own, so that pairs of which one half is the same are spread, too. Where both halves are the
/// same the factor is the sum of both, which is no worse in practice.
template <unsigned Slots, TableKey Key>
[[nodiscard]] MPCFLOW_HD unsigned first_slot(Key key) {
    static_assert(std::has_single_bit(Slots) && Slots > 1);
    constexpr int bits = std::countr_zero(Slots);
    std::uint32_t product = static_cast<std::uint32_t>(key) * 0x9e3779b9u;
    if constexpr (sizeof(Key) == 8) product += static_cast<std::uint32_t>(key >> 32) * 0x85ebca6bu;
    return product >> (32 - bits);
}

/// Another place to begin, independent of the first: keys that collide there do so here no more than others.
template <unsigned Slots>
[[nodiscard]] MPCFLOW_HD unsigned second_slot(std::uint32_t key) {
    constexpr int bits = std::countr_zero(Slots);
    return ((key ^ (key >> 15)) * 0x85ebca6bu) >> (32 - bits);
}

/// A key's slot in the table.
struct Claim {
    unsigned slot;
    bool is_new;  ///< the caller was the first to bring this key
};

/// Sets all slots to unclaimed. To be called by all threads of the block; a sync must follow.
template <TableKey Key, unsigned Slots, IsBlock Block>
MPCFLOW_WARP void clear_table(Block block, Key (&table)[Slots]) {
    for (unsigned slot = block.thread(); slot < Slots; slot += block.size()) table[slot] = unclaimed<Key>;
}

/// Finds the slot of `key` or claims one, from the first slot on to the next that is free.
template <TableKey Key, unsigned Slots, warp::IsAtomics Atomics>
[[nodiscard]] MPCFLOW_WARP Claim claim_slot(Atomics atomics, Key (&table)[Slots], Key key) {
    unsigned slot = first_slot<Slots>(key);
    while (true) {
        const Key seen = atomics.compare_and_swap(&table[slot], unclaimed<Key>, key);
        if (seen == unclaimed<Key> || seen == key) return {slot, seen == unclaimed<Key>};
        slot = (slot + 1) % Slots;
    }
}

/// The same for keys of 32 bits, with two slots at a time, one from the first and one from the second on.
///
/// The pairs are tried in the same order by all threads with this key, and of a pair the first slot is
/// preferred: a slot is passed over for good, because it has another key, and no slot is given back. So two
/// threads cannot claim two slots for one key. The look at the second slot, a swap that changes nothing,
/// does not wait for the answer of the first.
template <unsigned Slots, warp::IsAtomics Atomics>
[[nodiscard]] MPCFLOW_WARP Claim claim_one_of_two_slots(Atomics atomics, std::uint32_t (&table)[Slots],
                                                        std::uint32_t key) {
    unsigned first = first_slot<Slots>(key);
    unsigned second = second_slot<Slots>(key);
    while (true) {
        std::uint32_t seen_second = atomics.compare_and_swap(&table[second], key, key);
        const std::uint32_t seen_first =
            atomics.compare_and_swap(&table[first], unclaimed<std::uint32_t>, key);
        if (seen_first == unclaimed<std::uint32_t> || seen_first == key)
            return {first, seen_first == unclaimed<std::uint32_t>};
        if (seen_second == unclaimed<std::uint32_t>) {
            seen_second = atomics.compare_and_swap(&table[second], unclaimed<std::uint32_t>, key);
            if (seen_second == unclaimed<std::uint32_t>) return {second, true};
        }
        if (seen_second == key) return {second, false};
        first = (first + 1) % Slots;
        second = (second + 1) % Slots;
    }
}

}  // namespace mpcflow::block
