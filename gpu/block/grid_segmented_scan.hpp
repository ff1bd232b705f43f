#pragma once
/// Prefix sums over an array that start anew at each head, by a grid of blocks that reads and writes the
/// array once.
///
/// Blocks take tiles of the array in their order. A block scans its tile and says at once what the tile
/// leaves to those behind it (its tail, see segmented_scan.hpp); then its first warp looks back over the
/// tiles before it, 32 at a time, for the nearest that is final: one with a head, or one whose own look back
/// is done. ("Decoupled look-back", D. Merrill and M. Garland, NVR-2016-002. Segments help: a tile with a
/// head is final without looking back.) Since tiles are given out in their order, those before a tile are
/// with blocks that run, so that waiting for them ends.

#include <bit>
#include <cstdint>

#include "gpu/block/segmented_scan.hpp"
#include "gpu/warp/atomics.hpp"
#include "gpu/warp/shuffles.hpp"

namespace mpcflow::block {

/// What a tile says to those behind it, in one word, so that it is seen whole or not at all: its sum in the
/// lower half, and one of these bits above it.
struct TileWord {
    static constexpr unsigned long long is_partial = 1ULL << 32;  ///< no head; what was before is missing
    static constexpr unsigned long long is_final = 1ULL << 33;

    template <class T>
    static MPCFLOW_HD unsigned long long make(unsigned long long kind, T sum) {
        return kind | std::bit_cast<std::uint32_t>(sum);
    }
    template <class T>
    static MPCFLOW_HD T sum(unsigned long long word) {
        return std::bit_cast<T>(static_cast<std::uint32_t>(word));
    }
};

/// In global memory, all zero at the start.
struct TileStates {
    unsigned long long* words;  ///< one for each tile
    std::uint32_t* taken;       ///< how many tiles were given out, and in the end one more for each block
};

/// A block's piece of shared memory for scan_segments_of_grid.
template <warp::LaneValue T>
struct GridScanScratch {
    TailScratch<T> tails;
    T before_tile;
    std::uint32_t tile;
};

/// The caller's items of a tile, one after the other in the array. Bit i of `heads`: item i is a head.
template <int N, warp::LaneValue T>
struct OwnItems {
    static_assert(N <= 32);
    T values[N];
    std::uint32_t heads;
};

/// Scans the caller's own items in place, and returns their tail.
template <int N, warp::LaneValue T, class Combine>
MPCFLOW_WARP Tail<T> scan_own(OwnItems<N, T>& items, Combine combine) {
    MPCFLOW_UNROLL
    for (int i = 1; i < N; ++i)
        if ((items.heads >> i & 1u) == 0) items.values[i] = combine(items.values[i - 1], items.values[i]);
    return {items.values[N - 1], items.heads != 0};
}

/// Combines what was before with those of the caller's items that no head parts from it.
template <int N, warp::LaneValue T, class Combine>
MPCFLOW_WARP void take_in(OwnItems<N, T>& items, T before, Combine combine) {
    MPCFLOW_UNROLL
    for (int i = 0; i < N; ++i)
        if ((items.heads & ((2u << i) - 1u)) == 0) items.values[i] = combine(before, items.values[i]);
}

/// The tail of all tiles before `tile`, in all lanes. Called by a whole warp.
template <warp::LaneValue T, warp::IsWarp Warp, warp::IsAtomics Atomics, class Combine>
[[nodiscard]] MPCFLOW_WARP T look_back(Warp warp, Atomics atomics, std::uint32_t tile,
                                       const unsigned long long* words, Combine combine) {
    constexpr T neutral = Combine::template neutral<T>;
    const unsigned behind = warp::warp_size - 1 - warp.lane();  // the last lane is at the nearest tile
    T result = neutral;
    for (std::uint32_t end = tile;; end -= warp::warp_size) {
        const bool is_tile = behind < end;
        unsigned long long word = TileWord::is_final;  // of lanes before the first tile
        unsigned finals = 0;
        unsigned silent = 0;
        do {
            if (is_tile) word = atomics.load(words + (end - 1 - behind));
            finals = warp.ballot(warp::full_mask, (word & TileWord::is_final) != 0);
            silent = warp.ballot(warp::full_mask, word == 0);
            // Of those that are farther than the nearest final one nothing is wanted.
            if (finals != 0) silent &= warp::lanes_above(warp::highest_lane(finals));
        } while (silent != 0);
        const T sum = is_tile ? TileWord::sum<T>(word) : neutral;
        const T of_window = warp::scan_segments(warp, warp::full_mask, finals | 1u, sum, combine);
        result = combine(warp.shfl(warp::full_mask, of_window, warp::warp_size - 1), result);
        if (finals != 0) return result;
    }
}

/// Scans `count` items in segments, N of them in each thread, in tiles of N times the block. The first item
/// is a head, whether it says so or not.
///
/// `load(first)` returns the OwnItems<N, T> from number `first` on, with neutral values and no heads behind
/// the last; `store(first, values)` writes their sums. T has 4 bytes; `combine` as for scan_tails. Called by
/// all threads of all blocks, of which there may be any number. Nothing is asked of `scratch` before; after
/// it, it may be used for something else only behind a sync.
template <int N, warp::LaneValue T, IsBlock Block, warp::IsAtomics Atomics, class Load, class Store,
          class Combine = warp::Add>
requires(sizeof(T) == 4) MPCFLOW_WARP
    void scan_segments_of_grid(Block block, Atomics atomics, std::int64_t count, TileStates states,
                               GridScanScratch<T>& scratch, Load&& load, Store&& store,
                               Combine combine = {}) {
    const std::int64_t tile_size = std::int64_t{N} * block.size();
    while (true) {
        if (block.thread() == 0) scratch.tile = atomics.add(states.taken, std::uint32_t{1});
        block.sync();
        const std::uint32_t tile = scratch.tile;
        if (tile * tile_size >= count) return;
        const std::int64_t first = tile * tile_size + std::int64_t{N} * block.thread();
        OwnItems<N, T> items = load(first);
        const BlockTails<T> tails = scan_tails(block, scan_own(items, combine), scratch.tails, combine);
        if (warp_number(block) == 0) {
            const auto warp = block.warp();
            const bool is_final = tile == 0 || tails.of_block.has_head;
            const auto say = [&](unsigned long long kind, T sum) {
                if (block.thread() == 0) atomics.exchange(states.words + tile, TileWord::make(kind, sum));
            };
            say(is_final ? TileWord::is_final : TileWord::is_partial, tails.of_block.sum);
            const T before = look_back<T>(warp, atomics, tile, states.words, combine);
            if (!is_final) say(TileWord::is_final, combine(before, tails.of_block.sum));
            if (block.thread() == 0) scratch.before_tile = before;
        }
        block.sync();
        T before = tails.before.sum;
        if (!tails.before.has_head) before = combine(scratch.before_tile, before);
        take_in(items, before, combine);
        store(first, items.values);
        // No sync: the tile's number and what was before it are written again only behind the next ones.
    }
}

}  // namespace mpcflow::block
