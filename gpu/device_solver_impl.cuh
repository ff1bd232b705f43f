#pragma once
/// The device solver for one law and one kind of particle.

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/copy_kernels.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/device_laws.hpp"
#include "gpu/device_reporter.cuh"
#include "gpu/execution_tuner.hpp"
#include "gpu/momentum_flux_kernels.cuh"
#include "gpu/observable_kernels.cuh"
#include "gpu/particle_kernels.cuh"
#include "gpu/pinned_memory.cuh"
#include "physics/collision/laws.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/totals.hpp"
#include "physics/particle_records.hpp"
#include "physics/snapshot.hpp"
#include "physics/solver.hpp"

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

template <class Law, class Particle>
class DeviceSolver final : public Solver {
public:
    DeviceSolver(const Law& law, const System& system, const SolverOptions& options, int device)
        : device_(use(device)),
          system_(system),
          tuner_(candidates(options.summation), options.reorder),
          plan_(law, system),
          totals_rule_(system),
          bin_rule_(system, options.bins),
          flux_rule_(system, static_cast<double>(system.particle_count())),
          bin_flux_rule_(system, most_in_flux_sums * bin_rule_.occupancy_limit()),
          particle_count_(checked(system.particle_count())),
          cell_count_(static_cast<int>(plan_.next_grid.cell_count())),
          particles_(particle_count_),
          reordered_(particle_count_),
          sums_(cell_count_),
          actions_(cell_count_),
          kept_draws_(CellDraws<Law>::kept(cell_count_)),
          places_(cell_count_),
          wall_places_(plan_.streaming.has_walls() ? particle_count_ : 0),
          wall_state_(1),
          distinct_cells_(ExecutionTuner::batch_size),
          report_(1),
          bins_(bin_rule_.bin_count()),
          block_(bin_rule_.bin_count()),
          pressure_bins_(options.pressure == PressureFields::sampled ? bins_.size() : 0),
          pressure_block_(pressure_bins_.size()) {
        cudaDeviceProp properties{};
        MPCFLOW_CUDA(cudaGetDeviceProperties(&properties, device));
        name_ = properties.name;
        resident_blocks_ = static_cast<unsigned>(properties.multiProcessorCount) * 8U;
        std::size_t scan_bytes = 0;
        MPCFLOW_CUDA(
            cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, places_.data(), places_.data(), cell_count_));
        scan_scratch_ = DeviceArray<char>(static_cast<std::int64_t>(scan_bytes));
        report_.clear();
        distinct_cells_.clear();
        wall_state_.clear();
        sums_.clear();
        bins_.clear();
        block_.clear();
        pressure_bins_.clear();
        pressure_block_.clear();
        create();
    }

    void run(std::int64_t count) override {
        use(device_);
        while (count > 0) count -= tuner_.is_settled() ? run_steadily(count) : run_timed(count);
        check_faults();
    }

    [[nodiscard]] std::int64_t current_step() const override { return step_; }
    [[nodiscard]] std::int64_t fast_steps() const override { return fast_steps_; }

    [[nodiscard]] Totals totals() override {
        use(device_);
        return totals_rule_.totals(reporter_.totals(state(), totals_rule_));
    }

    [[nodiscard]] Extremes extremes() override {
        use(device_);
        return reporter_.extremes(state());
    }

    [[nodiscard]] std::uint64_t state_hash() override {
        use(device_);
        return reporter_.hash(state());
    }

    void sample_fields() override {
        if (bins_.size() == 0) throw std::logic_error("sample_fields: no bins were asked for");
        check_one_species(system_, "sample_fields");
        use(device_);
        const std::int64_t bytes = bins_.bytes();
        const int shared_bins = bytes <= shared_bins_limit ? static_cast<int>(bins_.size()) : 0;
        sum_bins<<<state().particle_blocks(), block_size, (shared_bins > 0 ? bytes : 0)>>>(
            bin_rule_, particle_count_, particles_.data(), shared_bins, bins_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        fold_bins<<<block_count(bins_.size()), block_size>>>(system_.fluid.mass, bin_rule_.occupancy_limit(),
                                                             bins_.size(), bins_.data(), block_.data(),
                                                             report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        if (pressure() == PressureFields::sampled) sample_pressure();
        ++samples_;
    }

    [[nodiscard]] MomentumFlux momentum_flux() override {
        check_one_species(system_, "momentum_flux");
        use(device_);
        const StepPlan<Law> plan = foresee();
        flux_.clear();
        sum_momentum_flux<<<state().particle_blocks(), block_size>>>(
            plan, flux_rule_, particle_count_, particles_.data(), actions_.data(), flux_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        const MomentumFluxResult result = flux_.first();
        return mpcflow::momentum_flux(result.flux, result.walls, system_);
    }

    [[nodiscard]] FieldBlock take_field_block() override {
        use(device_);
        check_faults();
        FieldBlock block = make_field_block(block_.size(), pressure());
        block.samples = std::exchange(samples_, 0);
        block_.download(block.bins.data(), 0, block_.size());
        block_.clear();
        pressure_block_.download(block.pressure.data(), 0, pressure_block_.size());
        pressure_block_.clear();
        return block;
    }

    void put_field_block(const FieldBlock& block) override {
        check_bins(block, block_.size(), pressure());
        use(device_);
        block_.upload(block.bins.data(), block_.size());
        pressure_block_.upload(block.pressure.data(), pressure_block_.size());
        samples_ = block.samples;
    }

    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) override {
        check_snapshot(system_, snapshot);
        use(device_);
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
        static_cast<void>(take_field_block());
        notes_.clear();
        sums_.clear();
        contribute_first();
    }

    void sample_histograms(Histograms& histograms) override {
        use(device_);
        reporter_.sample_histograms(state(), system_.fluid, histograms);
    }

    void count_pairs(const PairCentres& centres, std::vector<std::uint64_t>& counts) override {
        use(device_);
        reporter_.pairs(state(), centres, counts);
    }

    [[nodiscard]] std::vector<double> velocity_modes(const WaveNumbers& waves) override {
        use(device_);
        const ModeRule rule(system_, waves);
        return rule.modes(reporter_.modes(state(), rule));
    }

    // Between steps nothing is in the memory that particles are re-ordered into.

    void copy_particles(ParticleRecords& records) override {
        use(device_);
        order_by_id<<<block_count(particle_count_), block_size>>>(particle_count_, particles_.data(),
                                                                  reordered_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        download(particle_count_, records);
    }

    void copy_selection(const Selection& selection, ParticleRecords& records) override {
        use(device_);
        download(reporter_.select(state(), SelectionRule(system_, selection), reordered_), records);
    }

    [[nodiscard]] std::string device_description() const override {
        return name_ + " (CUDA device " + std::to_string(device_) + ")";
    }
    [[nodiscard]] int reorder_interval() const override { return tuner_.reorder(); }
    [[nodiscard]] Summation summation() const override { return tuner_.summation(); }
    [[nodiscard]] bool is_settled() const override { return tuner_.is_settled(); }
    [[nodiscard]] std::vector<std::string> take_notes() override { return std::exchange(notes_, {}); }
    [[nodiscard]] std::int64_t memory_bytes() const override {
        return particles_.bytes() + reordered_.bytes() + sums_.bytes() + actions_.bytes() +
               kept_draws_.bytes() + places_.bytes() + wall_places_.bytes() + scan_scratch_.bytes() +
               bins_.bytes() + block_.bytes() + pressure_bins_.bytes() + pressure_block_.bytes();
    }

private:
    static constexpr std::int64_t shared_bins_limit = 24 << 10;
    static constexpr std::int64_t no_order = std::numeric_limits<std::int32_t>::max();

    static int use(int device) {
        MPCFLOW_CUDA(cudaSetDevice(device));
        return device;
    }

    /// Copies what was collected for it in `reordered_`.
    void download(std::int64_t count, ParticleRecords& records) const {
        const std::span<Particle> to = records.begin<Particle>(step_, count, allocate_pinned_bytes);
        reordered_.download(to.data(), 0, count);
    }

    [[nodiscard]] CellDraws<Law> draws() { return CellDraws<Law>(kept_draws_.data()); }

    [[nodiscard]] DeviceState<Particle> state() const {
        const CellCounts cells{sums_.data()->value, cell_count_, sum_stride<Law::sum_count>};
        return {particle_count_, particles_.data(), plan_.next_grid, cells, resident_blocks_};
    }

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
        const auto mean = vector_cast<typename Particle::Real>(
            totals_rule_.mean_velocity(reporter_.totals(state(), totals_rule_)));
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
            step({tuner_.summation(), reorders});
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
            step(ways[i]);
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

    [[nodiscard]] PressureFields pressure() const {
        return pressure_bins_.size() > 0 ? PressureFields::sampled : PressureFields::none;
    }

    /// The plan of the step to come; actions_ hold what its cells will do.
    StepPlan<Law> foresee() {
        StepPlan<Law> plan = plan_;
        plan.begin_step(system_, static_cast<std::uint64_t>(step_));
        resolve_cells<Resolving::foreseen><<<block_count(cell_count_), block_size>>>(
            plan, cell_count_, sums_.data(), actions_.data(), draws(), nullptr, WallQueue{}, report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        return plan;
    }

    /// Adds one sample of the flux to the current block.
    void sample_pressure() {
        const StepPlan<Law> plan = foresee();
        const std::int64_t bytes = pressure_bins_.bytes();
        const int shared_bins = bytes <= shared_bins_limit ? static_cast<int>(pressure_bins_.size()) : 0;
        sum_pressure_bins<<<state().particle_blocks(), block_size, (shared_bins > 0 ? bytes : 0)>>>(
            plan, bin_flux_rule_, bin_rule_, particle_count_, particles_.data(), actions_.data(), shared_bins,
            pressure_bins_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        fold_pressure_bins<<<block_count(pressure_bins_.size()), block_size>>>(
            system_.fluid.mass, system_.collision.time_step, pressure_bins_.size(), pressure_bins_.data(),
            pressure_block_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    void step(StepWay way) {
        plan_.begin_step(system_, static_cast<std::uint64_t>(step_));
        const WallQueue wall_queue{wall_places_.data(),
                                   wall_places_.size() > 0 ? wall_state_.data() : nullptr};
        resolve_cells<Resolving::for_the_step><<<block_count(cell_count_), block_size>>>(
            plan_, cell_count_, sums_.data(), actions_.data(), draws(),
            way.reorders ? places_.data() : nullptr, wall_queue, report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        Particle* to = particles_.data();
        if (way.reorders) {
            std::size_t scan_bytes = scan_scratch_.size();
            MPCFLOW_CUDA(cub::DeviceScan::ExclusiveSum(scan_scratch_.data(), scan_bytes, places_.data(),
                                                       places_.data(), cell_count_));
            to = reordered_.data();
        }
        const ParticleStep<Law, Particle> step{particle_count_, particles_.data(), to,
                                               actions_.data(), draws(),           sums_.data(),
                                               places_.data(),  wall_queue,        report_.data()};
        visit_summation<Law::masses>(way.summation, [&](auto summation) {
            const auto advance = way.reorders ? advance_particles<Law, Particle, summation(), true>
                                              : advance_particles<Law, Particle, summation(), false>;
            advance<<<block_count(particle_count_), block_size>>>(plan_, step);
        });
        MPCFLOW_CUDA(cudaGetLastError());
        if (wall_queue.state != nullptr) {
            finish_at_walls<<<state().particle_blocks(), block_size>>>(plan_, step);
            MPCFLOW_CUDA(cudaGetLastError());
        }
        if (way.reorders) particles_.swap(reordered_);
        since_reordering_ = way.reorders ? 1 : since_reordering_ + 1;
        ++step_;
    }

    /// Counts the distinct cells in some of the warps of particles, as they are now, for
    /// distinct_cells()[place].
    void count_distinct_cells_into(std::size_t place) {
        if (sampled_warps() == 0) return;
        unsigned* const to = distinct_cells_.data() + place;
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

    void check_faults() {
        StepReport report{};
        report_.download(&report, 0, 1);
        fast_steps_ = static_cast<std::int64_t>(report.fast_steps);
        throw_on_faults(report.faults, step_, system_);
    }

    int device_;
    std::string name_;
    unsigned resident_blocks_ = 1;
    System system_;
    ExecutionTuner tuner_;
    std::vector<std::string> notes_;
    StepPlan<Law> plan_;
    TotalsRule totals_rule_;
    BinRule bin_rule_;
    MomentumFluxRule<typename Law::Real> flux_rule_;
    MomentumFluxRule<typename Law::Real> bin_flux_rule_;
    std::int64_t step_ = 0;
    std::int64_t since_reordering_ = no_order;  ///< steps
    std::int64_t samples_ = 0;
    std::int64_t fast_steps_ = 0;
    std::int64_t particle_count_;
    int cell_count_;
    DeviceArray<Particle> particles_;
    DeviceArray<Particle> reordered_;
    DeviceArray<SumRow<Law>> sums_;
    DeviceArray<CellAction<Law>> actions_;
    DeviceArray<typename Law::Draw> kept_draws_;
    DeviceArray<std::uint32_t> places_;
    DeviceArray<std::uint32_t> wall_places_;
    DeviceArray<WallQueue::State> wall_state_;
    DeviceArray<unsigned> distinct_cells_;
    DeviceArray<char> scan_scratch_;
    DeviceArray<StepReport> report_;
    std::array<DeviceTimer, ExecutionTuner::batch_size> timers_;
    DeviceReporter reporter_;
    DeviceArray<BinSums> bins_;
    DeviceArray<FieldSums> block_;
    DeviceArray<MomentumFluxResult> flux_{1};
    DeviceArray<PressureBinSums> pressure_bins_;
    DeviceArray<PressureSums> pressure_block_;
};

template <class Line, class Real>
std::unique_ptr<Solver> make_device_solver_of(const System& system, const SolverOptions& options,
                                              int device) {
    return visit_law_of_line<Line, Real>(
        system,
        [&]<class Law>(const Law& law) -> std::unique_ptr<Solver> {
            return std::make_unique<DeviceSolver<Law, ParticleOf<Real, Law::masses>>>(law, system, options,
                                                                                      device);
        });
}

}  // namespace mpcflow
