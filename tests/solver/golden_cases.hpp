#pragma once
/// The runs whose state hashes are golden (golden_hashes.hpp): every law, thermostat, kind of face and
/// precision.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "physics/collision/laws.hpp"
#include "physics/names.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/solver/golden_hashes.hpp"

namespace mpcflow::test {

inline constexpr int steps = 40;

struct Case {
    std::string name;
    System system;  ///< without the map of its surfaces
    Precision precision = Precision::double_precision;

    /// The system to run. Each test is a process that makes all cases, and a map takes its time.
    [[nodiscard]] System whole_system() const { return mapped(system); }

    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

/// A box whose sides have no common factor, so that no mistake of one axis for another hides.
inline System small_system() {
    System system;
    system.seed = 20260731;
    system.box.size = {13, 12, 11};
    return system;
}

/// Up, down and up again within the steps of a case.
inline TemperatureSchedule ups_and_downs() {
    TemperatureSchedule schedule;
    schedule.add({2, 1.0});
    schedule.add({9, 1.5});
    schedule.add({24, 0.6});
    schedule.add({33, 0.9});
    return schedule;
}

/// Each law at temperatures that change, with walls that follow and others that do not.
inline void add_scheduled(std::vector<Case>& cases) {
    const Face own{FaceKind::thermal, {0.1, 0.0, 0.0}, 1.2};
    for (const LawInfo& law : all_laws) {
        Case c{std::string(name_of(law.rule)) + (law.conserves_angular_momentum ? "_angular" : "") +
                   "_schedule_walls_yz",
               small_system()};
        law.choose(c.system.collision);
        if (law.energy != Energy::thermal) c.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        c.system.fluid.follow(ups_and_downs());
        c.system.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::no_slip};
        c.system.boundaries.faces[2] = {FaceKind::thermal, own};
        c.system.force = {0.02, 0.0, 0.0};
        c.precision = law.conserves_angular_momentum ? Precision::mixed : Precision::double_precision;
        cases.push_back(c);
    }
    // Plain systems, in which a card leaves particles with what they take on.
    for (const bool is_angular : {false, true}) {
        Case c{std::string("at_") + (is_angular ? "angular_" : "") + "schedule_periodic", small_system()};
        c.system.collision.rule = CollisionRule::at;
        c.system.collision.conserve_angular_momentum = is_angular;
        c.system.fluid.follow(ups_and_downs());
        c.precision = is_angular ? Precision::double_precision : Precision::mixed;
        cases.push_back(c);
    }
    Case among{"srd_angular_schedule_among_surfaces", small_system()};
    among.system.collision.conserve_angular_momentum = true;
    among.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    among.system.fluid.follow(ups_and_downs());
    among.system.boundaries.faces[2] = {FaceKind::thermal, FaceKind::thermal};
    Surface ball = sphere({6.5, 6.0, 4.0}, 2.6, FluidSide::outside, FaceKind::thermal);
    Surface rod = cylinder(0, {0.0, 3.0, 8.0}, 1.7, FluidSide::outside, FaceKind::no_slip);
    Surface warm = sphere({2.0, 10.0, 3.0}, 1.5, FluidSide::outside, FaceKind::thermal);
    warm.temperature = 1.3;
    among.system.surfaces.list = {ball, rod, warm};
    cases.push_back(among);
}

/// Streams between walls, and over surfaces that reach into their slabs.
inline void add_streams(std::vector<Case>& cases) {
    const auto add = [&](const char* name, const LawInfo& law, const System& system, const Stream& stream,
                         Precision precision) {
        Case c{std::string(name) + (precision == Precision::mixed ? "_mixed" : "_double"), system, precision};
        law.choose(c.system.collision);
        if (law.energy != Energy::thermal) c.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        c.system.stream = stream;
        cases.push_back(c);
    };
    System slit = small_system();
    slit.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    System ball = small_system();
    ball.boundaries.faces[2] = {FaceKind::slip, FaceKind::no_slip};
    ball.surfaces.list = {sphere({4.0, 6.0, 5.5}, 2.3, FluidSide::outside)};
    const Stream parabola{0, 0.0, 3.5, {0.3, 0.0, 0.0}, StreamProfile::parabolic};
    const Stream across_y{1, 4.25, 12.0, {0.1, 0.3, 0.0}, StreamProfile::uniform, 0.3};
    const Collision srd{};
    const Collision at{.rule = CollisionRule::at};
    const Collision srd_angular{.conserve_angular_momentum = true};
    const Collision at_angular{.rule = CollisionRule::at, .conserve_angular_momentum = true};
    add("srd_thermostat_stream_walls_z", law_of(srd), slit, parabola, Precision::double_precision);
    add("at_free_stream_among_surfaces", law_of(at), ball, across_y, Precision::mixed);
    add("srd_angular_thermostat_stream_among_surfaces", law_of(srd_angular), ball, across_y,
        Precision::double_precision);
    slit.set_species({{"heavy", 7.0, 2.4}, {"light", 0.5, 5.3}});
    add("at_angular_free_mixture_stream_walls_z", law_of(at_angular), slit, parabola, Precision::mixed);
}

/// A moving floor, and surfaces of slip alone, behind which it ends.
inline void add_slip_on_a_floor(std::vector<Case>& cases) {
    for (const bool is_angular : {false, true}) {
        Case c{is_angular ? "at_angular_slip_on_a_floor_mixed" : "srd_slip_on_a_floor_double",
               small_system()};
        c.system.collision.rule = is_angular ? CollisionRule::at : CollisionRule::srd;
        c.system.collision.conserve_angular_momentum = is_angular;
        c.system.boundaries.faces[2] = {Face{FaceKind::no_slip, {0.2, 0.0, 0.0}}, FaceKind::thermal};
        c.system.surfaces.list = {sphere({6.0, 6.0, -1.0}, 2.6, FluidSide::outside, FaceKind::slip),
                                  cylinder(0, {0.0, 2.0, 10.3}, 1.5, FluidSide::outside, FaceKind::slip)};
        c.precision = is_angular ? Precision::mixed : Precision::double_precision;
        cases.push_back(c);
    }
}

/// What else acts on particles among surfaces, where few solvers' loops are compiled for both: two masses in
/// a pipe, and waves of a force around a sphere.
inline void add_mixtures_and_waves_among_surfaces(std::vector<Case>& cases) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const bool is_mixed = precision == Precision::mixed;
        const std::string ending = is_mixed ? "_mixed" : "_double";
        Case pipe{"srd_angular_thermostat_mixture_pipe" + ending, unmapped_geometry("pipe"), precision};
        pipe.system.collision.conserve_angular_momentum = true;
        pipe.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        pipe.system.force = {0.0, 0.0, 0.05};
        pipe.system.set_species({{"heavy", 7.0, 2.4}, {"light", 0.5, 5.3}});
        cases.push_back(pipe);
        Case waves{"srd_thermostat_waves_sphere" + ending, unmapped_geometry("sphere_at_a_corner"),
                   precision};
        waves.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        waves.system.forces.add(
            {.shape = ForceShape::sine, .amplitude = {0.1, 0.0, 0.05}, .along = 1, .waves = 2, .period = 25});
        cases.push_back(waves);
    }
}

/// Obstacles between sheared faces, which stay clear of these (GapAtShearedFaces).
inline void add_surfaces_in_shear(std::vector<Case>& cases) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const bool is_mixed = precision == Precision::mixed;
        const std::string ending = is_mixed ? "_mixed" : "_double";
        Case ball{"srd_angular_thermostat_sphere_sheared_y" + ending, small_system(), precision};
        ball.system.collision.conserve_angular_momentum = true;
        ball.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        ball.system.boundaries.faces[1].shear = {0.15, 0};
        ball.system.surfaces.list = {sphere({12.2, 6.0, 5.0}, 2.3, FluidSide::outside)};
        ball.system.surfaces.list[0].angular_velocity = {0.0, 0.0, -0.1};
        cases.push_back(ball);
        // Waves, slip beside the shear, two masses, and surfaces that meet each other and a wall.
        Case rods{"at_mixture_waves_rods_sheared_x" + ending, small_system(), precision};
        rods.system.collision.rule = CollisionRule::at;
        rods.system.boundaries.faces[0].shear = {-0.2, 2};
        rods.system.boundaries.faces[1] = {FaceKind::slip, FaceKind::slip};
        rods.system.surfaces.list = {
            cylinder(2, {6.5, 0.5, 0.0}, 1.3, FluidSide::outside, FaceKind::slip),
            cylinder(1, {6.6, 0.0, 6.0}, 1.2, FluidSide::outside, FaceKind::thermal)};
        rods.system.set_species({{"heavy", 7.0, 2.4}, {"light", 0.5, 5.3}});
        rods.system.forces.add(
            {.shape = ForceShape::sine, .amplitude = {0.0, 0.0, 0.05}, .along = 1, .waves = 1, .period = 25});
        cases.push_back(rods);
    }
}

inline std::vector<Case> make_cases() {
    const auto walls = [](System& system, std::initializer_list<int> axes) {
        for (const int axis : axes) system.boundaries.faces[axis] = {FaceKind::no_slip, FaceKind::no_slip};
        system.force = {0.02, 0.0, 0.0};
    };
    std::vector<Case> cases;
    for (const LawInfo& law : all_laws) {
        for (const ThermostatKind thermostat : {ThermostatKind::none, ThermostatKind::maxwell_boltzmann}) {
            if (law.energy == Energy::thermal && thermostat != ThermostatKind::none) continue;
            for (const char* const boundaries : {"periodic", "walls_z", "walls_yz"}) {
                for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
                    Case c;
                    c.system = small_system();
                    law.choose(c.system.collision);
                    c.system.thermostat.kind = thermostat;
                    const std::string faces = boundaries;
                    if (faces == "walls_z") walls(c.system, {2});
                    if (faces == "walls_yz") walls(c.system, {1, 2});
                    c.precision = precision;
                    c.name = std::string(name_of(law.rule)) +
                             (law.conserves_angular_momentum ? "_angular" : "") +
                             (thermostat == ThermostatKind::none ? "_free_" : "_thermostat_") + faces +
                             (precision == Precision::mixed ? "_mixed" : "_double");
                    cases.push_back(c);
                }
            }
        }
    }
    for (const LawInfo& law : all_laws) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            Case c;
            c.system = small_system();
            law.choose(c.system.collision);
            if (law.energy != Energy::thermal) c.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
            walls(c.system, {2});
            c.system.set_species({{"heavy", 7.0, 2.4}, {"light", 0.5, 5.3}});
            c.precision = precision;
            c.name = std::string(name_of(law.rule)) + (law.conserves_angular_momentum ? "_angular" : "") +
                     "_mixture_walls_z" + (precision == Precision::mixed ? "_mixed" : "_double");
            cases.push_back(c);
        }
    }
    const auto add = [&](const std::string& name, bool angular, ThermostatKind thermostat,
                         std::array<AxisFaces, 3> faces) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            Case c{name + (precision == Precision::mixed ? "_mixed" : "_double"), small_system(), precision};
            c.system.collision.conserve_angular_momentum = angular;
            c.system.thermostat.kind = thermostat;
            c.system.boundaries.faces = faces;
            cases.push_back(c);
        }
    };
    const Face along_x{FaceKind::no_slip, {0.3, 0.0, 0.0}, 1.5};
    const Face along_xy{FaceKind::no_slip, {-0.2, 0.1, 0.0}};
    const Face along_xz{FaceKind::no_slip, {0.1, 0.0, -0.1}, 0.8};
    add("srd_free_moving_yz", false, ThermostatKind::none,
        {{{}, {along_xz, FaceKind::no_slip}, {along_x, along_xy}}});
    add("srd_angular_thermostat_moving_yz", true, ThermostatKind::maxwell_boltzmann,
        {{{}, {along_xz, FaceKind::no_slip}, {along_x, along_xy}}});
    add("srd_free_slip_z", false, ThermostatKind::none, {{{}, {}, {FaceKind::slip, FaceKind::slip}}});
    add("srd_angular_thermostat_slip_yz", true, ThermostatKind::maxwell_boltzmann,
        {{{}, {FaceKind::no_slip, FaceKind::slip}, {FaceKind::slip, along_x}}});
    add("srd_monte_carlo_moving_z", false, ThermostatKind::monte_carlo, {{{}, {}, {along_x, along_xy}}});
    add("srd_angular_simple_periodic", true, ThermostatKind::simple, {});
    const auto sheared = [](int along, double rate) { return AxisFaces{{}, {}, {rate, along}}; };
    const AxisFaces slips{FaceKind::slip, FaceKind::slip};
    add("srd_free_sheared_y", false, ThermostatKind::none, {{{}, sheared(0, 0.15), {}}});
    add("srd_thermostat_sheared_z", false, ThermostatKind::maxwell_boltzmann, {{{}, {}, sheared(1, -0.2)}});
    add("srd_monte_carlo_sheared_slip", false, ThermostatKind::monte_carlo, {{slips, sheared(2, 0.1), {}}});
    add("srd_angular_thermostat_sheared_x", true, ThermostatKind::maxwell_boltzmann,
        {{sheared(2, 0.2), {}, {}}});
    for (const bool angular : {false, true}) {
        add(angular ? "at_angular_free_sheared_z" : "at_free_sheared_y", angular, ThermostatKind::none,
            angular ? std::array<AxisFaces, 3>{{{}, {}, sheared(0, 0.15)}}
                    : std::array<AxisFaces, 3>{{{}, sheared(2, -0.15), {}}});
        for (Case& c : std::span(cases).last(2)) c.system.collision.rule = CollisionRule::at;
    }
    add("srd_thermostat_waves", false, ThermostatKind::maxwell_boltzmann, {});
    for (Case& c : std::span(cases).last(2)) {
        c.system.forces.add(
            {.shape = ForceShape::sine, .amplitude = {0.05, 0.0, 0.02}, .along = 1, .waves = 2});
        c.system.forces.add({.shape = ForceShape::opposed_blocks,
                             .amplitude = {0.0, 0.1, 0.0},
                             .along = 2,
                             .from = 3,
                             .until = 31,
                             .period = 17});
    }
    add("at_angular_free_forces_walls_z", true, ThermostatKind::none,
        {{{}, {}, {FaceKind::no_slip, FaceKind::no_slip}}});
    for (Case& c : std::span(cases).last(2)) {
        c.system.collision.rule = CollisionRule::at;
        c.system.forces.add({.shape = ForceShape::gravity, .amplitude = {0.0, 0.02, -0.05}});
        c.system.forces.add(
            {.shape = ForceShape::sine, .amplitude = {0.2, 0.0, 0.0}, .along = 2, .period = 30});
        c.system.forces.add({.amplitude = {-0.1, 0.0, 0.0}, .from = 11});
    }
    const Face warm{FaceKind::thermal, {0.1, 0.0, 0.0}, 1.4};
    add("srd_free_thermal_z", false, ThermostatKind::none, {{{}, {}, {warm, FaceKind::thermal}}});
    add("srd_free_lattice_walls_z", false, ThermostatKind::none,
        {{{}, {}, {FaceKind::no_slip, FaceKind::no_slip}}});
    add("srd_angular_thermostat_lattice_mixture_sheared_y", true, ThermostatKind::maxwell_boltzmann,
        {{{}, sheared(0, 0.15), {}}});
    for (Case& c : std::span(cases).last(2)) c.system.set_species({{"heavy", 7.0, 2.4}, {"light", 0.5, 5.3}});
    for (Case& c : std::span(cases).last(4)) c.system.first_places = FirstPlaces::lattice;
    const auto add_among = [&](const std::string& name, CollisionRule rule, const std::string& geometry,
                               std::initializer_list<Precision> precisions) {
        for (const Precision precision : precisions) {
            Case c{name + geometry + (precision == Precision::mixed ? "_mixed" : "_double"),
                   unmapped_geometry(geometry), precision};
            c.system.collision.rule = rule;
            c.system.collision.conserve_angular_momentum = name.find("angular") != std::string::npos;
            if (name.find("thermostat") != std::string::npos)
                c.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
            c.system.force = {0.02, -0.01, 0.03};
            cases.push_back(c);
        }
    };
    using enum Precision;
    add_among("srd_free_", CollisionRule::srd, "pipe", {double_precision, mixed});
    add_among("srd_thermostat_", CollisionRule::srd, "overlapping", {double_precision});
    add_among("srd_angular_thermostat_", CollisionRule::srd, "on_a_floor", {double_precision, mixed});
    add_among("at_angular_free_", CollisionRule::at, "annulus", {double_precision});
    add_among("at_free_", CollisionRule::at, "lens", {mixed});
    add_scheduled(cases);
    add_streams(cases);
    add_slip_on_a_floor(cases);
    add_mixtures_and_waves_among_surfaces(cases);
    add_surfaces_in_shear(cases);
    return cases;
}

inline const std::vector<Case>& all_cases() {
    static const std::vector<Case> cases = make_cases();
    return cases;
}

/// Those whose particles have one mass.
inline std::vector<Case> cases_of_one_species() {
    std::vector<Case> cases = all_cases();
    std::erase_if(cases, [](const Case& c) { return c.system.masses() == Masses::by_species; });
    return cases;
}

/// Its place among all_cases().
inline std::size_t number_of(const Case& wanted) {
    std::size_t number = 0;
    while (all_cases()[number].name != wanted.name) ++number;
    return number;
}

inline std::uint64_t golden_hash(const std::string& name) {
    for (const GoldenHash& golden : golden_hashes)
        if (golden.name == name) return golden.hash;
    return 0;
}

}  // namespace mpcflow::test
