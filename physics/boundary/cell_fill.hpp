#pragma once
/// What fills a cell that a wall cuts: which part of it is fluid, and what the solid rest is like.

#include <array>

#include "physics/boundary/faces.hpp"
#include "physics/boundary/surface.hpp"
#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Velocity and temperature of a wall.
struct WallState {
    Vec3<double> velocity;
    double thermal_variance = 0.0;  ///< kT/m, of one velocity component of its virtual particles
};

/// Those of the faces; of faces that are no walls nobody asks.
struct WallStates {
    WallState face[face_count];

    WallStates() = default;
    explicit WallStates(const System& system) {
        for (int number = 0; number < face_count; ++number) {
            const Face& wall = system.boundaries.faces[number / 2][number % 2];
            const double temperature = wall.temperature == 0.0 ? system.fluid.temperature : wall.temperature;
            face[number] = {{wall.velocity[0], wall.velocity[1], wall.velocity[2]},
                            temperature / system.fluid.mass};
        }
    }
};

/// The mean of the walls `face` along each axis, by their thickness. To the last bit that of each where they
/// are alike.
[[nodiscard]] MPCFLOW_HD_RARE WallState mean_of_walls(const WallStates& walls, Vec3<int> face,
                                                      Vec3<double> thickness) {
    WallState mean{};
    double total = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        if (face[axis] == no_surface) continue;
        total += thickness[axis];
        const double share = thickness[axis] / total;
        const WallState& own = walls.face[face[axis]];
        mean.velocity += share * (own.velocity - mean.velocity);
        mean.thermal_variance += share * (own.thermal_variance - mean.thermal_variance);
    }
    return mean;
}

/// Along each axis the part [lower, upper] of a cell, from its centre and within [-1/2, 1/2], is fluid, and
/// the rest behind the face that cuts it there is solid. (Only one of two faces can: a cell is an edge long,
/// and so is the box at least.) Behind a face of slip there is nothing: it takes no part in collisions.
struct CellFill {
    Vec3<double> lower{-0.5, -0.5, -0.5};
    Vec3<double> upper{0.5, 0.5, 0.5};
    bool is_cut = false;                                 ///< by a face with solid behind it
    Vec3<int> face{no_surface, no_surface, no_surface};  ///< that one, along each axis
    const WallStates* walls = nullptr;                   ///< of the faces; outlives this

    /// Where fluid and solid together begin along an axis, and how long they are: the cell but for what is
    /// behind a face of slip.
    [[nodiscard]] MPCFLOW_HD double begin(int axis) const {
        return face[axis] == no_surface ? lower[axis] : -0.5;
    }
    [[nodiscard]] MPCFLOW_HD double length(int axis) const {
        return face[axis] == no_surface ? upper[axis] - lower[axis] : 1.0;
    }

    /// How far the solid reaches into the cell along an axis.
    [[nodiscard]] MPCFLOW_HD double thickness(int axis) const {
        return length(axis) - (upper[axis] - lower[axis]);
    }

    [[nodiscard]] MPCFLOW_HD double solid_volume() const {
        const Vec3<double> extent = upper - lower;
        return length(0) * length(1) * length(2) - extent.x * extent.y * extent.z;
    }

    /// Of the wall that cuts the cell along an axis.
    [[nodiscard]] MPCFLOW_HD WallState wall(int axis) const { return walls->face[face[axis]]; }

    /// The mean of the walls in the cell, by their thickness.
    [[nodiscard]] MPCFLOW_HD WallState mean_wall() const {
        return mean_of_walls(*walls, face, {thickness(0), thickness(1), thickness(2)});
    }
};

}  // namespace mpcflow
