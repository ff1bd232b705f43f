#pragma once
/// Fields of a fluid on a device, added up there from sample to sample.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/device_flux.cuh"
#include "gpu/field_kernels.cuh"
#include "physics/errors.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/momentum_flux.hpp"

namespace mpcflow {

/// Of a DeviceFluid, or of a DeviceDomain: then all domains call its functions alike, and have the same.
template <class Fluid>
class DeviceFields final : public FieldSampler {
public:
    /// The fluid must outlive it.
    DeviceFields(Fluid& fluid, const SolverOptions& options)
        : fluid_(fluid),
          bin_rule_(fluid.system(), options.bins),
          flux_rule_(fluid.system(), most_in_flux_sums * bin_rule_.occupancy_limit()),
          layout_(checked(bin_rule_.layout(options.pressure))),
          bins_(bin_rule_.row_count()),
          block_(layout_.row_count()),
          pressure_bins_(options.pressure == PressureFields::sampled ? layout_.bins : 0),
          pressure_block_(pressure_bins_.size()) {
        flux_rule_.set_surfaces(fluid.surfaces());
        bins_.clear();
        pressure_bins_.clear();
        begin_block();
    }

    [[nodiscard]] std::int64_t memory_bytes() const {
        return bins_.bytes() + block_.bytes() + pressure_bins_.bytes() + pressure_block_.bytes();
    }

    /// Drops what was sampled.
    void begin_block() {
        samples_ = 0;
        block_.clear();
        pressure_block_.clear();
    }

    void sample() override {
        check_can_sample(bin_rule_);
        if (pressure() == PressureFields::sampled) sum_with_pressure();
        else sum_velocities();
        add_up_domains(bins_);
        fold_bins<<<block_count(layout_.bins), block_size>>>(bin_rule_, bins_.data(), block_.data(),
                                                             fluid_.report());
        MPCFLOW_CUDA(cudaGetLastError());
        ++samples_;
    }

    [[nodiscard]] FieldBlock take() override {
        fluid_.check();
        FieldBlock block = make_field_block(layout_);
        block.samples = samples_;
        block_.download(block.bins.data(), 0, block_.size());
        pressure_block_.download(block.pressure.data(), 0, pressure_block_.size());
        begin_block();
        return block;
    }

    void put(const FieldBlock& block) override {
        check_bins(block, layout_);
        fluid_.use();
        block_.upload(block.bins.data(), block_.size());
        pressure_block_.upload(block.pressure.data(), pressure_block_.size());
        samples_ = block.samples;
    }

private:
    /// Particles in a bin from which on it pays to put them into groups.
    static constexpr std::int64_t least_in_group = 32;
    using Real = typename Fluid::Record::Real;
    using Flux = FluxOf<Fluid>;

    /// Rows are 32-bit numbers.
    static FieldLayout checked(const FieldLayout& layout) {
        if (layout.row_count() <= std::numeric_limits<std::int32_t>::max()) return layout;
        throw EnvironmentError(
            "a device has room for 2147483647 field bins of all species; use fewer "
            "output.fields.bins");
    }

    [[nodiscard]] PressureFields pressure() const { return layout_.pressure; }

    /// Fills bins_.
    void sum_velocities() {
        const auto state = fluid_.state();
        const std::int64_t in_bin = state.particle_count / std::max<std::int64_t>(bins_.size(), 1);
        if (in_bin < least_in_group) {
            sum_small_bins<<<block_count(state.particle_count), block_size>>>(bin_rule_, state.particle_count,
                                                                              state.particles, bins_.data());
        } else {
            sum_bins<<<state.particle_blocks(), block_size>>>(bin_rule_, state.particle_count,
                                                              state.particles, bins_.data());
        }
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// The same, and adds one sample of the flux to the current block.
    void sum_with_pressure() {
        const System& system = fluid_.system();
        const auto plan = fluid_.foresee();
        Flux::sum_in_bins(fluid_.state(), typename Flux::Plan(plan, fluid_.actions()), plan.setting(),
                          flux_rule_.at_step(system, plan.step), bin_rule_, bins_.data(),
                          pressure_bins_.data());
        add_up_domains(pressure_bins_);
        fold_pressure_bins<<<block_count(pressure_bins_.size()), block_size>>>(
            system.fluid.mass, system.collision.time_step, pressure_bins_.size(), pressure_bins_.data(),
            pressure_block_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// The sums of one sample become those of all domains.
    template <class Sums>
    void add_up_domains([[maybe_unused]] const DeviceArray<Sums>& bins) {
        if constexpr (Fluid::is_domain) {
            std::vector<Sums> sums(static_cast<std::size_t>(bins.size()));
            bins.download(sums.data(), 0, bins.size());
            fluid_.exchange().add_up(numbers_in(std::span(sums)));
            bins.upload(sums.data(), bins.size());
        }
    }

    Fluid& fluid_;
    BinRule bin_rule_;
    MomentumFluxRule<Real> flux_rule_;
    FieldLayout layout_;
    std::int64_t samples_ = 0;
    DeviceArray<BinSums> bins_;  ///< of one sample, as pressure_bins_
    DeviceArray<FieldSums> block_;
    DeviceArray<PressureBinSums> pressure_bins_;
    DeviceArray<PressureSums> pressure_block_;
};

}  // namespace mpcflow
