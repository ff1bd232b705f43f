#pragma once
/// Adding the sums of a block's warps to their cells: a second stage, in shared memory, behind the first,
/// which is that of a warp's peers (gpu/warp/peer_reduce.hpp).
///
/// Neighbouring warps of ordered particles share many of their cells. Their leaders' sums are added up
/// before they go out, so that the block issues one atomic for each distinct cell and component.
/// Shared memory has no atomic addition of doubles that is not a loop of compare-and-swap. So nothing is
/// added while the leaders come: each writes its sums to a row of its own and hangs the row into the chain
/// of its cell, with integer atomics alone. Then the threads share the pairs of cells and components, and
/// each walks the chain of its pair.

#include <bit>
#include <cstdint>

#include "gpu/block/block.hpp"
#include "gpu/warp/atomics.hpp"

namespace mpcflow::block {

/// A block's piece of shared memory for add_two_stage, in blocks of `Threads` threads.
///
/// `Rows` leaders are served at a time. As many rows as threads are always enough; with fewer, a block with
/// more leaders than rows takes further rounds, and cells that come in several rounds are added several
/// times. A row is an odd number of doubles long, which keeps the leaders' writes in different banks.
template <int K, int Threads, int Rows = Threads>
struct TwoStageScratch {
    static_assert(K > 0 && Threads % static_cast<int>(warp::warp_size) == 0 && Rows > 0 && Rows <= Threads);
    static constexpr int row_length = K | 1;
    /// A power of two, at least twice the rows: a search for a slot ends soon, and ends always.
    static constexpr unsigned slots = std::bit_ceil(2u * static_cast<unsigned>(Rows));
    /// A cell is a std::int32_t that is not negative, a row is less: none is neither.
    static constexpr std::uint32_t none = 0xffffffffu;

    double sums[Rows * row_length];
    std::uint32_t next[Rows];           ///< the row behind this one in the chain of its cell, or none
    std::uint32_t cells[slots];         ///< hash table; none where a slot is unclaimed
    std::uint32_t heads[slots];         ///< the first row of the slot's chain, or none
    std::uint32_t claimed_slots[Rows];  ///< one for each distinct cell
    std::uint32_t row_count;            ///< of all leaders of the block
    std::uint32_t cell_count;           ///< distinct cells of the round
};

namespace two_stage {

/// The slot where the search for `cell` begins: the upper bits of a product with 2^32 / golden ratio, which
/// spreads neighbouring and strided cells alike.
template <class Scratch>
[[nodiscard]] MPCFLOW_WARP unsigned first_slot(std::uint32_t cell) {
    constexpr int bits = std::countr_zero(Scratch::slots);
    return (cell * 2654435769u) >> (32 - bits);
}

/// Finds the slot of `cell`, or claims one; `is_new` says which.
template <warp::IsAtomics Atomics, class Scratch>
[[nodiscard]] MPCFLOW_WARP unsigned claim_slot(Atomics atomics, Scratch& scratch, std::uint32_t cell,
                                               bool& is_new) {
    unsigned slot = first_slot<Scratch>(cell);
    while (true) {
        const std::uint32_t seen = atomics.compare_and_swap(&scratch.cells[slot], Scratch::none, cell);
        is_new = seen == Scratch::none;
        if (is_new || seen == cell) {
            return slot;
        }
        slot = (slot + 1) % Scratch::slots;
    }
}

/// Gives each lane of the warp that `takes` one a place of its own behind `counter`, with one atomic for
/// the warp; in the other lanes the result means nothing.
template <warp::IsWarp Warp, warp::IsAtomics Atomics>
[[nodiscard]] MPCFLOW_WARP unsigned take_place(Warp warp, Atomics atomics, bool takes, std::uint32_t& counter) {
    const unsigned takers = warp.ballot(warp::full_mask, takes);
    unsigned start = 0;
    if (takers == 0) {
        return start;
    }
    if (warp.lane() == warp::lowest_lane(takers)) {
        start = atomics.add(&counter, warp::popc(takers));
    }
    return warp.shfl(warp::full_mask, start, warp::lowest_lane(takers)) + warp::rank_in(takers, warp.lane());
}

}  // namespace two_stage

/// Calls `add(cell, component, sum)` for each distinct cell of the block's leaders and each of its K
/// components, with the sum over these leaders (over those of a round, see TwoStageScratch), spread so that
/// neighbouring threads add neighbouring components. The order of calls and of additions is not specified.
///
/// Called by all threads of a block of `Threads` threads. `cell`, at least 0, and `sums` matter where
/// `is_leader` is true; a warp may have any number of leaders, also of the same cell. Nothing is asked of
/// `scratch` before, and nothing is left in it: the block may use it for something else at once. `add` is
/// called by a part of the threads and must not use collectives.
template <int K, int Threads, int Rows, IsBlock Block, warp::IsAtomics Atomics, class AddToCell>
MPCFLOW_WARP void add_two_stage(Block block, Atomics atomics, bool is_leader, std::int32_t cell,
                                const double (&sums)[K], TwoStageScratch<K, Threads, Rows>& scratch,
                                AddToCell&& add) {
    using Scratch = TwoStageScratch<K, Threads, Rows>;
    const auto warp = block.warp();
    const unsigned thread = block.thread();
    unsigned row = 0;
    unsigned rounds = 1;
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned slot = thread; slot < Scratch::slots; slot += Threads) {
            scratch.cells[slot] = Scratch::none;
            scratch.heads[slot] = Scratch::none;
        }
        if (thread == 0) {
            scratch.cell_count = 0;
            if (round == 0) {
                scratch.row_count = 0;
            }
        }
        block.sync();

        if (round == 0) {
            row = two_stage::take_place(warp, atomics, is_leader, scratch.row_count);
        } else {
            row -= Rows;  // those that have been served wrap around, far above
        }
        bool is_new = false;
        unsigned slot = 0;
        if (is_leader && row < Rows) {
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) {
                scratch.sums[row * Scratch::row_length + k] = sums[k];
            }
            slot = two_stage::claim_slot(atomics, scratch, static_cast<std::uint32_t>(cell), is_new);
            scratch.next[row] = atomics.exchange(&scratch.heads[slot], row);
        }
        const unsigned place = two_stage::take_place(warp, atomics, is_new, scratch.cell_count);
        if (is_new) {
            scratch.claimed_slots[place] = slot;
        }
        block.sync();

        if constexpr (Rows < Threads) {
            rounds = (scratch.row_count + Rows - 1) / Rows;
        }
        const unsigned pairs = scratch.cell_count * K;
        for (unsigned pair = thread; pair < pairs; pair += Threads) {
            const unsigned component = pair % K;
            const std::uint32_t chain = scratch.claimed_slots[pair / K];
            std::uint32_t link = scratch.heads[chain];
            double sum = scratch.sums[link * Scratch::row_length + component];
            while ((link = scratch.next[link]) != Scratch::none) {
                sum += scratch.sums[link * Scratch::row_length + component];
            }
            add(static_cast<std::int32_t>(scratch.cells[chain]), static_cast<int>(component), sum);
        }
        block.sync();  // before the scratch is written again
    }
}

}  // namespace mpcflow::block
