#pragma once
/// The map of the surfaces in a box, made once before a run: where they and their periodic images are, which
/// of them are near a cell, and how much of the box is fluid.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/boundary/curved_surface.hpp"
#include "physics/boundary/faces.hpp"
#include "physics/boundary/surface_view.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// How far surfaces must be from sheared faces. Nobody who is as fast as any may be then meets a surface and
/// leaves across such a face in one step, and no cell that straddles one is cut: the images beyond them,
/// which slide, are not needed.
struct GapAtShearedFaces {
    double of_flights;
    double of_cells;

    explicit GapAtShearedFaces(const System& system);
    /// But for the rounding of a product of two decimal fractions.
    [[nodiscard]] double least() const { return (1.0 - 1e-9) * std::max(of_flights, of_cells); }
};
/// How far a surface is from the faces of a system that are sheared; below 0 where it reaches across them.
[[nodiscard]] double distance_from_sheared_faces(const System& system, const Surface& surface);
/// The same of the nearest one; infinite without surfaces, or without shear.
[[nodiscard]] double distance_from_sheared_faces(const System& system);

class SurfaceMap {
public:
    /// Of a system that has surfaces.
    explicit SurfaceMap(const System& system);

    /// What host code reads; it points into this map.
    [[nodiscard]] SurfaceView view() const;
    /// The same with arrays that are elsewhere, copies of those of view().
    [[nodiscard]] SurfaceView view_of(const SurfaceArrays& arrays) const;

    [[nodiscard]] std::span<const CurvedSurface> surfaces() const { return surfaces_; }
    [[nodiscard]] std::span<const std::uint32_t> first() const { return first_; }
    [[nodiscard]] std::span<const std::uint32_t> near() const { return near_; }
    [[nodiscard]] std::span<const float> free_squared() const { return free_squared_; }
    [[nodiscard]] const Faces<double>& faces() const { return faces_; }

    /// The part of the box that is fluid, a^3: each cell that a surface cuts to about 0.1 % of its volume.
    [[nodiscard]] double fluid_volume() const { return fluid_volume_; }
    /// From a place in the fluid to the nearest surface. To images beyond sheared faces, which slide, it is
    /// at least so far.
    [[nodiscard]] double distance(Vec3<double> place) const;
    /// The part of a cell of the box that is fluid.
    [[nodiscard]] double fluid_part(Vec3<int> cell) const;

    /// Bytes that it takes, in memory and on a device.
    [[nodiscard]] std::int64_t bytes() const;

private:
    void add_images(const Surface& surface, int number);
    void find_near();
    template <class Visit>
    void for_cells_near(const CurvedSurface& surface, const Visit& visit) const;
    [[nodiscard]] std::size_t index(Vec3<int> cell) const {
        return static_cast<std::size_t>(cell.x) +
               static_cast<std::size_t>(box_.x) *
                   (static_cast<std::size_t>(cell.y) +
                    static_cast<std::size_t>(box_.y) * static_cast<std::size_t>(cell.z));
    }

    Vec3<int> box_{};
    Vec3<int> is_periodic_{};
    double fluid_mass_;
    double fluid_variance_;  ///< kT/m in the first step
    double thermal_speed_;   ///< at the highest temperature
    double flight_;          ///< of a particle of that speed in a step
    double reach_;
    int most_hits_;
    Faces<double> faces_;
    std::vector<CurvedSurface> surfaces_;
    std::vector<CurvedSurface> nearest_;  ///< of each surface of the input the nearest image
    int sheared_axis_;                    ///< -1 without shear
    double from_sheared_faces_;           ///< to the nearest surface
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> near_;
    std::vector<float> free_squared_;
    double fluid_volume_ = 0.0;
};

/// That of the system's surfaces; of a system without, one in which none exist(). Throws std::logic_error
/// where there is no map of them.
[[nodiscard]] SurfaceView view_of_surfaces(const System& system);

/// Of the map of a system's surfaces, 0 of one without.
[[nodiscard]] inline std::int64_t bytes_of_map(const System& system) {
    return system.surfaces.map == nullptr ? 0 : system.surfaces.map->bytes();
}

}  // namespace mpcflow
