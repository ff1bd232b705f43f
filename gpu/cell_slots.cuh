#pragma once
/// Where the particles of each cell go when they are put in order of cells.

#include <cstdint>

#include "gpu/cell_order.hpp"
#include "gpu/cuda_support.cuh"

namespace mpcflow {

/// A number for each cell, by its rank in memory.
class CellSlots {
public:
    /// `order` is that of the grid's cells.
    explicit CellSlots(const TiledOrder& order);

    /// In the device's memory. Before find() how many particles each cell has, afterwards the place of its
    /// next one.
    [[nodiscard]] std::uint32_t* data() const { return slots_.data(); }
    [[nodiscard]] std::int64_t bytes() const { return slots_.bytes() + scratch_.bytes(); }

    /// Of the numbers of particles, `particles` in all, makes the places of the cells' first ones, and of
    /// those of the tiles, behind the last of which is the number of all.
    void find(std::int64_t particles, std::uint32_t* tile_starts);

private:
    TiledOrder order_;
    DeviceArray<std::uint32_t> slots_;
    DeviceArray<char> scratch_;  ///< of the scan
};

}  // namespace mpcflow
