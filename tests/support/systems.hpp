#pragma once
/// Fluids that several tests take.

#include <array>
#include <cstdint>

#include "physics/system.hpp"

namespace mpcflow::test {

/// A periodic box of SRD fluid with a thermostat.
inline System fluid_at_rest(std::array<int, 3> size, double density, double time_step, std::uint64_t seed) {
    System system;
    system.seed = seed;
    system.box.size = size;
    system.fluid.density = density;
    system.collision.time_step = time_step;
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    return system;
}

}  // namespace mpcflow::test
