#pragma once
/// The flux of momentum of particles on CPU threads (physics/observables/momentum_flux.hpp). The loops are
/// large and ask for the law as they run, so that they are compiled once for all laws, in files of their own
/// (instantiate_flux.cpp.in).

#include <cstddef>
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

    /// Adds what a particle does, and what it gives to walls.
    template <class Real, Masses masses>
    void add(const MomentumFluxRule<Real>& rule, const FluxAtWalls<Real, masses>& particle) {
        flux += rule.contribute(particle);
        if (!rule.has_walls()) return;
        const AddToWalls add_to{*this};
        rule.measure_hits(particle, add_to);
        for (int which = 0; which < rule.surfaces_near(particle); ++which) {
            double taken[SurfaceSums::count];
            const int number = rule.put_surface_collision(particle, which, taken);
            if (number != no_surface) add_to.to_surface(number, taken);
        }
        if (!particle.walls.are_any()) return;
        for (int face = 0; face < face_count; ++face) {
            double taken[WallSums::of_face];
            rule.put_collision(particle, face, taken);
            add_to(face, taken);
        }
    }

private:
    /// What MomentumFluxRule::measure_hits() calls.
    struct AddToWalls {
        FluxPart& part;

        void operator()(int face, const double* taken) const {
            for (int k = 0; k < WallSums::of_face; ++k)
                part.walls.taken[WallSums::of_face * face + k] += taken[k];
        }
        void to_surface(int number, const double* taken) const {
            SurfaceSums& surface = part.surfaces[static_cast<std::size_t>(number)];
            for (int k = 0; k < SurfaceSums::count; ++k) surface.taken[k] += taken[k];
        }
    };
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
