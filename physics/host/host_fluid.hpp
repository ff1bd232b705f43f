#pragma once
/// The two verbs of a step on CPU threads, and the state they work on. Each thread owns a range of cells and,
/// since the last re-ordering, the particles that were in them (shared_sums.hpp, shared_particles.hpp).

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "physics/cell_draws.hpp"
#include "physics/cell_grid.hpp"
#include "physics/domain/border.hpp"
#include "physics/domain/particle_transport.hpp"
#include "physics/domain/share.hpp"
#include "physics/host/advance.hpp"
#include "physics/host/domain_exchange.hpp"
#include "physics/host/host_flux.hpp"
#include "physics/host/processors.hpp"
#include "physics/host/raw_array.hpp"
#include "physics/host/resolve.hpp"
#include "physics/host/shared_particles.hpp"
#include "physics/host/shared_sums.hpp"
#include "physics/host/step_findings.hpp"
#include "physics/host/thread_team.hpp"
#include "physics/host/vector_units.hpp"
#include "physics/initial_state.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/observables/totals.hpp"
#include "physics/particle.hpp"
#include "physics/solver.hpp"
#include "physics/solver_options.hpp"
#include "physics/step.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The particles of a fluid and the sums over its cells, at first in the initial state; those of the whole
/// box, or of a domain, with a Border. All domains must call the functions that are not const alike: they
/// wait for each other.
///
/// The functions that go through particles or cells call others with the number of the thread, of 0 ...
/// threads() - 1, on all threads at once.
template <class Law, class Particle, class Border = NoBorder<typename Law::Real>>
class HostFluid {
public:
    using Real = typename Law::Real;
    using Grid = typename Border::Grid;
    using Flux = HostFlux<FluxPlan<Real, Law::masses, Grid>>;

    HostFluid(const Law& law, const System& system, const SolverOptions& options, Border border = {})
        : system_(system),
          border_(std::move(border)),
          plan_(law, system, border_.first_grid(system)),
          team_(thread_count(options, system)),
          vectors_(vector_units(options.vectors)),
          reorder_(options.reorder > 0 ? options.reorder : default_reorder),
          // A domain makes room for what comes.
          particles_(Border::is_open ? 0 : system.particle_count(), team_.size()),
          sums_(plan_.next_grid, team_.size()),
          actions_(sums_.cell_count()),
          kept_draws_(CellDraws<Law>::kept(sums_.cell_count())),
          draws_(kept_draws_.data()),
          slots_(sums_.cell_count()),
          cells_(runs_of_threads(border_, plan_.next_grid, sums_, team_.size())),
          exchange_(border_, particles_, sums_, draws_, slots_.data(), team_.size()) {
        sums_.make_room(particles_.count());
        create_particles();
        contribute_all();
    }

    /// What one takes of the machine; of a domain, the one with `border`.
    [[nodiscard]] static HostNeeds needs(const System& system, const SolverOptions& options,
                                         const Border& border = {}) {
        const int threads = thread_count(options, system);
        const Grid grid = border.first_grid(system);
        constexpr std::int64_t bytes_of_cell = sizeof(Sums) + sizeof(CellAction<Law>) + sizeof(CellSlots) +
                                               CellDraws<Law>::kept(1) * sizeof(typename Law::Draw);
        std::int64_t particles = system.particle_count();
        if constexpr (Border::is_open) particles = border.most_particles(system);
        return {2 * HostParticles<Particle>::bytes_of(particles) + grid.cell_count() * bytes_of_cell +
                    SharedSums<Sums>::bytes_of_room(grid, particles, threads) + bytes_of_map(system),
                threads};
    }

    [[nodiscard]] std::int64_t particle_count() const { return particles_.count(); }
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] std::int64_t fast_steps() const { return findings_.fast_steps(); }
    [[nodiscard]] int threads() const { return team_.size(); }
    /// The widest vector units that loops may use.
    [[nodiscard]] VectorUnits vectors() const { return vectors_; }
    [[nodiscard]] int reorder_interval() const { return reorder_; }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return particles_.bytes() + sums_.bytes() + actions_.bytes() + kept_draws_.bytes() + slots_.bytes() +
               bytes_of_map(system_);
    }

    /// Notes what is wrong with the state.
    void add_faults(std::uint32_t faults) { findings_.add_faults(faults); }
    /// Throws SimulationFault where something is.
    void check() const { findings_.check(step_, system_); }

    /// Runs `count` steps; throws SimulationFault where the state went wrong on the way.
    void run(std::int64_t count) {
        team_.run([&](int thread) { run(count, thread); });
        step_ += count;
        if constexpr (Border::is_open) findings_.agree(border_);
        check();
    }

    /// Goes on from the state after `step` steps, of which `fast_steps` were fast; make(id) gives a particle.
    template <class Make>
    void restore(std::int64_t step, std::int64_t fast_steps, const Make& make) {
        step_ = step;
        plan_.go_to(system_, static_cast<std::uint64_t>(step_));
        findings_.restart(fast_steps);
        fill_particles(make);
        contribute_all();
    }

    /// Sums of this domain's particles or cells become those of the whole box, the same in all domains.
    template <class Number>
    void add_up_domains([[maybe_unused]] std::span<Number> sums) {
        if constexpr (Border::is_open) border_.exchange().add_up(sums);
    }
    [[nodiscard]] const Border& border() const { return border_; }

    /// As restore(), of a domain: give(take) gives its own particles, those whose owner() it is, by calling
    /// take(particle) for each.
    template <class Give>
    void restore_domain(std::int64_t step, std::int64_t fast_steps, const Give& give) {
        step_ = step;
        plan_.go_to(system_, static_cast<std::uint64_t>(step_));
        findings_.restart(fast_steps);
        particles_.clear();
        give([&](const Particle& particle) { particles_.append(particle); });
        team_.run([&](int thread) { particles_.share_out(thread); });
        contribute_all();
    }
    /// The domain that owns the cell of a particle.
    [[nodiscard]] int owner(const Particle& particle) const {
        return plan_.next_grid.owner(particle.position);
    }

    /// Calls function(thread, particles of this thread, a ParticleRange).
    template <class Function>
    void for_each_thread(const Function& function) {
        team_.run([&](int thread) { function(thread, particles_.of(thread)); });
    }

    /// Calls function(thread, particle) for each.
    template <class Function>
    void for_all_particles(const Function& function) {
        for_each_thread([&](int thread, auto particles) {
            for (const Particle particle : particles) function(thread, particle);
        });
    }

    /// Adds up what the particles contribute by a rule.
    template <class Rule>
    [[nodiscard]] typename Rule::Sums sum(const Rule& rule) {
        std::vector<typename Rule::Sums> parts(team_.size());
        for_each_thread([&](int thread, const auto& particles) {
            typename Rule::Sums sums;
            for (const Particle particle : particles) sums += rule.contribute(particle);
            parts[thread] = sums;
        });
        typename Rule::Sums sums;
        for (const auto& part : parts) sums += part;
        return sums;
    }

    /// Calls function(thread, number of particles) for each whole cell of the next collision.
    template <class Function>
    void for_whole_cells(const Function& function) {
        team_.run([&](int thread) {
            sums_.collect(thread);
            for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
                const int cell = static_cast<int>(c);
                if (plan_.next_grid.owns(cell) && plan_.is_whole(cell)) function(thread, sums_[c].number());
            }
        });
    }

    /// Calls function(thread, plan, rule, particles) with a FluxPlan of the step to come, the rule for it and
    /// each thread's particles.
    template <class Function>
    void for_flux(const MomentumFluxRule<Real>& rule, const Function& function) {
        Plan plan = plan_;
        plan.begin_step(system_, static_cast<std::uint64_t>(step_));
        const MomentumFluxRule<Real> now = rule.at_step(system_, plan.step);
        const typename Flux::Plan flux_plan(plan, actions_.data());
        team_.run([&](int thread) {
            foresee(plan, thread);
            team_.wait();
            function(thread, flux_plan, now, particles_.of(thread));
        });
    }

private:
    using Sums = typename Law::Sums;
    using Plan = StepPlan<Law, Grid>;

    /// Longer and the caches miss, shorter and scattered stores cost more (docs/performance.md).
    static constexpr int default_reorder = 16;

    static int thread_count(const SolverOptions& options, const System& system) {
        const int wanted = options.threads > 0 ? options.threads : available_processors();
        // A thread needs some cells to own.
        return static_cast<int>(std::clamp<std::int64_t>(system.box.volume() / 8, 1, wanted));
    }

    [[nodiscard]] std::int64_t first_cell(int thread) const { return sums_.first_cell(thread); }
    [[nodiscard]] bool reorders_in(std::int64_t step) const { return step % reorder_ == 0; }

    /// Shares the particles out to the threads; make(id) gives each. Each domain makes as many, and takes
    /// those in its own cells.
    template <class Make>
    void fill_particles(const Make& make) {
        if constexpr (Border::is_open) {
            Exchange& exchange = border_.exchange();
            const Share share = share_of(system_.particle_count(), exchange.number(), exchange.count());
            particles_.clear();
            spread_particles<Particle>(
                exchange, share.count(), [&](std::int64_t i) { return make(share.first + i); },
                [&](const Particle& p) { return owner(p); },
                [&](const Particle& p) { particles_.append(p); });
        }
        team_.run([&](int thread) {
            particles_.share_out(thread);
            if constexpr (Border::is_open) return;
            for (std::int64_t i = particles_.first(thread); i < particles_.last(thread); ++i)
                particles_.now().set(i, make(i));
        });
    }

    void create_particles() {
        const InitialState initial(system_);
        fill_particles([&](std::int64_t i) { return initial.particle<Particle>(i); });
        const TotalsRule rule(system_);
        auto totals = sum(rule);
        add_up_domains(std::span<double>(totals.value));
        const Vec3<Real> mean = vector_cast<Real>(rule.mean_velocity(totals));
        team_.run([&](int thread) {
            for (int axis = 0; axis < 3; ++axis) {
                Real* const velocities = particles_.now().column(3 + axis);
                for (std::int64_t i = particles_.first(thread); i < particles_.last(thread); ++i)
                    velocities[i] = velocities[i] - mean[axis];
            }
        });
    }

    /// Sums for the next collision, from the particles as they are.
    void contribute_all() {
        team_.run([&](int thread) {
            sums_.forget(thread);  // what was not collected
            for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
                sums_[c] = {};
                draws_.begin(plan_, static_cast<int>(c));
            }
            team_.wait();
            const auto places = sums_.places(thread);
            for (const Particle particle : particles_.of(thread)) {
                const CellPlace<Real> place = plan_.next_grid.locate(particle.position);
                sums_.add(thread, places, place.cell,
                          plan_.contribute(particle, place, next_draw(place.cell)));
            }
            sums_.offer_margins(thread);
            if constexpr (Border::is_open) {
                team_.wait();
                begin_exchange(plan_, thread, reorders_in(step_));
                end_exchange(plan_, thread);
            }
        });
    }

    [[nodiscard]] typename Law::Draw next_draw(int cell) const {
        return draws_.next(
            cell, [](const auto* draw) { return *draw; });
    }

    /// What one thread does.
    void run(std::int64_t count, int thread) {
        Plan plan = plan_;
        bool is_exchanging = false;
        for (std::int64_t i = 0; i < count; ++i) {
            const bool reorders = reorders_in(step_ + i);
            if (is_exchanging) {
                resolve_and_end_exchange(plan, thread, static_cast<std::uint64_t>(step_ + i));
            } else {
                plan.begin_step(system_, static_cast<std::uint64_t>(step_ + i));
                resolve(plan, thread, std::span(&cells_[thread].all, 1), reorders);
            }
            team_.wait();
            if (reorders) {
                place_cells(thread);
                team_.wait();
            }
            // Those that go to other domains bring velocities; sheared faces ask for their frames.
            const bool leaves_taken =
                TakesVelocities<Law> && i + 1 < count && !Border::is_open && !plan.grid.is_sheared();
            advance(plan, thread, reorders, leaves_taken);
            plan.are_taken = leaves_taken;
            team_.wait();
            if (reorders) {
                if (thread == 0) particles_.finish_reordering();
                team_.wait();
            }
            if constexpr (Border::is_open) {
                const bool reorders_next = reorders_in(step_ + i + 1);
                begin_exchange(plan, thread, reorders_next);
                // The next step goes on meanwhile, but for one that stores particles in the order of cells.
                is_exchanging = i + 1 < count && !reorders_next;
                if (!is_exchanging) end_exchange(plan, thread);
            }
        }
        team_.wait();
        if (thread == 0) plan_ = plan;
    }

    void resolve(const Plan& plan, int thread, std::span<const CellRange> cells, bool reorders) {
        sums_.collect(thread);
        Resolve<Law, Border> resolve{plan, cells, reorders, sums_, actions_.data(), draws_, slots_.data()};
        resolve.run(vectors_);
        if (reorders) particles_.set_next(thread, resolve.particles, std::move(resolve.marks));
        findings_.report(resolve.faults, plan.step);
    }

    /// Of a domain whose neighbours may not be done yet: what they have to say is waited for after all that
    /// does not need it. `plan` goes on to the step.
    void resolve_and_end_exchange(Plan& plan, int thread, std::uint64_t step) {
        if constexpr (Border::is_open) {
            const Plan before = plan;
            plan.begin_step(system_, step);
            resolve(plan, thread, cells_[thread].deep, false);
            end_exchange(before, thread);
            resolve(plan, thread, cells_[thread].others, false);
        }
    }

    /// The actions of the step to come, as resolve() will make them; nothing else changes. What is wrong with
    /// a cell, resolve() will say.
    void foresee(const Plan& plan, int thread) {
        sums_.collect(thread);
        const CellRange own{first_cell(thread), first_cell(thread + 1) - first_cell(thread)};
        Resolve<Law, Border> resolve{plan, {&own, 1}, false, sums_, actions_.data(), draws_, slots_.data()};
        resolve.only_foresees = true;
        resolve.run(vectors_);
    }

    /// Turns slots within a thread's cells into slots in memory.
    void place_cells(int thread) {
        const std::int64_t before = particles_.next_first(thread);
        for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
            slots_[c].front += before;
            slots_[c].back += before;
        }
    }

    void advance(const Plan& plan, int thread, bool reorders, bool leaves_taken) {
        Advance<Law, Particle, Border> advance{
            plan,  thread,          reorders, leaves_taken,  particles_,
            sums_, actions_.data(), draws_,   slots_.data(), exchange_.leaving(thread)};
        advance.run(vectors_);
        findings_.report(advance.faults, plan.step);
    }

    /// Of a domain, between its contributions and the next collision.
    void begin_exchange(const Plan& plan, int thread, bool reorders_next) {
        sums_.collect(thread);
        if (reorders_next) exchange_.count_own(cells_[thread].all);
        team_.wait();
        if (thread == 0) add_faults(exchange_.begin(plan));
    }
    void end_exchange(const Plan& plan, int thread) {
        if (thread == 0) exchange_.end(plan);
        team_.wait();
    }

    System system_;
    [[no_unique_address]] Border border_;
    Plan plan_;
    ThreadTeam team_;
    VectorUnits vectors_;
    int reorder_;
    std::int64_t step_ = 0;
    SharedParticles<Particle> particles_;
    SharedSums<Sums> sums_;
    RawArray<CellAction<Law>> actions_;
    RawArray<typename Law::Draw> kept_draws_;
    CellDraws<Law> draws_;
    RawArray<CellSlots> slots_;
    std::vector<CellRuns> cells_;  ///< by thread
    DomainExchange<Law, Particle, Border> exchange_;
    StepFindings<Border> findings_;
};

}  // namespace mpcflow
