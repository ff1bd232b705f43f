#pragma once
/// Adding the leaders' sums to their cells so that the warp's atomics cover whole sectors.
///
/// A leader that added its K components itself would touch, with each atomic of the warp, as many sectors
/// as there are leaders. Through a few rows of shared memory the sums are handed to all lanes instead:
/// consecutive lanes add consecutive components of one cell, so that an atomic of the warp covers
/// 32 / K cells wholly, and no lane is idle.

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

/// One warp's own piece of shared memory: the sums of `Group` leaders at a time. A row is an odd number of
/// doubles long, which puts the same component of 16 rows, and with it the words that the leaders write at
/// the same time, into different banks. More rows at a time need fewer synchronisations, fewer rows leave
/// more memory to other warps.
template <int K, int Group, class Key>
struct SumScratch {
    static_assert(K > 0 && Group > 0 && Group <= static_cast<int>(warp_size));
    static constexpr int row_length = K | 1;

    double sums[Group * row_length];
    Key cells[Group];
};

/// Calls `add(cell, component, sum)` for each leader and each of its K components, spread over the lanes of
/// `mask` as described above. The order of the calls is not specified; each pair comes once.
///
/// `cell` and `sums` matter in lanes where `is_leader` is true. Nothing is asked of `scratch` before, and
/// nothing is left in it: the warp may use it for something else at once. `add` is called by a part of the
/// lanes and must not use collectives.
template <int K, int Group, IsWarp Warp, class Key, class AddToCell>
MPCFLOW_WARP void add_staged(Warp warp, unsigned mask, bool is_leader, Key cell, const double (&sums)[K],
                             SumScratch<K, Group, Key>& scratch, AddToCell&& add) {
    constexpr int row_length = SumScratch<K, Group, Key>::row_length;
    const unsigned lane = warp.lane();
    const unsigned leaders = warp.ballot(mask, is_leader);
    const int leader_count = static_cast<int>(popc(leaders));
    const int row_of_lane = static_cast<int>(rank_in(leaders, lane));  // from the first leader on
    const int worker = static_cast<int>(rank_in(mask, lane));
    const int workers = static_cast<int>(popc(mask));

    for (int first = 0; first < leader_count; first += Group) {
        const int row = row_of_lane - first;
        if (is_leader && row >= 0 && row < Group) {
            scratch.cells[row] = cell;
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) scratch.sums[row * row_length + k] = sums[k];
        }
        warp.sync(mask);
        const int rows = leader_count - first < Group ? leader_count - first : Group;
        for (int item = worker; item < rows * K; item += workers) {
            const int r = item / K;
            const int k = item - r * K;
            add(scratch.cells[r], k, scratch.sums[r * row_length + k]);
        }
        warp.sync(mask);  // before the rows are written again
    }
}

}  // namespace mpcflow::warp
