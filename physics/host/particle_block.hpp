#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "physics/cell_draws.hpp"
#include "physics/cell_grid.hpp"
#include "physics/host/columns.hpp"
#include "physics/host/host_particles.hpp"
#include "physics/host/vector_units.hpp"
#include "physics/step.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Some particles in columns, taken through a step together.
///
/// Laws, streaming and grid say what a step does to one particle. Here they are called in loops over columns,
/// of which the compiler makes vectors, as long as the calls are inlined (MPCFLOW_FLATTEN) and have no
/// branches. A particle to which something rare happens is handed back, to be treated by itself.
template <class Law, class Particle>
class ParticleBlock {
public:
    using Real = typename Law::Real;
    using Sums = typename Law::Sums;

    /// Some vectors of each kind; more do not stay in the cache with the cells they are in.
    static constexpr int size = 32;

    /// Whether anything of labels is asked for in every step.
    static constexpr bool reads_labels = Law::needs.ids || Law::masses == Masses::by_species;

    /// Takes `count`, 1 to `size`, of `particles`, from number `first` on. The lanes beyond have copies of
    /// the last one, so that loops have the same length always.
    void load(const HostParticles<Particle>& particles, std::int64_t first, int count) {
        for (int axis = 0; axis < 3; ++axis) {
            positions_.load(axis, particles.column(axis) + first, count);
            velocities_.load(axis, particles.column(3 + axis) + first, count);
        }
        if (count < size) repeat_last(count);
        if constexpr (reads_labels) {
            for (int k = 0; k < size; ++k) {
                const auto& label = particles.label(first + std::min(k, count - 1));
                if constexpr (Law::needs.ids) id_[k] = label.id();
                if constexpr (Law::masses == Masses::by_species) species_[k] = label.species();
            }
        }
    }
    /// Of `count` particles; the lanes beyond become copies of the last one again.
    void repeat_last(int count) {
        for (int k = count; k < size; ++k) set_motion(k, positions_[count - 1], velocities_[count - 1]);
    }

    /// Finds the cells of the particles on `grid`.
    template <class Grid>
    void locate(const Grid& grid) {
        if (grid.is_sheared()) return locate_sheared(grid);
        for (int k = 0; k < size; ++k) set_place(k, grid.locate_in_frame(positions_[k]));
    }
    [[nodiscard]] int cell(int k) const { return cell_[k]; }
    /// Whether all particles are in the `count` cells from number `first` on.
    [[nodiscard]] bool are_within(std::int64_t first, std::int64_t count) const {
        const auto begin = static_cast<std::uint32_t>(first);
        const auto length = static_cast<std::uint32_t>(count);
        int any_beyond = 0;
        // One comparison for both ends of the range.
        for (int k = 0; k < size; ++k)
            any_beyond |= static_cast<std::uint32_t>(cell_[k]) - begin >= length ? 1 : 0;
        return any_beyond == 0;
    }

    /// Collides and streams the particles, which were located on the grid of this collision. Returns whether
    /// any of them is odd.
    template <VectorUnits units, class Grid>
    [[nodiscard]] bool collide_and_glide(const StepPlan<Law, Grid>& plan, const CellAction<Law>* actions) {
        fetch_actions<units>(actions);
        const bool has_surfaces = plan.streaming.surfaces().exist();
        if (has_surfaces) starts_ = positions_;
        if (plan.streaming.has_waves()) {
            collide_and_glide_over_waves(plan);
        } else if (plan.are_taken) {
            if constexpr (TakesVelocities<Law>) collide_and_glide_all<true>(plan);
        } else {
            collide_and_glide_all<false>(plan);
        }
        if (has_surfaces)
            for (int k = 0; k < size; ++k)
                odd_[k] |=
                    plan.streaming.is_clear_of_surfaces(starts_[k], positions_[k]) ? 0 : plan.by_itself;
        if (plan.grid.is_sheared())
            for (int k = 0; k < size; ++k) odd_[k] |= beyond_[k] != 0 ? plan.by_itself : 0;
        int any_odd = 0;
        int any_fast = 0;
        for (int k = 0; k < size; ++k) {
            any_odd |= odd_[k] & plan.is_odd;
            any_fast |= odd_[k] == plan.is_fast ? 1 : 0;
        }
        has_fast_ = any_fast != 0;
        return any_odd != 0;
    }
    /// Whether a particle is to be treated by itself: unless bring_back() ends its step, its position and
    /// velocity here mean nothing.
    [[nodiscard]] bool is_odd(int k) const { return (odd_[k] & StepPlan<Law>::is_odd) != 0; }
    /// Ends the step of an odd particle that has but left the box across periodic faces, and counts that in
    /// its label; false, and nothing is changed, where there is more to it.
    template <class Grid>
    [[nodiscard]] bool bring_back(const StepPlan<Law, Grid>& plan, int k, typename Particle::Label& label) {
        if ((odd_[k] & plan.by_itself) != 0) return false;
        Vec3<Real> position = positions_[k];
        typename Particle::Label changed = label;
        if (!plan.streaming.bring_back(position, changed)) return false;
        positions_.set(k, position);
        label = changed;
        has_fast_ |= (odd_[k] & plan.is_fast) != 0;
        return true;
    }
    /// Whether the speed of any other is worth a notice (StepPlan::Glide).
    [[nodiscard]] bool has_fast() const { return has_fast_; }

    void set_motion(int k, Vec3<Real> position, Vec3<Real> velocity) {
        positions_.set(k, position);
        velocities_.set(k, velocity);
    }
    /// One of the particles, of which this is the label.
    [[nodiscard]] Particle particle(int k, const typename Particle::Label& label) const {
        return {positions_[k], velocities_[k], label};
    }
    /// Stores `count` of them, from number `first` on, but for their labels.
    void store(HostParticles<Particle>& particles, std::int64_t first, int count) const {
        for (int axis = 0; axis < 3; ++axis) {
            positions_.store(axis, particles.column(axis) + first, count);
            velocities_.store(axis, particles.column(3 + axis) + first, count);
        }
    }
    /// The same of one, to number `i`.
    void store_one(HostParticles<Particle>& particles, int k, std::int64_t i) const {
        // Vector units that scatter take longer than stores one by one; the compiler would have them do it.
        asm volatile("");
        for (int axis = 0; axis < 3; ++axis) {
            particles.column(axis)[i] = positions_.at(axis, k);
            particles.column(3 + axis)[i] = velocities_.at(axis, k);
        }
    }

    /// Makes what the particles, which were located on the grid of the next collision, contribute to it; of
    /// those in no_cell nothing of meaning.
    template <VectorUnits units, class Grid>
    void contribute(const StepPlan<Law, Grid>& plan, const CellDraws<Law>& draws) {
        if constexpr (Law::needs.draws_before_sums)
            draws_.template gather<units>([&](int k) { return draws.kept() + std::max(cell_[k], 0); });
        for (int k = 0; k < size; ++k) sums_.set(k, plan.contribute(in_cell(plan, k), draws_[k]));
        if (plan.next_grid.is_sheared()) contribute_beyond(plan);
        sums_.template make_rows<units>();
    }
    /// The same where no faces are sheared, and leaves the particles with what they take on in the next
    /// collision.
    template <VectorUnits units, class Grid>
    void contribute_and_take(const StepPlan<Law, Grid>& plan) requires TakesVelocities<Law> {
        for (int k = 0; k < size; ++k) {
            Vec3<Real> taken;
            sums_.set(k, plan.contribute(in_cell(plan, k), draws_[k], taken));
            velocities_.set(k, taken);
        }
        sums_.template make_rows<units>();
    }
    [[nodiscard]] const ContributionColumns<Sums, size>& contributions() const { return sums_; }

private:
    template <class T>
    using ColumnsOf = Columns<T, Real, size>;
    static constexpr bool has_draws = !std::is_empty_v<typename Law::Draw>;

    void set_place(int k, const CellPlace<Real>& place) {
        cell_[k] = place.cell;
        if constexpr (Law::needs.offsets) offsets_.set(k, place.offset);
    }

    [[nodiscard]] CellAction<Law> action(int k) const {
        CellAction<Law> action;
        action.transform = transforms_[k];
        action.set_draw(draws_[k]);
        return action;
    }

    /// Loops of their own: asked in one, whether particles have what they take on, all of it would be drawn.
    template <bool are_taken, class Plan>
    void collide_and_glide_all(const Plan& plan) {
        for (int k = 0; k < size; ++k) {
            InCell<Real> in_this = in_cell(plan, k);
            in_this.has_taken = are_taken;
            Vec3<Real> position = positions_[k];
            Vec3<Real> velocity;
            odd_[k] = plan.collide_and_glide(in_this, species_[k], action(k), position, velocity);
            positions_.set(k, position);
            velocities_.set(k, velocity);
        }
    }

    template <class Plan>
    [[gnu::noinline]] void collide_and_glide_over_waves(const Plan& plan) {
        for (int k = 0; k < size; ++k) {
            InCell<Real> in_this = in_cell(plan, k);
            in_this.has_taken = plan.are_taken;
            Vec3<Real> position = positions_[k];
            Vec3<Real> velocity;
            odd_[k] = plan.collide_and_glide_over_waves(in_this, species_[k], action(k), position, velocity);
            positions_.set(k, position);
            velocities_.set(k, velocity);
        }
    }

    template <class Grid>
    [[gnu::noinline]] void locate_sheared(const Grid& grid) {
        for (int k = 0; k < size; ++k) {
            set_place(k, grid.locate(positions_[k]));
            beyond_[k] = grid.is_beyond(positions_[k]) ? 1 : 0;
        }
    }

    /// Again for the few that are not in the frame of their cell.
    template <class Plan>
    [[gnu::noinline]] void contribute_beyond(const Plan& plan) {
        for (int k = 0; k < size; ++k) {
            if (beyond_[k] == 0) continue;
            InCell<Real> in_frame = in_cell(plan, k);
            in_frame.velocity = plan.next_grid.into_frame(positions_[k], in_frame.velocity);
            sums_.set(k, plan.contribute(in_frame, draws_[k]));
        }
    }

    template <VectorUnits units>
    void fetch_actions(const CellAction<Law>* actions) {
        transforms_.template gather<units>([&](int k) { return &actions[cell_[k]].transform; });
        if constexpr (has_draws)
            draws_.template gather<units>([&](int k) { return &actions[cell_[k]].drawn; });
    }

    template <class Plan>
    [[nodiscard]] InCell<Real> in_cell(const Plan& plan, int k) const {
        InCell<Real> in_cell{velocities_[k]};
        if constexpr (Law::masses == Masses::by_species) in_cell.mass = plan.mass_of(species_[k]);
        if constexpr (Law::needs.offsets) in_cell.offset = offsets_[k];
        if constexpr (Law::needs.ids) in_cell.id = id_[k];
        return in_cell;
    }

    ColumnsOf<Vec3<Real>> positions_;
    ColumnsOf<Vec3<Real>> starts_;  ///< of the flights, where there are surfaces in the box
    ColumnsOf<Vec3<Real>> velocities_;
    ColumnsOf<Vec3<Real>> offsets_;
    ColumnsOf<typename Law::Transform> transforms_;
    ColumnsOf<typename Law::Draw> draws_;
    ContributionColumns<Sums, size> sums_;
    alignas(64) std::uint64_t id_[size];
    alignas(64) int species_[size]{};
    alignas(64) int cell_[size];
    alignas(64) int odd_[size];     ///< bits of StepPlan::Glide
    alignas(64) int beyond_[size];  ///< of a sheared box: not in the frame of their cell
    bool has_fast_ = false;
};

}  // namespace mpcflow
