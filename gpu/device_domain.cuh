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
          cells_(plan_.next_grid),
          halo_(border_, cells_.count()),
          migration_(border_.grids(), border_.most_particles(system)),
          starts_(cells_.order().tile_count() + 1 + most_loose_tiles),
          next_starts_(starts_.size()),
          report_(1) {
        plan_.streaming.set_surfaces(surfaces_.view());
        cudaDeviceProp properties{};
        MPCFLOW_CUDA(cudaGetDeviceProperties(&properties, device));
        name_ = properties.name;
        resident_blocks_ = static_cast<unsigned>(properties.multiProcessorCount) * 8U;
        report_.clear();
        give_shared_memory<TileMemory<Law>>(advance_tiles<true, Law, Particle, Grid>);
        give_shared_memory<TileMemory<Law>>(advance_tiles<false, Law, Particle, Grid>);
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
        return particles_.bytes() + reordered_.bytes() + cells_.memory_bytes() + halo_.memory_bytes() +
               migration_.memory_bytes() + starts_.bytes() + next_starts_.bytes() + left_over_.bytes() +
               surfaces_.bytes();
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
        for (; count > 0; --count) take_step(since_reordering_ >= choice_.reorder());
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
    /// Tiles of particles that have come since the last re-ordering: at most so many, and of so many
    /// particles at least.
    static constexpr int most_loose_tiles = 4096;
    static constexpr std::int64_t least_in_loose_tile = 512;

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
        is_ordered_ = false;
        cells_.clear();
        cells_.draw_first(plan_);
        if (count_ > 0) {
            contribute_particles<Law><<<block_count(count_), block_size>>>(
                plan_, count_, particles_.columns(), cells_.draws(), cells_.sums());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        exchange_with_others();
    }

    /// Steps that are timed, at most `count`; returns how many.
    std::int64_t run_timed(std::int64_t count) {
        std::vector<StepWay> ways = choice_.next_batch();
        ways.resize(std::min<std::size_t>(ways.size(), count));
        for (std::size_t i = 0; i < ways.size(); ++i) {
            timers_[i].start();
            take_step(ways[i].reorders);
            timers_[i].stop();
        }
        std::vector<double> milliseconds(ways.size());
        for (std::size_t i = 0; i < ways.size(); ++i) milliseconds[i] = timers_[i].milliseconds();
        choice_.learn(milliseconds);
        return static_cast<std::int64_t>(ways.size());
    }

    void take_step(bool reorders) {
        reorders |= !is_ordered_;
        plan_.begin_step(system_, static_cast<std::uint64_t>(step_));
        cells_.resolve(plan_, reorders, WallQueue{}, report_.data());
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
        exchange_with_others();
        ++step_;
    }

    void advance(bool reorders) {
        const int tiles = cells_.order().tile_count();
        const std::int64_t loose = count_ - ordered_;
        const std::int64_t length =
            std::max(least_in_loose_tile, (loose + most_loose_tiles - 1) / most_loose_tiles);
        const int loose_tiles = static_cast<int>((loose + length - 1) / length);
        end_tile_starts<<<block_count(tiles + 1 + loose_tiles), block_size>>>(
            tiles, loose_tiles, static_cast<std::uint32_t>(ordered_), static_cast<std::uint32_t>(length),
            static_cast<std::uint32_t>(count_), starts_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        const ParticleStep<Law, Particle, Grid> step{
            count_,           particles_.columns(), reorders ? reordered_.columns() : particles_.columns(),
            cells_.actions(), cells_.draws(),       cells_.sums(),
            cells_.slots(),   TileStarts{},         WallQueue{},
            report_.data(),   migration_.queue()};
        const TileStep<Law> of_tiles{TileBoxes<Real>(plan_.next_grid, ordered_shift_), words_, starts_.data(),
                                     left_over_.data()};
        const auto kernel =
            reorders ? advance_tiles<true, Law, Particle, Grid> : advance_tiles<false, Law, Particle, Grid>;
        kernel<<<static_cast<unsigned>(tiles + loose_tiles), block_size, sizeof(TileMemory<Law>)>>>(
            plan_, step, of_tiles);
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Between contributions and the next collision. From then on the sums are those of all particles.
    void exchange_with_others() {
        halo_.begin(cells_);
        migration_.send(plan_.next_grid, particles_.columns(), report_.data());
        is_packed_.record();
        halo_.on_the_way();
        is_packed_.wait();
        while (!migration_.is_complete()) {
            migration_.grow();
            find_leaving<<<block_count(count_), block_size>>>(plan_.next_grid, count_, particles_.columns(),
                                                              migration_.queue());
            MPCFLOW_CUDA(cudaGetLastError());
            migration_.send(plan_.next_grid, particles_.columns(), report_.data());
            is_packed_.record();
            is_packed_.wait();
        }
        if (migration_.report().last_fast_step == static_cast<unsigned long long>(step_) + 1)
            findings_.report(notice_fast, static_cast<std::uint64_t>(step_));
        std::vector<Particle> came;
        for (const Message& message : exchange().trade(border_.neighbours(), migration_.messages()))
            for (const Particle& particle : values_of<Particle>(message)) came.push_back(particle);
        halo_.end(cells_);
        take(std::move(came));
    }

    /// Particles go, and others come.
    void take(std::vector<Particle> came) {
        const auto is_own = [&](const Particle& particle) {
            return owner(particle) == plan_.next_grid.number();
        };
        const auto own =
            static_cast<std::uint32_t>(std::partition(came.begin(), came.end(), is_own) - came.begin());
        if (migration_.left() == 0 && came.empty()) return;
        const Particle* const arrivals = migration_.take(came);
        if (!came.empty()) {
            const int count = static_cast<int>(came.size());
            contribute_arrivals<Law><<<block_count(count), block_size>>>(plan_, count, static_cast<int>(own),
                                                                         arrivals, cells_.draws(),
                                                                         cells_.sums(), halo_.own_numbers());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        const std::int64_t new_count = count_ - migration_.left() + own;
        make_room(new_count);
        migration_.fill(count_, own, particles_.columns());
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
    HaloSums<Law, Grid> halo_;
    Migration<Particle> migration_;
    std::int64_t count_ = 0;    ///< particles
    std::int64_t room_ = 0;     ///< for so many
    std::int64_t ordered_ = 0;  ///< of them, the first ones, that lie in the order of tiles
    bool is_ordered_ = false;
    std::int64_t since_reordering_ = 0;  ///< steps
    Vec3<Real> ordered_shift_{};         ///< of the grid that particles were ordered on
    ParticleMemory<Particle> particles_{0};
    ParticleMemory<Particle> reordered_{0};
    DeviceArray<std::uint32_t> starts_;  ///< of the tiles, and of those of no place
    DeviceArray<std::uint32_t> next_starts_;
    DeviceArray<std::uint32_t> left_over_;
    DeviceArray<StepReport> report_;
    DeviceEvent is_packed_;
    StepFindings<Border<Real>> findings_;
    std::array<DeviceTimer, ExecutionChoice::batch_size> timers_;
};

}  // namespace mpcflow
