#pragma once
/// Where the surfaces of a box are, as host and device read it: which of them are near a cell of the box, and
/// how far a flight from there is free. SurfaceMap makes it.

#include <cstdint>

#include "physics/boundary/curved_surface.hpp"
#include "physics/boundary/faces.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// What the arrays of a map hold. Cells are the unit cubes of the box, not shifted; index = x + cells.x * (y
/// + cells.y * z).
struct SurfaceArrays {
    const CurvedSurface* surfaces = nullptr;  ///< with their images
    const std::uint32_t* first = nullptr;     ///< of each cell, in `near`; and the end
    const std::uint32_t* near = nullptr;      ///< the surfaces that may be within `reach` of a cell
    /// Of each cell the square of the length of flights that meet no surface, wherever in it they begin; 0
    /// where there is none, and negative in cells that are all solid.
    const float* free_squared = nullptr;
    const Faces<double>* faces = nullptr;  ///< those without a temperature of their own have 0
};

/// Plain numbers and pointers; what is pointed to must outlive it.
struct SurfaceView : SurfaceArrays {
    Vec3<int> cells{};
    Vec3<unsigned char> is_periodic{};  ///< bytes: kernels get a view with every plan
    double reach = 0.0;     ///< flights of this length meet none but the near surfaces of their first cell
    double most_way = 0.0;  ///< of any flight: what is faster is a fault, and is not followed
    int most_hits = 0;      ///< in a flight
    /// kT/m of the fluid, which surfaces without a temperature of their own have.
    double fluid_variance = 0.0;

    [[nodiscard]] MPCFLOW_HD bool exist() const { return free_squared != nullptr; }

    /// kT/m of a surface of the map, of one velocity component; and of a face of the map.
    [[nodiscard]] MPCFLOW_HD double variance_of(const CurvedSurface& surface) const {
        return surface.thermal_variance == 0.0 ? fluid_variance : surface.thermal_variance;
    }
    [[nodiscard]] MPCFLOW_HD double variance_of_face(int face) const {
        const double own = faces->thermal_variance(face);
        return own == 0.0 ? fluid_variance : own;
    }

    /// The cell of a place in the box.
    template <class Real>
    [[nodiscard]] MPCFLOW_HD int cell(Vec3<Real> place) const {
        const int x = static_cast<int>(place.x);
        const int y = static_cast<int>(place.y);
        const int z = static_cast<int>(place.z);
        // At an upper face that is a wall a place may be just L.
        return (x < cells.x ? x : cells.x - 1) +
               cells.x * ((y < cells.y ? y : cells.y - 1) + cells.y * (z < cells.z ? z : cells.z - 1));
    }

    /// Whether a flight between two places is so short that it meets no surface. Without a branch.
    template <class Real>
    [[nodiscard]] MPCFLOW_HD bool is_free(Vec3<Real> from, Vec3<Real> to) const {
        const Vec3<Real> way = to - from;
        return dot(way, way) < static_cast<Real>(free_squared[cell(from)]);
    }

    /// The same of a flight that is_free() knows nothing of, by the near surfaces. The flight stays in the
    /// box.
    [[nodiscard]] MPCFLOW_HD bool is_surely_free(Vec3<double> from, Vec3<double> to) const {
        const Vec3<double> way = to - from;
        bool is = dot(way, way) < reach * reach;
        for (int axis = 0; axis < 3; ++axis) is &= to[axis] > 0.0 && to[axis] < cells[axis];
        if (!is) return false;
        const int here = cell(from);
        for (std::uint32_t i = first[here]; i < first[here + 1]; ++i)
            if (!surfaces[near[i]].is_clear_of(from, way)) return false;
        return true;
    }

    /// Whether a cell whose centre is at a place in the box is cut by no surface, for sure: none is within
    /// half a diagonal of a cell, (3/4)^(1/2), as far as the map tells, which knows of rounding and looks a
    /// little further at least (SurfaceMap). Without a branch.
    template <class Real>
    [[nodiscard]] MPCFLOW_HD bool cut_no_cell_at(Vec3<Real> centre) const {
        return free_squared[cell(centre)] > 0.7501F;
    }

    /// Whether all of the cell of a place in the box is solid.
    [[nodiscard]] MPCFLOW_HD bool is_in_solid_cell(Vec3<double> place) const {
        return free_squared[cell(place)] < 0.0F;
    }
    /// A near surface that a place in the box is beyond; `no_surface` where there is none.
    [[nodiscard]] MPCFLOW_HD int beyond(Vec3<double> place) const {
        const int here = cell(place);
        for (std::uint32_t i = first[here]; i < first[here + 1]; ++i)
            if (surfaces[near[i]].is_beyond(place)) return static_cast<int>(near[i]);
        return no_surface;
    }
    /// Whether a place in the box is in the fluid, on a surface included.
    [[nodiscard]] MPCFLOW_HD bool is_fluid(Vec3<double> place) const {
        return !is_in_solid_cell(place) && beyond(place) == no_surface;
    }

    /// Brings a place that is up to a box away along periodic axes into the box, and counts the images.
    MPCFLOW_HD void wrap(Vec3<double>& place, Vec3<int>& images) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (is_periodic[axis] == 0) continue;
            const double length = cells[axis];
            if (place[axis] < 0.0) {
                place[axis] += length;
                --images[axis];
            }
            if (place[axis] >= length) {
                place[axis] -= length;
                ++images[axis];
            }
        }
    }
};

}  // namespace mpcflow
