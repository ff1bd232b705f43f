#pragma once
/// Collision cells: cubes of edge 1 on a grid that is shifted anew every step.
///
/// With the shift s in [0, 1) along each axis a particle at x is in cell floor(x + s). Along a periodic
/// axis cell L is cell 0 again. Along an axis with walls there are L + 1 cells, the first and the last
/// of which the walls cut. Random shifts restore Galilean invariance: Ihle and Kroll, Phys. Rev. E 63
/// (2001) 020201(R). (s uniform in [0, 1) and in [-1/2, 1/2) give the same lattices.)
///
/// A cell that straddles a sheared face is in the frame of its part below the face; what is above is brought
/// there, place and velocity (physics/lees_edwards.hpp).

#include <cstdint>
#include <span>

#include "physics/boundary/cell_fill.hpp"
#include "physics/host_device.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/random.hpp"
#include "physics/setting.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The index of places that are in no cell of a grid that covers a part of the box (physics/domain/).
inline constexpr int no_cell = -1;

/// A cell's index and a place's distance from that cell's centre. Measured before a periodic axis
/// wraps, so particles on both sides of a periodic face have offsets that fit together.
template <class Real>
struct CellPlace {
    int cell;
    Vec3<Real> offset;
};

/// Of c and c + turn, two numbers of one cell along an axis that closes in on itself, the smaller one that is
/// not negative; with a turn of 0, between walls, c as it is. One turn is added or taken off, no more: enough
/// for -L <= c < L with a turn of L, and for 0 <= c < 2 L with -L. Two instructions of a card.
MPCFLOW_HD int lower_turn(int c, int turn) {
    const auto number = static_cast<unsigned>(c);
    const unsigned turned = number + static_cast<unsigned>(turn);
    return static_cast<int>(number < turned ? number : turned);
}

/// Cells that are numbered one after the other.
struct CellRange {
    std::int64_t first;
    std::int64_t count;
};

/// The cells of one step, of the whole box. Index = x + cells.x * (y + cells.y * z); under 2^31 cells.
template <class Real>
class CellGrid {
public:
    /// Whether there are cells of the box that it has not.
    static constexpr bool is_part = false;

    CellGrid() = default;

    /// The grid of step `step`: its shift is drawn from (seed, step), or zero without random_shift.
    CellGrid(const System& system, std::uint64_t step) : shear_(system, 2 * step) {
        RandomSource source{system.seed, RandomStream::grid_shift, step, 0};
        const RandomBlock bits = source.next();
        for (int axis = 0; axis < 3; ++axis) {
            const bool periodic = system.boundaries.faces[axis].is_periodic();
            box_[axis] = system.box.size[axis];
            cells_[axis] = box_[axis] + (periodic ? 0 : 1);
            const AxisFaces& faces = system.boundaries.faces[axis];
            slips_[axis] =
                (faces.lower.kind == FaceKind::slip ? 1 : 0) + (faces.upper.kind == FaceKind::slip ? 2 : 0);
            // 24 bits: exact in float, so both precisions see the same grid.
            shift_[axis] = system.collision.random_shift
                               ? static_cast<Real>(bits.word[axis] >> 8U) * static_cast<Real>(0x1p-24)
                               : static_cast<Real>(0);
            // An unshifted grid is cut nowhere.
            has_cut_cells_ |= !periodic && shift_[axis] != 0;
        }
    }

    [[nodiscard]] CellGrid of_step(const System& system, std::uint64_t step) const { return {system, step}; }

    [[nodiscard]] std::int64_t cell_count() const { return std::int64_t{cells_.x} * cells_.y * cells_.z; }

    /// The cell of a place in [0, L] along each axis.
    template <Setting setting = Setting::any>
    MPCFLOW_HD CellPlace<Real> locate(Vec3<Real> position) const {
        CellPlace<Real> place{};
        place.cell = index(coordinates<setting>(position, place.offset));
        return place;
    }

    /// The same cell by its number along each axis; `offset` is set to the place's from its centre.
    template <Setting setting = Setting::any>
    MPCFLOW_HD Vec3<int> coordinates(Vec3<Real> position, Vec3<Real>& offset) const {
        return wrapped(unwrapped<setting>(position, offset));
    }
    /// The same before a periodic axis wraps: what is there called L is cell 0. From 0 to L, also between
    /// walls.
    template <Setting setting = Setting::any>
    MPCFLOW_HD Vec3<int> unwrapped(Vec3<Real> position, Vec3<Real>& offset) const {
        if (is_sheared<setting>() && is_beyond(position)) position = shear_.from_above(position);
        return unwrapped_in_frame(position, offset);
    }
    /// Of such numbers those of coordinates().
    [[nodiscard]] MPCFLOW_HD Vec3<int> from_unwrapped(Vec3<int> c) const { return wrapped(c); }
    /// Those of a place that is in the frame of its cell; without shear all are.
    MPCFLOW_HD CellPlace<Real> locate_in_frame(Vec3<Real> position) const {
        CellPlace<Real> place{};
        place.cell = index(wrapped(unwrapped_in_frame(position, place.offset)));
        return place;
    }
    MPCFLOW_HD Vec3<int> unwrapped_in_frame(Vec3<Real> position, Vec3<Real>& offset) const {
        const int x = locate_axis(position.x + shift_.x, box_.x, offset.x);
        const int y = locate_axis(position.y + shift_.y, box_.y, offset.y);
        const int z = locate_axis(position.z + shift_.z, box_.z, offset.z);
        return {x, y, z};
    }
    MPCFLOW_HD int index(Vec3<int> c) const { return c.x + cells_.x * (c.y + cells_.y * c.z); }

    template <Setting setting = Setting::any>
    [[nodiscard]] MPCFLOW_HD bool is_sheared() const {
        return may_be_sheared(setting) && shear_.is_on();
    }
    [[nodiscard]] MPCFLOW_HD const ShearedFaces<Real>& shear() const { return shear_; }
    /// With shear: whether a place is in a cell that straddles the upper face, and so not in its frame.
    [[nodiscard]] MPCFLOW_HD bool is_beyond(const Vec3<Real>& position) const {
        const int normal = shear_.normal();
        return static_cast<int>(position[normal] + shift_[normal]) >= box_[normal];
    }
    /// A velocity at a place, in the frame of the cell that this is in; and back.
    template <Setting setting = Setting::any>
    [[nodiscard]] MPCFLOW_HD Vec3<Real> into_frame(Vec3<Real> position, Vec3<Real> velocity) const {
        return is_sheared<setting>() && is_beyond(position) ? shear_.slowed(velocity) : velocity;
    }
    template <Setting setting = Setting::any>
    [[nodiscard]] MPCFLOW_HD Vec3<Real> out_of_frame(Vec3<Real> position, Vec3<Real> velocity) const {
        return is_sheared<setting>() && is_beyond(position) ? shear_.hastened(velocity) : velocity;
    }

    /// Whom the cell's random numbers belong to: its index in the grid of the whole box, which this one is.
    /// (Of a wide number nvcc makes the same machine code as without the call.)
    MPCFLOW_HD static std::int64_t key(std::int64_t cell) { return cell; }
    /// Those of the cells from number `first` on.
    static void find_keys(int first, std::span<std::int64_t> keys) {
        for (std::int64_t& key : keys) key = first++;
    }
    /// Whether what is counted over cells counts this one.
    [[nodiscard]] MPCFLOW_HD static bool owns(int /*cell*/) { return true; }
    /// Whether a cell that coordinates() gives is on this grid.
    [[nodiscard]] MPCFLOW_HD static bool has(Vec3<int> /*c*/) { return true; }

    /// A cell's number along each axis.
    MPCFLOW_HD Vec3<int> in_box(int cell) const {
        return {cell % cells_.x, cell / cells_.x % cells_.y, cell / cells_.x / cells_.y};
    }

    /// What fills a cell, between walls that are as `walls` says.
    MPCFLOW_HD CellFill fill(int cell, const WallStates* walls = nullptr) const {
        CellFill fill;
        fill.walls = walls;
        if (!has_cut_cells_) return fill;  // and divides for nothing
        const Vec3<int> c = in_box(cell);
        for (int axis = 0; axis < 3; ++axis) {
            const double s = static_cast<double>(shift_[axis]);
            // Only axes with walls have a cell beyond the box.
            if (is_periodic(axis) || s == 0.0) continue;
            if (c[axis] == 0) fill.lower[axis] = s - 0.5;
            if (c[axis] == box_[axis]) fill.upper[axis] = s - 0.5;
            fill.face[axis] = solid_face(axis, c[axis]);
            fill.is_cut |= fill.face[axis] != no_surface;
        }
        return fill;
    }

    /// Whether a face with solid behind it may cut the cell, in a grid of some step. (fill() says of this
    /// one.)
    MPCFLOW_HD bool may_be_cut(int cell) const {
        const Vec3<int> c = in_box(cell);
        bool may_be = false;
        for (int axis = 0; axis < 3; ++axis)
            may_be |= !is_periodic(axis) && solid_face(axis, c[axis]) != no_surface;
        return may_be;
    }
    /// Whether there is such a face.
    [[nodiscard]] bool has_solid_faces() const {
        bool has = false;
        for (int axis = 0; axis < 3; ++axis) has |= !is_periodic(axis) && slips_[axis] != 3;
        return has;
    }

    /// Where a cell's centre is; of one that straddles a periodic face, or a wall, it may be below the box.
    MPCFLOW_HD Vec3<double> centre(int cell) const {
        const Vec3<int> c = in_box(cell);
        Vec3<double> centre;
        for (int axis = 0; axis < 3; ++axis)
            centre[axis] = (c[axis] + 0.5) - static_cast<double>(shift_[axis]);
        return centre;
    }

    /// Whether all of a cell is in the box: cut by no wall, and not the layer beyond it that an unshifted
    /// grid has.
    MPCFLOW_HD bool is_whole(int cell) const {
        const Vec3<int> c = in_box(cell);
        bool whole = true;
        for (int axis = 0; axis < 3; ++axis) {
            if (is_periodic(axis)) continue;
            whole &= c[axis] < box_[axis] && (c[axis] > 0 || shift_[axis] == 0);
        }
        return whole;
    }

    [[nodiscard]] Vec3<Real> shift() const { return shift_; }
    [[nodiscard]] MPCFLOW_HD bool is_periodic(int axis) const { return cells_[axis] == box_[axis]; }
    [[nodiscard]] MPCFLOW_HD Vec3<int> cells() const { return cells_; }
    /// As DomainGrid's.
    [[nodiscard]] static bool has_all(int /*axis*/) { return true; }
    [[nodiscard]] MPCFLOW_HD static Vec3<int> halo_before() { return {}; }
    [[nodiscard]] static bool leads_to_others(int /*axis*/) { return false; }
    [[nodiscard]] static int origin(int /*axis*/) { return 0; }
    [[nodiscard]] int period(int axis) const { return is_periodic(axis) ? box_[axis] : 0; }

private:
    /// The face with solid behind it that a cell of number `c` along an axis with walls reaches beyond, or
    /// `no_surface`.
    [[nodiscard]] MPCFLOW_HD int solid_face(int axis, int c) const {
        if (c == 0 && (slips_[axis] & 1) == 0) return 2 * axis;
        if (c == box_[axis] && (slips_[axis] & 2) == 0) return 2 * axis + 1;
        return no_surface;
    }
    MPCFLOW_HD Vec3<int> wrapped(Vec3<int> c) const {
        return {wrapped(c.x, cells_.x), wrapped(c.y, cells_.y), wrapped(c.z, cells_.z)};
    }
    /// Of 0 to `cells` the last is 0 again. (With unsigned numbers vectors of a CPU are slower.)
    MPCFLOW_HD static int wrapped(int c, int cells) {
#ifdef __CUDA_ARCH__
        return lower_turn(c, -cells);
#else
        return c < cells ? c : 0;
#endif
    }
    /// `shifted` is position + shift >= 0. In float it may round up to the next whole number; the last
    /// cell takes such a place.
    MPCFLOW_HD static int locate_axis(Real shifted, int box, Real& offset) {
        int c = static_cast<int>(shifted);
        c = c < box ? c : box;
        offset = (shifted - static_cast<Real>(c)) - static_cast<Real>(0.5);
        return c;
    }

    Vec3<Real> shift_{};
    Vec3<int> box_{1, 1, 1};
    Vec3<int> cells_{1, 1, 1};
    ShearedFaces<Real> shear_;
    bool has_cut_cells_ = false;  ///< by faces, also of slip
    Vec3<int> slips_{};           ///< bit 0: the lower face is one of slip, bit 1: the upper one
};

/// Whether all of a cell is fluid: cut by no wall and no surface, nor beyond them.
template <class Grid>
MPCFLOW_HD bool is_whole(const Grid& grid, const SurfaceView& surfaces, int cell) {
    if (!grid.is_whole(cell)) return false;
    if (!surfaces.exist()) return true;
    const CellSurfaces here(surfaces, grid.centre(cell));
    return !here.is_cut() && !here.is_solid();
}

/// Whom random numbers of a cell belong to: drawn from these three alone.
struct CellKey {
    std::uint64_t seed;
    std::uint64_t step;
    std::int64_t cell;  ///< index in the grid of the whole box

    MPCFLOW_HD RandomSource source(RandomStream stream) const {
        return {seed, stream, step, static_cast<std::uint64_t>(cell)};
    }
};

}  // namespace mpcflow
