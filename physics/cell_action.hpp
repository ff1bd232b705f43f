#pragma once
/// What a cell does to its particles in a collision, as it is kept in memory.

#include <type_traits>

#include "physics/host_device.hpp"

namespace mpcflow {

/// What `advance` needs of a particle's cell, side by side so that one access brings it all; drawing the
/// axis again for each particle would cost a fifth of the instructions. Transforms and draws have no holes:
/// nvcc copies a struct with padding byte by byte.
template <class Law>
struct alignas(16) CellAction {
    typename Law::Transform transform;
    typename Law::Draw drawn;

    [[nodiscard]] MPCFLOW_HD const typename Law::Draw& draw() const { return drawn; }
    MPCFLOW_HD void set_draw(const typename Law::Draw& draw) { drawn = draw; }
};
/// The same of a law that draws nothing, which takes no byte for it.
template <class Law>
requires std::is_empty_v<typename Law::Draw>
struct CellAction<Law> {
    typename Law::Transform transform;

    [[nodiscard]] MPCFLOW_HD typename Law::Draw draw() const { return {}; }
    MPCFLOW_HD void set_draw(const typename Law::Draw& /*draw*/) {}
};

}  // namespace mpcflow
