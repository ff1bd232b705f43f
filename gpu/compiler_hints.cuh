#pragma once
/// What keeps the compiler from changing code of a kernel for the worse.

#include <cstdint>

#include "physics/vector.hpp"

namespace mpcflow {

/// Three registers hold it from here on. The compiler may otherwise keep what it was made of, and make it
/// anew wherever it is used: for the box of a tile that was a register too many in each step of a particle
/// (SRD in double precision).
__device__ __forceinline__ void keep_in_registers(Vec3<int>& v) {
    asm volatile("" : "+r"(v.x), "+r"(v.y), "+r"(v.z));
}

/// Adds to a word in shared memory and does not ask what was there. Of two ways to add to one word, of which
/// one asks, the compiler makes a single one that does, and what it answers would be waited for.
__device__ __forceinline__ void add_unasked(std::uint32_t* word, std::uint32_t value) {
    asm volatile("red.shared.add.u32 [%0], %1;"
                 :
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(word))), "r"(value)
                 : "memory");
}

}  // namespace mpcflow
