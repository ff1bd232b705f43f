/// The host solver: the two verbs of a step on CPU threads.
///
/// Every thread owns a range of cells and, since the last re-ordering, the particles that were in them.
/// What its particles contribute to its own cells it adds directly; what they contribute to cells of
/// others goes to a list that the owner adds in `resolve`. The sums are exact, so the bits of the
/// result do not depend on who adds what when.

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "physics/collision/select_law.hpp"
#include "physics/errors.hpp"
#include "physics/host/thread_team.hpp"
#include "physics/initial_state.hpp"
#include "physics/observables/extremes.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/histogram_bins.hpp"
#include "physics/observables/mode_rule.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/observables/pair_centres.hpp"
#include "physics/observables/totals.hpp"
#include "physics/particle.hpp"
#include "physics/particle_records.hpp"
#include "physics/snapshot.hpp"
#include "physics/solver.hpp"
#include "physics/step.hpp"

namespace mpcflow {

namespace {

/// An array on whole cache lines that is not initialised, so that the threads which use its parts also
/// first touch them.
template <class T>
class RawArray {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    RawArray() = default;
    explicit RawArray(std::int64_t size)
        : data_(static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T), line))), size_(size) {}
    T& operator[](std::int64_t i) { return data_[i]; }
    const T& operator[](std::int64_t i) const { return data_[i]; }
    [[nodiscard]] std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

private:
    static constexpr std::align_val_t line{128};
    struct Free {
        void operator()(T* data) const { ::operator delete(data, line); }
    };
    std::unique_ptr<T[], Free> data_;
    std::int64_t size_ = 0;
};

template <class Law, class Particle>
class HostSolver final : public Solver {
public:
    HostSolver(const Law& law, const System& system, const SolverOptions& options)
        : system_(system),
          plan_(law, system),
          totals_rule_(system),
          bin_rule_(system, options.bins),
          flux_rule_(system, static_cast<double>(system.particle_count())),
          bin_flux_rule_(system, most_in_flux_sums * bin_rule_.occupancy_limit()),
          pressure_(options.pressure),
          team_(thread_count(options, system)),
          reorder_(options.reorder > 0 ? options.reorder : default_reorder),
          particle_count_(system.particle_count()),
          // The cell count of a grid does not depend on its shift.
          cell_count_(plan_.next_grid.cell_count()),
          particles_(particle_count_),
          reordered_(particle_count_),
          sums_(cell_count_),
          actions_(cell_count_),
          next_draws_(Law::contributes_rotated ? cell_count_ : 0),
          places_(cell_count_),
          workers_(team_.size()),
          block_(make_field_block(bin_rule_.bin_count(), pressure_)),
          bin_sums_(bin_rule_.bin_count() * team_.size()),
          pressure_sums_(pressure_ == PressureFields::sampled ? bin_sums_.size() : 0) {
        for (Worker& worker : workers_) worker.spilled.resize(team_.size());
        create_particles();
        contribute_all();
    }

    void run(std::int64_t count) override {
        team_.run([&](int thread) {
            StepPlan<Law> plan = plan_;
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
                if (thread == 0) {
                    if (reorders) finish_reordering();
                }
                if (reorders) team_.wait();
            }
            team_.wait();
            if (thread == 0) plan_ = plan;
        });
        step_ += count;
        throw_on_faults(faults_.load(), step_, system_);
    }

    [[nodiscard]] std::int64_t current_step() const override { return step_; }

    [[nodiscard]] std::int64_t fast_steps() const override { return fast_steps_; }

    [[nodiscard]] Totals totals() override { return totals_rule_.totals(sum_totals()); }

    [[nodiscard]] Extremes extremes() override {
        struct alignas(128) Part {  // a cache line for each thread
            ExtremesSoFar extremes;
        };
        std::vector<Part> parts(team_.size());
        for_all_particles([&](int thread, const Particle& p) { parts[thread].extremes.add_speed_squared(speed_squared(p)); });
        for_whole_cells([&](int thread, double count) { parts[thread].extremes.add_cell(count); });
        ExtremesSoFar all;
        for (const Part& part : parts) all.add(part.extremes);
        return all.extremes();
    }

    [[nodiscard]] std::uint64_t state_hash() override {
        std::vector<std::uint64_t> parts(team_.size(), 0);
        for_all_particles([&](int thread, const Particle& p) { parts[thread] += particle_hash(p); });
        std::uint64_t hash = 0;
        for (const std::uint64_t part : parts) hash += part;
        return hash;
    }

    void sample_fields() override {
        const std::int64_t bins = bin_rule_.bin_count();
        if (bins == 0) throw std::logic_error("sample_fields: no bins were asked for");
        std::fill(bin_sums_.begin(), bin_sums_.end(), BinSums{});
        for_all_particles([&](int thread, const Particle& p) {
            BinSums& bin = bin_sums_[thread * bins + bin_rule_.bin(p.position)];
            const BinSums part = bin_rule_.contribute(p);
            for (int i = 0; i < BinSums::count; ++i) bin.value[i] += part.value[i];
        });
        for (std::int64_t b = 0; b < bins; ++b) {
            BinSums sum;
            for (int thread = 0; thread < team_.size(); ++thread) {
                for (int i = 0; i < BinSums::count; ++i) sum.value[i] += bin_sums_[thread * bins + b].value[i];
            }
            if (sum.value[0] > bin_rule_.occupancy_limit()) faults_ |= fault_bin;
            BinRule::fold(sum, system_.fluid.mass, block_.bins[b]);
        }
        if (pressure_ == PressureFields::sampled) sample_pressure();
        ++block_.samples;
        throw_on_faults(faults_.load(), step_, system_);
    }

    [[nodiscard]] FieldBlock take_field_block() override {
        return std::exchange(block_, make_field_block(bin_rule_.bin_count(), pressure_));
    }

    [[nodiscard]] MomentumFlux momentum_flux() override {
        struct alignas(128) Part {  // cache lines for each thread
            MomentumFluxSums flux;
            WallSums walls;
        };
        std::vector<Part> parts(team_.size());
        for_all_fluxes(flux_rule_, [&](int thread, const ParticleFlux<Real>& flux) {
            parts[thread].flux += flux_rule_.contribute(flux);
            if (flux_rule_.has_walls()) flux_rule_.add_to_walls(flux, parts[thread].walls);
        });
        Part all;
        for (const Part& part : parts) {
            all.flux += part.flux;
            all.walls += part.walls;
        }
        return mpcflow::momentum_flux(all.flux, all.walls, system_);
    }

    void put_field_block(const FieldBlock& block) override {
        check_bins(block, bin_rule_.bin_count(), pressure_);
        block_ = block;
    }

    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) override {
        check_snapshot(system_, snapshot);
        step_ = snapshot.step;
        plan_.go_to(system_, static_cast<std::uint64_t>(step_));
        fast_steps_ = fast_steps;
        last_fast_step_ = ~std::uint64_t{0};
        static_cast<void>(take_field_block());
        fill_particles([&](std::int64_t i) { return take_from_snapshot<Particle>(snapshot, i); });
        for (Worker& worker : workers_) {
            for (std::vector<Spilled>& spilled : worker.spilled) spilled.clear();
        }
        contribute_all();
    }

    void sample_histograms(Histograms& histograms) override {
        const SpeedBins speed_bins(system_.fluid, histograms);
        count_into(histograms.speed, [&](std::vector<std::vector<std::uint64_t>>& counts) {
            for_all_particles([&](int thread, const Particle& p) { ++counts[thread][speed_bins.bin(p)]; });
        });
        const OccupancyBins occupancy_bins(histograms);
        count_into(histograms.occupancy, [&](std::vector<std::vector<std::uint64_t>>& counts) {
            for_whole_cells([&](int thread, double count) { ++counts[thread][occupancy_bins.bin(count)]; });
        });
        ++histograms.samples;
    }

    void count_pairs(const PairCentres& centres, std::vector<std::uint64_t>& counts) override {
        count_into(counts, [&](std::vector<std::vector<std::uint64_t>>& parts) {
            for_all_particles([&](int thread, const Particle& p) {
                centres.rule().for_centres_near(p, centres.cells(), [&](int bin) { ++parts[thread][bin]; });
            });
        });
    }

    [[nodiscard]] std::vector<double> velocity_modes(const WaveNumbers& waves) override {
        const ModeRule rule(system_, waves);
        std::vector<std::vector<ModeTotals>> parts(team_.size());
        team_.run([&](int thread) {
            std::vector<ModeTotals> totals(rule.parts());
            const Worker& worker = workers_[thread];
            for (std::int64_t first = worker.first_particle; first < worker.last_particle; first += ModeRule::most_added) {
                const std::int64_t last = std::min(first + ModeRule::most_added, worker.last_particle);
                for (int part = 0; part < rule.parts(); ++part) {
                    ModeSums sums;
                    for (std::int64_t i = first; i < last; ++i) rule.add(rule.part(part), particles_[i], sums);
                    totals[part] += rule.split(sums);
                }
            }
            parts[thread] = std::move(totals);
        });
        for (int thread = 1; thread < team_.size(); ++thread) {
            for (int part = 0; part < rule.parts(); ++part) parts[0][part] += parts[thread][part];
        }
        return rule.modes(parts[0]);
    }

    void copy_particles(ParticleRecords& records) override {
        const std::span<Particle> to = records.begin<Particle>(step_, particle_count_);
        for_all_particles([&](int, const Particle& p) { to[p.id()] = p; });
    }

    void copy_selection(const Selection& selection, ParticleRecords& records) override {
        const SelectionRule rule(system_, selection);
        std::vector<std::vector<Particle>> parts(team_.size());
        for_all_particles([&](int thread, const Particle& p) {
            if (rule.contains(p)) parts[thread].push_back(p);
        });
        std::int64_t count = 0;
        for (const std::vector<Particle>& part : parts) count += static_cast<std::int64_t>(part.size());
        auto to = records.begin<Particle>(step_, count).begin();
        for (const std::vector<Particle>& part : parts) to = std::copy(part.begin(), part.end(), to);
    }

    [[nodiscard]] std::string device_description() const override {
        return "CPU, " + std::to_string(team_.size()) + (team_.size() == 1 ? " thread" : " threads");
    }
    [[nodiscard]] int reorder_interval() const override { return reorder_; }
    [[nodiscard]] std::int64_t memory_bytes() const override {
        return particles_.bytes() + reordered_.bytes() + sums_.bytes() + actions_.bytes() +
               next_draws_.bytes() + places_.bytes();
    }

private:
    using Real = typename Law::Real;
    using Sums = typename Law::Sums;

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
        std::int64_t last_particle = 0;  ///< one past
        std::int64_t own_particles = 0;  ///< in its cells, counted when re-ordering
        std::vector<std::vector<Spilled>> spilled;  ///< by owner
    };

    static int thread_count(const SolverOptions& options, const System& system) {
        const int wanted = options.threads > 0 ? options.threads
                                               : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        // A thread needs some cells to own.
        return static_cast<int>(std::clamp<std::int64_t>(system.box.volume() / 8, 1, wanted));
    }

    [[nodiscard]] std::int64_t first_cell(int thread) const { return cell_count_ * thread / team_.size(); }
    [[nodiscard]] int owner(std::int64_t cell) const {
        return static_cast<int>(((cell + 1) * team_.size() - 1) / cell_count_);
    }

    template <class Function>
    void for_all_particles(const Function& function) {
        team_.run([&](int thread) {
            const Worker& worker = workers_[thread];
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i) function(thread, particles_[i]);
        });
    }

    /// Calls function(thread, number of particles) for each whole cell of the next collision.
    template <class Function>
    void for_whole_cells(const Function& function) {
        team_.run([&](int thread) {
            collect_spilled(thread);
            for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
                if (plan_.next_grid.is_whole(static_cast<int>(c))) function(thread, sums_[c].value[0]);
            }
        });
    }

    /// Calls function(thread, flux) with what each particle does in the step to come.
    template <class Function>
    void for_all_fluxes(const MomentumFluxRule<Real>& rule, const Function& function) {
        StepPlan<Law> plan = plan_;
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

    /// Adds one sample of the flux to the current block.
    void sample_pressure() {
        const std::int64_t bins = bin_rule_.bin_count();
        std::fill(pressure_sums_.begin(), pressure_sums_.end(), PressureBinSums{});
        for_all_fluxes(bin_flux_rule_, [&](int thread, const ParticleFlux<Real>& flux) {
            PressureBinSums* const sums = &pressure_sums_[thread * bins];
            double added[PressureBinSums::count];
            bin_flux_rule_.put_in_bin_of_flight(flux, added);
            bin_flux_rule_.put_collisional(flux, added + PressureBinSums::in_flight);
            double* const in_flight = sums[bin_rule_.bin(flux.mid_flight_place)].value;
            double* const at_centre = sums[bin_rule_.bin(flux.cell_centre)].value;
            for (int i = 0; i < PressureBinSums::in_flight; ++i) in_flight[i] += added[i];
            for (int i = PressureBinSums::in_flight; i < PressureBinSums::count; ++i) at_centre[i] += added[i];
        });
        for (std::int64_t b = 0; b < bins; ++b) {
            PressureBinSums sum;
            for (int thread = 0; thread < team_.size(); ++thread) {
                for (int i = 0; i < PressureBinSums::count; ++i) sum.value[i] += pressure_sums_[thread * bins + b].value[i];
            }
            fold_pressure(sum, system_.fluid.mass, system_.collision.time_step, block_.pressure[b]);
        }
    }

    /// Calls count(bins for each thread), and adds them to `sums`.
    template <class Count>
    void count_into(std::vector<std::uint64_t>& sums, const Count& count) {
        std::vector<std::vector<std::uint64_t>> parts(team_.size(), std::vector<std::uint64_t>(sums.size()));
        count(parts);
        for (const std::vector<std::uint64_t>& part : parts) {
            for (std::size_t bin = 0; bin < sums.size(); ++bin) sums[bin] += part[bin];
        }
    }

    TotalsSums sum_totals() {
        std::vector<TotalsSums> parts(team_.size());
        team_.run([&](int thread) {
            TotalsSums sums;
            const Worker& worker = workers_[thread];
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i) {
                sums += totals_rule_.contribute(particles_[i]);
            }
            parts[thread] = sums;
        });
        TotalsSums sums;
        for (const TotalsSums& part : parts) sums += part;
        return sums;
    }

    /// Shares the particles out to the threads; make(id) gives each.
    template <class Make>
    void fill_particles(const Make& make) {
        team_.run([&](int thread) {
            Worker& worker = workers_[thread];
            worker.first_particle = particle_count_ * thread / team_.size();
            worker.last_particle = particle_count_ * (thread + 1) / team_.size();
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i) particles_[i] = make(i);
        });
    }

    void create_particles() {
        const InitialState initial(system_);
        fill_particles([&](std::int64_t i) { return initial.particle<Particle>(i); });
        const Vec3<Real> mean = vector_cast<Real>(totals_rule_.mean_velocity(sum_totals()));
        team_.run([&](int thread) {
            const Worker& worker = workers_[thread];
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i) {
                particles_[i].velocity = particles_[i].velocity - mean;
            }
        });
    }

    /// Sums for the next collision, from the particles as they are.
    void contribute_all() {
        team_.run([&](int thread) {
            for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
                sums_[c] = {};
                if constexpr (Law::contributes_rotated) next_draws_[c] = Law::draw(plan_.next_key(static_cast<int>(c)));
            }
            team_.wait();
            const Worker& worker = workers_[thread];
            for (std::int64_t i = worker.first_particle; i < worker.last_particle; ++i) {
                const CellPlace<Real> place = plan_.next_grid.locate(particles_[i].position);
                add(thread, place.cell, plan_.law.contribute(next_draw(place.cell), particles_[i].velocity, place.offset));
            }
        });
    }

    [[nodiscard]] typename Law::Draw next_draw(int cell) const {
        if constexpr (Law::contributes_rotated) return next_draws_[cell];
        else return {};
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
        if ((faults & notice_fast) != 0 && last_fast_step_.exchange(step) != step) ++fast_steps_;
    }

    void resolve(const StepPlan<Law>& plan, int thread, bool reorders) {
        collect_spilled(thread);
        std::uint32_t faults = no_fault;
        std::int64_t own = 0;
        for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
            const int cell = static_cast<int>(c);
            CellAction<Law>& action = actions_[c];
            if constexpr (Law::contributes_rotated) {
                action.draw = std::exchange(next_draws_[c], Law::draw(plan.next_key(cell)));
            } else {
                action.draw = Law::draw(plan.key(cell));
            }
            action.transform = plan.resolve(cell, sums_[c], action.draw, faults);
            if (reorders) {
                places_[c] = own;
                own += static_cast<std::int64_t>(sums_[c].value[0]);
            }
            sums_[c] = {};
        }
        workers_[thread].own_particles = own;
        report(faults, plan.step);
    }

    /// The actions of the step to come, as resolve() will make them; nothing else changes. What is wrong with a cell,
    /// resolve() will say.
    void foresee(const StepPlan<Law>& plan, int thread) {
        collect_spilled(thread);
        std::uint32_t faults = no_fault;
        for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) {
            const int cell = static_cast<int>(c);
            CellAction<Law>& action = actions_[c];
            if constexpr (Law::contributes_rotated) action.draw = next_draws_[c];
            else action.draw = Law::draw(plan.key(cell));
            action.transform = plan.resolve(cell, sums_[c], action.draw, faults);
        }
    }

    /// Turns places within a thread's cells into places in memory.
    void place_cells(int thread) {
        std::int64_t before = 0;
        for (int t = 0; t < thread; ++t) before += workers_[t].own_particles;
        for (std::int64_t c = first_cell(thread); c < first_cell(thread + 1); ++c) places_[c] += before;
    }

    /// Flattened: calls into the law that are left in this loop cost nearly half of its speed.
    template <bool reorders>
    [[gnu::flatten]] void advance(const StepPlan<Law>& plan, int thread) {
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
            const Sums sums = plan.law.contribute(next_draw(next.cell), particle.velocity, next.offset);
            // One comparison for both ends of the range.
            if (static_cast<std::uint64_t>(next.cell - first) < own_cells) sums_[next.cell] += sums;
            else spill(thread, next.cell, sums);
            if constexpr (reorders) {
                // Particles that drifted since the last re-ordering are in cells of another thread.
                const std::int64_t to = std::atomic_ref(places_[place.cell]).fetch_add(1, std::memory_order_relaxed);
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

    System system_;
    StepPlan<Law> plan_;
    TotalsRule totals_rule_;
    BinRule bin_rule_;
    MomentumFluxRule<Real> flux_rule_;
    MomentumFluxRule<Real> bin_flux_rule_;
    PressureFields pressure_;
    ThreadTeam team_;
    int reorder_;
    std::int64_t step_ = 0;
    std::int64_t particle_count_;
    std::int64_t cell_count_;
    RawArray<Particle> particles_;
    RawArray<Particle> reordered_;
    RawArray<Sums> sums_;
    RawArray<CellAction<Law>> actions_;
    RawArray<typename Law::Draw> next_draws_;
    RawArray<std::int64_t> places_;
    std::vector<Worker> workers_;
    std::atomic<std::uint32_t> faults_{no_fault};
    std::atomic<std::uint64_t> last_fast_step_{~std::uint64_t{0}};
    std::atomic<std::int64_t> fast_steps_{0};
    FieldBlock block_;
    std::vector<BinSums> bin_sums_;
    std::vector<PressureBinSums> pressure_sums_;
};

template <class Particle>
std::unique_ptr<Solver> make_for_particle(const System& system, const SolverOptions& options) {
    return visit_law<typename Particle::Real>(system, [&](const auto& law) -> std::unique_ptr<Solver> {
        return std::make_unique<HostSolver<std::decay_t<decltype(law)>, Particle>>(law, system, options);
    });
}

}  // namespace

std::unique_ptr<Solver> make_host_solver(const System& system, const SolverOptions& options) {
    try {
        return options.precision == Precision::mixed ? make_for_particle<ParticleMixed>(system, options)
                                                     : make_for_particle<ParticleDouble>(system, options);
    } catch (const std::bad_alloc&) {
        throw EnvironmentError("not enough memory for " + std::to_string(system.particle_count()) +
                               " particles; use a smaller box.size, a lower fluid.density or precision: mixed");
    }
}

}  // namespace mpcflow
