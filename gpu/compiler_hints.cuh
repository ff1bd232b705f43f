#pragma once
/// What keeps the compiler from changing code of a kernel for the worse.

#include <cstdint>

namespace mpcflow {

/// The values are in registers from here on. The compiler may otherwise keep what they were made of, and make
/// them anew wherever they are used: for the box of a tile that was a register too many in each step of a
/// particle (SRD in double precision), for an address two instructions of each sum.
template <class... Values>
__device__ __forceinline__ void hold(Values&... values) {
    (
        [&] {
            if constexpr (sizeof(Values) == 8) asm volatile("" : "+l"(values));
            else asm volatile("" : "+r"(values));
        }(),
        ...);
}

/// Adds 1 in shared memory and does not ask what was there. Of two ways to add to one word, of which one
/// asks, the compiler makes a single one that does, and what it answers would be waited for.
__device__ __forceinline__ void add_one_unasked(std::uint32_t* number) {
    asm volatile("red.shared.add.u32 [%0], 1;"
                 :
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(number)))
                 : "memory");
}

}  // namespace mpcflow
