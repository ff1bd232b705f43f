#pragma once
/// What of a collision cell is behind the surfaces in a box and its faces: how much, and to which of them it
/// belongs. A cell is taken in pieces, small cubes, each of which counts by the height of its centre above
/// the lowest surface there: a plane at that height would leave about so much of it. Over planes and cells at
/// random that is exact on average; curvature enters by the square of a piece's size.

#include <cmath>
#include <cstdint>

#include "physics/boundary/surface_view.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Half of a cell's diagonal: no further from its centre is any of it.
inline constexpr double half_cell_diagonal = 0.8660254037844387;

/// Pieces along an edge of a cell for which virtual particles are made, which is done every step.
inline constexpr int pieces_of_edge = 4;

/// A cell among surfaces: its centre, and the near surfaces of the cell of the box where that is.
class CellSurfaces {
public:
    CellSurfaces() = default;
    /// A cell that reaches beyond the box has its centre there, too. It is brought into the box along
    /// periodic axes.
    MPCFLOW_HD CellSurfaces(const SurfaceView& view, Vec3<double> centre) : view_(&view), centre_(centre) {
        Vec3<double> in_box = centre;
        for (int axis = 0; axis < 3; ++axis) {
            const double length = view.cells[axis];
            if (view.is_periodic[axis] != 0) {
                if (in_box[axis] < 0.0) in_box[axis] += length;
                else if (in_box[axis] >= length) in_box[axis] -= length;
                centre_[axis] = in_box[axis];
            } else {
                in_box[axis] = in_box[axis] > 0.0 ? (in_box[axis] < length ? in_box[axis] : length) : 0.0;
            }
        }
        const int here = view.cell(in_box);
        is_solid_ = view.free_squared[here] < 0.0F;
        first_ = view.first[here];
        last_ = view.first[here + 1];
    }

    [[nodiscard]] MPCFLOW_HD const SurfaceView& view() const { return *view_; }
    [[nodiscard]] MPCFLOW_HD Vec3<double> centre() const { return centre_; }

    /// Whether all is solid where the cell's centre is.
    [[nodiscard]] MPCFLOW_HD bool is_solid() const { return is_solid_; }
    /// Whether some surface in the box cuts the cell, or one of a kind that solid is behind.
    [[nodiscard]] MPCFLOW_HD bool is_cut() const {
        bool is = false;
        for_near([&](int, const CurvedSurface& surface) { is = is || !surface.leaves_out(centre_); });
        return is;
    }
    [[nodiscard]] MPCFLOW_HD bool has_solid() const {
        bool has = false;
        for_near([&](int, const CurvedSurface& surface) {
            has = has || (surface.kind != FaceKind::slip && !surface.leaves_out(centre_));
        });
        return has;
    }

    /// Whether there is but one near surface, and the cell reaches beyond no face: then that is
    /// the_only_one().
    [[nodiscard]] MPCFLOW_HD bool has_only_one() const {
        bool is_within = last_ - first_ == 1;
        for (int axis = 0; axis < 3; ++axis)
            is_within &= view_->is_periodic[axis] != 0 ||
                         (centre_[axis] >= 0.5 && centre_[axis] <= view_->cells[axis] - 0.5);
        return is_within;
    }
    [[nodiscard]] MPCFLOW_HD const CurvedSurface& the_only_one() const {
        return view_->surfaces[view_->near[first_]];
    }

    /// The lowest of the faces that are walls and the near surfaces at a place in the cell, and the height
    /// above it: faces are 0 ... 5, surface i of the map is face_count + i. Who is behind one of slip is in
    /// nothing, and behind no other one.
    struct Lowest {
        int surface = no_surface;
        double height = 2.0;
    };
    [[nodiscard]] MPCFLOW_HD Lowest lowest(Vec3<double> place) const {
        Lowest solid;
        Lowest slip;
        for_heights(place, [&](int surface, FaceKind kind, double height) {
            Lowest& of_kind = kind == FaceKind::slip ? slip : solid;
            if (height < of_kind.height) of_kind = {surface, height};
        });
        return slip.height < 0.0 || slip.height < solid.height ? slip : solid;
    }
    /// Of those with solid behind them.
    [[nodiscard]] MPCFLOW_HD Lowest lowest_solid(Vec3<double> place) const {
        Lowest found;
        for_heights(place, [&](int surface, FaceKind kind, double height) {
            if (kind != FaceKind::slip && height < found.height) found = {surface, height};
        });
        return found;
    }

    [[nodiscard]] MPCFLOW_HD FaceKind kind(int surface) const {
        return surface < face_count ? view_->faces->kind(surface) : curved(surface).kind;
    }
    /// Of the solid behind a surface of the map.
    [[nodiscard]] MPCFLOW_HD Vec3<double> velocity(int surface, Vec3<double> place) const {
        return curved(surface).velocity_at(curved(surface).offset(place));
    }
    [[nodiscard]] MPCFLOW_HD const CurvedSurface& curved(int surface) const {
        return view_->surfaces[surface - face_count];
    }

    /// How many surfaces of the map are near, and the number of one of them.
    [[nodiscard]] MPCFLOW_HD int near_count() const { return static_cast<int>(last_ - first_); }
    [[nodiscard]] MPCFLOW_HD int near(int which) const {
        return face_count + static_cast<int>(view_->near[first_ + which]);
    }
    /// Calls visit(surface, it) for each near surface of the map.
    template <class Visit>
    MPCFLOW_HD void for_near(const Visit& visit) const {
        for (int which = 0; which < near_count(); ++which) visit(near(which), curved(near(which)));
    }

    /// Calls visit(surface, weight, centre) for each of `pieces`^3 pieces that are not all fluid: the part of
    /// the cell that is behind the surface in that piece.
    template <int pieces, class Visit>
    MPCFLOW_HD void for_pieces(const Visit& visit) const {
        constexpr double size = 1.0 / pieces;
        for (int z = 0; z < pieces; ++z)
            for (int y = 0; y < pieces; ++y)
                for (int x = 0; x < pieces; ++x) {
                    const Vec3<double> place =
                        centre_ +
                        Vec3<double>{(x + 0.5) * size - 0.5, (y + 0.5) * size - 0.5, (z + 0.5) * size - 0.5};
                    const Lowest found = lowest(place);
                    const double part = 0.5 - found.height * pieces;
                    if (part > 0.0)
                        visit(found.surface, (part < 1.0 ? part : 1.0) * (size * size * size), place);
                }
    }

private:
    /// Calls visit(surface, kind, height) for the faces that are walls and the near surfaces, of a place.
    template <class Visit>
    MPCFLOW_HD void for_heights(Vec3<double> place, const Visit& visit) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (view_->is_periodic[axis] != 0) continue;
            visit(2 * axis, view_->faces->kind(2 * axis), place[axis]);
            visit(2 * axis + 1, view_->faces->kind(2 * axis + 1), view_->cells[axis] - place[axis]);
        }
        for_near([&](int number, const CurvedSurface& surface) {
            visit(number, surface.kind, surface.height(place));
        });
    }

    const SurfaceView* view_ = nullptr;
    Vec3<double> centre_{};
    std::uint32_t first_ = 0;
    std::uint32_t last_ = 0;
    bool is_solid_ = false;
};

/// Whether a surface with solid behind it may cut the cell of numbers `c` in the box, whatever the shift of
/// the grid: CellSurfaces::has_solid() of any cell whose centre is up to half an edge from `c` along each
/// axis.
MPCFLOW_HD bool may_have_solid(const SurfaceView& view, Vec3<int> c) {
    // Those cells fill the cube of twice their edge, but for what a centre may be off by rounding.
    constexpr double half_edge = 1.0 + 1e-6;
    bool may_have = false;
    // The centre is in one of the cells of the box around that place, which lists what cuts it.
    for (int around = 0; around < 8; ++around) {
        const Vec3<double> half{around % 2 - 0.5, around / 2 % 2 - 0.5, around / 4 - 0.5};
        const CellSurfaces here(view, vector_cast<double>(c) + half);
        const Vec3<double> place = here.centre() - half;
        here.for_near([&](int, const CurvedSurface& surface) {
            may_have |= surface.kind != FaceKind::slip && !surface.leaves_out(place, half_edge);
        });
    }
    return may_have;
}

}  // namespace mpcflow
