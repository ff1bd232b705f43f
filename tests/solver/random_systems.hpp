#pragma once
/// Systems at random: whatever a user may write together.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "physics/names.hpp"
#include "physics/system.hpp"

namespace mpcflow::test {

inline constexpr std::int64_t most_particles = 6000;

/// Choices from a fixed seed.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] int below(int count) {
        return static_cast<int>(random_() % static_cast<std::uint64_t>(count));
    }
    [[nodiscard]] bool one_in(int count) { return below(count) == 0; }
    template <class T>
    [[nodiscard]] T among(const std::vector<T>& values) {
        return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
    }

private:
    std::mt19937_64 random_;
};

/// Of an axis with walls, which are slow: a thin gas between plates that bounce it back gains speed without
/// end.
inline AxisFaces random_walls(Dice& dice, int axis, bool has_species) {
    AxisFaces faces;
    for (Face* face : {&faces.lower, &faces.upper}) {
        face->kind = dice.one_in(3) ? FaceKind::slip : FaceKind::no_slip;
        if (face->kind == FaceKind::slip) continue;
        if (dice.one_in(3)) face->velocity[(axis + 1) % 3] = dice.among<double>({-0.1, 0.01, 0.3});
        if (!has_species && dice.one_in(3)) face->temperature = dice.among<double>({0.5, 2.0});
    }
    return faces;
}

/// Half of those that can be. Without the dice, after which all systems would be others.
inline void shear_some(System& system) {
    auto& faces = system.boundaries.faces;
    const double thermal_speed = std::sqrt(system.fluid.temperature / system.fluid.mass);
    for (int normal = 0; normal < 3 && system.seed % 2 == 0; ++normal) {
        const int along = (normal + 1 + static_cast<int>(system.seed / 2 % 2)) % 3;
        const AxisFaces& third = faces[3 - normal - along];
        if (!faces[normal].is_periodic() || !faces[along].is_periodic() ||
            third.lower.kind == FaceKind::no_slip || third.upper.kind == FaceKind::no_slip)
            continue;
        faces[normal].shear = {(system.seed % 3 == 0 ? -0.3 : 0.1) * thermal_speed, along};
        return;
    }
}

/// A sphere and a cylinder, or one of them, with the fluid around them or within, into half of the systems
/// that have room for them and are not sheared. Not into a thin gas, which gains speed without end between
/// walls that bounce it back, and not with those dice, as above.
inline void put_surfaces_into_some(System& system) {
    const int shortest = *std::ranges::min_element(system.box.size);
    Dice dice(system.seed);
    if (shortest < 5 || system.fluid.density < 1.0 || system.sheared_axis() >= 0 || dice.one_in(2)) return;
    const auto random_surface = [&](SurfaceShape shape) {
        Surface surface;
        surface.shape = shape;
        surface.axis = dice.below(3);
        surface.kind = dice.among<FaceKind>({FaceKind::no_slip, FaceKind::slip, FaceKind::thermal});
        const bool is_around = dice.one_in(4);
        surface.fluid = is_around ? FluidSide::inside : FluidSide::outside;
        surface.radius = shortest * (is_around ? 0.45 : dice.among<double>({0.15, 0.23}));
        for (int axis = 0; axis < 3; ++axis)
            surface.centre[axis] = system.box.size[axis] * (is_around ? 0.5 : dice.below(8) / 8.0);
        if (surface.kind != FaceKind::slip && dice.one_in(2)) surface.angular_velocity[surface.axis] = 0.05;
        return surface;
    };
    if (!dice.one_in(3)) system.surfaces.list.push_back(random_surface(SurfaceShape::sphere));
    if (system.surfaces.list.empty() || dice.one_in(2))
        system.surfaces.list.push_back(random_surface(SurfaceShape::cylinder));
    system.map_surfaces();
}

inline System random_system(Dice& dice) {
    System system;
    system.seed = static_cast<std::uint64_t>(dice.below(1 << 30));
    const bool has_species = dice.one_in(5);
    system.fluid.temperature = dice.among<double>({0.25, 1.0, 3.0});
    if (has_species) {
        system.set_species({{"light", 1.0, dice.among<double>({0.5, 4.0})}, {"heavy", 2.5, 3.0}});
    } else {
        system.fluid.mass = dice.among<double>({1.0, 1.0, 0.3, 7.0});
        system.fluid.density = dice.among<double>({0.3, 1.0, 3.0, 10.0, 60.0, 300.0});
    }
    do {
        for (int& length : system.box.size)
            length = dice.among<int>({1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33});
    } while (system.particle_count() > most_particles);
    Collision& collision = system.collision;
    collision.rule = dice.one_in(3) ? CollisionRule::at : CollisionRule::srd;
    collision.angle = dice.among<double>({60.0, 90.0, 130.0, 180.0});
    collision.time_step = dice.among<double>({0.02, 0.1, 0.1, 0.5, 1.0});
    collision.conserve_angular_momentum = dice.one_in(2);
    collision.random_shift = !dice.one_in(6);
    // Andersen's laws are thermostats themselves.
    if (collision.rule == CollisionRule::srd && dice.one_in(2)) {
        constexpr ThermostatKind kinds[] = {ThermostatKind::maxwell_boltzmann,
                                            ThermostatKind::maxwell_boltzmann, ThermostatKind::monte_carlo,
                                            ThermostatKind::simple};
        // Without the dice, after which all systems would be others.
        system.thermostat.kind = kinds[system.box.size[0] % 4];
    }
    for (int axis = 0; axis < 3; ++axis)
        if (dice.one_in(2)) system.boundaries.faces[axis] = random_walls(dice, axis, has_species);
    system.boundaries.virtual_particles = !dice.one_in(5);
    if (dice.one_in(3))
        system.force[dice.below(3)] = system.fluid.mass * dice.among<double>({-0.05, 0.002, 0.2});
    shear_some(system);
    put_surfaces_into_some(system);
    return system;
}

/// Bins that divide the box.
inline std::array<int, 3> random_bins(Dice& dice, const Box& box) {
    std::array<int, 3> bins{};
    for (int axis = 0; axis < 3; ++axis) do {
            bins[axis] = 1 + dice.below(box.size[axis]);
        } while (box.size[axis] % bins[axis] != 0);
    return bins;
}

inline std::string in_words(const System& system) {
    std::string text = "box";
    for (const int length : system.box.size) text += " " + std::to_string(length);
    text += ", density " + std::to_string(system.fluid.density) +
            (system.collision.rule == CollisionRule::at ? ", at" : ", srd") +
            (system.collision.conserve_angular_momentum ? "+a" : "") + ", h " +
            std::to_string(system.collision.time_step) + ", thermostat " +
            std::string(name_of(system.thermostat.kind)) +
            (system.masses() == Masses::equal ? "" : ", two species") + ", faces";
    for (const AxisFaces& axis : system.boundaries.faces)
        for (const int side : {0, 1}) text += " " + std::to_string(static_cast<int>(axis[side].kind));
    for (const Surface& surface : system.surfaces.list)
        text += std::string(surface.fluid == FluidSide::inside ? ", inside a " : ", around a ") +
                (surface.shape == SurfaceShape::sphere ? "sphere" : "cylinder") + " of radius " +
                std::to_string(surface.radius) + ", kind " + std::to_string(static_cast<int>(surface.kind));
    text += ", seed " + std::to_string(system.seed);
    const int sheared = system.sheared_axis();
    if (sheared >= 0)
        text += ", sheared across " + std::to_string(sheared) + " along " +
                std::to_string(system.boundaries.faces[sheared].shear.along);
    return text;
}

}  // namespace mpcflow::test
