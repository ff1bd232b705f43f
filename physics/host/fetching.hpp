#pragma once
/// Memory is asked for before it is needed. Of particles, and of cells that collide one after the other, the
/// processor's own prefetching comes late, and of cells to which particles come in no order it knows nothing:
/// where these are in no cache, each would be waited for.

#include <cstdint>

namespace mpcflow {

enum class Fetch { to_read, to_write };

/// Asks for the memory from `first` to, without it, `last`: a hint, which needs no valid address.
template <Fetch purpose, class T>
inline void fetch(const T* first, const T* last) {
    // GCC 12 takes a function that only prefetches for one that does nothing, and drops calls of it; but not
    // with volatile assembly in it.
    asm volatile("");
    constexpr std::uintptr_t line = 64;
    const auto end = reinterpret_cast<std::uintptr_t>(last);
    for (auto at = reinterpret_cast<std::uintptr_t>(first) / line * line; at < end; at += line)
        __builtin_prefetch(reinterpret_cast<const void*>(at), purpose == Fetch::to_write ? 1 : 0);
}

}  // namespace mpcflow
