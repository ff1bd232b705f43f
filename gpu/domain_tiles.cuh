#pragma once
/// The tiles of a domain on a device, the deep ones apart.

#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/deep_tiles.hpp"
#include "gpu/tile_turns.hpp"

namespace mpcflow {

/// In the order of TilesByDepth.
class DomainTiles {
public:
    explicit DomainTiles(const TilesByDepth& by_depth)
        : shallow_(by_depth.shallow), deep_end_(by_depth.deep_end()), tiles_(std::ssize(by_depth.tiles)) {
        tiles_.upload(by_depth.tiles.data(), tiles_.size());
    }

    [[nodiscard]] int deep_count() const { return static_cast<int>(tiles_.size()) - shallow_; }
    [[nodiscard]] int deep_end() const { return deep_end_; }
    /// So many turns the shallow tiles and `loose` ones of no place have, before the deep ones.
    [[nodiscard]] int other_turns(int loose) const { return shallow_ + loose; }
    /// From turn `first` on.
    [[nodiscard]] TurnsOfDomain turns(int loose, int first) const {
        return {tiles_.data(), shallow_, loose, first};
    }
    [[nodiscard]] std::int64_t memory_bytes() const { return tiles_.bytes(); }

private:
    int shallow_;
    int deep_end_;
    DeviceArray<int> tiles_;  ///< the shallow ones, then the deep ones
};

}  // namespace mpcflow
