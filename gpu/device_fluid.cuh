#pragma once
/// The two verbs of a step on a device, the memory that they work on, and the choice of how they are done.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gpu/copy_kernels.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/device_cells.cuh"
#include "gpu/device_reporter.cuh"
#include "gpu/device_surfaces.cuh"
#include "gpu/execution_choice.hpp"
#include "gpu/launch.cuh"
#include "gpu/left_over.hpp"
#include "gpu/particle_columns.cuh"
#include "gpu/particle_kernels.cuh"
#include "gpu/tile_kernels.cuh"
#include "physics/observables/totals.hpp"
#include "physics/snapshot.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Calls action(way, reorders), both known to the compiler for the fastest way of a plain plan and a fluid of
/// one species. All others are one kernel, which asks.
template <Masses masses, class Action>
void visit_way(StepWay way, bool is_plain, const Action& action) {
    if constexpr (masses == Masses::equal) {
        const bool is_known = is_plain && way.summation == Summation::match;
        if (is_known && way.reorders) return action(known_way<Summation::match>, std::true_type{});
        if (is_known) return action(known_way<Summation::match>, std::false_type{});
    }
    action(way.summation, way.reorders);
}

/// The particles of a fluid and the sums over its cells, at first in the initial state. The functions that
/// need its device make it the current one.
template <class FluidLaw, class Particle>
class DeviceFluid {
public:
    using Law = FluidLaw;
    using Record = Particle;
    using Grid = CellGrid<typename Law::Real>;
    static constexpr bool is_domain = false;

    DeviceFluid(const Law& law, const System& system, const SolverOptions& options, int device)
        : device_(use_device(device)),
          place_{.is_early = can_begin_early(finish_at_walls<Law, Particle>)},
          system_(system),
          surfaces_(system),
          choice_(candidates(options.summation), options.reorder),
          plan_(law, system),
          words_(law),
          particle_count_(checked(system.particle_count())),
          particles_(particle_count_),
          reordered_(particle_count_),
          cells_(plan_, surfaces_.view(), place_.is_early),
          starts_(cells_.order().tile_count() + 1),
          next_starts_(starts_.size()),
          left_over_(are_left_over(system, has_tiles()) ? particle_count_ : 0),
          tiles_wall_slots_(has_wall_queue_of_tiles() ? particle_count_ / 8 : 0),
          wall_state_(1),
          report_(1) {
        plan_.streaming.set_surfaces(surfaces_.view());
        const cudaDeviceProp properties = properties_of(device);
        name_ = properties.name;
        multiprocessors_ = properties.multiProcessorCount;
        report_.clear();
        wall_state_.clear();
        if (has_tiles()) make_room_for_tiles();
        create();
    }

    void use() const { use_device(device_); }

    [[nodiscard]] const System& system() const { return system_; }
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] std::int64_t fast_steps() const { return fast_steps_; }
    [[nodiscard]] const ExecutionChoice& choice() const { return choice_; }
    [[nodiscard]] std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
    [[nodiscard]] std::string description() const {
        return name_ + " (CUDA device " + std::to_string(device_) + ")";
    }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return particles_.bytes() + reordered_.bytes() + cells_.memory_bytes() + starts_.bytes() +
               next_starts_.bytes() + left_over_.bytes() + tiles_wall_slots_.bytes() + surfaces_.bytes();
    }

    /// In the device's memory.
    [[nodiscard]] const SurfaceView& surfaces() const { return surfaces_.view(); }

    /// To be read between steps.
    [[nodiscard]] auto state() const {
        use();
        return present();
    }
    /// Room for as many records as there are particles; between steps nothing is in it.
    [[nodiscard]] Particle* spare() const { return reordered_.records(); }
    /// What kernels report faults to.
    [[nodiscard]] StepReport* report() const { return report_.data(); }

    /// Runs `count` steps; throws SimulationFault where the state went wrong on the way.
    void run(std::int64_t count) {
        use();
        while (count > 0 && !choice_.is_settled()) count -= run_timed(count);
        for (; count > 0; --count)
            take_step({choice_.summation(), since_reordering_ >= choice_.reorder()}, count > 1);
        check();
    }

    /// Throws SimulationFault where something is wrong with the state.
    void check() {
        use();
        StepReport report{};
        report_.download(&report, 0, 1);
        fast_steps_ = static_cast<std::int64_t>(report.fast_steps);
        throw_on_faults(report.faults, step_, system_);
    }

    /// Goes on from a state, of which `fast_steps` were fast.
    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) {
        use();
        std::vector<Particle> part(std::min<std::int64_t>(particle_count_, 1 << 20));
        for (std::int64_t first = 0; first < particle_count_;
             first += static_cast<std::int64_t>(part.size())) {
            const std::int64_t count =
                std::min<std::int64_t>(particle_count_ - first, static_cast<std::int64_t>(part.size()));
            for (std::int64_t i = 0; i < count; ++i)
                part[i] = take_from_snapshot<Particle>(snapshot, first + i);
            MPCFLOW_CUDA(
                cudaMemcpy(spare() + first, part.data(), count * sizeof(Particle), cudaMemcpyHostToDevice));
        }
        take_records<<<block_count(particle_count_), block_size>>>(particle_count_, spare(),
                                                                   particles_.columns());
        MPCFLOW_CUDA(cudaGetLastError());
        step_ = snapshot.step;
        plan_.go_to(system_, static_cast<std::uint64_t>(step_));
        order_ = MemoryOrder::none;
        choice_.restart_turn();
        const StepReport report{no_fault, 0, {0, 0}, static_cast<unsigned long long>(fast_steps), 0};
        report_.upload(&report, 1);
        fast_steps_ = fast_steps;
        notes_.clear();
        cells_.clear();
        contribute_first();
    }

    /// Puts all particles into spare(), in the order of their ids.
    void order() const {
        use();
        order_by_id<<<block_count(particle_count_), block_size>>>(particle_count_, particles_.columns(),
                                                                  spare());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// The plan of the step to come; actions() are what its cells will do.
    StepPlan<Law> foresee() {
        use();
        StepPlan<Law> plan = plan_;
        plan.begin_step(system_, static_cast<std::uint64_t>(step_));
        cells_.foresee(plan, report_.data());
        return plan;
    }

    [[nodiscard]] const CellAction<Law>* actions() const { return cells_.actions(); }

private:
    enum class MemoryOrder { none, by_cell, by_tile };

    [[nodiscard]] DeviceState<Particle, Grid> present() const {
        return {particle_count_,  particles_.columns(), plan_.next_grid,
                surfaces_.view(), cells_.counts(),      multiprocessors_};
    }

    /// Places in memory are 32-bit numbers, also those of idle lanes behind the last particle.
    static std::int64_t checked(std::int64_t particle_count) {
        constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max() - 2 * block_size;
        if (particle_count <= most) return particle_count;
        throw EnvironmentError("a device holds at most " + std::to_string(most) +
                               " particles; use a smaller box.size or a lower fluid.density");
    }

    /// The ways to choose among.
    static std::vector<Summation> candidates(Summation wanted) {
        if (wanted == Summation::automatic) return {Summation::tile, Summation::match};
        return {wanted};
    }
    [[nodiscard]] bool has_tiles() const { return choice_.considers(Summation::tile); }

    /// Tiles from which on what hits surfaces waits for a kernel of its own (WallQueue): that takes as long
    /// as one flight, and in smaller boxes saves less.
    static constexpr int tiles_for_wall_queue = 6000;
    [[nodiscard]] bool has_wall_queue_of_tiles() const {
        return has_tiles() && TileKernels<Law, Particle, Grid>::queue_at_surfaces(plan_) &&
               cells_.order().tile_count() >= tiles_for_wall_queue;
    }

    void create() {
        const unsigned blocks = block_count(particle_count_);
        create_particles<<<blocks, block_size>>>(InitialState(system_, surfaces_.view()), particle_count_,
                                                 particles_.columns());
        MPCFLOW_CUDA(cudaGetLastError());
        const TotalsRule rule(system_);
        const auto mean =
            vector_cast<typename Particle::Real>(rule.mean_velocity(DeviceReporter().sum(present(), rule)));
        subtract_velocity<<<blocks, block_size>>>(mean, particle_count_, particles_.columns());
        MPCFLOW_CUDA(cudaGetLastError());
        contribute_first();
    }

    /// Sums for the next collision, from the particles as they are; the sums are zero before.
    void contribute_first() {
        cells_.draw_first(plan_);
        contribute_particles<Law><<<block_count(particle_count_), block_size>>>(
            plan_, particle_count_, particles_.columns(), cells_.draws(), cells_.sums());
        MPCFLOW_CUDA(cudaGetLastError());
        MPCFLOW_CUDA(cudaDeviceSynchronize());
    }

    /// Takes the first steps of a batch; returns the milliseconds of each. Between them are events, behind
    /// which no kernel begins early.
    std::vector<double> time_one_by_one(const StepBatch& batch, std::size_t steps) {
        for (std::size_t i = 0; i < steps; ++i) {
            timers_[i].start();
            take_step(batch.steps[i], i + 1 < steps);
            timers_[i].stop();
        }
        std::vector<double> milliseconds(steps);
        for (std::size_t i = 0; i < steps; ++i) milliseconds[i] = timers_[i].milliseconds();
        return milliseconds;
    }
    /// Likewise, with no event between those that are timed.
    std::vector<double> time_as_whole(const StepBatch& batch, std::size_t steps) {
        for (std::size_t i = 0; i < steps; ++i) {
            if (i == batch.untimed) timers_[0].start();
            take_step(batch.steps[i], i + 1 < steps);
        }
        if (steps <= batch.untimed) return std::vector<double>(steps, 0.0);
        timers_[0].stop();
        const double share = timers_[0].milliseconds() / static_cast<double>(steps - batch.untimed);
        return std::vector<double>(steps, share);
    }
    /// Steps that are timed, at most `count`; returns how many.
    std::int64_t run_timed(std::int64_t count) {
        const StepBatch batch = choice_.next_batch();
        const std::size_t steps = std::min<std::size_t>(batch.steps.size(), count);
        choice_.learn(batch.is_timed_as_whole ? time_as_whole(batch, steps) : time_one_by_one(batch, steps));
        if (choice_.is_settled())
            notes_.push_back("step " + std::to_string(step_) + ": summation " + choice_.report());
        if (choice_.is_settled() && choice_.summation() != Summation::tile) {
            tiles_wall_slots_ = DeviceArray<std::uint32_t>(0);
            if (!system_.has_walls()) left_over_ = DeviceArray<std::uint32_t>(0);
        }
        return static_cast<std::int64_t>(steps);
    }

    /// Where another step follows at once, in the same way, particles need not be left with velocities.
    void take_step(StepWay way, bool another_follows) {
        const bool is_by_tiles = way.summation == Summation::tile;
        way.reorders |= order_ == MemoryOrder::none || (is_by_tiles && order_ == MemoryOrder::by_cell);
        plan_.begin_step(system_, static_cast<std::uint64_t>(step_));
        const WallQueue wall_queue = wall_queue_of(is_by_tiles && order_ == MemoryOrder::by_tile);
        cells_.resolve(plan_, way.reorders, wall_queue, report_.data());
        if (way.reorders) cells_.find_slots(particle_count_, next_starts_.data());
        const ParticleMemory<Particle>& to = way.reorders ? reordered_ : particles_;
        ParticleStep<Law, Particle> step{
            particle_count_, particles_.columns(), to.columns(), cells_.actions(), cells_.draws(),
            cells_.sums(),   cells_.slots(),       TileStarts{}, wall_queue,       report_.data()};
        if (is_by_tiles && order_ == MemoryOrder::by_tile) {
            advance_by_tiles(way.reorders, another_follows, step);
        } else if (is_by_tiles) {
            step.deal_into = {next_starts_.data(), layers()};
            advance({Summation::match, true}, step);
        } else {
            advance(way, step);
        }
        if (way.reorders) {
            particles_.swap(reordered_);
            starts_.swap(next_starts_);
            ordered_shift_ = plan_.grid.shift();
            order_ = is_by_tiles ? MemoryOrder::by_tile : MemoryOrder::by_cell;
        }
        since_reordering_ = way.reorders ? 1 : since_reordering_ + 1;
        ++step_;
    }

    /// Tiles note those left over where other ways have the queue, and need little of one, or none.
    [[nodiscard]] WallQueue wall_queue_of(bool is_of_tiles) const {
        const DeviceArray<std::uint32_t>& slots = is_of_tiles ? tiles_wall_slots_ : left_over_;
        if (!plan_.streaming.has_walls() || slots.size() == 0) return {};
        return {slots.data(), static_cast<std::uint32_t>(slots.size()), wall_state_.data()};
    }

    /// Particles that a cell has.
    [[nodiscard]] std::uint32_t layers() const {
        return static_cast<std::uint32_t>(std::max(1L, std::lround(system_.fluid.density)));
    }

    void advance(StepWay way, const ParticleStep<Law, Particle>& step) {
        visit_way<Law::masses>(way, plan_.setting() == Setting::plain, [&](auto summation, auto reorders) {
            launch(place_, advance_particles<decltype(summation), decltype(reorders), Law, Particle>,
                   block_count(particle_count_), 0, plan_, step, summation, reorders);
        });
        finish_queued(step);
    }

    /// Those that were queued at walls, if there may be any.
    void finish_queued(const ParticleStep<Law, Particle>& step) {
        if (step.wall_queue.state == nullptr) return;
        launch(place_, finish_at_walls<Law, Particle>, present().particle_blocks(), 0, plan_, step);
    }

    void advance_by_tiles(bool reorders, bool another_follows, const ParticleStep<Law, Particle>& step) {
        const TileBoxes boxes(plan_.next_grid, ordered_shift_);
        TileStep<Law, Grid> tiles{boxes,
                                  words_,
                                  starts_.data(),
                                  left_over_.data(),
                                  TurnsOfBox(boxes.order()),
                                  multiprocessors_,
                                  another_follows};
        tiles.lists_outside = are_left_over_outside(system_);
        TileKernels<Law, Particle, Grid>::launch(plan_, step, tiles, reorders, boxes.count(), place_);
        finish_queued(step);
        TileKernels<Law, Particle, Grid>::note_taken(plan_, another_follows);
    }

    void make_room_for_tiles() { TileKernels<Law, Particle, Grid>::give_memory(plan_); }

    int device_;
    LaunchPlace place_;  ///< of the kernels of a step
    std::string name_;
    int multiprocessors_ = 1;
    System system_;
    DeviceSurfaces surfaces_;
    ExecutionChoice choice_;
    std::vector<std::string> notes_;
    StepPlan<Law> plan_;
    std::int64_t step_ = 0;
    MemoryOrder order_ = MemoryOrder::none;
    std::int64_t since_reordering_ = 0;         ///< steps
    Vec3<typename Law::Real> ordered_shift_{};  ///< of the grid that particles were ordered on
    WordSums<Law> words_;
    std::int64_t fast_steps_ = 0;
    std::int64_t particle_count_;
    ParticleMemory<Particle> particles_;
    ParticleMemory<Particle> reordered_;
    DeviceCells<Law, Grid> cells_;
    DeviceArray<std::uint32_t> starts_;  ///< of the tiles, and the number of particles
    DeviceArray<std::uint32_t> next_starts_;
    DeviceArray<std::uint32_t> left_over_;         ///< by tiles; in other steps the slots of the wall queue
    DeviceArray<std::uint32_t> tiles_wall_slots_;  ///< of the wall queue in steps by tiles
    DeviceArray<WallQueue::State> wall_state_;
    DeviceArray<StepReport> report_;
    std::array<DeviceTimer, ExecutionChoice::batch_size> timers_;
};

}  // namespace mpcflow
