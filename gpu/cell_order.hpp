#pragma once
/// In which order the cells' particles are put when they are re-ordered in memory.

#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Cells in tiles of 4 x 4 x 4, which follow each other in rows; within a tile along a line that turns back
/// at the end of each row and each layer, so that successive cells are neighbours. (At the upper faces of a
/// box tiles are as small as what is left.)
///
/// A block's particles so are in a compact piece of the box, and read each other's cells from the
/// multiprocessor's cache; in rows, they share few (docs/decisions/).
class TiledOrder {
public:
    /// `cells`: how many there are along x, y, z.
    MPCFLOW_HD explicit TiledOrder(Vec3<int> cells) : cells_(cells) {}

    /// The rank of a cell in memory, 0 to number of cells - 1. `cell` = x + cells.x * (y + cells.y * z).
    [[nodiscard]] MPCFLOW_HD int rank(int cell) const {
        const Vec3<int> c{cell % cells_.x, cell / cells_.x % cells_.y, cell / cells_.x / cells_.y};
        Vec3<int> first;  // of the tile
        Vec3<int> size;   // of the tile
        for (int axis = 0; axis < 3; ++axis) {
            first[axis] = c[axis] / edge * edge;
            const int left = cells_[axis] - first[axis];
            size[axis] = left < edge ? left : edge;
        }
        // Cells of the layers of tiles below, of the rows of tiles before in this layer, and of the tiles
        // before in this row.
        const int before =
            first.z * cells_.x * cells_.y + first.y * cells_.x * size.z + first.x * size.y * size.z;
        const int layer = c.z - first.z;
        const int y = layer % 2 == 0 ? c.y - first.y : first.y + size.y - 1 - c.y;
        const int row = layer * size.y + y;
        const int x = row % 2 == 0 ? c.x - first.x : first.x + size.x - 1 - c.x;
        return before + row * size.x + x;
    }

private:
    static constexpr int edge = 4;
    Vec3<int> cells_;
};

/// The rank of `cell` in the order in which the particles of cells lie in memory: tiles where particles are
/// of doubles; rows where they are of floats, which are bound by atomics, and a warp's particles lie in
/// slightly fewer cells in a row.
template <class Real>
[[nodiscard]] MPCFLOW_HD int memory_rank(Vec3<int> cells, int cell) {
    if constexpr (sizeof(Real) == sizeof(double)) return TiledOrder(cells).rank(cell);
    else return cell;
}

}  // namespace mpcflow
