#pragma once
/// The fluid of a domain of the box on a device: the verbs of a step, the memory that they work on, and what
/// it exchanges with others. docs/design.md tells when.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/deep_cells.cuh"
#include "gpu/deep_tiles.hpp"
#include "gpu/device_cells.cuh"
#include "gpu/device_reporter.cuh"
#include "gpu/device_surfaces.cuh"
#include "gpu/domain_kernels.cuh"
#include "gpu/domain_particles.cuh"
#include "gpu/execution_choice.hpp"
#include "gpu/halo_sums.cuh"
#include "gpu/left_over.hpp"
#include "gpu/migration.cuh"
#include "gpu/particle_kernels.cuh"
#include "gpu/tile_kernels.cuh"
#include "physics/domain/border.hpp"
#include "physics/domain/domain_grid.hpp"
#include "physics/host/step_findings.hpp"
#include "physics/observables/totals.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// The particles of a domain and the sums over its cells, at first in the initial state. All domains call its
/// functions alike, but for those that say what it is. Functions that need its device make it current.
///
/// Between the collisions of two steps, what is wanted by others has an urgent stream of its own: the shallow
/// tiles, what they add to shared cells, and what others send. Meanwhile the default stream has the deep
/// tiles, and the next collisions of deep cells.
template <class FluidLaw, class Particle>
class DeviceDomain {
public:
    using Law = FluidLaw;
    using Record = Particle;
    using Real = typename Law::Real;
    using Grid = DomainGrid<Real>;
    using Plan = StepPlan<Law, Grid>;
    static constexpr bool is_domain = true;

    /// Of domain exchange.number() of the cut; `exchange` must outlive it.
    DeviceDomain(const Law& law, const System& system, const SolverOptions& options, const Cut& cut,
                 Exchange& exchange, int device)
        : device_(use_device(device)),
          system_(system),
          surfaces_(system),
          border_(system, cut, exchange.number(), exchange),
          choice_({Summation::tile}, options.reorder),
          plan_(law, system, border_.first_grid(system)),
          words_(law),
          cells_(plan_, surfaces_.view(), false),
          deep_cells_(plan_.next_grid, border_.reach()),
          turns_(cells_.order(), deep_tiles(border_, plan_.next_grid)),
          halo_(border_, cells_.count()),
          migration_(border_.grids(), border_.most_particles(system), halo_.link()),
          particles_(cells_.order().tile_count(), turns_.deep_end(), are_left_over(system, true)),
          report_(1) {
        plan_.streaming.set_surfaces(surfaces_.view());
        plan_.refuge = vector_cast<Real>(plan_.next_grid.middle());
        const cudaDeviceProp properties = properties_of(device);
        name_ = properties.name;
        multiprocessors_ = properties.multiProcessorCount;
        report_.clear();
        TileKernels<Law, Particle, Grid>::give_memory(plan_);
        particles_.make_room(border_.most_particles(system));
        create();
    }

    void use() const { use_device(device_); }

    [[nodiscard]] const System& system() const { return system_; }
    [[nodiscard]] Exchange& exchange() const { return border_.exchange(); }
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] std::int64_t fast_steps() const { return findings_.fast_steps(); }
    [[nodiscard]] const ExecutionChoice& choice() const { return choice_; }
    [[nodiscard]] std::vector<std::string> take_notes() { return {}; }
    /// Others are on other devices.
    [[nodiscard]] std::string description() const { return name_; }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return particles_.memory_bytes() + cells_.memory_bytes() + deep_cells_.memory_bytes() +
               halo_.memory_bytes() + migration_.memory_bytes() + surfaces_.bytes();
    }

    /// To be read between steps.
    [[nodiscard]] DeviceState<Particle, Grid> state() const {
        use();
        return {particles_.count(), particles_.columns(), plan_.next_grid,
                surfaces_.view(),   cells_.counts(),      multiprocessors_};
    }
    /// In the device's memory.
    [[nodiscard]] const SurfaceView& surfaces() const { return surfaces_.view(); }
    /// Room for as many records as there are particles; between steps nothing is in it.
    [[nodiscard]] Particle* spare() const { return particles_.spare(); }
    /// What kernels report faults to.
    [[nodiscard]] StepReport* report() const { return report_.data(); }

    /// Runs `count` steps; throws SimulationFault where the state went wrong on the way.
    void run(std::int64_t count) {
        use();
        while (count > 0 && !choice_.is_settled()) count -= run_timed(count);
        for (; count > 0; --count) take_step(is_reordering_due(), count > 1);
        finish();
        check();
    }

    /// Throws SimulationFault where something is wrong with the state in any domain.
    void check() {
        use();
        findings_.add_faults(report_.first().faults);
        findings_.agree(border_);
        findings_.check(step_, system_);
    }

    /// What comes next is a restore() of the state after `step` steps.
    void go_to(std::int64_t step) {
        step_ = step;
        plan_.go_to(system_, static_cast<std::uint64_t>(step_));
    }
    /// Goes on from the state after the steps of go_to(), of which `fast_steps` were fast, with these
    /// particles, whose owner() this domain is.
    void restore(std::int64_t fast_steps, const std::vector<Particle>& own) {
        use();
        particles_.take(own);
        choice_.restart_turn();
        report_.clear();
        migration_.restart();
        findings_.restart(fast_steps);
        begin();
    }
    /// The domain that owns the cell of a particle.
    [[nodiscard]] int owner(const Particle& particle) const {
        return plan_.next_grid.owner(particle.position);
    }

    [[nodiscard]] std::int64_t particle_count() const { return particles_.count(); }
    /// Collects this domain's particles in spare(), in any order.
    void gather_own() const {
        use();
        particles_.give();
    }
    /// The first records of spare().
    [[nodiscard]] std::vector<Particle> copy_spare(std::int64_t count) const {
        std::vector<Particle> records(static_cast<std::size_t>(count));
        MPCFLOW_CUDA(cudaMemcpy(records.data(), spare(), count * sizeof(Particle), cudaMemcpyDeviceToHost));
        return records;
    }

    /// The plan of the step to come; actions() are what its cells will do.
    Plan foresee() {
        use();
        Plan plan = plan_;
        plan.begin_step(system_, static_cast<std::uint64_t>(step_));
        cells_.foresee(plan, report_.data());
        return plan;
    }
    [[nodiscard]] const CellAction<Law>* actions() const { return cells_.actions(); }

private:
    void create() {
        particles_.create(InitialState(system_, surfaces_.view()), system_.particle_count(), plan_.next_grid);
        const TotalsRule rule(system_);
        const auto mean =
            vector_cast<Real>(rule.mean_velocity(DeviceReporter(exchange()).sum(state(), rule)));
        subtract_velocity<<<block_count(particles_.count()), block_size>>>(mean, particles_.count(),
                                                                           particles_.columns());
        MPCFLOW_CUDA(cudaGetLastError());
        begin();
    }

    /// Sums for the next collision, from the particles as they are, which are in no order.
    void begin() {
        particles_.forget_order();
        is_ordered_ = has_begun_ = false;
        cells_.clear();
        cells_.draw_first(plan_);
        if (particles_.count() > 0) {
            contribute_particles<Law><<<block_count(particles_.count()), block_size>>>(
                plan_, particles_.count(), particles_.columns(), cells_.draws(), cells_.sums());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        has_advanced_.record();
        has_advanced_.hold(urgent_.get());
        exchange_with_others([] {});
        finish();
    }

    /// Steps that are timed, at most `count`; returns how many.
    std::int64_t run_timed(std::int64_t count) {
        // All are of one way of summing, and so none are timed as a whole.
        std::vector<StepWay> ways = choice_.next_batch().steps;
        ways.resize(std::min<std::size_t>(ways.size(), count));
        for (std::size_t i = 0; i < ways.size(); ++i) {
            timers_[i].start();
            take_step(ways[i].reorders, false);
            timers_[i].stop();
        }
        finish();
        std::vector<double> milliseconds(ways.size());
        for (std::size_t i = 0; i < ways.size(); ++i) milliseconds[i] = timers_[i].milliseconds();
        choice_.learn(milliseconds);
        return static_cast<std::int64_t>(ways.size());
    }

    [[nodiscard]] bool is_reordering_due() const {
        return !is_ordered_ || since_reordering_ >= choice_.reorder();
    }

    /// Where another step follows, it may begin before all particles have come.
    void take_step(bool reorders, bool another_follows) {
        reorders |= !is_ordered_;
        plan_.begin_step(system_, static_cast<std::uint64_t>(step_));
        if (std::exchange(has_begun_, false)) resolve(plan_, deep_cells_.others(), reorders);
        else cells_.resolve(plan_, reorders, WallQueue{}, report_.data());
        if (reorders) {
            halo_.keep_own(cells_);
            cells_.find_slots(particles_.count(), particles_.next_starts());
        }
        advance(reorders, another_follows);
        if (reorders) {
            particles_.take_reordered();
            deep_steps_.reorder(step_);
            ordered_shift_ = plan_.grid.shift();
            is_ordered_ = true;
        }
        since_reordering_ = reorders ? 1 : since_reordering_ + 1;
        exchange_with_others([&] {
            if (another_follows && !tiles_take_longer_) begin_next_step();
        });
        ++step_;
    }

    /// The deep cells of the next step: what others send goes to none of them. Not wanted where the exchange
    /// is done before the tiles are: all cells at once are faster.
    void begin_next_step() {
        Plan next = plan_;
        next.begin_step(system_, static_cast<std::uint64_t>(step_) + 1);
        resolve(next, deep_cells_.deep(), is_reordering_due());
        has_begun_ = true;
    }

    void resolve(const Plan& plan, const CellGroups& cells, bool reorders) {
        if (cells.group_count > 0) cells_.resolve(plan, cells, reorders, WallQueue{}, report_.data());
    }

    /// The shallow tiles in the urgent stream, the deep ones in the default one, where they can be apart.
    void advance(bool reorders, bool another_follows) {
        const auto from = particles_.columns();
        const auto to = reorders ? particles_.reordered() : from;
        ParticleStep<Law, Particle, Grid> step{
            particles_.count(), from, to, cells_.actions(), cells_.draws(), cells_.sums(), cells_.slots()};
        step.report = report_.data();
        step.leaving = migration_.queue();
        const TileBoxes boxes(plan_.next_grid, ordered_shift_);
        TileStep<Law, Grid> of_tiles{boxes,  words_,           particles_.starts(), particles_.left_over(),
                                     turns_, multiprocessors_, another_follows};
        of_tiles.lists_outside = are_left_over_outside(system_);
        const auto take_turns = [&](int first, int count, cudaStream_t stream) {
            of_tiles.turns = turns_.with(particles_.loose_tiles(), first);
            TileKernels<Law, Particle, Grid>::launch(plan_, step, of_tiles, reorders, count, {stream});
        };
        is_resolved_.record();
        is_resolved_.hold(urgent_.get());
        const int others = turns_.shallow_count() + particles_.loose_tiles();
        if (is_ordered_ && deep_steps_.are_apart(step_)) {
            take_turns(0, others, urgent_.get());
            take_turns(others, turns_.deep_count(), nullptr);
        } else {
            take_turns(0, others + turns_.deep_count(), urgent_.get());
        }
        TileKernels<Law, Particle, Grid>::note_taken(plan_, another_follows);
        urgent_has_advanced_.record(urgent_.get());
        urgent_has_advanced_.hold(nullptr);
        has_advanced_.record();
    }

    /// Waits for the device, which may wait for those of others, and learns of its steps. Nothing else may
    /// block until then: nobody would hear of a domain that has ended.
    void finish() {
        is_finished_.record();
        wait_for(is_finished_);
        learn(report_.first());
    }
    void wait_for(const DeviceEvent& moment) const {
        exchange().wait_for_own([&] { return moment.has_come(); });
    }
    /// Of what the steps before step_ have reported.
    void learn(const StepReport& report) {
        const std::int64_t last = step_ - 1;
        if (last >= 0 && report.last_fast_step[last % 2] == static_cast<std::uint64_t>(step_))
            findings_.report(notice_fast, static_cast<std::uint64_t>(last));
        deep_steps_.learn(report.last_astray_step);
    }

    /// Between the contributions of all but deep tiles and the next collision; later work in the default
    /// stream finds the sums of all particles. `meanwhile` may launch what needs no sums of shared cells.
    template <class Meanwhile>
    void exchange_with_others(const Meanwhile& meanwhile) {
        halo_.begin(cells_, urgent_.get());
        migration_.send(plan_.next_grid, particles_.columns(), report_.data(), urgent_.get());
        is_sent_.record(urgent_.get());
        meanwhile();
        wait_for(is_sent_);
        learn(migration_.report());
        while (!migration_.is_complete()) {
            migration_.grow();
            has_advanced_.hold(urgent_.get());
            find_leaving<<<block_count(particles_.count()), block_size, 0, urgent_.get()>>>(
                plan_.next_grid, particles_.count(), particles_.columns(), migration_.queue());
            MPCFLOW_CUDA(cudaGetLastError());
            migration_.send(plan_.next_grid, particles_.columns(), report_.data(), urgent_.get());
            is_sent_.record(urgent_.get());
            wait_for(is_sent_);
        }
        migration_.receive(exchange().trade(border_.neighbours(), migration_.messages()), urgent_.get());
        add_arrivals();
        halo_.end(cells_, urgent_.get());
        tiles_take_longer_ = !has_advanced_.has_come();
        if (migration_.left() > 0 || migration_.own() > 0) replace_leaving();
        particles_.end_tiles(urgent_.get());
        is_received_.record(urgent_.get());
        is_received_.hold(nullptr);
    }

    void add_arrivals() {
        const int count = migration_.arrivals();
        if (count == 0) return;
        contribute_arrivals<Law><<<block_count(count), block_size, 0, urgent_.get()>>>(
            plan_, count, migration_.own(), migration_.arrived(), cells_.draws(), cells_.sums(),
            halo_.own_numbers());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Particles go, and others take their places; where these are fewer, the last of all take the rest. If
    /// one of those may be of a deep tile, that is waited for.
    void replace_leaving() {
        const std::int64_t new_count = particles_.count() - migration_.left() + migration_.own();
        if (particles_.may_be_deep(new_count) || new_count > particles_.room())
            has_advanced_.hold(urgent_.get());
        if (new_count > particles_.room()) {
            is_received_.record(urgent_.get());
            wait_for(is_received_);
            particles_.make_room(new_count);
            has_advanced_.record();
            has_advanced_.hold(urgent_.get());
        }
        migration_.fill(particles_.count(), particles_.columns(), urgent_.get());
        particles_.set_count(new_count);
    }

    int device_;
    std::string name_;
    int multiprocessors_ = 1;
    System system_;
    DeviceSurfaces surfaces_;
    Border<Real> border_;
    ExecutionChoice choice_;
    Plan plan_;
    std::int64_t step_ = 0;
    WordSums<Law> words_;
    DeviceCells<Law, Grid> cells_;
    DeepCells deep_cells_;
    TurnsOfDomain turns_;  ///< but for tiles of no place
    DeepSteps deep_steps_;
    HaloSums<Law, Grid> halo_;
    Migration<Particle> migration_;
    DomainParticles<Particle> particles_;
    bool is_ordered_ = false;
    bool has_begun_ = false;  ///< the next step, in deep cells
    /// Than what others send takes to get to the card, or to be launched, as the host saw it in the last
    /// step.
    bool tiles_take_longer_ = false;
    std::int64_t since_reordering_ = 0;  ///< steps
    Vec3<Real> ordered_shift_{};         ///< of the grid that particles were ordered on
    DeviceArray<StepReport> report_;
    UrgentStream urgent_;
    DeviceEvent is_resolved_;          ///< in the default stream: tiles may go
    DeviceEvent urgent_has_advanced_;  ///< in the urgent one: its tiles have gone
    DeviceEvent has_advanced_;         ///< in the default one: all tiles have
    DeviceEvent is_sent_;              ///< in the urgent one: what others get is ready for them
    DeviceEvent is_received_;          ///< in the urgent one: what others gave is where it belongs
    DeviceEvent is_finished_;
    StepFindings<Border<Real>> findings_;
    std::array<DeviceTimer, ExecutionChoice::batch_size> timers_;
};

}  // namespace mpcflow
