#pragma once
/// Systems for the tests of theory.

#include "physics/system.hpp"

namespace mpcflow {

inline System srd(double angle, double time_step, double density, bool angular = false) {
    System system;
    system.collision.angle = angle;
    system.collision.time_step = time_step;
    system.collision.conserve_angular_momentum = angular;
    system.fluid.density = density;
    // Published formulas with angular momentum are of the law without its thermostat.
    if (!angular) system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    return system;
}

}  // namespace mpcflow
