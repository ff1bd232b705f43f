#pragma once
/// The device solver for one law and one kind of particle. Each law is instantiated in a file of its own,
/// so that they compile side by side.

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/device_laws.hpp"
#include "gpu/observable_kernels.cuh"
#include "gpu/step_kernels.cuh"
#include "physics/extremes.hpp"
#include "physics/observables.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

template <class Law, class Particle>
class DeviceSolver final : public Solver {
public:
    DeviceSolver(const Law& law, const System& system, const SolverOptions& options, int device)
        : device_(use(device)),
          system_(system),
          summation_(options.summation),
          plan_(law, system),
          totals_rule_(system),
          bin_rule_(system, options.bins),
          reorder_(options.reorder > 0 ? options.reorder : default_reorder),
          particle_count_(system.particle_count()),
          cell_count_(static_cast<int>(plan_.next_grid.cell_count())),
          particles_(particle_count_),
          reordered_(particle_count_),
          sums_(cell_count_),
          actions_(cell_count_),
          next_draws_(Law::contributes_rotated ? cell_count_ : 0),
          places_(cell_count_),
          report_(1),
          totals_(1),
          extremes_(1),
          hash_(1),
          bins_(bin_rule_.bin_count()),
          block_(bin_rule_.bin_count()) {
        cudaDeviceProp properties{};
        MPCFLOW_CUDA(cudaGetDeviceProperties(&properties, device));
        name_ = properties.name;
        resident_blocks_ = static_cast<unsigned>(properties.multiProcessorCount) * 8U;
        std::size_t scan_bytes = 0;
        MPCFLOW_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, places_.data(), places_.data(), cell_count_));
        scan_scratch_ = DeviceArray<char>(static_cast<std::int64_t>(scan_bytes));
        report_.clear();
        sums_.clear();
        bins_.clear();
        block_.clear();
        create();
    }

    void run(std::int64_t count) override {
        use(device_);
        for (std::int64_t i = 0; i < count; ++i) step();
        check_faults();
    }

    [[nodiscard]] std::int64_t current_step() const override { return step_; }
    [[nodiscard]] std::int64_t fast_steps() const override { return fast_steps_; }

    [[nodiscard]] Totals totals() override {
        use(device_);
        return totals_rule_.totals(sum());
    }

    [[nodiscard]] Extremes extremes() override {
        use(device_);
        const ExtremesSoFar none;
        const ExtremesBits start{0, none.minimum, none.maximum};
        extremes_.upload(&start, 1);
        find_fastest<<<grid_for_sums(), block_size>>>(particle_count_, particles_.data(), extremes_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        find_occupancy_extremes<<<grid_for_cells(), block_size>>>(plan_.next_grid, cell_count_, sums_.data()->value,
                                                                  sum_stride<Law>, extremes_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        ExtremesBits found{};
        extremes_.download(&found, 0, 1);
        return ExtremesSoFar{std::bit_cast<double>(found.speed_squared), found.minimum, found.maximum}.extremes();
    }

    [[nodiscard]] std::uint64_t state_hash() override {
        use(device_);
        hash_.clear();
        sum_hashes<<<grid_for_sums(), block_size>>>(particle_count_, particles_.data(), hash_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        unsigned long long hash = 0;
        hash_.download(&hash, 0, 1);
        return hash;
    }

    void sample_fields() override {
        if (bins_.size() == 0) throw std::logic_error("sample_fields: no bins were asked for");
        use(device_);
        const std::int64_t bytes = bins_.bytes();
        const int shared_bins = bytes <= shared_bins_limit ? static_cast<int>(bins_.size()) : 0;
        sum_bins<<<grid_for_sums(), block_size, shared_bins > 0 ? bytes : 0>>>(bin_rule_, particle_count_, particles_.data(),
                                                                               shared_bins, bins_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        fold_bins<<<block_count(bins_.size()), block_size>>>(system_.fluid.mass, bin_rule_.occupancy_limit(), bins_.size(),
                                                            bins_.data(), block_.data(), report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        ++samples_;
    }

    [[nodiscard]] FieldBlock take_field_block() override {
        use(device_);
        check_faults();
        FieldBlock block{std::exchange(samples_, 0), std::vector<FieldSums>(block_.size())};
        block_.download(block.bins.data(), 0, block_.size());
        block_.clear();
        return block;
    }

    void copy_particles(ParticleSnapshot& snapshot) override {
        use(device_);
        snapshot.step = step_;
        snapshot.position.resize(3 * particle_count_);
        snapshot.velocity.resize(3 * particle_count_);
        snapshot.image.resize(3 * particle_count_);
        std::vector<Particle> part(std::min<std::int64_t>(particle_count_, 1 << 20));
        for (std::int64_t first = 0; first < particle_count_; first += static_cast<std::int64_t>(part.size())) {
            const std::int64_t count = std::min<std::int64_t>(particle_count_ - first, static_cast<std::int64_t>(part.size()));
            particles_.download(part.data(), first, count);
            for (std::int64_t i = 0; i < count; ++i) {
                const std::size_t at = 3 * part[i].id();
                for (int axis = 0; axis < 3; ++axis) {
                    snapshot.position[at + axis] = part[i].position[axis];
                    snapshot.velocity[at + axis] = part[i].velocity[axis];
                    snapshot.image[at + axis] = part[i].image(axis);
                }
            }
        }
    }

    [[nodiscard]] std::string device_description() const override {
        return name_ + " (CUDA device " + std::to_string(device_) + ")";
    }
    [[nodiscard]] int reorder_interval() const override { return reorder_; }
    [[nodiscard]] std::int64_t memory_bytes() const override {
        return particles_.bytes() + reordered_.bytes() + sums_.bytes() + actions_.bytes() + next_draws_.bytes() +
               places_.bytes() + scan_scratch_.bytes() + bins_.bytes() + block_.bytes();
    }

private:
    /// Measured best on an H200 (docs/performance.md); laws with more sums gain more from order.
    static constexpr int default_reorder = Law::sum_count > 8 ? 8 : 16;
    static constexpr std::int64_t shared_bins_limit = 24 << 10;

    static int use(int device) {
        MPCFLOW_CUDA(cudaSetDevice(device));
        return device;
    }

    /// Blocks for kernels that stride over the particles: all that fit on the card at a time, no more
    /// than there is work for.
    [[nodiscard]] unsigned grid_for_sums() const { return std::max(1U, std::min(block_count(particle_count_), resident_blocks_)); }

    [[nodiscard]] unsigned grid_for_cells() const { return std::min(block_count(cell_count_), resident_blocks_); }

    [[nodiscard]] TotalsSums sum() {
        totals_.clear();
        sum_totals<<<grid_for_sums(), block_size>>>(totals_rule_, particle_count_, particles_.data(), totals_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        TotalsSums sums;
        totals_.download(&sums, 0, 1);
        return sums;
    }

    /// Calls action(std::integral_constant<Summation, ...>) with the way of summing of this solver.
    template <class Action>
    void visit_summation(const Action& action) const {
        switch (summation_) {
            case Summation::peers: return action(std::integral_constant<Summation, Summation::peers>{});
            case Summation::direct: return action(std::integral_constant<Summation, Summation::direct>{});
            case Summation::cas: return action(std::integral_constant<Summation, Summation::cas>{});
        }
    }

    void create() {
        const unsigned blocks = block_count(particle_count_);
        create_particles<<<blocks, block_size>>>(InitialState(system_), particle_count_, particles_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        const auto mean = vector_cast<typename Particle::Real>(totals_rule_.mean_velocity(sum()));
        subtract_velocity<<<blocks, block_size>>>(mean, particle_count_, particles_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        if constexpr (Law::contributes_rotated) {
            draw_for_cells<<<block_count(cell_count_), block_size>>>(plan_, cell_count_, next_draws_.data());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        visit_summation([&](auto summation) {
            contribute_particles<Law, Particle, summation()><<<blocks, block_size>>>(
                plan_, particle_count_, particles_.data(), next_draws_.data(), sums_.data());
        });
        MPCFLOW_CUDA(cudaGetLastError());
        MPCFLOW_CUDA(cudaDeviceSynchronize());
    }

    void step() {
        plan_.begin_step(system_, static_cast<std::uint64_t>(step_));
        const bool reorders = step_ % reorder_ == 0;
        resolve_cells<<<block_count(cell_count_), block_size>>>(plan_, cell_count_, sums_.data(), actions_.data(), next_draws_.data(),
                                                                reorders ? places_.data() : nullptr, report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        if (reorders) {
            std::size_t scan_bytes = scan_scratch_.size();
            MPCFLOW_CUDA(cub::DeviceScan::ExclusiveSum(scan_scratch_.data(), scan_bytes, places_.data(), places_.data(),
                                                       cell_count_));
            advance<true>(reordered_.data());
            particles_.swap(reordered_);
        } else {
            advance<false>(particles_.data());
        }
        ++step_;
    }

    template <bool reorders>
    void advance(Particle* to) {
        visit_summation([&](auto summation) {
            advance_particles<Law, Particle, summation(), reorders>
                <<<block_count(particle_count_), block_size>>>(plan_, particle_count_, particles_.data(), to,
                                                               actions_.data(), next_draws_.data(), sums_.data(),
                                                               places_.data(), report_.data());
        });
        MPCFLOW_CUDA(cudaGetLastError());
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
    Summation summation_;
    StepPlan<Law> plan_;
    TotalsRule totals_rule_;
    BinRule bin_rule_;
    int reorder_;
    std::int64_t step_ = 0;
    std::int64_t samples_ = 0;
    std::int64_t fast_steps_ = 0;
    std::int64_t particle_count_;
    int cell_count_;
    DeviceArray<Particle> particles_;
    DeviceArray<Particle> reordered_;
    DeviceArray<SumRow<Law>> sums_;
    DeviceArray<CellAction<Law>> actions_;
    DeviceArray<PaddedDraw<Law>> next_draws_;
    DeviceArray<std::uint32_t> places_;
    DeviceArray<char> scan_scratch_;
    DeviceArray<StepReport> report_;
    DeviceArray<TotalsSums> totals_;
    DeviceArray<ExtremesBits> extremes_;
    DeviceArray<unsigned long long> hash_;
    DeviceArray<BinSums> bins_;
    DeviceArray<FieldSums> block_;
};

template <class Law>
std::unique_ptr<Solver> make_device_solver_of(const Law& law, const System& system, const SolverOptions& options,
                                              int device) {
    using Particle = std::conditional_t<std::is_same_v<typename Law::Real, double>, ParticleDouble, ParticleMixed>;
    return std::make_unique<DeviceSolver<Law, Particle>>(law, system, options, device);
}

}  // namespace mpcflow
