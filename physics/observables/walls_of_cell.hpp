#pragma once
/// What walls and surfaces have of a cell that they cut, for the flux of momentum (momentum_flux.hpp): how
/// far they are, and how they share what its particles give to walls.

#include <cmath>

#include "physics/boundary/cell_surfaces.hpp"
#include "physics/cell_grid.hpp"
#include "physics/host_device.hpp"
#include "physics/setting.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

struct WallsOfCell {
    CellFill fill{};                  ///< by faces
    CellSurfaces surfaces{};          ///< there
    bool has_solid_surfaces = false;  ///< whether surfaces in the box cut it that have solid behind them
    bool is_by_surfaces = false;      ///< whether any do, and there is solid in it

    /// Of a cell of `grid`, in a box with these surfaces.
    template <Setting setting, class Grid>
    [[nodiscard]] MPCFLOW_HD static WallsOfCell of(const Grid& grid, int cell, const SurfaceView& surfaces) {
        WallsOfCell walls;
        walls.fill = grid.fill(cell);
        if (may_have_surfaces(setting) && surfaces.exist()) {
            walls.surfaces = CellSurfaces(surfaces, grid.centre(cell));
            walls.has_solid_surfaces = walls.surfaces.has_solid();
            walls.is_by_surfaces = walls.has_solid_surfaces || (walls.fill.is_cut && walls.surfaces.is_cut());
        }
        return walls;
    }

    [[nodiscard]] MPCFLOW_HD bool are_any() const { return fill.is_cut || is_by_surfaces; }

    /// Makes a place by the cell's centre one by the wall: along its normal, by that of the lowest surface
    /// where such with solid behind them cut the cell.
    MPCFLOW_HD void measure_from(Vec3<double>& place) const {
        if (has_solid_surfaces) measure_from_lowest(surfaces, place);
        else if (fill.is_cut) measure_from_faces(place);
    }

    /// Of what walls take from the cell, what a face takes. Where several walls cut a cell they share it by
    /// their thickness in it, or by how much of it is behind each.
    [[nodiscard]] MPCFLOW_HD double share_of_face(int face) const {
        if (is_by_surfaces) return share_among(surfaces, face);
        const int axis = face / 2;
        if (fill.face[axis] != face) return 0.0;
        const double own = face % 2 == 0 ? fill.lower[axis] + 0.5 : 0.5 - fill.upper[axis];
        const Vec3<double> extent = fill.upper - fill.lower;
        return own / (fill.length(0) + fill.length(1) + fill.length(2) - extent.x - extent.y - extent.z);
    }
    /// The same of a surface in the box, where such cut the cell.
    [[nodiscard]] MPCFLOW_HD double share_of_surface(int number) const {
        return share_among(surfaces, number);
    }

private:
    MPCFLOW_HD void measure_from_faces(Vec3<double>& place) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (fill.face[axis] == no_surface) continue;
            place[axis] -= fill.face[axis] % 2 == 0 ? fill.lower[axis] : fill.upper[axis];
        }
    }

    MPCFLOW_HD static void measure_from_lowest(const CellSurfaces& surfaces, Vec3<double>& place) {
        const CellSurfaces::Lowest lowest = surfaces.lowest_solid(surfaces.centre());
        if (lowest.surface == no_surface) return;
        if (lowest.surface < face_count) {
            const int axis = lowest.surface / 2;
            place[axis] += lowest.surface % 2 == 0 ? lowest.height : -lowest.height;
            return;
        }
        const CurvedSurface& surface = surfaces.curved(lowest.surface);
        const Vec3<double> d = surface.offset(surfaces.centre());
        const double distance = std::sqrt(dot(d, d));
        if (distance == 0.0) return;
        const Vec3<double> normal = (1.0 / distance) * d;
        place += (distance - surface.radius) * normal;
    }

    MPCFLOW_HD_RARE static double share_among(const CellSurfaces& surfaces, int wanted) {
        if (wanted < face_count && surfaces.view().is_periodic[wanted / 2] != 0) return 0.0;
        if (surfaces.has_only_one()) return wanted < face_count ? 0.0 : 1.0;
        double all = 0.0;
        double own = 0.0;
        surfaces.for_pieces<pieces_of_edge>([&](int surface, double weight, Vec3<double>) {
            if (surfaces.kind(surface) == FaceKind::slip) return;
            all += weight;
            if (surface == wanted) own += weight;
        });
        return own == 0.0 ? 0.0 : own / all;
    }
};

}  // namespace mpcflow
