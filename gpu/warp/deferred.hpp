#pragma once
/// Rare work in full warps: items for which a few lanes would do something long while the others wait are put
/// aside until there is one for each lane.

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

/// One warp's own piece of shared memory.
template <class Item>
struct DeferredItems {
    Item items[2 * warp_size];
};

/// The items that the lanes of `mask` have put aside, who call all functions together.
template <class Item>
class Deferred {
public:
    MPCFLOW_WARP Deferred(unsigned mask, DeferredItems<Item>& memory)
        : mask_(mask), lanes_(popc(mask)), items_(memory.items) {}

    /// Puts the items of the lanes with `is_mine` aside. As soon as there is one for each lane, calls
    /// work(true, item) in all of them, with an item each. Costs one ballot, and two synchronisations where
    /// it calls.
    template <IsWarp Warp, class Work>
    MPCFLOW_WARP void put(Warp warp, bool is_mine, const Item& item, const Work& work) {
        const unsigned mine = warp.ballot(mask_, is_mine);
        if (is_mine) items_[count_ + rank_in(mine, warp.lane())] = item;
        count_ += popc(mine);
        if (count_ >= lanes_) take(warp, lanes_, work);
    }

    /// Calls work(has_item, item) in all lanes for those that are left, where there are any.
    template <IsWarp Warp, class Work>
    MPCFLOW_WARP void finish(Warp warp, const Work& work) {
        if (count_ != 0) take(warp, count_, work);
    }

private:
    template <IsWarp Warp, class Work>
    MPCFLOW_WARP void take(Warp warp, unsigned number, const Work& work) {
        const unsigned rank = rank_in(mask_, warp.lane());
        count_ -= number;
        warp.sync(mask_);
        const Item mine = rank < number ? items_[count_ + rank] : Item{};
        warp.sync(mask_);  // before they are written again
        work(rank < number, mine);
    }

    unsigned mask_;
    unsigned lanes_;
    Item* items_;
    unsigned count_ = 0;  ///< the same in all lanes
};

}  // namespace mpcflow::warp
