#pragma once
/// The state hash of frames that hold all particles, worked out from the particles.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "app/hdf5/file.hpp"

namespace mpcflow::verify {

class FrameHash {
public:
    virtual ~FrameHash() = default;
    FrameHash() = default;
    FrameHash(const FrameHash&) = delete;
    FrameHash& operator=(const FrameHash&) = delete;
    /// Reads a frame a chunk at a time. Throws FileError.
    [[nodiscard]] virtual std::uint64_t of(std::size_t frame) = 0;
};

/// None where frames do not hold what the hash is made of: all particles, with positions and velocities of no less than the
/// precision of the run. Throws FileError.
[[nodiscard]] std::unique_ptr<FrameHash> make_frame_hash(const hdf5::File& trajectory);

}  // namespace mpcflow::verify
