#pragma once
/// The flux of momentum of particles on a device (physics/observables/momentum_flux.hpp): the launches of its
/// kernels, seen from the files of the laws. The kernels are large and ask for the law as they run, so that
/// they are compiled once for all laws, in files of their own (instantiate_flux.cu.in).

#include "gpu/device_state.cuh"
#include "physics/observables/fields.hpp"
#include "physics/observables/flux_plan.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/observables/momentum_flux_sums.hpp"

namespace mpcflow {

/// What the sums over all particles are added to.
struct MomentumFluxResult {
    MomentumFluxSums flux;
    WallSums walls;
};

/// `OfPlan` is a FluxPlan, of the box's grid or a domain's. Its actions have been foreseen
/// (DeviceFluid::foresee), `setting` is that of the system, and the rule is at_step() of the plan's.
template <class OfPlan>
struct DeviceFlux {
    using Plan = OfPlan;
    using Rule = MomentumFluxRule<typename Plan::Real>;
    using State = DeviceState<typename Plan::Particle, typename Plan::Grid>;

    /// Adds up the flux of all particles and what walls take. `surfaces` has one for each of the input.
    static void sum(const State& state, const Plan& plan, Setting setting, const Rule& rule,
                    MomentumFluxResult* result, SurfaceSums* surfaces);

    /// Adds every particle to its bin of plain fields, and its flux to the bins where that belongs.
    static void sum_in_bins(const State& state, const Plan& plan, Setting setting, const Rule& rule,
                            const BinRule& bin_rule, BinSums* bins, PressureBinSums* pressure_bins);
};

/// That of a DeviceFluid or a DeviceDomain.
template <class Fluid>
using FluxOf = DeviceFlux<FluxPlan<typename Fluid::Law::Real, Fluid::Law::masses, typename Fluid::Grid>>;

}  // namespace mpcflow
