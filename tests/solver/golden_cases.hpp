#pragma once
/// The runs whose state hashes are golden (golden_hashes.hpp): every law, thermostat, kind of face and
/// precision.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include "physics/collision/laws.hpp"
#include "physics/names.hpp"
#include "physics/system.hpp"
#include "tests/solver/golden_hashes.hpp"

namespace mpcflow::test {

inline constexpr int steps = 40;

struct Case {
    std::string name;
    System system;
    Precision precision = Precision::double_precision;

    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

/// A box whose sides have no common factor, so that no mistake of one axis for another hides.
inline System small_system() {
    System system;
    system.seed = 20260731;
    system.box.size = {13, 12, 11};
    return system;
}

inline std::vector<Case> all_cases() {
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
    const std::vector<Case> cases = all_cases();
    std::size_t number = 0;
    while (cases[number].name != wanted.name) ++number;
    return number;
}

inline std::uint64_t golden_hash(const std::string& name) {
    for (const GoldenHash& golden : golden_hashes)
        if (golden.name == name) return golden.hash;
    return 0;
}

}  // namespace mpcflow::test
