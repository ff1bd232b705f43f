#pragma once
/// In which order the cells' particles are put when they are re-ordered in memory: tile by tile.

#include <cstdint>

#include "physics/divisor.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Cells in tiles of 8 x 4 x 4, which follow each other in rows; within a tile along a line that turns back
/// at the end of each row and each layer, so that successive cells are neighbours. (At the upper faces of a
/// box tiles are as small as what is left.)
///
/// The particles of a tile so are one piece of memory, and lie in a compact piece of the box: a block that
/// takes them through a step has the sums of nearly all of their next cells in its shared memory
/// (gpu/tile_kernels.cuh), and reads what cells do from the multiprocessor's cache.
class TiledOrder {
public:
    static constexpr Vec3<int> edge{8, 4, 4};

    TiledOrder() = default;
    /// `cells`: how many there are along x, y, z.
    MPCFLOW_HD explicit TiledOrder(Vec3<int> cells)
        : cells_(cells),
          tiles_{(cells.x + edge.x - 1) / edge.x, (cells.y + edge.y - 1) / edge.y,
                 (cells.z + edge.z - 1) / edge.z},
          row_(tiles_.x),
          column_(tiles_.y) {}

    [[nodiscard]] MPCFLOW_HD int tile_count() const { return tiles_.x * tiles_.y * tiles_.z; }
    /// Along x, y, z.
    [[nodiscard]] MPCFLOW_HD Vec3<int> tiles() const { return tiles_; }
    /// The number of a tile, given by its numbers along x, y, z.
    [[nodiscard]] MPCFLOW_HD int number(Vec3<int> tile) const {
        return tile.x + tiles_.x * (tile.y + tiles_.y * tile.z);
    }

    /// The number of the tile that holds a cell, given by its numbers along x, y, z.
    [[nodiscard]] MPCFLOW_HD int tile_of(Vec3<int> c) const {
        return number({c.x / edge.x, c.y / edge.y, c.z / edge.z});
    }
    /// The same of a cell by its index.
    [[nodiscard]] MPCFLOW_HD int tile_of(int cell) const {
        return tile_of(Vec3<int>{cell % cells_.x, cell / cells_.x % cells_.y, cell / cells_.x / cells_.y});
    }
    /// The first cell of a tile along each axis.
    [[nodiscard]] MPCFLOW_HD Vec3<int> first_cell(int tile) const {
        const int row = tile / row_;
        const int layer = row / column_;
        return {(tile - row * tiles_.x) * edge.x, (row - layer * tiles_.y) * edge.y, layer * edge.z};
    }

    /// The rank of a cell in memory, 0 to number of cells - 1. `cell` = x + cells.x * (y + cells.y * z).
    [[nodiscard]] MPCFLOW_HD int rank(int cell) const {
        const Vec3<int> c{cell % cells_.x, cell / cells_.x % cells_.y, cell / cells_.x / cells_.y};
        const Vec3<int> first{c.x / edge.x * edge.x, c.y / edge.y * edge.y, c.z / edge.z * edge.z};
        const Vec3<int> size = size_of_tile(first);
        const int layer = c.z - first.z;
        const int y = layer % 2 == 0 ? c.y - first.y : first.y + size.y - 1 - c.y;
        const int row = layer * size.y + y;
        const int x = row % 2 == 0 ? c.x - first.x : first.x + size.x - 1 - c.x;
        return cells_before(first, size) + row * size.x + x;
    }
    /// The rank of the first of a tile's cells; of tile_count() the number of cells.
    [[nodiscard]] MPCFLOW_HD int first_rank(int tile) const {
        if (tile == tile_count()) return cells_.x * cells_.y * cells_.z;
        const Vec3<int> first = first_cell(tile);
        return cells_before(first, size_of_tile(first));
    }

private:
    MPCFLOW_HD Vec3<int> size_of_tile(Vec3<int> first) const {
        const auto at_most = [](int left, int edge_length) {
            return left < edge_length ? left : edge_length;
        };
        return {at_most(cells_.x - first.x, edge.x), at_most(cells_.y - first.y, edge.y),
                at_most(cells_.z - first.z, edge.z)};
    }
    /// Of the layers of tiles below, of the rows of tiles before in this layer, and of the tiles before in
    /// this row.
    MPCFLOW_HD int cells_before(Vec3<int> first, Vec3<int> size) const {
        return first.z * cells_.x * cells_.y + first.y * cells_.x * size.z + first.x * size.y * size.z;
    }

    Vec3<int> cells_{1, 1, 1};
    Vec3<int> tiles_{1, 1, 1};
    Divisor row_{};     ///< by tiles_.x
    Divisor column_{};  ///< by tiles_.y
};

/// Deals the particles of a tile, which are ordered by cells, into `layers` rows, as cards: of the particle
/// with number `place` of `count` the number in the new order. With as many layers as there are particles in
/// a cell, particles that follow each other are in neighbouring cells, but not in the same one: the lanes of
/// a warp then meet neither in one word of shared memory nor in one bank.
[[nodiscard]] MPCFLOW_HD std::uint32_t dealt(std::uint32_t place, std::uint32_t count, std::uint32_t layers) {
    const std::uint32_t layer = place % layers;
    const std::uint32_t longer = count % layers;  // layers that have one more than the others
    return layer * (count / layers) + (layer < longer ? layer : longer) + place / layers;
}

}  // namespace mpcflow
