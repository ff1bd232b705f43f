#pragma once
/// What fills a cell that a wall cuts: which part of it is fluid, and what the solid rest is like.

#include <array>
#include <cstdint>

#include "physics/boundary/cell_surfaces.hpp"
#include "physics/boundary/faces.hpp"
#include "physics/boundary/surface.hpp"
#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Velocity and temperature of a wall.
struct WallState {
    Vec3<double> velocity;
    double thermal_variance = 0.0;  ///< kT/m, of one velocity component of what is in it
};

/// Those of the faces; of faces that are no walls nobody asks.
struct WallStates {
    WallState face[face_count];

    WallStates() = default;
    explicit WallStates(const System& system) {
        for (int number = 0; number < face_count; ++number) {
            const Face& wall = system.boundaries.faces[number / 2][number % 2];
            face[number].velocity = {wall.velocity[0], wall.velocity[1], wall.velocity[2]};
        }
        set_temperatures(system, system.fluid.thermal_variance_at(0));
    }
    /// Those without a temperature of their own take the fluid's, given by kT/m.
    void set_temperatures(const System& system, double fluid_variance) {
        for (int number = 0; number < face_count; ++number)
            face[number].thermal_variance = variance_of_face(system, number, fluid_variance);
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
    /// By what has solid behind it, all of which may be behind surfaces of slip.
    bool is_cut = false;
    Vec3<int> face{no_surface, no_surface, no_surface};  ///< that one, along each axis
    const WallStates* walls = nullptr;                   ///< of the faces; outlives this
    /// Where surfaces in the box cut the cell, too, and there is solid in it or a stream flows, those, which
    /// outlive this, and the cell's centre. All but the faces' part is asked there: mean_solid() and
    /// filling_at().
    const SurfaceView* surfaces = nullptr;
    Vec3<double> centre{};
    /// In the slab of a stream (physics/boundary/stream.hpp), how many virtual particles of that a cell has
    /// that is all fluid, and their state; else 0.
    double stream_density = 0.0;
    WallState stream{};

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

    /// Of the part that is fluid, where faces alone cut the cell.
    [[nodiscard]] MPCFLOW_HD double fluid_volume() const {
        const Vec3<double> extent = upper - lower;
        return extent.x * extent.y * extent.z;
    }

    /// Of the wall that cuts the cell along an axis.
    [[nodiscard]] MPCFLOW_HD WallState wall(int axis) const { return walls->face[face[axis]]; }

    /// The mean of the walls in the cell, by their thickness.
    [[nodiscard]] MPCFLOW_HD WallState mean_wall() const {
        return mean_of_walls(*walls, face, {thickness(0), thickness(1), thickness(2)});
    }
};

/// How much of a cell is solid, and the mean of its walls, where they are.
struct MeanSolid {
    double volume = 0.0;
    WallState wall{};
    double fluid = 1.0;  ///< the rest, but for what is behind surfaces of slip; half a piece at least
    /// Of the solid, went it on to the middle of what is fluid.
    Vec3<double> velocity_at_fluid{};

    /// Of a cell that surfaces in the box cut, of which the part `nothing` is behind surfaces of slip. Went
    /// the solid on there, it had the velocity `at_centre` at the cell's centre, and `at_nothing` more, times
    /// that part, at the middle of that. As the middles of the three parts make the cell's, so do velocities.
    MPCFLOW_HD void find_fluid(Vec3<double> at_centre, double nothing = 0.0, Vec3<double> at_nothing = {}) {
        // Where particles are, some of it is fluid, though the pieces may not show it.
        constexpr double least = 0.5 / (pieces_of_edge * pieces_of_edge * pieces_of_edge);
        const double rest = 1.0 - volume - nothing;
        fluid = rest > least ? rest : least;
        velocity_at_fluid =
            wall.velocity + (1.0 / fluid) * ((1.0 - nothing) * (at_centre - wall.velocity) - at_nothing);
    }
};

/// Of a cell that one surface alone cuts, which is not of slip, and whose kT/m is `thermal_variance`. The
/// same as mean_solid(), to the rounding.
[[nodiscard]] MPCFLOW_HD MeanSolid mean_solid_of(const CurvedSurface& surface, double thermal_variance,
                                                 Vec3<double> cell_centre) {
    constexpr int n = pieces_of_edge;
    const Vec3<double> d = surface.offset(cell_centre);
    double places[3][n];
    double squares[3][n];
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < n; ++i) {
            places[axis][i] = d[axis] + surface.across[axis] * ((i + 0.5) / n - 0.5);
            squares[axis][i] = places[axis][i] * places[axis][i];
        }
    double pieces = 0.0;
    Vec3<double> sum{};
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y) {
            const double others = squares[1][y] + squares[2][z] - surface.radius_squared;
            double row = 0.0;
            for (int x = 0; x < n; ++x) {
                const double part = 0.5 - n * (surface.per_height * (squares[0][x] + others));
                const double counted = part > 0.0 ? (part < 1.0 ? part : 1.0) : 0.0;
                row += counted;
                sum.x += counted * places[0][x];
            }
            pieces += row;
            sum.y += row * places[1][y];
            sum.z += row * places[2][z];
        }
    if (pieces == 0.0) return {};
    MeanSolid solid{pieces / (n * n * n), {surface.velocity_at((1.0 / pieces) * sum), thermal_variance}};
    solid.find_fluid(surface.velocity_at(d));
    return solid;
}

/// Of the cell around a centre that surfaces in the box cut. Behind what is of slip there is nothing.
[[nodiscard]] MPCFLOW_HD_RARE MeanSolid mean_solid(const SurfaceView& surfaces, const Vec3<double> centre,
                                                   const WallStates& walls) {
    const CellSurfaces cell(surfaces, centre);
    if (cell.has_only_one() && cell.the_only_one().kind != FaceKind::slip)
        return mean_solid_of(cell.the_only_one(), surfaces.variance_of(cell.the_only_one()), cell.centre());
    MeanSolid mean;
    Vec3<double> at_centre{};
    Vec3<double> angular_velocity{};
    double nothing = 0.0;
    Vec3<double> offset_of_nothing{};  // times its part
    cell.for_pieces<pieces_of_edge>([&](int surface, double weight, Vec3<double> place) {
        if (cell.kind(surface) == FaceKind::slip) {
            nothing += weight;
            offset_of_nothing += weight * (place - cell.centre());
            return;
        }
        mean.volume += weight;
        const double share = weight / mean.volume;
        const bool is_face = surface < face_count;
        const WallState own =
            is_face ? walls.face[surface]
                    : WallState{cell.velocity(surface, place), surfaces.variance_of(cell.curved(surface))};
        mean.wall.velocity += share * (own.velocity - mean.wall.velocity);
        mean.wall.thermal_variance += share * (own.thermal_variance - mean.wall.thermal_variance);
        at_centre += share * ((is_face ? own.velocity : cell.velocity(surface, cell.centre())) - at_centre);
        const Vec3<double> turning = is_face ? Vec3<double>{} : cell.curved(surface).angular_velocity;
        angular_velocity += share * (turning - angular_velocity);
    });
    mean.find_fluid(at_centre, nothing, cross(angular_velocity, offset_of_nothing));
    return mean;
}

/// The same of any cell that is cut.
[[nodiscard]] MPCFLOW_HD MeanSolid mean_solid(const CellFill& fill) {
    if (fill.surfaces != nullptr) return mean_solid(*fill.surfaces, fill.centre, *fill.walls);
    const WallState wall = fill.mean_wall();
    return {fill.solid_volume(), wall, fill.fluid_volume(), wall.velocity};
}

/// What a place is in. Behind surfaces of slip there is nothing.
enum class Filling : std::uint8_t { fluid, solid, nothing };

/// What is at a place in such a cell, given by its offset from the centre; `wall` becomes that of a solid.
[[nodiscard]] MPCFLOW_HD_RARE Filling filling_at(const SurfaceView& surfaces, const Vec3<double> centre,
                                                 const WallStates& walls, const Vec3<double> offset,
                                                 WallState& wall) {
    const CellSurfaces cell(surfaces, centre);
    const Vec3<double> place = cell.centre() + offset;
    const CellSurfaces::Lowest lowest = cell.lowest(place);
    if (lowest.height >= 0.0) return Filling::fluid;
    if (cell.kind(lowest.surface) == FaceKind::slip) return Filling::nothing;
    if (lowest.surface < face_count) wall = walls.face[lowest.surface];
    else wall = {cell.velocity(lowest.surface, place), surfaces.variance_of(cell.curved(lowest.surface))};
    return Filling::solid;
}

}  // namespace mpcflow
