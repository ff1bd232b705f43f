#pragma once
/// The fluid of a domain of the box on a device: the verbs of a step, the memory that they work on, and what
/// it exchanges with others. docs/design.md tells when.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/copy_kernels.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/deep_cells.cuh"
#include "gpu/device_cells.cuh"
#include "gpu/device_reporter.cuh"
#include "gpu/device_surfaces.cuh"
#include "gpu/domain_kernels.cuh"
#include "gpu/execution_choice.hpp"
#include "gpu/halo_sums.cuh"
#include "gpu/migration.cuh"
#include "gpu/particle_columns.cuh"
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
/// functions alike, but for those that say what it is. The functions that need its device make it the current
/// one.
///
/// Particles are the first count_ of the memory. Those that were there at the last re-ordering lie in tiles;
/// those that have come since lie behind them or in the places of others, and make tiles of no place
/// (end_tile_starts), which advance_tiles takes through a step like any other.
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
        : device_(use(device)),
          system_(system),
          surfaces_(system),
          border_(system, cut, exchange.number(), exchange),
          choice_({Summation::tile}, options.reorder),
          plan_(law, system, border_.first_grid(system)),
          words_(law),
          cells_(plan_.next_grid, plan_.has_special_cells()),
          deep_cells_(plan_.next_grid, border_.reach()),
          halo_(border_, cells_.count()),
          migration_(border_.grids(), border_.most_particles(system)),
          starts_(cells_.order().tile_count() + 1 + LooseTiles::most),
          next_starts_(starts_.size()),
          report_(1) {
        plan_.streaming.set_surfaces(surfaces_.view());
        cudaDeviceProp properties{};
        MPCFLOW_CUDA(cudaGetDeviceProperties(&properties, device));
        name_ = properties.name;
        resident_blocks_ = static_cast<unsigned>(properties.multiProcessorCount) * 8U;
        report_.clear();
        starts_.clear();  // read before it is written where tiles end
        TileKernels<Law, Particle, Grid>::give_memory(plan_);
        make_room(border_.most_particles(system));
        create();
    }

    void use() const { use(device_); }

    [[nodiscard]] const System& system() const { return system_; }
    [[nodiscard]] Exchange& exchange() const { return border_.exchange(); }
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] std::int64_t fast_steps() const { return findings_.fast_steps(); }
    [[nodiscard]] const ExecutionChoice& choice() const { return choice_; }
    [[nodiscard]] std::vector<std::string> take_notes() { return {}; }
    /// Others are on other devices.
    [[nodiscard]] std::string description() const { return name_; }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return particles_.bytes() + reordered_.bytes() + cells_.memory_bytes() + deep_cells_.memory_bytes() +
               halo_.memory_bytes() + migration_.memory_bytes() + starts_.bytes() + next_starts_.bytes() +
               left_over_.bytes() + surfaces_.bytes();
    }

    /// To be read between steps.
    [[nodiscard]] DeviceState<Particle, Grid> state() const {
        use();
        return {count_,           particles_.columns(), plan_.next_grid,
                surfaces_.view(), cells_.counts(),      resident_blocks_};
    }
    /// In the device's memory.
    [[nodiscard]] const SurfaceView& surfaces() const { return surfaces_.view(); }
    /// Room for as many records as there are particles; between steps nothing is in it.
    [[nodiscard]] Particle* spare() const { return reordered_.records(); }
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
        count_ = 0;
        make_room(std::ssize(own));
        count_ = std::ssize(own);
        MPCFLOW_CUDA(cudaMemcpy(spare(), own.data(), own.size() * sizeof(Particle), cudaMemcpyHostToDevice));
        take_records<<<block_count(count_), block_size>>>(count_, spare(), particles_.columns());
        MPCFLOW_CUDA(cudaGetLastError());
        choice_.restart_turn();
        report_.clear();
        findings_.restart(fast_steps);
        begin();
    }
    /// The domain that owns the cell of a particle.
    [[nodiscard]] int owner(const Particle& particle) const {
        return plan_.next_grid.owner(particle.position);
    }

    [[nodiscard]] std::int64_t particle_count() const { return count_; }
    /// Collects this domain's particles in spare(), in any order.
    void gather_own() const {
        use();
        if (count_ == 0) return;
        give_records<<<block_count(count_), block_size>>>(count_, particles_.columns(), spare());
        MPCFLOW_CUDA(cudaGetLastError());
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
    static int use(int device) {
        MPCFLOW_CUDA(cudaSetDevice(device));
        return device;
    }

    /// Makes room for `wanted` particles; those that are there stay.
    void make_room(std::int64_t wanted) {
        if (wanted <= room_) return;
        const std::int64_t room = std::max(wanted, room_ + room_ / 4);
        reordered_ = ParticleMemory<Particle>(0);
        left_over_ = DeviceArray<std::uint32_t>(0);
        ParticleMemory<Particle> larger(room);
        if (count_ > 0) {
            move_particles<<<block_count(count_), block_size>>>(count_, particles_.columns(),
                                                                larger.columns());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        particles_.swap(larger);
        larger = ParticleMemory<Particle>(0);
        reordered_ = ParticleMemory<Particle>(room);
        left_over_ = DeviceArray<std::uint32_t>(room);
        room_ = room;
    }

    void create() {
        const std::int64_t all = system_.particle_count();
        const DeviceArray<unsigned long long> counter(1);
        for (bool has_room = false; !has_room;) {
            counter.clear();
            create_own_particles<<<block_count(all), block_size>>>(InitialState(system_, surfaces_.view()),
                                                                   all, plan_.next_grid, room_,
                                                                   particles_.columns(), counter.data());
            MPCFLOW_CUDA(cudaGetLastError());
            const auto found = static_cast<std::int64_t>(counter.first());
            has_room = found <= room_;
            make_room(found);
            if (has_room) count_ = found;
        }
        const TotalsRule rule(system_);
        const auto mean =
            vector_cast<Real>(rule.mean_velocity(DeviceReporter(exchange()).sum(state(), rule)));
        subtract_velocity<<<block_count(count_), block_size>>>(mean, count_, particles_.columns());
        MPCFLOW_CUDA(cudaGetLastError());
        begin();
    }

    /// Sums for the next collision, from the particles as they are, which are in no order.
    void begin() {
        ordered_ = 0;
        is_ordered_ = has_begun_ = false;
        cells_.clear();
        cells_.draw_first(plan_);
        if (count_ > 0) {
            contribute_particles<Law><<<block_count(count_), block_size>>>(
                plan_, count_, particles_.columns(), cells_.draws(), cells_.sums());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        exchange_with_others([] {});
        finish();
    }

    /// Steps that are timed, at most `count`; returns how many.
    std::int64_t run_timed(std::int64_t count) {
        std::vector<StepWay> ways = choice_.next_batch();
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
        if (!has_begun_) resolve(plan_, deep_cells_.deep(), reorders);
        has_begun_ = false;
        resolve(plan_, deep_cells_.others(), reorders);
        if (reorders) {
            halo_.keep_own(cells_);
            cells_.find_slots(count_, next_starts_.data());
        }
        advance(reorders);
        if (reorders) {
            particles_.swap(reordered_);
            starts_.swap(next_starts_);
            ordered_shift_ = plan_.grid.shift();
            ordered_ = count_;
            is_ordered_ = true;
        }
        since_reordering_ = reorders ? 1 : since_reordering_ + 1;
        exchange_with_others([&] {
            if (another_follows) begin_next_step();
        });
        ++step_;
    }

    /// The deep cells of the next step: what others send goes to none of them.
    void begin_next_step() {
        Plan next = plan_;
        next.begin_step(system_, static_cast<std::uint64_t>(step_) + 1);
        resolve(next, deep_cells_.deep(), is_reordering_due());
        has_begun_ = true;
    }

    void resolve(const Plan& plan, const CellGroups& cells, bool reorders) const {
        if (cells.group_count > 0) cells_.resolve(plan, cells, reorders, WallQueue{}, report_.data());
    }

    void advance(bool reorders) {
        const int tiles = cells_.order().tile_count();
        const LooseTiles loose(count_ - ordered_);
        end_tile_starts<<<block_count(tiles + 1 + loose.count), block_size>>>(
            tiles, loose, static_cast<std::uint32_t>(ordered_), static_cast<std::uint32_t>(count_),
            starts_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        const ParticleStep<Law, Particle, Grid> step{
            count_,           particles_.columns(), reorders ? reordered_.columns() : particles_.columns(),
            cells_.actions(), cells_.draws(),       cells_.sums(),
            cells_.slots(),   TileStarts{},         WallQueue{},
            report_.data(),   migration_.queue()};
        const TileStep<Law> of_tiles{TileBoxes<Real>(plan_.next_grid, ordered_shift_), words_, starts_.data(),
                                     left_over_.data()};
        const auto kernel = TileKernels<Law, Particle, Grid>::of(plan_, reorders);
        kernel<<<static_cast<unsigned>(tiles + loose.count), block_size, sizeof(TileMemory<Law>)>>>(
            plan_, step, of_tiles);
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Waits for the device, which may wait for those of others. Nothing else may block until then: nobody
    /// would hear of a domain that has ended.
    void finish() const {
        is_packed_.record();
        wait_for(is_packed_);
    }
    void wait_for(const DeviceEvent& moment) const {
        exchange().wait_for_own([&] { return moment.has_come(); });
    }

    /// Between contributions and the next collision. From then on the sums are those of all particles.
    /// `meanwhile` may launch what needs no sums of shared cells.
    template <class Meanwhile>
    void exchange_with_others(const Meanwhile& meanwhile) {
        halo_.begin(cells_);
        migration_.send(plan_.next_grid, particles_.columns(), report_.data());
        is_packed_.record();
        meanwhile();
        wait_for(is_packed_);
        while (!migration_.is_complete()) {
            migration_.grow();
            find_leaving<<<block_count(count_), block_size>>>(plan_.next_grid, count_, particles_.columns(),
                                                              migration_.queue());
            MPCFLOW_CUDA(cudaGetLastError());
            migration_.send(plan_.next_grid, particles_.columns(), report_.data());
            finish();
        }
        if (migration_.report().last_fast_step == static_cast<unsigned long long>(step_) + 1)
            findings_.report(notice_fast, static_cast<std::uint64_t>(step_));
        migration_.receive(
            exchange().trade(border_.neighbours(), migration_.messages()),
            [&](const Particle& particle) { return owner(particle) == plan_.next_grid.number(); });
        take_arrivals();
        halo_.end(cells_);
    }

    /// Particles go, and others come.
    void take_arrivals() {
        if (migration_.arrivals() > 0) {
            contribute_arrivals<Law><<<block_count(migration_.arrivals()), block_size>>>(
                plan_, migration_.arrivals(), static_cast<int>(migration_.own()), migration_.arrived(),
                cells_.draws(), cells_.sums(), halo_.own_numbers());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        if (migration_.left() == 0 && migration_.own() == 0) return;
        const std::int64_t new_count = count_ - migration_.left() + migration_.own();
        make_room(new_count);
        migration_.fill(count_, particles_.columns());
        count_ = new_count;
        ordered_ = std::min(ordered_, count_);
    }

    int device_;
    std::string name_;
    unsigned resident_blocks_ = 1;
    System system_;
    DeviceSurfaces surfaces_;
    Border<Real> border_;
    ExecutionChoice choice_;
    Plan plan_;
    std::int64_t step_ = 0;
    WordSums<Law> words_;
    DeviceCells<Law, Grid> cells_;
    DeepCells deep_cells_;
    HaloSums<Law, Grid> halo_;
    Migration<Particle> migration_;
    std::int64_t count_ = 0;    ///< particles
    std::int64_t room_ = 0;     ///< for so many
    std::int64_t ordered_ = 0;  ///< of them, the first ones, that lie in the order of tiles
    bool is_ordered_ = false;
    bool has_begun_ = false;             ///< the next step, in deep cells
    std::int64_t since_reordering_ = 0;  ///< steps
    Vec3<Real> ordered_shift_{};         ///< of the grid that particles were ordered on
    ParticleMemory<Particle> particles_{0};
    ParticleMemory<Particle> reordered_{0};
    DeviceArray<std::uint32_t> starts_;  ///< of the tiles, and of those of no place
    DeviceArray<std::uint32_t> next_starts_;
    DeviceArray<std::uint32_t> left_over_;
    DeviceArray<StepReport> report_;
    DeviceEvent is_packed_;  ///< what others get of a step; or the step itself
    StepFindings<Border<Real>> findings_;
    std::array<DeviceTimer, ExecutionChoice::batch_size> timers_;
};

}  // namespace mpcflow
