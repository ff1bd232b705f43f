#pragma once
/// The two verbs of a step on CPU threads, and the state that they work on.
///
/// Every thread owns a range of cells and, since the last re-ordering, the particles that were in them.
/// What its particles contribute to its own cells it adds directly; what they contribute to cells of
/// others goes to a list that the owner adds in `resolve`. The sums are exact, so the bits of the
/// result do not depend on who adds what when.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "physics/cell_grid.hpp"
#include "physics/domain/border.hpp"
#include "physics/host/raw_array.hpp"
#include "physics/host/thread_team.hpp"
#include "physics/initial_state.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/observables/totals.hpp"
#include "physics/particle.hpp"
#include "physics/solver.hpp"
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

    HostFluid(const Law& law, const System& system, const SolverOptions& options, Border border = {})
        : system_(system),
          border_(std::move(border)),
          plan_(law, system, border_.first_grid(system)),
          team_(thread_count(options, system)),
          reorder_(options.reorder > 0 ? options.reorder : default_reorder),
          particle_count_(Border::is_open ? 0
                                          : system.particle_count()),  // a domain makes room for what comes
          // The cell count of a grid does not depend on its shift.
          cell_count_(plan_.next_grid.cell_count()),
          particles_(particle_count_),
          reordered_(particle_count_),
          sums_(cell_count_),
          actions_(cell_count_),
          kept_draws_(CellDraws<Law>::kept(cell_count_)),
          draws_(kept_draws_.data()),
          places_(cell_count_),
          workers_(team_.size()) {
        for (int thread = 0; thread < team_.size(); ++thread) {
            workers_[thread].spilled.resize(team_.size());
            for (int owner = 0; owner < team_.size(); ++owner) {
                workers_[thread].spilled[owner].reserve(
                    room_for_spilled(plan_.next_grid, particle_count_, team_.size(), thread, owner));
            }
        }
        create_particles();
        contribute_all();
    }

    /// What one takes of the machine.
    [[nodiscard]] static HostNeeds needs(const Law& law, const System& system, const SolverOptions& options) {
        const int threads = thread_count(options, system);
        const auto grid = StepPlan<Law>(law, system).next_grid;
        constexpr std::int64_t bytes_of_cell = sizeof(Sums) + sizeof(CellAction<Law>) + sizeof(std::int64_t) +
                                               CellDraws<Law>::kept(1) * sizeof(typename Law::Draw);
        const std::int64_t particles = system.particle_count();
        std::int64_t spilled = 0;
        for (int thread = 0; thread < threads; ++thread)
            for (int owner = 0; owner < threads; ++owner)
                spilled += room_for_spilled(grid, particles, threads, thread, owner);
        return {2 * particles * static_cast<std::int64_t>(sizeof(Particle)) +
                    grid.cell_count() * bytes_of_cell + spilled * static_cast<std::int64_t>(sizeof(Spilled)),
                threads};
    }

    [[nodiscard]] std::int64_t particle_count() const { return particle_count_; }
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] std::int64_t fast_steps() const { return fast_steps_; }
    [[nodiscard]] int threads() const { return team_.size(); }
    [[nodiscard]] int reorder_interval() const { return reorder_; }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return particles_.bytes() + reordered_.bytes() + sums_.bytes() + actions_.bytes() +
               kept_draws_.bytes() + places_.bytes();
    }

    /// Notes what is wrong with the state.
    void add_faults(std::uint32_t faults) { faults_ |= faults; }
    /// Throws SimulationFault where something is.
    void check() const { throw_on_faults(faults_.load(), step_, system_); }

    /// Runs `count` steps; throws SimulationFault where the state went wrong on the way.
    void run(std::int64_t count) {
        team_.run([&](int thread) { run(count, thread); });
        step_ += count;
        if constexpr (Border::is_open) agree();
        check();
    }

    /// Goes on from the state after `step` steps, of which `fast_steps` were fast; make(id) gives each
    /// particle.
    template <class Make>
    void restore(std::int64_t step, std::int64_t fast_steps, const Make& make) {
        step_ = step;
        plan_.go_to(system_, static_cast<std::uint64_t>(step_));
        fast_steps_ = fast_steps;
        last_fast_step_ = ~std::uint64_t{0};
        fill_particles(make);
        for (Worker& worker : workers_)
            for (std::vector<Spilled>& spilled : worker.spilled) spilled.clear();
        contribute_all();
    }

    /// Calls function(thread, particles of this thread).
    template <class Function>
    void for_each_thread(const Function& function) {
        team_.run([&](int thread) {
            const Worker& worker = workers_[thread];
            const auto count = static_cast<std::size_t>(worker.last_particle - worker.first_particle);
            function(thread, std::span<const Particle>(particles_.data() + worker.first_particle, count));
        });
    }

    /// Calls function(thread, particle) for each.
    template <class Function>
    void for_all_particles(const Function& function) {
        for_each_thread([&](int thread, std::span<const Particle> particles) {
            for (const Particle& particle : particles) function(thread, particle);
        });
    }

    /// Adds up what the particles contribute by a rule.
    template <class Rule>
    [[nodiscard]] typename Rule::Sums sum(const Rule& rule) {
        std::vector<typename Rule::Sums> parts(team_.size());
        for_each_thread([&](int thread, std::span<const Particle> particles) {
            typename Rule::Sums sums;
            for (const Particle& particle : particles) sums += rule.contribute(particle);
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
            collect_spilled(thread);
            for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
                const int cell = static_cast<int>(c);
                if (plan_.next_grid.owns(cell) && plan_.next_grid.is_whole(cell))
                    function(thread, sums_[c].number());
            }
        });
    }

    /// Calls function(thread, flux) with what each particle does in the step to come.
    template <class Function>
    void for_all_fluxes(const MomentumFluxRule<Real>& rule, const Function& function) {
        Plan plan = plan_;
        plan.begin_step(system_, static_cast<std::uint64_t>(step_));
        team_.run([&](int thread) {
            foresee(plan, thread);
            team_.wait();
            const Worker& worker = workers_[thread];
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i) {
                const CellPlace<Real> place = plan.grid.locate(particles_[i].position);
                function(thread, rule.measure(plan, particles_[i], place, actions_[place.cell]));
            }
        });
    }

private:
    using Sums = typename Law::Sums;
    using Plan = StepPlan<Law, Grid>;

    /// Longer and the caches miss, shorter and the scattered stores cost more than they save
    /// (docs/performance.md).
    static constexpr int default_reorder = 10;
    static constexpr std::int64_t prefetch_distance = 16;

    struct Spilled {
        std::int32_t cell;
        Sums sums;
    };
    /// What one thread has for itself, on cache lines of its own.
    struct alignas(128) Worker {
        std::int64_t first_particle = 0;
        std::int64_t last_particle = 0;             ///< one past
        std::int64_t own_particles = 0;             ///< in its cells, counted when re-ordering
        std::vector<std::vector<Spilled>> spilled;  ///< by owner
        /// Particles that are now off a domain's grid, and their places.
        std::vector<std::pair<std::int64_t, Particle>> leaving;
    };

    static int thread_count(const SolverOptions& options, const System& system) {
        const int wanted = options.threads > 0
                               ? options.threads
                               : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        // A thread needs some cells to own.
        return static_cast<int>(std::clamp<std::int64_t>(system.box.volume() / 8, 1, wanted));
    }

    /// Contributions of a thread to the cells of another one: as many as there are at most, but for odd
    /// cases, so that lists need not grow, and it is known before what they take. Before the first
    /// re-ordering a particle may be in anybody's cells; from then on in those of neighbours along z, where
    /// it comes by flight and by the shift of the grid from up to about a layer of cells.
    static std::int64_t room_for_spilled(const Grid& grid, std::int64_t particles, int threads, int thread,
                                         int owner) {
        if (thread == owner) return 0;
        constexpr double deviations = 6.0;
        const int apart = std::abs(thread - owner);
        const bool are_neighbours = apart == 1 || apart == threads - 1;
        const double layers = static_cast<double>(grid.layer_count()) / threads;
        const double at_first = 1.0 / threads;
        const double later = are_neighbours ? std::min(1.0, 1.0 / layers) : 0.0;
        const double mean = static_cast<double>(particles) / threads * std::max(at_first, later);
        return static_cast<std::int64_t>(mean + deviations * std::sqrt(mean)) + 16;
    }

    [[nodiscard]] std::int64_t first_cell(int thread) const { return cell_count_ * thread / team_.size(); }
    [[nodiscard]] int owner(std::int64_t cell) const {
        return static_cast<int>(((cell + 1) * team_.size() - 1) / cell_count_);
    }

    /// Shares the particles out to the threads; make(id) gives each. A domain takes those in its own cells.
    template <class Make>
    void fill_particles(const Make& make) {
        if constexpr (Border::is_open) {
            particle_count_ = 0;
            for (std::int64_t id = 0; id < system_.particle_count(); ++id) {
                const Particle particle = make(id);
                if (plan_.next_grid.owner(particle.position) == plan_.next_grid.number()) append(particle);
            }
        }
        team_.run([&](int thread) {
            Worker& worker = workers_[thread];
            worker.first_particle = particle_count_ * thread / team_.size();
            worker.last_particle = particle_count_ * (thread + 1) / team_.size();
            if constexpr (Border::is_open) return;
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i)
                particles_[i] = make(i);
        });
    }

    void create_particles() {
        const InitialState initial(system_);
        fill_particles([&](std::int64_t i) { return initial.particle<Particle>(i); });
        const TotalsRule rule(system_);
        auto totals = sum(rule);
        if constexpr (Border::is_open)
            for (const auto& theirs : border_.gather(std::vector{totals})) totals += theirs.front();
        const Vec3<Real> mean = vector_cast<Real>(rule.mean_velocity(totals));
        team_.run([&](int thread) {
            const Worker& worker = workers_[thread];
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i)
                particles_[i].velocity = particles_[i].velocity - mean;
        });
    }

    /// Sums for the next collision, from the particles as they are.
    void contribute_all() {
        team_.run([&](int thread) {
            for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
                sums_[c] = {};
                draws_.begin(plan_, static_cast<int>(c));
            }
            team_.wait();
            const Worker& worker = workers_[thread];
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i) {
                const CellPlace<Real> place = plan_.next_grid.locate(particles_[i].position);
                add(thread, place.cell, plan_.contribute(particles_[i], place, next_draw(place.cell)));
            }
            if constexpr (Border::is_open) {
                team_.wait();
                exchange(plan_, thread);
            }
        });
    }

    [[nodiscard]] typename Law::Draw next_draw(int cell) const {
        return draws_.next(
            cell, [](const auto* draw) { return *draw; });
    }

    void add(int thread, int cell, const Sums& sums) {
        if (cell >= first_cell(thread) && cell < first_cell(thread + 1)) sums_[cell] += sums;
        else spill(thread, cell, sums);
    }

    [[gnu::noinline]] void spill(int thread, int cell, const Sums& sums) {
        workers_[thread].spilled[owner(cell)].push_back({cell, sums});
    }

    /// Adds what others contributed to the cells of a thread.
    void collect_spilled(int thread) {
        for (Worker& worker : workers_) {
            for (const Spilled& spilled : worker.spilled[thread]) sums_[spilled.cell] += spilled.sums;
            worker.spilled[thread].clear();
        }
    }

    void report(std::uint32_t faults, std::uint64_t step) {
        if (faults == no_fault) return;
        faults_ |= faults & ~notice_fast;
        // The first thread to tell of a step counts it.
        if ((faults & notice_fast) == 0 || last_fast_step_.exchange(step) == step) return;
        if constexpr (Border::is_open) fast_steps_of_run_.push_back(step);
        else ++fast_steps_;
    }

    /// What one thread does. Flattened: calls into the law that are left in the loops over particles and
    /// cells cost nearly half of their speed, calls of these loops three per cent.
    [[gnu::flatten]] void run(std::int64_t count, int thread) {
        Plan plan = plan_;
        for (std::int64_t i = 0; i < count; ++i) {
            plan.begin_step(system_, static_cast<std::uint64_t>(step_ + i));
            const bool reorders = (step_ + i) % reorder_ == 0;
            resolve(plan, thread, reorders);
            team_.wait();
            if (reorders) {
                place_cells(thread);
                team_.wait();
                advance<true>(plan, thread);
            } else {
                advance<false>(plan, thread);
            }
            team_.wait();
            if (reorders) {
                if (thread == 0) finish_reordering();
                team_.wait();
            }
            if constexpr (Border::is_open) exchange(plan, thread);
        }
        team_.wait();
        if (thread == 0) plan_ = plan;
    }

    void resolve(const Plan& plan, int thread, bool reorders) {
        collect_spilled(thread);
        std::uint32_t faults = no_fault;
        std::int64_t own = 0;
        for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
            const int cell = static_cast<int>(c);
            CellAction<Law>& action = actions_[c];
            action.set_draw(draws_.take(plan, cell));
            action.transform = plan.resolve(cell, sums_[c], action.draw(), faults);
            if (reorders) {
                const auto here = Border::is_open ? places_[c] : static_cast<std::int64_t>(sums_[c].number());
                places_[c] = own;
                own += here;
            }
            sums_[c] = {};
        }
        workers_[thread].own_particles = own;
        report(faults, plan.step);
    }

    /// The actions of the step to come, as resolve() will make them; nothing else changes. What is wrong with
    /// a cell, resolve() will say.
    void foresee(const Plan& plan, int thread) {
        collect_spilled(thread);
        std::uint32_t faults = no_fault;
        for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
            const int cell = static_cast<int>(c);
            CellAction<Law>& action = actions_[c];
            action.set_draw(draws_.present(plan, cell));
            action.transform = plan.resolve(cell, sums_[c], action.draw(), faults);
        }
    }

    /// Turns places within a thread's cells into places in memory.
    void place_cells(int thread) {
        std::int64_t before = 0;
        for (int t = 0; t < thread; ++t) before += workers_[t].own_particles;
        for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) places_[c] += before;
    }

    template <bool reorders>
    void advance(const Plan& plan, int thread) {
        std::uint32_t faults = no_fault;
        const Worker& worker = workers_[thread];
        const std::int64_t first = first_cell(thread);
        const auto own_cells = static_cast<std::uint64_t>(first_cell(thread + 1) - first);
        for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i) {
            // The processor's own prefetching comes late for records: a fifth of the speed.
            __builtin_prefetch(&particles_[std::min(i + prefetch_distance, worker.last_particle - 1)], 1);
            Particle particle = particles_[i];
            const CellPlace<Real> place = plan.grid.locate(particle.position);
            const CellAction<Law>& action = actions_[place.cell];
            plan.collide_and_stream(particle, place, action, faults);
            const CellPlace<Real> next = plan.next_grid.locate(particle.position);
            if constexpr (Border::is_open) {
                if (next.cell == no_cell) {
                    const std::int64_t to = reorders ? std::atomic_ref(places_[place.cell]).fetch_add(1) : i;
                    workers_[thread].leaving.emplace_back(to, particle);
                    continue;
                }
            }
            const Sums sums = plan.contribute(particle, next, next_draw(next.cell));
            // One comparison for both ends of the range.
            if (static_cast<std::uint64_t>(next.cell - first) < own_cells) sums_[next.cell] += sums;
            else spill(thread, next.cell, sums);
            if constexpr (reorders) {
                // Particles that drifted since the last re-ordering are in cells of another thread.
                const std::int64_t to =
                    std::atomic_ref(places_[place.cell]).fetch_add(1, std::memory_order_relaxed);
                reordered_[to] = particle;
            } else {
                particles_[i] = particle;
            }
        }
        report(faults, plan.step);
    }

    void finish_reordering() {
        std::swap(particles_, reordered_);
        std::int64_t first = 0;
        for (Worker& worker : workers_) {
            worker.first_particle = first;
            worker.last_particle = first += worker.own_particles;
        }
    }

    /// Of a domain, between its contributions and the next collision. From then on the sums are those of all
    /// particles, and places_ has how many of them are this domain's.
    void exchange(const Plan& plan, int thread) {
        collect_spilled(thread);
        for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c)
            places_[c] = static_cast<std::int64_t>(sums_[c].number());
        team_.wait();
        if (thread == 0) {
            exchange_particles(plan);
            border_.exchange_sums(sums_);
        }
        team_.wait();
    }

    /// Those off the grid leave; those that come contribute.
    void exchange_particles(const Plan& plan) {
        std::vector<std::int64_t> free;
        std::vector<Particle> leaving;
        for (Worker& worker : workers_) {
            for (const auto& [place, particle] : worker.leaving) {
                free.push_back(place);
                leaving.push_back(particle);
            }
            worker.leaving.clear();
        }
        std::uint32_t faults = no_fault;
        const auto came = border_.exchange_particles(plan.next_grid, leaving, faults);
        add_faults(faults);
        // The last particles close the gaps.
        std::ranges::sort(free);
        for (; !free.empty(); free.pop_back()) particles_[free.back()] = particles_[--particle_count_];
        for (const Particle& particle : came) {
            const CellPlace<Real> place = plan.next_grid.locate(particle.position);
            sums_[place.cell] += plan.contribute(particle, place, next_draw(place.cell));
            ++places_[place.cell];
            append(particle);
        }
        for (Worker& worker : workers_) {
            worker.first_particle = std::min(worker.first_particle, particle_count_);
            worker.last_particle = std::min(worker.last_particle, particle_count_);
        }
        workers_.back().last_particle = particle_count_;
    }

    void append(const Particle& particle) {
        if (particle_count_ == particles_.size()) {
            RawArray<Particle> larger(64 + particle_count_ + particle_count_ / 4);
            std::copy_n(particles_.data(), particle_count_, larger.data());
            particles_ = std::move(larger);
            reordered_ = RawArray<Particle>(particles_.size());
        }
        particles_[particle_count_++] = particle;
    }

    /// All domains have the faults of each, and count a step in which any has a fast particle.
    void agree() {
        fast_steps_of_run_.push_back(faults_);
        std::vector<std::vector<std::uint64_t>> reports = border_.gather(fast_steps_of_run_);
        reports.push_back(std::exchange(fast_steps_of_run_, {}));
        std::set<std::uint64_t> fast_steps;
        for (const std::vector<std::uint64_t>& report : reports) {
            faults_ |= static_cast<std::uint32_t>(report.back());
            fast_steps.insert(report.begin(), report.end() - 1);
        }
        fast_steps_ += static_cast<std::int64_t>(fast_steps.size());
    }

    System system_;
    [[no_unique_address]] Border border_;
    Plan plan_;
    ThreadTeam team_;
    int reorder_;
    std::int64_t step_ = 0;
    std::int64_t particle_count_;
    std::int64_t cell_count_;
    RawArray<Particle> particles_;
    RawArray<Particle> reordered_;
    RawArray<Sums> sums_;
    RawArray<CellAction<Law>> actions_;
    RawArray<typename Law::Draw> kept_draws_;
    CellDraws<Law> draws_;
    RawArray<std::int64_t> places_;
    std::vector<Worker> workers_;
    std::atomic<std::uint32_t> faults_{no_fault};
    std::atomic<std::uint64_t> last_fast_step_{~std::uint64_t{0}};
    std::atomic<std::int64_t> fast_steps_{0};
    std::vector<std::uint64_t> fast_steps_of_run_;  ///< of this domain
};

}  // namespace mpcflow
