#pragma once
/// The two verbs of a step on a device, the memory that they work on, and the choice of how they are done.

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gpu/copy_kernels.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/device_reporter.cuh"
#include "gpu/execution_tuner.hpp"
#include "gpu/particle_kernels.cuh"
#include "physics/observables/totals.hpp"
#include "physics/snapshot.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Calls action(std::integral_constant<Summation, way>), whose type names the way of summing. Of several
/// species only one way is compiled.
template <Masses masses, class Action>
void visit_summation(Summation way, const Action& action) {
    if constexpr (masses == Masses::by_species) {
        if (way == Summation::peers) return action(std::integral_constant<Summation, Summation::peers>{});
    } else {
        switch (way) {
            case Summation::automatic: break;
            case Summation::peers: return action(std::integral_constant<Summation, Summation::peers>{});
            case Summation::match: return action(std::integral_constant<Summation, Summation::match>{});
            case Summation::direct: return action(std::integral_constant<Summation, Summation::direct>{});
            case Summation::cas: return action(std::integral_constant<Summation, Summation::cas>{});
        }
    }
    throw std::logic_error("visit_summation: `auto` is chosen by the tuner");
}

/// The particles of a fluid and the sums over its cells, at first in the initial state. The functions that
/// need its device make it the current one.
template <class Law, class Particle>
class DeviceFluid {
public:
    DeviceFluid(const Law& law, const System& system, const SolverOptions& options, int device)
        : device_(use(device)),
          system_(system),
          tuner_(candidates(options.summation), options.reorder),
          plan_(law, system),
          particle_count_(checked(system.particle_count())),
          cell_count_(static_cast<int>(plan_.next_grid.cell_count())),
          particles_(particle_count_),
          reordered_(particle_count_),
          sums_(cell_count_),
          actions_(cell_count_),
          kept_draws_(CellDraws<Law>::kept(cell_count_)),
          slots_(cell_count_),
          wall_slots_(plan_.streaming.has_walls() ? particle_count_ : 0),
          wall_state_(1),
          distinct_cells_(ExecutionTuner::batch_size),
          report_(1) {
        cudaDeviceProp properties{};
        MPCFLOW_CUDA(cudaGetDeviceProperties(&properties, device));
        name_ = properties.name;
        resident_blocks_ = static_cast<unsigned>(properties.multiProcessorCount) * 8U;
        std::size_t scan_bytes = 0;
        MPCFLOW_CUDA(
            cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, slots_.data(), slots_.data(), cell_count_));
        scan_scratch_ = DeviceArray<char>(static_cast<std::int64_t>(scan_bytes));
        report_.clear();
        distinct_cells_.clear();
        wall_state_.clear();
        sums_.clear();
        create();
    }

    void use() const { use(device_); }

    [[nodiscard]] const System& system() const { return system_; }
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] std::int64_t fast_steps() const { return fast_steps_; }
    [[nodiscard]] const ExecutionTuner& tuner() const { return tuner_; }
    [[nodiscard]] std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
    [[nodiscard]] std::string description() const {
        return name_ + " (CUDA device " + std::to_string(device_) + ")";
    }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return particles_.bytes() + reordered_.bytes() + sums_.bytes() + actions_.bytes() +
               kept_draws_.bytes() + slots_.bytes() + wall_slots_.bytes() + scan_scratch_.bytes();
    }

    /// To be read between steps.
    [[nodiscard]] DeviceState<Particle> state() const {
        use();
        return present();
    }
    /// Room for as many particles as there are; between steps nothing is in it.
    [[nodiscard]] const DeviceArray<Particle>& spare() const { return reordered_; }
    /// What kernels report faults to.
    [[nodiscard]] StepReport* report() const { return report_.data(); }

    /// Runs `count` steps; throws SimulationFault where the state went wrong on the way.
    void run(std::int64_t count) {
        use();
        while (count > 0) count -= tuner_.is_settled() ? run_steadily(count) : run_timed(count);
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
            particles_.upload(part.data(), count, first);
        }
        step_ = snapshot.step;
        plan_.go_to(system_, static_cast<std::uint64_t>(step_));
        since_reordering_ = no_order;
        const StepReport report{no_fault, 0, 0, static_cast<unsigned long long>(fast_steps)};
        report_.upload(&report, 1);
        fast_steps_ = fast_steps;
        notes_.clear();
        sums_.clear();
        contribute_first();
    }

    /// Puts all particles into spare(), in the order of their ids.
    void order() const {
        use();
        order_by_id<<<block_count(particle_count_), block_size>>>(particle_count_, particles_.data(),
                                                                  reordered_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// The plan of the step to come; actions() are what its cells will do.
    StepPlan<Law> foresee() {
        use();
        StepPlan<Law> plan = plan_;
        plan.begin_step(system_, static_cast<std::uint64_t>(step_));
        resolve_cells<Resolving::foreseen><<<block_count(cell_count_), block_size>>>(
            plan, cell_count_, sums_.data(), actions_.data(), draws(), nullptr, WallQueue{}, report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        return plan;
    }

    [[nodiscard]] const CellAction<Law>* actions() const { return actions_.data(); }

private:
    static constexpr std::int64_t no_order = std::numeric_limits<std::int32_t>::max();

    static int use(int device) {
        MPCFLOW_CUDA(cudaSetDevice(device));
        return device;
    }

    [[nodiscard]] DeviceState<Particle> present() const {
        const CellCounts cells{sums_.data()->value, cell_count_, sum_stride<Law::sum_count>};
        return {particle_count_, particles_.data(), plan_.next_grid, cells, resident_blocks_};
    }

    [[nodiscard]] CellDraws<Law> draws() { return CellDraws<Law>(kept_draws_.data()); }

    /// Places in memory are 32-bit numbers.
    static std::int64_t checked(std::int64_t particle_count) {
        if (particle_count <= std::numeric_limits<std::uint32_t>::max()) return particle_count;
        throw EnvironmentError(
            "a device holds at most 4294967295 particles; use a smaller box.size or a lower fluid.density");
    }

    static std::vector<Summation> candidates(Summation wanted) {
        if (Law::masses == Masses::by_species) return {Summation::peers};
        if (wanted != Summation::automatic) return {wanted};
        return {Summation::peers, Summation::match, Summation::direct};
    }

    void create() {
        const unsigned blocks = block_count(particle_count_);
        create_particles<<<blocks, block_size>>>(InitialState(system_), particle_count_, particles_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        const TotalsRule rule(system_);
        const auto mean =
            vector_cast<typename Particle::Real>(rule.mean_velocity(DeviceReporter().sum(present(), rule)));
        subtract_velocity<<<blocks, block_size>>>(mean, particle_count_, particles_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        contribute_first();
    }

    /// Sums for the next collision, from the particles as they are; the sums are zero before.
    void contribute_first() {
        if (kept_draws_.size() > 0) {
            draw_for_cells<<<block_count(cell_count_), block_size>>>(plan_, cell_count_, draws());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        contribute_particles<Law><<<block_count(particle_count_), block_size>>>(
            plan_, particle_count_, particles_.data(), draws(), sums_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        MPCFLOW_CUDA(cudaDeviceSynchronize());
    }

    /// Steps whose way is settled; returns how many of `count`.
    std::int64_t run_steadily(std::int64_t count) {
        const int interval = tuner_.reorder();
        bool is_observed = false;
        for (std::int64_t i = 0; i < count; ++i) {
            const bool reorders = since_reordering_ >= interval;
            // Once in a run is enough, and costs nothing that can be measured.
            if (since_reordering_ == interval && !is_observed && tuner_.is_watching()) {
                count_distinct_cells_into(0);
                is_observed = true;
            }
            take_step({tuner_.summation(), reorders});
        }
        if (is_observed && tuner_.observe(distinct_cells().front())) {
            notes_.push_back("step " + std::to_string(step_) +
                             ": particles lose their order faster or more slowly than before; timing again");
        }
        return count;
    }

    /// Steps that are timed, at most `count`; returns how many.
    std::int64_t run_timed(std::int64_t count) {
        std::vector<StepWay> ways = tuner_.next_batch();
        ways.resize(std::min<std::size_t>(ways.size(), count));
        // So that the host is ahead when the first step begins, and its time has no wait for the host in it.
        count_distinct_cells_into(0);
        for (std::size_t i = 0; i < ways.size(); ++i) {
            timers_[i].start();
            take_step(ways[i]);
            timers_[i].stop();
            count_distinct_cells_into(i);
        }
        const auto distinct = distinct_cells();
        std::vector<StepCost> costs(ways.size());
        for (std::size_t i = 0; i < ways.size(); ++i) costs[i] = {timers_[i].milliseconds(), distinct[i]};
        tuner_.learn(costs);
        if (tuner_.is_settled())
            notes_.push_back("step " + std::to_string(step_) + ": summation " + tuner_.report());
        return static_cast<std::int64_t>(ways.size());
    }

    void take_step(StepWay way) {
        plan_.begin_step(system_, static_cast<std::uint64_t>(step_));
        const WallQueue wall_queue{wall_slots_.data(), wall_slots_.size() > 0 ? wall_state_.data() : nullptr};
        resolve_cells<Resolving::for_the_step><<<block_count(cell_count_), block_size>>>(
            plan_, cell_count_, sums_.data(), actions_.data(), draws(),
            way.reorders ? slots_.data() : nullptr, wall_queue, report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        Particle* to = particles_.data();
        if (way.reorders) {
            std::size_t scan_bytes = scan_scratch_.size();
            MPCFLOW_CUDA(cub::DeviceScan::ExclusiveSum(scan_scratch_.data(), scan_bytes, slots_.data(),
                                                       slots_.data(), cell_count_));
            to = reordered_.data();
        }
        const ParticleStep<Law, Particle> step{particle_count_, particles_.data(), to,
                                               actions_.data(), draws(),           sums_.data(),
                                               slots_.data(),   wall_queue,        report_.data()};
        visit_summation<Law::masses>(way.summation, [&](auto summation) {
            const auto advance = way.reorders ? advance_particles<Law, Particle, summation(), true>
                                              : advance_particles<Law, Particle, summation(), false>;
            advance<<<block_count(particle_count_), block_size>>>(plan_, step);
        });
        MPCFLOW_CUDA(cudaGetLastError());
        if (wall_queue.state != nullptr) {
            finish_at_walls<<<present().particle_blocks(), block_size>>>(plan_, step);
            MPCFLOW_CUDA(cudaGetLastError());
        }
        if (way.reorders) particles_.swap(reordered_);
        since_reordering_ = way.reorders ? 1 : since_reordering_ + 1;
        ++step_;
    }

    /// Counts the distinct cells in some of the warps of particles, as they are now, for
    /// distinct_cells()[slot].
    void count_distinct_cells_into(std::size_t slot) {
        if (sampled_warps() == 0) return;
        unsigned* const to = distinct_cells_.data() + slot;
        MPCFLOW_CUDA(cudaMemsetAsync(to, 0, sizeof(unsigned)));
        count_distinct_cells<<<block_count(32 * std::int64_t{sampled_warps()}), block_size>>>(
            plan_, particle_count_ / 32, sampled_warps(), particles_.data(), to);
        MPCFLOW_CUDA(cudaGetLastError());
    }
    /// Means over the warps; zero where there is no whole warp.
    [[nodiscard]] std::array<double, ExecutionTuner::batch_size> distinct_cells() const {
        std::array<unsigned, ExecutionTuner::batch_size> counts{};
        distinct_cells_.download(counts.data(), 0, ExecutionTuner::batch_size);
        std::array<double, ExecutionTuner::batch_size> means{};
        for (std::size_t i = 0; i < means.size(); ++i)
            means[i] = counts[i] / std::max(1.0, 1.0 * sampled_warps());
        return means;
    }
    [[nodiscard]] int sampled_warps() const {
        return static_cast<int>(std::min<std::int64_t>(particle_count_ / 32, 2048));
    }

    int device_;
    std::string name_;
    unsigned resident_blocks_ = 1;
    System system_;
    ExecutionTuner tuner_;
    std::vector<std::string> notes_;
    StepPlan<Law> plan_;
    std::int64_t step_ = 0;
    std::int64_t since_reordering_ = no_order;  ///< steps
    std::int64_t fast_steps_ = 0;
    std::int64_t particle_count_;
    int cell_count_;
    DeviceArray<Particle> particles_;
    DeviceArray<Particle> reordered_;
    DeviceArray<SumRow<Law>> sums_;
    DeviceArray<CellAction<Law>> actions_;
    DeviceArray<typename Law::Draw> kept_draws_;
    DeviceArray<std::uint32_t> slots_;
    DeviceArray<std::uint32_t> wall_slots_;
    DeviceArray<WallQueue::State> wall_state_;
    DeviceArray<unsigned> distinct_cells_;
    DeviceArray<char> scan_scratch_;
    DeviceArray<StepReport> report_;
    std::array<DeviceTimer, ExecutionTuner::batch_size> timers_;
};

}  // namespace mpcflow
