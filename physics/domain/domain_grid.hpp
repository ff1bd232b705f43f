#pragma once
/// The collision cells that a domain works on: its own ones and a halo around them.
///
/// Places stay those of the box, and so do keys: a cell is found on the grid of the box, and only then
/// counted from the domain's first one, across periodic faces too. So all bits are those of the whole box.

#include <algorithm>
#include <cstdint>
#include <span>

#include "physics/cell_grid.hpp"
#include "physics/divisor.hpp"
#include "physics/domain/cut.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// As CellGrid, for a part of the box. Index = x + cells.x * (y + cells.y * z), from the domain's first cell.
template <class Real>
class DomainGrid {
public:
    static constexpr bool is_part = true;  ///< as CellGrid's

    DomainGrid() = default;
    DomainGrid(const System& system, std::uint64_t step, const Cut& a_cut, int number)
        : box_(system, step),
          size_(system.box),
          cut_(a_cut),
          number_(number),
          own_(cut(size_, cut_, number)) {
        for (int axis = 0; axis < 3; ++axis) {
            const int all = box_.cells()[axis];
            const int begin = own_.origin[axis] - cut_.halo;
            const int end = own_.origin[axis] + own_.extent[axis] + cut_.halo;
            if (!system.boundaries.faces[axis].is_periodic()) {
                first_[axis] = std::max(begin, 0);
                cells_[axis] = std::min(end, all) - first_[axis];
            } else if (end - begin >= all) {
                cells_[axis] = all;  // each cell once
            } else {
                first_[axis] = begin < 0 ? begin + all : begin;
                cells_[axis] = end - begin;
            }
            turn_[axis] = first_[axis] == 0 ? -all : all;
            halo_before_[axis] = cells_[axis] == all ? 0 : from_first(axis, own_.origin[axis]);
        }
        row_ = Divisor(cells_.x);
        column_ = Divisor(cells_.y);
    }

    [[nodiscard]] DomainGrid of_step(const System& system, std::uint64_t step) const {
        DomainGrid grid = *this;
        grid.box_ = CellGrid<Real>(system, step);
        return grid;
    }

    [[nodiscard]] MPCFLOW_HD int number() const { return number_; }
    [[nodiscard]] const CellBlock& own() const { return own_; }
    [[nodiscard]] std::int64_t cell_count() const { return std::int64_t{cells_.x} * cells_.y * cells_.z; }

    /// `no_cell` for a place off this grid.
    template <Setting setting = Setting::any>
    MPCFLOW_HD CellPlace<Real> locate(Vec3<Real> position) const {
        CellPlace<Real> place{};
        place.cell = find(box_.template unwrapped<setting>(position, place.offset));
        return place;
    }
    MPCFLOW_HD CellPlace<Real> locate_in_frame(Vec3<Real> position) const {
        CellPlace<Real> place{};
        place.cell = find(box_.unwrapped_in_frame(position, place.offset));
        return place;
    }

    template <Setting setting = Setting::any>
    [[nodiscard]] MPCFLOW_HD bool is_sheared() const {
        return box_.template is_sheared<setting>();
    }
    [[nodiscard]] MPCFLOW_HD const ShearedFaces<Real>& shear() const { return box_.shear(); }
    [[nodiscard]] MPCFLOW_HD bool is_beyond(Vec3<Real> position) const { return box_.is_beyond(position); }
    template <Setting setting = Setting::any>
    [[nodiscard]] MPCFLOW_HD Vec3<Real> into_frame(Vec3<Real> position, Vec3<Real> velocity) const {
        return box_.template into_frame<setting>(position, velocity);
    }
    template <Setting setting = Setting::any>
    [[nodiscard]] MPCFLOW_HD Vec3<Real> out_of_frame(Vec3<Real> position, Vec3<Real> velocity) const {
        return box_.template out_of_frame<setting>(position, velocity);
    }

    /// The numbers of a place's cell along each axis of the box.
    MPCFLOW_HD Vec3<int> locate_in_box(Vec3<Real> position) const {
        Vec3<Real> offset;
        return box_.coordinates(position, offset);
    }

    /// The cell of a place by its number along each axis of this grid, if it has() it; `offset` is set to the
    /// place's from its centre.
    template <Setting setting = Setting::any>
    MPCFLOW_HD Vec3<int> coordinates(Vec3<Real> position, Vec3<Real>& offset) const {
        return from_unwrapped(unwrapped<setting>(position, offset));
    }
    /// The same by its number along each axis of the box, of which L is cell 0 of a periodic one.
    template <Setting setting = Setting::any>
    MPCFLOW_HD Vec3<int> unwrapped(Vec3<Real> position, Vec3<Real>& offset) const {
        return box_.template unwrapped<setting>(position, offset);
    }
    [[nodiscard]] MPCFLOW_HD Vec3<int> from_unwrapped(Vec3<int> c) const {
        return {from_first(0, c.x), from_first(1, c.y), from_first(2, c.z)};
    }
    /// Whether what coordinates() gave is on this grid.
    MPCFLOW_HD bool has(Vec3<int> c) const { return c.x < cells_.x && c.y < cells_.y && c.z < cells_.z; }
    MPCFLOW_HD int index(Vec3<int> c) const { return c.x + cells_.x * (c.y + cells_.y * c.z); }

    [[nodiscard]] MPCFLOW_HD Vec3<int> cells() const { return cells_; }
    [[nodiscard]] Vec3<Real> shift() const { return box_.shift(); }
    /// What the first cell's number along an axis of the box is.
    [[nodiscard]] int origin(int axis) const { return first_[axis]; }
    /// Cells of the box along a periodic axis; 0 between walls.
    [[nodiscard]] int period(int axis) const { return box_.period(axis); }
    /// Whether the last cell along an axis is a neighbour of the first one.
    [[nodiscard]] bool is_periodic(int axis) const { return box_.is_periodic(axis) && has_all(axis); }
    /// How many cells it has before its own ones along each axis; none where it has all cells of the box.
    [[nodiscard]] MPCFLOW_HD Vec3<int> halo_before() const { return halo_before_; }
    /// Whether it has all cells of the box along an axis.
    [[nodiscard]] bool has_all(int axis) const { return cells_[axis] == box_.cells()[axis]; }

    /// The index of a cell of the box by its number along each axis there, or `no_cell`.
    MPCFLOW_HD int find(Vec3<int> in_box) const {
        const int x = along(0, in_box.x);
        const int y = along(1, in_box.y);
        const int z = along(2, in_box.z);
        if (x == no_cell || y == no_cell || z == no_cell) return no_cell;
        return index({x, y, z});
    }

    /// A cell's number along each axis of the box.
    MPCFLOW_HD Vec3<int> in_box(int cell) const {
        const int row = cell / row_;
        const int layer = row / column_;
        return counted_in_box({cell - row * cells_.x, row - layer * cells_.y, layer});
    }

    MPCFLOW_HD int key(int cell) const { return box_.index(in_box(cell)); }
    /// Those of the cells from number `first` on: row by row, in loops that vectors are made of.
    void find_keys(int first, std::span<std::int64_t> keys) const {
        int row = first / cells_.x;
        int x = first % cells_.x;
        const int box_cells = box_.cells().x;
        while (!keys.empty()) {
            const auto count = std::min<std::size_t>(keys.size(), static_cast<std::size_t>(cells_.x - x));
            const std::int64_t row_key = box_.index(counted_in_box({0, row % cells_.y, row / cells_.y}));
            const std::int64_t row_begin = row_key - first_.x;
            for (std::size_t k = 0; k < count; ++k) {
                const int box_x = first_.x + x + static_cast<int>(k);
                keys[k] = row_begin + (box_x < box_cells ? box_x : box_x - box_cells);
            }
            keys = keys.subspan(count);
            x = 0;
            ++row;
        }
    }
    MPCFLOW_HD CellFill fill(int cell, const WallStates* walls = nullptr) const {
        return box_.fill(key(cell), walls);
    }
    MPCFLOW_HD bool may_be_cut(int cell) const { return box_.may_be_cut(key(cell)); }
    [[nodiscard]] bool has_solid_faces() const { return box_.has_solid_faces(); }
    MPCFLOW_HD Vec3<double> centre(int cell) const { return box_.centre(key(cell)); }
    MPCFLOW_HD bool is_whole(int cell) const { return box_.is_whole(key(cell)); }

    /// A place in the middle of the own cells, which is on the grid of every step.
    [[nodiscard]] Vec3<double> middle() const {
        Vec3<double> place;
        for (int axis = 0; axis < 3; ++axis) place[axis] = own_.origin[axis] + 0.5 * own_.extent[axis];
        return place;
    }

    /// Whether particles get to other domains along an axis: it is cut, or they are elsewhere along the flow
    /// when they have crossed its sheared faces.
    [[nodiscard]] bool leads_to_others(int axis) const {
        return cut_.domains[axis] > 1 || (box_.is_sheared() && axis == shear().normal());
    }
    /// Whether the number `c` along an axis is that of an own cell with `layers` further own ones on either
    /// side; always where the axis does not lead to others.
    [[nodiscard]] bool is_deep(int axis, int c, int layers) const {
        if (!leads_to_others(axis)) return true;
        const int in_own = c - from_first(axis, own_.origin[axis]);
        return in_own >= layers && in_own < own_.extent[axis] - layers;
    }

    /// Whether a cell is this domain's own, as each cell of the box is of one domain.
    [[nodiscard]] MPCFLOW_HD bool owns(int cell) const { return owner_of(in_box(cell)) == number_; }

    /// The domain that owns the cell of a place, or a cell of the box.
    [[nodiscard]] MPCFLOW_HD int owner(Vec3<Real> position) const {
        return owner_of(locate_in_box(position));
    }
    [[nodiscard]] MPCFLOW_HD int owner_of(Vec3<int> in_box) const {
        int number = 0;
        for (int axis = 2; axis >= 0; --axis) {
            // Between walls there is one layer of cells more, which the last domain has.
            const int last = size_.size[axis] - 1;
            const std::int64_t c = in_box[axis] < last ? in_box[axis] : last;
            const std::int64_t domains = cut_.domains[axis];
            number = number * static_cast<int>(domains) +
                     static_cast<int>(((c + 1) * domains - 1) / size_.size[axis]);
        }
        return number;
    }

    /// Whether the domain `other` has a cell of its own on this grid. Where a box is sheared, images meet
    /// anywhere along the flow, and so do domains.
    [[nodiscard]] bool reaches(int other) const {
        const CellBlock block = cut(size_, cut_, other);
        bool reaches = true;
        for (int axis = 0; axis < 3; ++axis) {
            bool on_axis = false;
            for (int c = 0; c < block.extent[axis]; ++c)
                on_axis |= along(axis, block.origin[axis] + c) != no_cell;
            reaches &= on_axis || axis == shear().along();
        }
        return reaches;
    }

private:
    /// From numbers from the domain's first cell on those in the box.
    MPCFLOW_HD Vec3<int> counted_in_box(Vec3<int> c) const {
        for (int axis = 0; axis < 3; ++axis) {
            c[axis] += first_[axis];
            if (c[axis] >= box_.cells()[axis]) c[axis] -= box_.cells()[axis];
        }
        return c;
    }
    /// What a number in the box, from 0 to L, is from the domain's first cell on.
    MPCFLOW_HD int from_first(int axis, int in_box) const {
        return lower_turn(in_box - first_[axis], turn_[axis]);
    }
    MPCFLOW_HD int along(int axis, int in_box) const {
        const int c = from_first(axis, in_box);
        return c < cells_[axis] ? c : no_cell;
    }

    CellGrid<Real> box_;
    Box size_;
    Cut cut_;
    int number_ = 0;
    CellBlock own_;
    Vec3<int> first_{};  ///< in the box
    Vec3<int> turn_{};   ///< what is added to a number where it is not from the first cell on
    Vec3<int> halo_before_{};
    Vec3<int> cells_{1, 1, 1};
    Divisor row_{};     ///< by cells_.x
    Divisor column_{};  ///< by cells_.y
};

}  // namespace mpcflow
