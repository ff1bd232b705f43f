#pragma once
/// Prefix sums that start anew at each head: a warp's lanes in segments, for example runs of particles that
/// are in the same cell.
///
/// After G. E. Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, and, for the warp,
/// S. Sengupta et al., "Scan primitives for GPU computing", Graphics Hardware 2007.

#include "gpu/warp/operations.hpp"

namespace mpcflow::warp {

/// Whether the caller's key differs from that of the next lower lane of the mask: it starts a run of equal
/// keys. True in the first lane. Costs one shuffle.
template <IsWarp Warp, PeerKey Key>
[[nodiscard]] MPCFLOW_WARP bool is_run_head(Warp warp, unsigned mask, Key key) {
    const unsigned lane = warp.lane();
    const unsigned below = mask & lanes_below(lane);
    const Key previous = warp.shfl(mask, key, below != 0 ? highest_lane(below) : lane);
    return below == 0 || previous != key;
}

/// The heads of the segments: the lanes of `mask` where `is_head` is true, and its first lane. One ballot.
template <IsWarp Warp>
[[nodiscard]] MPCFLOW_WARP unsigned find_heads(Warp warp, unsigned mask, bool is_head) {
    return warp.ballot(mask, is_head) | lane_bit(lowest_lane(mask));
}

/// Whether `lane` is the last of its segment: after scan_segments it holds the whole segment's sum.
MPCFLOW_HD bool is_segment_end(unsigned mask, unsigned heads, unsigned lane) {
    const unsigned above = mask & lanes_above(lane);
    return above == 0 || (heads & lane_bit(lowest_lane(above))) != 0;
}

/// Combines `values`, component by component, over the lanes from the head of the caller's segment up to the
/// caller itself, in the order of the lanes.
///
/// `heads` as from find_heads, the same in all lanes: a segment reaches from its head to the lane before the
/// next one. `combine` must be associative; it need not be commutative. Lanes between those of the mask are
/// passed over.
///
/// Before the round of distance d = 1, 2, 4, ... a lane holds the sum of up to d lanes that end with itself,
/// and takes in what the lane d places before it holds, if that belongs to its segment. The rounds end for
/// the whole mask when no segment is longer than d, which all lanes see from `heads` without a vote: the bits
/// of `longer` are the lanes that have d lanes of their segment before them (for masks with gaps, these
/// counted: so there it may take a round more). Costs K shuffles a round, ceil(log2 n) rounds where the
/// longest segment has n lanes.
template <int K, IsWarp Warp, LaneValue T, class Combine = Add>
MPCFLOW_WARP void scan_segments(Warp warp, unsigned mask, unsigned heads, T (&values)[K],
                                Combine combine = {}) {
    const unsigned lane = warp.lane();
    const unsigned rank = rank_in(mask, lane);
    const unsigned head = highest_lane(heads & lanes_at_or_below(lane));
    const unsigned position = rank - rank_in(mask, head);
    with_ranks(mask, [&](auto lane_at) {
        unsigned longer = lanes_above(lowest_lane(mask)) & lanes_at_or_below(highest_lane(mask)) & ~heads;
        for (unsigned distance = 1; longer != 0; distance *= 2) {
            const bool takes = position >= distance;
            const unsigned source = takes ? lane_at(rank - distance) : lane;
            MPCFLOW_UNROLL
            for (int k = 0; k < K; ++k) {
                const T taken = warp.shfl(mask, values[k], source);
                if (takes) values[k] = combine(taken, values[k]);
            }
            longer &= longer << distance;
        }
    });
}

/// The same for one value.
template <IsWarp Warp, LaneValue T, class Combine = Add>
[[nodiscard]] MPCFLOW_WARP T scan_segments(Warp warp, unsigned mask, unsigned heads, T value,
                                           Combine combine = {}) {
    T values[1] = {value};
    scan_segments(warp, mask, heads, values, combine);
    return values[0];
}

}  // namespace mpcflow::warp
