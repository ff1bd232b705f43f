#pragma once
/// In which order the cells' particles are put when they are re-ordered in memory: tile by tile.

#include <cstdint>

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
                 (cells.z + edge.z - 1) / edge.z} {}

    [[nodiscard]] MPCFLOW_HD int tile_count() const { return tiles_.x * tiles_.y * tiles_.z; }

    /// The number of the tile that holds a cell, given by its numbers along x, y, z.
    [[nodiscard]] MPCFLOW_HD int tile_of(Vec3<int> c) const {
        return c.x / edge.x + tiles_.x * (c.y / edge.y + tiles_.y * (c.z / edge.z));
    }
    /// The same of a cell by its index.
    [[nodiscard]] MPCFLOW_HD int tile_of(int cell) const {
        return tile_of(Vec3<int>{cell % cells_.x, cell / cells_.x % cells_.y, cell / cells_.x / cells_.y});
    }
    /// The first cell of a tile along each axis.
    [[nodiscard]] MPCFLOW_HD Vec3<int> first_cell(int tile) const {
        return {tile % tiles_.x * edge.x, tile / tiles_.x % tiles_.y * edge.y,
                tile / tiles_.x / tiles_.y * edge.z};
    }

    /// The tile that is taken as the `turn`-th, 0 to tile_count() - 1.
    /// In large boxes tiles are taken in bands of some rows of tiles, and a band layer by layer, so that
    /// tiles that have cells in common follow each other soon, along z as well: what one adds to is then
    /// still in the card's cache when the next one does
    /// (docs/decisions/2026-11-26-what-a-step-reads-and-writes.md).
    [[nodiscard]] MPCFLOW_HD int in_turn(int turn) const {
        const int rows = rows_of_band();
        const int band = turn / (rows * tiles_.x * tiles_.z);
        const int first_row = band * rows;
        const int own_rows = tiles_.y - first_row < rows ? tiles_.y - first_row : rows;
        const int in_band = turn - first_row * tiles_.x * tiles_.z;
        const int layer = in_band / (own_rows * tiles_.x);
        const int in_layer = in_band - layer * own_rows * tiles_.x;
        return in_layer + tiles_.x * (first_row + tiles_.y * layer);
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
    /// About so many tiles of a layer are in a band, and less than twice as many: of 325 tiles a layer two
    /// bands were slower than none, of 1250 bands of 200 faster than of 100.
    static constexpr int tiles_of_band = 200;
    [[nodiscard]] MPCFLOW_HD int rows_of_band() const {
        const int bands = tiles_.x * tiles_.y / tiles_of_band;
        return bands < 2 ? tiles_.y : (tiles_.y + bands - 1) / bands;
    }
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
