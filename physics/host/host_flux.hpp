#pragma once
/// The flux of momentum of particles on CPU threads (physics/observables/momentum_flux.hpp). The loops are
/// large and ask for the law as they run, so that they are compiled once for all laws, in files of their own
/// (instantiate_flux.cpp.in).

#include <vector>

#include "physics/host/host_particles.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/flux_plan.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/observables/momentum_flux_sums.hpp"
#include "physics/solver_options.hpp"

namespace mpcflow {

/// What the particles of a thread, or all, add up to.
struct alignas(128) FluxPart {  // cache lines for each thread
    MomentumFluxSums flux;
    WallSums walls;
    std::vector<SurfaceSums> surfaces;  ///< one for each of the input

    FluxPart& operator+=(const FluxPart& other) {
        flux += other.flux;
        walls += other.walls;
        for (std::size_t i = 0; i < surfaces.size(); ++i)
            for (int k = 0; k < SurfaceSums::count; ++k) surfaces[i].taken[k] += other.surfaces[i].taken[k];
        return *this;
    }
};

/// `OfPlan` is a FluxPlan, of the box's grid or a domain's; the rule is at_step() of the plan's.
template <class OfPlan>
struct HostFlux {
    using Plan = OfPlan;
    using Rule = MomentumFluxRule<typename Plan::Real>;
    using Particles = ParticleRange<typename Plan::Particle>;

    /// Adds the flux of particles, and what walls take, to `part`.
    static void add(const Plan& plan, const Rule& rule, Particles particles, VectorUnits units,
                    FluxPart& part);
    /// Adds it to the bins where it belongs, of which `bins` has one for each.
    static void add_to_bins(const Plan& plan, const Rule& rule, const BinRule& bin_rule, Particles particles,
                            VectorUnits units, PressureBinSums* bins);
};

}  // namespace mpcflow
