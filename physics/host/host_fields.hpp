#pragma once
/// Fields of a fluid on CPU threads: each thread adds to bins of its own.

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "physics/host/host_fluid.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/momentum_flux.hpp"

namespace mpcflow {

template <class Law, class Particle, class Border = NoBorder<typename Law::Real>>
class HostFields final : public FieldSampler {
public:
    /// The fluid must outlive it.
    HostFields(HostFluid<Law, Particle, Border>& fluid, const System& system, const SolverOptions& options)
        : fluid_(fluid),
          system_(system),
          bin_rule_(system, options.bins),
          flux_rule_(system, most_in_flux_sums * bin_rule_.occupancy_limit()),
          pressure_(options.pressure),
          block_(make_field_block(bin_rule_.layout(pressure_))),
          bin_sums_(bin_rule_.row_count() * fluid_.threads()),
          pressure_sums_(pressure_ == PressureFields::sampled ? bin_rule_.bin_count() * fluid_.threads()
                                                              : 0) {}

    /// Bytes that one takes with so many threads.
    [[nodiscard]] static std::int64_t bytes(const System& system, const SolverOptions& options, int threads) {
        const BinRule rule(system, options.bins);
        const std::int64_t pressure_bins = options.pressure == PressureFields::sampled ? rule.bin_count() : 0;
        return rule.layout(options.pressure).bytes() +
               threads * (rule.row_count() * static_cast<std::int64_t>(sizeof(BinSums)) +
                          pressure_bins * static_cast<std::int64_t>(sizeof(PressureBinSums)));
    }

    void sample() override {
        check_can_sample(bin_rule_);
        const std::int64_t rows = bin_rule_.row_count();
        std::fill(bin_sums_.begin(), bin_sums_.end(), BinSums{});
        fluid_.for_all_particles([&](int thread, const Particle& p) {
            bin_sums_[thread * rows + bin_rule_.row(p.position, p.species())] +=
                bin_rule_.contribute(bin_rule_.velocity(p.position, p.velocity));
        });
        add_up(bin_sums_, rows);
        for (std::int64_t bin = 0; bin < bin_rule_.bin_count(); ++bin)
            if (!bin_rule_.fold(bin_sums_.data(), bin, block_.bins.data())) fluid_.add_faults(fault_bin);
        if (pressure_ == PressureFields::sampled) sample_pressure();
        ++block_.samples;
        fluid_.check();
    }

    [[nodiscard]] FieldBlock take() override {
        return std::exchange(block_, make_field_block(bin_rule_.layout(pressure_)));
    }

    void put(const FieldBlock& block) override {
        check_bins(block, bin_rule_.layout(pressure_));
        block_ = block;
    }

private:
    using Real = typename Law::Real;
    using Flux = typename HostFluid<Law, Particle, Border>::Flux;

    /// Adds one sample of the flux to the current block.
    void sample_pressure() {
        const std::int64_t bins = bin_rule_.bin_count();
        std::fill(pressure_sums_.begin(), pressure_sums_.end(), PressureBinSums{});
        fluid_.for_flux(flux_rule_, [&](int thread, const auto& plan, const auto& rule, auto particles) {
            Flux::add_to_bins(plan, rule, bin_rule_, particles, fluid_.vectors(),
                              &pressure_sums_[thread * bins]);
        });
        add_up(pressure_sums_, bins);
        for (std::int64_t b = 0; b < bins; ++b)
            fold_pressure(pressure_sums_[b], system_.fluid.mass, system_.collision.time_step,
                          block_.pressure[b]);
    }

    /// Over threads and domains: the sums of the first thread become those of all.
    template <class Sums>
    void add_up(std::vector<Sums>& all, std::int64_t rows) {
        for (int thread = 1; thread < fluid_.threads(); ++thread)
            for (std::int64_t row = 0; row < rows; ++row) all[row] += all[thread * rows + row];
        fluid_.add_up_domains(numbers_in(std::span(all).first(static_cast<std::size_t>(rows))));
    }

    HostFluid<Law, Particle, Border>& fluid_;
    System system_;
    BinRule bin_rule_;
    MomentumFluxRule<Real> flux_rule_;
    PressureFields pressure_;
    FieldBlock block_;
    std::vector<BinSums> bin_sums_;
    std::vector<PressureBinSums> pressure_sums_;
};

}  // namespace mpcflow
