#include "gpu/device_solver_impl.cuh"
#include "physics/collision/srd_angular.hpp"

namespace mpcflow {

template std::unique_ptr<Solver> make_device_solver_of(const SrdAngular<float, ThermostatKind::none>&, const System&,
                                                       const SolverOptions&, int);
template std::unique_ptr<Solver> make_device_solver_of(const SrdAngular<float, ThermostatKind::maxwell_boltzmann>&,
                                                       const System&, const SolverOptions&, int);

}  // namespace mpcflow
