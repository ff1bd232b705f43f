#pragma once
/// From the parameters of a system to the type of its collision law: one visit, on the host.

#include <stdexcept>
#include <utility>

#include "physics/collision/srd.hpp"
#include "physics/collision/srd_angular.hpp"

namespace mpcflow {

/// Calls `visitor(law)` with the law of `system` in arithmetic `Real` and returns what it returns.
template <class Real, class Visitor>
decltype(auto) visit_law(const System& system, Visitor&& visitor) {
    const bool angular = system.collision.conserve_angular_momentum;
    switch (system.thermostat.kind) {
        case ThermostatKind::none:
            if (angular) return visitor(SrdAngular<Real, ThermostatKind::none>(system));
            return visitor(Srd<Real, ThermostatKind::none>(system));
        case ThermostatKind::maxwell_boltzmann:
            if (angular) return visitor(SrdAngular<Real, ThermostatKind::maxwell_boltzmann>(system));
            return visitor(Srd<Real, ThermostatKind::maxwell_boltzmann>(system));
    }
    throw std::logic_error("visit_law: unknown thermostat");
}

}  // namespace mpcflow
