#pragma once
/// The tiles of a domain on a device, the deep ones apart.

#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/deep_tiles.hpp"
#include "gpu/tile_turns.hpp"

namespace mpcflow {

class DeepTiles {
public:
    explicit DeepTiles(const TilesByDepth& by_depth)
        : shallow_(by_depth.shallow), end_(by_depth.deep_end()), tiles_(std::ssize(by_depth.tiles)) {
        tiles_.upload(by_depth.tiles.data(), tiles_.size());
    }

    [[nodiscard]] int count() const { return static_cast<int>(tiles_.size()) - shallow_; }
    /// The number behind that of the last of them; 0 without.
    [[nodiscard]] int end() const { return end_; }
    /// All others, and `loose` tiles of no place, have the first turns, and so many.
    [[nodiscard]] int other_turns(int loose) const { return shallow_ + loose; }
    /// From turn `first` on.
    [[nodiscard]] TurnsOfDomain turns(int loose, int first) const {
        return {tiles_.data(), shallow_, loose, first};
    }
    [[nodiscard]] std::int64_t memory_bytes() const { return tiles_.bytes(); }

private:
    int shallow_;
    int end_;
    DeviceArray<int> tiles_;  ///< the shallow ones, then the deep ones
};

}  // namespace mpcflow
