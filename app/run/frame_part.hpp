#pragma once

#include <cstdint>

namespace mpcflow {

/// Which of the particles of a frame these are: those from number `first` on, in the order of their ids.
/// Where one copy cannot hold all, a frame comes in such parts, in their order.
struct FramePart {
    std::uint64_t state_hash = 0;  ///< of the system
    std::int64_t particles = 0;    ///< of the whole frame
    std::int64_t first = 0;
};

}  // namespace mpcflow
