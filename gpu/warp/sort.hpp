#pragma once
/// Sorting the values of a warp's lanes.
///
/// After K. E. Batcher, "Sorting networks and their applications", AFIPS 1968: the bitonic sorter, in the
/// form in which all comparators point upwards (D. E. Knuth, The Art of Computer Programming 3, 5.3.4).

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

/// Calls `compare(partner, takes_smaller)` for each step of the sorting network: the lane then exchanges with
/// lane `partner` and keeps the smaller or the larger of the two; where it has no partner, `partner` is
/// itself.
///
/// The places of the network are the ranks of the lanes in `mask`. Sorted runs of `half` places are merged in
/// pairs: first each place of the lower run with its mirror image in the upper one, which leaves the smaller
/// half of all in the lower run; then at distances half / 2, ..., 1. Each comparator so puts the larger value
/// at the higher place. Places behind the mask's last one count as holding infinity, which no comparator
/// would ever move down, and so can be left out: any number of lanes is sorted. With n lanes and k =
/// ceil(log2 n) there are k (k + 1) / 2 steps: 15 for a whole warp.
template <class Compare>
MPCFLOW_WARP void sort_by_network(unsigned mask, unsigned lane, Compare&& compare) {
    const unsigned rank = rank_in(mask, lane);
    const unsigned lanes = popc(mask);
    with_ranks(mask, [&](auto lane_at) {
        const auto compare_with = [&](unsigned partner) {
            compare(partner < lanes ? lane_at(partner) : lane, rank < partner);
        };
        MPCFLOW_UNROLL
        for (unsigned half = 1; half < warp_size; half *= 2) {
            if (half >= lanes) break;
            compare_with(rank ^ (2 * half - 1));
            MPCFLOW_UNROLL
            for (unsigned distance = half / 2; distance > 0; distance /= 2) compare_with(rank ^ distance);
        }
    });
}

/// Sorts the keys of the lanes of `mask`: the lane of rank r in the mask gets the r-th smallest, from 0.
/// Costs a shuffle a step of the network. Not for NaNs.
template <IsWarp Warp, LaneValue Key>
[[nodiscard]] MPCFLOW_WARP Key sort_keys(Warp warp, unsigned mask, Key key) {
    sort_by_network(mask, warp.lane(), [&](unsigned partner, bool takes_smaller) {
        const Key other = warp.shfl(mask, key, partner);
        if (takes_smaller ? other < key : key < other) key = other;
    });
    return key;
}

/// A key and what goes with it.
template <LaneValue Key, LaneValue Value>
struct KeyValue {
    Key key;
    Value value;
};

/// Sorts pairs by their keys, as sort_keys does; in which order pairs of equal keys come is not specified.
/// To move more than one value, sort lane numbers and shuffle the values from there. Costs two shuffles a
/// step.
template <IsWarp Warp, LaneValue Key, LaneValue Value>
[[nodiscard]] MPCFLOW_WARP KeyValue<Key, Value> sort_pairs(Warp warp, unsigned mask,
                                                           KeyValue<Key, Value> pair) {
    sort_by_network(mask, warp.lane(), [&](unsigned partner, bool takes_smaller) {
        const Key other = warp.shfl(mask, pair.key, partner);
        const Value others_value = warp.shfl(mask, pair.value, partner);
        if (takes_smaller ? other < pair.key : pair.key < other)  // of two equal keys both lanes keep theirs
            pair = {other, others_value};
    });
    return pair;
}

}  // namespace mpcflow::warp
