#pragma once
/// The cells around a tile in which its particles lie on the grid of a later step. Host and device share it,
/// so that tests need no card.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "gpu/cell_order.hpp"
#include "physics/cell_grid.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The box of a tile: two cells longer than tiles of the usual size along each axis.
struct TileBox {
    static constexpr Vec3<int> size{TiledOrder::edge.x + 2, TiledOrder::edge.y + 2, TiledOrder::edge.z + 2};
    static constexpr int cells = size.x * size.y * size.z;
    static constexpr int outside = -1;  ///< the number of cells that are not in a box
    /// Cells of a box beyond its tile on either side, at most, where it is not moved onto a domain's grid.
    static constexpr int beyond = 2;
    /// Cells beyond its box at which a particle is not yet astray. At ten particles a cell, h = 0.1 and 16
    /// steps between re-orderings four are ten times as far as particles drift on average.
    static constexpr int leeway = 3;

    [[nodiscard]] MPCFLOW_HD static constexpr int length(int axis) {
        return axis == 0 ? size.x : (axis == 1 ? size.y : size.z);
    }
};

/// Where the boxes of all tiles lie on a grid. Particles that were in a tile's cells on a grid of shift s are
/// on one of shift t at least half a cell from the outside of the tile's box, as long as they do not move:
/// the box begins floor(t - s - 1/2) cells from the tile. (Of tiles that are a layer longer, at the ends of a
/// grid, a few are outside.)
///
/// On the grid of a domain a box that would reach beyond it is moved onto it, and is shorter where the grid
/// is. So whoever is in a box is on the grid, and nobody else need be asked. (What the box had beyond the
/// grid are cells that no particle stays in, but for those at the grid's other end, across the few cells that
/// it lacks of a periodic axis.)
template <class Grid>
class TileBoxes : public TileBox {
public:
    TileBoxes() = default;
    /// On `grid`, of tiles into which particles were ordered on a grid of shift `ordered`.
    template <class Real>
    TileBoxes(const Grid& grid, Vec3<Real> ordered) : order_(grid), cells_(grid.cells()) {
        for (int axis = 0; axis < 3; ++axis) {
            const double moved = static_cast<double>(grid.shift()[axis]) - static_cast<double>(ordered[axis]);
            const int begin = static_cast<int>(std::floor(moved - 0.5));
            origin_[axis] = grid.origin(axis);
            period_[axis] = grid.period(axis);
            base_[axis] = origin_[axis] + begin - 1;
            if (period_[axis] > 0) base_[axis] = (base_[axis] + 3 * period_[axis]) % period_[axis];
            astray_[axis] = grid.leads_to_others(axis) ? count_astray(axis) : 0U;
            end_[axis] = length(axis);
            highest_[axis] = cells_[axis] - 1;
            if (!grid.has_all(axis)) {
                end_[axis] = std::min(length(axis), cells_[axis]);
                lowest_[axis] = -begin;
                highest_[axis] = cells_[axis] - end_[axis] - begin;
            }
        }
    }

    [[nodiscard]] MPCFLOW_HD int count() const { return order_.tile_count(); }
    /// Cells of the grid, in all.
    [[nodiscard]] MPCFLOW_HD int cell_count() const { return cells_.x * cells_.y * cells_.z; }
    [[nodiscard]] MPCFLOW_HD const TiledOrder& order() const { return order_; }

    /// The first cell of a tile's box by its number along each axis of the box that the fluid is in: from 1
    /// to L along a periodic one, where L is cell 0. Between walls it may lie before cell 0, where the grid
    /// has all cells. A tile of no place, whose number is behind the last one's, has particles from anywhere:
    /// any box will do.
    [[nodiscard]] MPCFLOW_HD Vec3<int> first(int tile) const {
        Vec3<int> first = order_.first_cell(tile);
        for (int axis = 0; axis < 3; ++axis) {
            if constexpr (Grid::is_part) {
                first[axis] = first[axis] > lowest_[axis] ? first[axis] : lowest_[axis];
                first[axis] = first[axis] < highest_[axis] ? first[axis] : highest_[axis];
            }
            first[axis] = lower_turn(first[axis] + base_[axis], -period_[axis]) + 1;
        }
        return first;
    }

    /// The number of a cell in the box that begins at `first`, or `outside`. The cell is given by what
    /// unwrapped() of its grid says. No two cells have the same number, also where the box is longer than the
    /// grid.
    [[nodiscard]] MPCFLOW_HD int local(Vec3<int> first, Vec3<int> cell) const {
        const int x = from_first(0, first.x, cell.x);
        const int y = from_first(1, first.y, cell.y);
        const int z = from_first(2, first.z, cell.z);
        const Vec3<int> end = Grid::is_part ? end_ : size;
        const bool is_inside = static_cast<unsigned>(x) < static_cast<unsigned>(end.x) &&
                               static_cast<unsigned>(y) < static_cast<unsigned>(end.y) &&
                               static_cast<unsigned>(z) < static_cast<unsigned>(end.z);
        return is_inside ? x + size.x * (y + size.y * z) : outside;
    }

    /// Whether a cell, given as to local(), is more than `leeway` cells outside of the box that begins at
    /// `first`, along an axis that leads to other domains.
    [[nodiscard]] MPCFLOW_HD bool is_astray(Vec3<int> first, Vec3<int> cell) const {
        bool is_astray = false;
        for (int axis = 0; axis < 3; ++axis) {
            const int beyond_leeway = from_first(axis, first[axis], cell[axis]) - length(axis) - leeway;
            is_astray |= static_cast<unsigned>(beyond_leeway) < astray_[axis];
        }
        return is_astray;
    }

    /// The index in the grid of the cell with number `local` in the box; means nothing where no cell has it.
    [[nodiscard]] MPCFLOW_HD int index(Vec3<int> first, int local) const {
        Vec3<int> cell{first.x + local % size.x, first.y + local / size.x % size.y,
                       first.z + local / size.x / size.y};
        for (int axis = 0; axis < 3; ++axis) cell[axis] = from_origin(axis, cell[axis]);
        return cell.x + cells_.x * (cell.y + cells_.y * cell.z);
    }

private:
    /// How many numbers from length + leeway on are astray: along a periodic axis up to `leeway` before the
    /// box's image; between walls all, and as unsigned numbers those more than `leeway` before the box.
    [[nodiscard]] unsigned count_astray(int axis) const {
        const int others = length(axis) + 2 * leeway;
        if (period_[axis] == 0) return 0U - static_cast<unsigned>(others);
        return static_cast<unsigned>(std::max(period_[axis] - others, 0));
    }
    /// A cell's number from `first` on; between walls it may be below zero.
    [[nodiscard]] MPCFLOW_HD int from_first(int axis, int first, int cell) const {
        return lower_turn(cell - first, period_[axis]);
    }
    /// The same from the grid's first cell on, of numbers up to a turn below it or less than two beyond.
    [[nodiscard]] MPCFLOW_HD int from_origin(int axis, int cell) const {
        return lower_turn(lower_turn(cell - origin_[axis], period_[axis]), -period_[axis]);
    }

    TiledOrder order_;
    Vec3<int> cells_{1, 1, 1};
    /// Where the box of the first tile begins, less 1; from 0 to L - 1 along a periodic axis.
    Vec3<int> base_{};
    Vec3<int> origin_{};                ///< of the grid in the box
    Vec3<int> period_{};                ///< cells along a periodic axis of the box; 0 between walls
    Vec3<int> end_{};                   ///< cells of a box
    Vec3<int> lowest_{};                ///< where a tile begins whose box is not moved onto the grid,
    Vec3<int> highest_{};               ///< to here
    std::array<unsigned, 3> astray_{};  ///< count_astray() where an axis leads to other domains, else 0
};

}  // namespace mpcflow
