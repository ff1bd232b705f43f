#pragma once
/// Boxes with surfaces that several tests take.

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "physics/boundary/surface_map.hpp"
#include "physics/snapshot.hpp"
#include "physics/system.hpp"

namespace mpcflow::test {

inline Surface cylinder(int axis, std::array<double, 3> centre, double radius, FluidSide fluid,
                        FaceKind kind = FaceKind::no_slip) {
    Surface surface;
    surface.shape = SurfaceShape::cylinder;
    surface.axis = axis;
    surface.centre = centre;
    surface.radius = radius;
    surface.fluid = fluid;
    surface.kind = kind;
    return surface;
}

inline Surface sphere(std::array<double, 3> centre, double radius, FluidSide fluid,
                      FaceKind kind = FaceKind::no_slip) {
    Surface surface;
    surface.centre = centre;
    surface.radius = radius;
    surface.fluid = fluid;
    surface.kind = kind;
    return surface;
}

/// The system with the map of its surfaces, if it has any.
inline System mapped(System system) {
    if (!system.surfaces.list.empty()) system.map_surfaces();
    return system;
}

inline System with_surfaces(System system, std::vector<Surface> surfaces) {
    system.surfaces.list = std::move(surfaces);
    return mapped(std::move(system));
}

/// A box of this size with these surfaces.
inline System box_with(std::array<int, 3> size, std::vector<Surface> surfaces) {
    System system;
    system.box.size = size;
    return with_surfaces(system, std::move(surfaces));
}

[[nodiscard]] inline std::int64_t particles_in_solid(const ParticleSnapshot& particles,
                                                     const SurfaceView& surfaces) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < particles.id.size(); ++i) {
        const Vec3<double> place{particles.position[3 * i], particles.position[3 * i + 1],
                                 particles.position[3 * i + 2]};
        count += surfaces.is_fluid(place) ? 0 : 1;
    }
    return count;
}

struct Geometry {
    std::string name;
    System system;
};

/// Every shape and side, what meets faces, periodic images and each other, narrow gaps and sharp edges, of
/// all kinds, at rest and moving; without maps, for each test is a process that lists them, and few need one.
inline std::vector<Geometry> unmapped_geometries() {
    using enum FluidSide;
    using enum FaceKind;
    std::vector<Geometry> geometries;
    const auto add = [&](const std::string& name, std::vector<Surface> surfaces,
                         std::array<AxisFaces, 3> faces = {}) {
        System system;
        system.seed = 20261125;
        system.box.size = {13, 12, 11};
        system.boundaries.faces = faces;
        system.surfaces.list = std::move(surfaces);
        geometries.push_back({name, system});
    };
    const AxisFaces walls{no_slip, no_slip};
    Surface turning = cylinder(2, {6.5, 6.0, 0.0}, 5.3, inside);
    turning.velocity = {0, 0, 0.1};
    turning.angular_velocity = {0, 0, 0.05};
    turning.temperature = 1.2;
    add("pipe", {turning});
    add("slip_pipe_with_sphere",
        {cylinder(0, {0, 6, 5.5}, 5.0, inside, slip), sphere({6, 6, 5}, 2, outside)});
    Surface inner = cylinder(1, {6.5, 0.0, 5.5}, 2.0, outside, thermal);
    inner.angular_velocity = {0, -0.2, 0};
    inner.temperature = 1.5;
    add("annulus", {cylinder(1, {6.5, 0.0, 5.5}, 5.2, inside), inner});
    add("narrow_annulus",
        {cylinder(2, {6.5, 6.0, 0.0}, 5.0, inside, thermal), cylinder(2, {6.6, 6.0, 0.0}, 4.5, outside)});
    add("sphere_at_a_corner", {sphere({0.5, 11.5, 0.25}, 2.6, outside)});
    add("touching_images", {sphere({6.5, 6.0, 5.5}, 5.99, outside, slip)});
    add("meeting_images", {sphere({3.0, 6.0, 5.5}, 6.1, outside, thermal)});
    add("overlapping", {sphere({4, 5, 5}, 2.5, outside), sphere({6, 6, 5}, 2.5, outside, slip),
                        cylinder(0, {0, 7, 6}, 1.5, outside, thermal)});
    add("lens",
        {sphere({5.5, 6.0, 5.5}, 5.0, inside), cylinder(0, {0, 6.0, 7.5}, 3.0, inside, slip),
         sphere({8.5, 6.0, 5.5}, 3.0, inside, thermal)},
        {walls, walls, walls});
    add("container_through_faces", {sphere({6.5, 6.0, 5.5}, 7.5, inside)},
        {walls, AxisFaces{slip, slip}, AxisFaces{thermal, no_slip}});
    Surface half = sphere({6.0, 6.0, 0.0}, 3.0, outside);
    half.angular_velocity = {0, 0, 0.3};
    add("on_a_floor", {half, cylinder(1, {12.5, 0, 10.5}, 1.5, outside)},
        {AxisFaces{}, AxisFaces{}, AxisFaces{Face{no_slip, {0.2, 0, 0}}, Face{thermal, {}, 0.7}}});
    add("thermal_pipe", {cylinder(2, {6.5, 6.0, 0.0}, 5.5, inside, thermal)});
    return geometries;
}

inline const std::vector<Geometry>& all_geometries() {
    static const std::vector<Geometry> geometries = [] {
        std::vector<Geometry> all = unmapped_geometries();
        for (Geometry& geometry : all) geometry.system.map_surfaces();
        return all;
    }();
    return geometries;
}

/// Of unmapped_geometries() the one with this name.
inline System unmapped_geometry(const std::string& name) {
    for (const Geometry& geometry : unmapped_geometries())
        if (geometry.name == name) return geometry.system;
    throw std::logic_error("no geometry is called " + name);
}
inline System geometry_of(const std::string& name) { return mapped(unmapped_geometry(name)); }

/// Calls visit(place) for (n + 1)^3 places of the cell around a centre, its corners among them.
template <class Visit>
void for_lattice(Vec3<double> centre, int n, const Visit& visit) {
    for (int z = 0; z <= n; ++z)
        for (int y = 0; y <= n; ++y)
            for (int x = 0; x <= n; ++x)
                visit(centre + Vec3<double>{x / (1.0 * n) - 0.5, y / (1.0 * n) - 0.5, z / (1.0 * n) - 0.5});
}

}  // namespace mpcflow::test
