#pragma once
/// Particles that are off a domain's grid after a step: the kernels of the step note them, and leave it to
/// their new owner to add them to a cell.

#include <cstdint>
#include <type_traits>

namespace mpcflow {

/// Where they are in memory. What there is no room for is counted, and found again afterwards
/// (find_leaving).
struct LeavingQueue {
    std::uint32_t* slots = nullptr;
    std::uint32_t room = 0;
    std::uint32_t* count = nullptr;

    __device__ __forceinline__ void push(std::uint32_t slot) const {
        const std::uint32_t place = atomicAdd(count, 1U);
        if (place < room) slots[place] = slot;
    }
};

/// Of the whole box: nobody leaves.
struct NobodyLeaves {
    __device__ __forceinline__ void push(std::uint32_t /*slot*/) const {}
};

/// Whether a particle can be off a grid.
template <class Grid>
inline constexpr bool may_leave = Grid::is_part;

template <class Grid>
using LeavingOf = std::conditional_t<may_leave<Grid>, LeavingQueue, NobodyLeaves>;

}  // namespace mpcflow
