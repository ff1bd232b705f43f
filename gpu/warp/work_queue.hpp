#pragma once
/// Work that warps take as they get to it: for items that take unequally long, or whose number is known on
/// the device alone. A grid of as many warps as run at a time ("persistent" ones) works off any number of
/// items.

#include <type_traits>

#include "gpu/warp/atomics.hpp"
#include "gpu/warp/shuffles.hpp"

namespace mpcflow::warp {

/// The items 0 to count - 1. `taken`, zero at the start, counts those that were handed out, and in the end is
/// larger than `count` by up to one batch for each warp: `Number` must be able to hold that.
template <class Number>
requires std::same_as<Number, std::uint32_t> || std::same_as<Number, unsigned long long>
struct WorkQueue {
    Number* taken;
    Number count;
};

/// A range of items; none of them: the queue is empty, and stays so.
template <class Number>
struct Items {
    Number first;
    Number last;  ///< the one behind

    [[nodiscard]] MPCFLOW_HD bool is_empty() const { return first == last; }
};

/// The next `batch` items of the queue, or as many as are left, the same in all lanes of `mask`. Costs one
/// atomic by one lane and one shuffle.
template <IsWarp Warp, IsAtomics Atomics, class Number>
[[nodiscard]] MPCFLOW_WARP Items<Number> take_items(Warp warp, Atomics atomics, unsigned mask,
                                                    const WorkQueue<Number>& queue,
                                                    std::type_identity_t<Number> batch) {
    Number first = 0;
    if (warp.lane() == lowest_lane(mask)) first = atomics.add(queue.taken, batch);
    first = broadcast(warp, mask, first);
    if (first >= queue.count) return {queue.count, queue.count};
    return {first, queue.count - first < batch ? queue.count : first + batch};
}

/// Calls `visit(item)` for each item that the lanes of `mask` get to take, `batch` at a time and spread over
/// the lanes, until the queue is empty; all lanes are done at once. Each item of the queue is visited once,
/// by any of the warps that work on it. `visit` must not use collectives: the last items are not one for each
/// lane.
template <IsWarp Warp, IsAtomics Atomics, class Number, class Visit>
MPCFLOW_WARP void work_off(Warp warp, Atomics atomics, unsigned mask, const WorkQueue<Number>& queue,
                           std::type_identity_t<Number> batch, Visit&& visit) {
    const Number rank = rank_in(mask, warp.lane());
    const Number lanes = popc(mask);
    while (true) {
        const Items<Number> items = take_items(warp, atomics, mask, queue, batch);
        if (items.is_empty()) return;
        for (Number offset = rank; offset < items.last - items.first; offset += lanes)
            visit(items.first + offset);
    }
}

}  // namespace mpcflow::warp
