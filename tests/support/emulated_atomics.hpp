#pragma once
/// The atomics of the emulated warp, a model of warp::IsAtomics.

#include <algorithm>
#include <cstring>

#include "gpu/warp/atomics.hpp"
#include "tests/support/warp_emulator.hpp"

namespace mpcflow::test {

/// The emulator's lanes take turns in one thread, so that plain accesses are indivisible. Before each
/// operation the lane lets others go on, so that lanes really meet: a compare-and-swap fails, a probe finds
/// its slot taken, sums grow in another order.
class EmulatedAtomics {
public:
    explicit EmulatedAtomics(const EmulatedWarp& warp) : warp_{warp} {}

    template <class T>
    T add(T* to, T value) const {
        return replace(
            to, [=](T old) { return old + value; });
    }
    template <class T>
    T compare_and_swap(T* at, T expected, T desired) const {
        return replace(
            at, [=](T old) { return old == expected ? desired : old; });
    }
    template <class T>
    T exchange(T* at, T desired) const {
        return replace(
            at, [=](T) { return desired; });
    }
    template <class T>
    T minimum(T* at, T value) const {
        return replace(
            at, [=](T old) { return std::min(old, value); });
    }
    template <class T>
    T maximum(T* at, T value) const {
        return replace(
            at, [=](T old) { return std::max(old, value); });
    }
    template <class T>
    T load(const T* at) const {
        warp_.yield();
        return *at;
    }
    std::uint32_t bit_or(std::uint32_t* at, std::uint32_t bits) const {
        return replace(
            at, [=](std::uint32_t old) { return old | bits; });
    }

private:
    // By memcpy: a compare-and-swap may work on the bits of a double.
    template <class T, class Change>
    T replace(T* at, Change change) const {
        warp_.yield();
        T old;
        std::memcpy(&old, at, sizeof old);
        const T changed = change(old);
        std::memcpy(at, &changed, sizeof changed);
        return old;
    }

    EmulatedWarp warp_;
};

static_assert(warp::IsAtomics<EmulatedAtomics>);

}  // namespace mpcflow::test
