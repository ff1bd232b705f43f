#pragma once
/// What instantiate_flux.cpp.in compiles of host_flux.hpp.

#include "physics/host/host_flux.hpp"
#include "physics/host_device.hpp"

namespace mpcflow {
namespace detail {

/// Calls function(flux) with what each particle does in the step. Flattened: whether the compiler inlines
/// these calls by itself hangs on what else it compiles.
template <class Plan, class Function>
MPCFLOW_FLATTEN void measure_fluxes(const Plan& plan, const MomentumFluxRule<typename Plan::Real>& rule,
                                    const ParticleRange<typename Plan::Particle>& particles,
                                    const Function& function) {
    const auto load = [](const auto* action) { return *action; };
    for (const auto particle : particles)
        function(rule.measure_at_walls(plan, particle, plan.grid.locate(particle.position), load));
}

}  // namespace detail

template <class Plan>
void HostFlux<Plan>::add(const Plan& plan, const Rule& rule, Particles particles, FluxPart& part) {
    detail::measure_fluxes(
        plan, rule, particles,
        [&](const auto& flux) {
            part.flux += rule.contribute(flux);
            if (rule.has_walls()) rule.add_to_walls(flux, part.walls, part.surfaces.data());
        });
}

template <class Plan>
void HostFlux<Plan>::add_to_bins(const Plan& plan, const Rule& rule, const BinRule& bin_rule,
                                 Particles particles, PressureBinSums* bins) {
    detail::measure_fluxes(
        plan, rule, particles,
        [&](const auto& flux) {
            double added[PressureBinSums::count];
            rule.put_in_bin_of_flight(flux.mass(), flux.mid_flight_velocity, added);
            rule.put_collisional(flux.mass(), flux.change, flux.arm, added + PressureBinSums::in_flight);
            double* const in_flight = bins[bin_rule.bin(flux.mid_flight_place)].value;
            double* const at_centre = bins[bin_rule.bin(flux.cell_centre)].value;
            for (int i = 0; i < PressureBinSums::in_flight; ++i) in_flight[i] += added[i];
            for (int i = PressureBinSums::in_flight; i < PressureBinSums::count; ++i)
                at_centre[i] += added[i];
        });
}

}  // namespace mpcflow
