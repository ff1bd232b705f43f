#pragma once

#include <algorithm>
#include <cstdint>

#include "physics/cell_action.hpp"
#include "physics/cell_grid.hpp"
#include "physics/collision/law.hpp"
#include "physics/host/columns.hpp"
#include "physics/host/host_particles.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/observables/particle_flux.hpp"
#include "physics/setting.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Some particles in columns, whose flux of momentum is measured together, as ParticleBlock takes particles
/// through a step: in loops without branches, of which the compiler makes vectors. A particle in whose step
/// walls may have a part, or that leaves the box before the middle of its flight, or is beyond sheared faces,
/// is odd, to be measured by itself.
template <class Plan>
class FluxBlock {
public:
    using Real = typename Plan::Real;
    using Particle = typename Plan::Particle;
    using Rule = MomentumFluxRule<Real>;
    using Flux = ParticleFlux<Real, Plan::masses>;

    static constexpr int size = 32;

    /// Whether systems of this plan can be measured so: not where a force has waves, nor where surfaces or
    /// thermal walls are in a sheared box.
    [[nodiscard]] static bool takes(const Plan& plan) { return plan.streaming.setting() != Setting::any; }

    /// Measures `count`, 1 to `size`, of `particles`, from number `first` on. The lanes beyond are copies of
    /// the last one, and count as odd.
    template <VectorUnits units>
    void measure(const Plan& plan, const Rule& rule, const HostParticles<Particle>& particles,
                 std::int64_t first, int count) {
        load(particles, first, count);
        locate(plan, count);
        plan.visit_law([&](const auto& law, const auto* actions) {
            collide<units>(plan, law, actions, particles, first, count);
        });
        for (int k = 0; k < size; ++k) {
            Flux flux;
            const bool is_gliding = rule.measure_gliding(plan, species_[k], positions_[k], velocities_[k],
                                                         collided_[k], offsets_[k], flux);
            odd_[k] |= is_gliding ? 0 : 1;
            if constexpr (Plan::masses == Masses::by_species) masses_[k] = flux.mass();
            flights_.set(k, flux.flight);
            mid_flight_velocities_.set(k, flux.mid_flight_velocity);
            mid_flight_places_.set(k, flux.mid_flight_place);
            changes_.set(k, flux.change);
        }
        if (!rule.has_walls()) return;
        for (int k = 0; k < size; ++k) odd_[k] |= rule.are_faces_far(positions_[k], flights_[k]) ? 0 : 1;
        if (!rule.has_surfaces()) return;
        for (int k = 0; k < size; ++k)
            odd_[k] |= rule.are_surfaces_far(positions_[k], offsets_[k], flights_[k]) ? 0 : 1;
    }

    [[nodiscard]] bool is_odd(int k) const { return odd_[k] != 0; }
    [[nodiscard]] bool are_any_odd() const {
        int any = 0;
        for (int k = 0; k < size; ++k) any |= odd_[k];
        return any != 0;
    }
    /// What a particle that is not odd does, as far as sums ask for it: its mass, place and velocity in
    /// mid-flight, change and arm.
    [[nodiscard]] Flux operator[](int k) const {
        Flux flux{};
        if constexpr (Plan::masses == Masses::by_species) flux.own_mass = masses_[k];
        flux.mid_flight_velocity = mid_flight_velocities_[k];
        flux.mid_flight_place = mid_flight_places_[k];
        flux.change = changes_[k];
        flux.arm = vector_cast<double>(offsets_[k]);
        return flux;
    }
    /// MomentumFluxRule::cell_centre() of it.
    [[nodiscard]] Vec3<Real> cell_centre(const Plan& plan, const Rule& rule, int k) const {
        return rule.cell_centre(plan.grid, positions_[k], offsets_[k]);
    }

private:
    template <class T>
    using ColumnsOf = Columns<T, Real, size>;

    void load(const HostParticles<Particle>& particles, std::int64_t first, int count) {
        for (int axis = 0; axis < 3; ++axis) {
            positions_.load(axis, particles.column(axis) + first, count);
            velocities_.load(axis, particles.column(3 + axis) + first, count);
        }
        for (int k = count; k < size; ++k) {
            positions_.set(k, positions_[count - 1]);
            velocities_.set(k, velocities_[count - 1]);
        }
        if constexpr (Plan::masses == Masses::by_species)
            for (int k = 0; k < size; ++k)
                species_[k] = particles.label(first + std::min(k, count - 1)).species();
    }

    void locate(const Plan& plan, int count) {
        for (int k = 0; k < size; ++k) odd_[k] = k < count ? 0 : 1;
        if (plan.grid.is_sheared()) return locate_sheared(plan);
        for (int k = 0; k < size; ++k) {
            const CellPlace<Real> place = plan.grid.locate_in_frame(positions_[k]);
            cell_[k] = place.cell;
            offsets_.set(k, place.offset);
        }
    }
    [[gnu::noinline]] void locate_sheared(const Plan& plan) {
        for (int k = 0; k < size; ++k) {
            const CellPlace<Real> place = plan.grid.locate(positions_[k]);
            cell_[k] = place.cell;
            offsets_.set(k, place.offset);
            odd_[k] |= plan.grid.is_beyond(positions_[k]) ? 1 : 0;
        }
    }

    template <VectorUnits units, class Law>
    void collide(const Plan& plan, const Law& law, const CellAction<Law>* actions,
                 const HostParticles<Particle>& particles, std::int64_t first, int count) {
        using Action = CellAction<Law>;
        ColumnsOf<Action> columns;
        columns.template gather<units>([&](int k) { return actions + cell_[k]; });
        if constexpr (Law::needs.ids)
            for (int k = 0; k < size; ++k) id_[k] = particles.label(first + std::min(k, count - 1)).id();
        for (int k = 0; k < size; ++k) {
            InCell<Real> in_cell{velocities_[k]};
            if constexpr (Law::masses == Masses::by_species) in_cell.mass = plan.mass_of(species_[k]);
            if constexpr (Law::needs.offsets) in_cell.offset = offsets_[k];
            if constexpr (Law::needs.ids) in_cell.id = id_[k];
            const Action action = columns[k];
            collided_.set(k, law.apply(action.transform, action.draw(), in_cell, {plan.seed, plan.step}));
        }
    }

    ColumnsOf<Vec3<Real>> positions_;
    ColumnsOf<Vec3<Real>> velocities_;
    ColumnsOf<Vec3<Real>> offsets_;
    ColumnsOf<Vec3<Real>> collided_;
    ColumnsOf<Vec3<Real>> flights_;
    ColumnsOf<Vec3<Real>> mid_flight_velocities_;
    ColumnsOf<Vec3<Real>> mid_flight_places_;
    Columns<Vec3<double>, double, size> changes_;
    alignas(64) double masses_[size];
    alignas(64) std::uint64_t id_[size];
    alignas(64) int species_[size]{};
    alignas(64) int cell_[size];
    alignas(64) int odd_[size];
};

}  // namespace mpcflow
