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

#include <cstdint>

#include "gpu/block/hash_table.hpp"
#include "gpu/warp/compact.hpp"

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
    static constexpr unsigned slots = slots_for(Rows);
    static constexpr std::uint32_t no_row = 0xffffffffu;

    double sums[Rows * row_length];
    std::uint32_t next[Rows];           ///< the row behind this one in the chain of its cell, or no_row
    std::uint32_t cells[slots];         ///< the hash table: a cell is not negative, so never the mark
    std::uint32_t heads[slots];         ///< the first row of the slot's chain, or no_row
    std::uint32_t claimed_slots[Rows];  ///< one for each distinct cell
    std::uint32_t row_count;            ///< of all leaders of the block
    std::uint32_t cell_count;           ///< distinct cells of the round
};

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
    const unsigned thread = block.thread();
    // One atomic for the warp.
    const auto take_place = [&](bool takes, std::uint32_t& counter) {
        return warp::place_selected(block.warp(), warp::full_mask, takes,
                                    [&](std::uint32_t count) { return atomics.add(&counter, count); });
    };
    unsigned row = 0;
    unsigned rounds = 1;
    for (unsigned round = 0; round < rounds; ++round) {
        clear_table(block, scratch.cells);
        for (unsigned slot = thread; slot < Scratch::slots; slot += Threads)
            scratch.heads[slot] = Scratch::no_row;
        if (thread == 0) {
            scratch.cell_count = 0;
            if (round == 0) scratch.row_count = 0;
        }
        block.sync();

        if (round == 0) row = take_place(is_leader, scratch.row_count);
        else row -= Rows;  // those that have been served wrap around, far above
        Claim claim{0, false};
        if (is_leader && row < Rows) {
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) scratch.sums[row * Scratch::row_length + k] = sums[k];
            claim = claim_slot(atomics, scratch.cells, static_cast<std::uint32_t>(cell));
            scratch.next[row] = atomics.exchange(&scratch.heads[claim.slot], row);
        }
        const unsigned claimed = take_place(claim.is_new, scratch.cell_count);
        if (claim.is_new) scratch.claimed_slots[claimed] = claim.slot;
        block.sync();

        if constexpr (Rows < Threads) rounds = (scratch.row_count + Rows - 1) / Rows;
        const unsigned pairs = scratch.cell_count * K;
        for (unsigned pair = thread; pair < pairs; pair += Threads) {
            const unsigned component = pair % K;
            const std::uint32_t chain = scratch.claimed_slots[pair / K];
            std::uint32_t link = scratch.heads[chain];
            double sum = scratch.sums[link * Scratch::row_length + component];
            while ((link = scratch.next[link]) != Scratch::no_row)
                sum += scratch.sums[link * Scratch::row_length + component];
            add(static_cast<std::int32_t>(scratch.cells[chain]), static_cast<int>(component), sum);
        }
        block.sync();  // before the scratch is written again
    }
}

}  // namespace mpcflow::block
