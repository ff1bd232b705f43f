#pragma once
/// In which order the cells' particles are put when they are re-ordered in memory: tile by tile.

#include <cstdint>

#include "physics/divisor.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Cells in tiles of 8 x 4 x 4, which follow each other in rows; within a tile along a line that turns back
/// at the end of each row and each layer, so that successive cells are neighbours.
///
/// The last tiles along an axis are as small as what is left. But if that is one layer of cells, those before
/// have it, too, and the first tiles of a domain always have the layer of its halo that is before its own
/// cells: for a domain of whole tiles, or a box of whole tiles between walls, there would be a layer of tiles
/// more, with few particles in each.
///
/// The particles of a tile so are one piece of memory, and lie in a compact piece of the box: a block that
/// takes them through a step has the sums of nearly all of their next cells in its shared memory
/// (gpu/tile_kernels.cuh), and reads what cells do from the multiprocessor's cache.
class TiledOrder {
public:
    static constexpr Vec3<int> edge{8, 4, 4};

    TiledOrder() = default;
    /// `cells`: how many there are along x, y, z, of them `halo_before` in a halo before all others.
    MPCFLOW_HD explicit TiledOrder(Vec3<int> cells, Vec3<int> halo_before = {}) : cells_(cells) {
        for (int axis = 0; axis < 3; ++axis) {
            more_[axis] = halo_before[axis] > 0 ? 1 : 0;
            const int whole = (cells[axis] - more_[axis] - 1 + length(axis) - 1) / length(axis);
            tiles_[axis] = whole > 0 ? whole : 1;
        }
        row_ = Divisor(tiles_.x);
        column_ = Divisor(tiles_.y);
    }
    /// Of all cells of a grid.
    template <class Grid>
    MPCFLOW_HD explicit TiledOrder(const Grid& grid) : TiledOrder(grid.cells(), grid.halo_before()) {}

    [[nodiscard]] MPCFLOW_HD int tile_count() const { return tiles_.x * tiles_.y * tiles_.z; }
    /// Along x, y, z.
    [[nodiscard]] MPCFLOW_HD Vec3<int> tiles() const { return tiles_; }
    /// The number of a tile, given by its numbers along x, y, z.
    [[nodiscard]] MPCFLOW_HD int number(Vec3<int> tile) const {
        return tile.x + tiles_.x * (tile.y + tiles_.y * tile.z);
    }

    /// The number of the tile that holds a cell, given by its numbers along x, y, z.
    [[nodiscard]] MPCFLOW_HD int tile_of(Vec3<int> c) const { return number(tile_at(c)); }
    /// The same of a cell by its index.
    [[nodiscard]] MPCFLOW_HD int tile_of(int cell) const {
        return tile_of(Vec3<int>{cell % cells_.x, cell / cells_.x % cells_.y, cell / cells_.x / cells_.y});
    }
    /// The first cell of a tile along each axis.
    [[nodiscard]] MPCFLOW_HD Vec3<int> first_cell(int tile) const {
        const int row = tile / row_;
        const int layer = row / column_;
        return first_cell(Vec3<int>{tile - row * tiles_.x, row - layer * tiles_.y, layer});
    }
    /// The same of a tile by its numbers along x, y, z.
    [[nodiscard]] MPCFLOW_HD Vec3<int> first_cell(Vec3<int> tile) const {
        return {begin(0, tile.x), begin(1, tile.y), begin(2, tile.z)};
    }
    /// How many cells a tile has along each axis, whose first one this is.
    [[nodiscard]] MPCFLOW_HD Vec3<int> size_of_tile(Vec3<int> first) const {
        return {size(0, first.x), size(1, first.y), size(2, first.z)};
    }

    /// The rank of a cell in memory, 0 to number of cells - 1. `cell` = x + cells.x * (y + cells.y * z).
    [[nodiscard]] MPCFLOW_HD int rank(int cell) const {
        const Vec3<int> c{cell % cells_.x, cell / cells_.x % cells_.y, cell / cells_.x / cells_.y};
        const Vec3<int> first = first_cell(tile_at(c));
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
    /// The tile of a cell by its numbers along x, y, z.
    MPCFLOW_HD Vec3<int> tile_at(Vec3<int> c) const { return {along(0, c.x), along(1, c.y), along(2, c.z)}; }
    MPCFLOW_HD static constexpr int length(int axis) {
        return axis == 0 ? edge.x : (axis == 1 ? edge.y : edge.z);
    }
    MPCFLOW_HD int along(int axis, int c) const {
        const int tile = (c - more_[axis]) / length(axis);  // of -1, too, it is 0
        return tile < tiles_[axis] ? tile : tiles_[axis] - 1;
    }
    MPCFLOW_HD int begin(int axis, int tile) const {
        return tile == 0 ? 0 : more_[axis] + tile * length(axis);
    }
    MPCFLOW_HD int size(int axis, int first) const {
        const int left = cells_[axis] - first;
        const int usual = first == 0 ? length(axis) + more_[axis] : length(axis);
        return left <= usual + 1 ? left : usual;
    }
    /// Of the layers of tiles below, of the rows of tiles before in this layer, and of the tiles before in
    /// this row.
    MPCFLOW_HD int cells_before(Vec3<int> first, Vec3<int> size) const {
        return first.z * cells_.x * cells_.y + first.y * cells_.x * size.z + first.x * size.y * size.z;
    }

    Vec3<int> cells_{1, 1, 1};
    Vec3<int> tiles_{1, 1, 1};
    Vec3<int> more_{};  ///< cells that the first tile has more than others
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
