#pragma once
/// What instantiate_flux.cpp.in compiles of host_flux.hpp.

#include <cstddef>
#include <cstdint>
#include <span>

#include "physics/host/columns.hpp"
#include "physics/host/flux_block.hpp"
#include "physics/host/host_flux.hpp"
#include "physics/host/vector_units.hpp"
#include "physics/host_device.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/momentum_flux_sums.hpp"
#include "physics/observables/sums.hpp"

namespace mpcflow {
namespace detail {

/// Measures what each of some particles does in the step, most of them block by block, for a `Sums`:
/// sums.add_block<units>(block) takes what is not odd in it, and sums.add(flux) one.
template <class Plan, class Sums>
struct MeasureFluxes {
    using Rule = MomentumFluxRule<typename Plan::Real>;
    using Particles = ParticleRange<typename Plan::Particle>;
    using Block = FluxBlock<Plan>;

    /// Of its own, as that of Advance.
    Plan plan;
    Rule rule;
    Particles particles;
    Sums& sums;

    void run([[maybe_unused]] VectorUnits units) {
        if (!Block::takes(plan)) return measure_one_by_one(particles);
#if MPCFLOW_HAS_VECTOR_UNITS
        if constexpr (is_avx512_compiled) {
            if (units == VectorUnits::avx512) return run_avx512();
        }
        if (units == VectorUnits::avx2) return run_avx2();
#endif
        run_plain();
    }

private:
    // Flattened as the loops of Advance.
#if MPCFLOW_HAS_VECTOR_UNITS
    MPCFLOW_AVX512 MPCFLOW_FLATTEN void run_avx512() { run_with<VectorUnits::avx512>(); }
    MPCFLOW_AVX2 MPCFLOW_FLATTEN void run_avx2() { run_with<VectorUnits::avx2>(); }
#endif
    MPCFLOW_FLATTEN_PLAIN void run_plain() { run_with<VectorUnits::plain>(); }

    template <VectorUnits units>
    void run_with() {
        Block block;
        while (particles.size() > 0) {
            // The first one is shorter, so that those behind it begin where columns have a whole line.
            const std::int64_t first = particles.first();
            const auto count =
                static_cast<int>(particles.take_first(Block::size - first % Block::size).size());
            block.template measure<units>(plan, rule, particles.all(), first, count);
            sums.template add_block<units>(block);
            if (block.are_any_odd()) measure_odd(block, first, count);
        }
    }

    [[gnu::noinline]] MPCFLOW_FLATTEN_PLAIN void measure_odd(const Block& block, std::int64_t first,
                                                             int count) {
        for (int k = 0; k < count; ++k)
            if (block.is_odd(k)) measure(particles.all()[first + k]);
    }
    [[gnu::noinline]] MPCFLOW_FLATTEN_PLAIN void measure_one_by_one(const Particles& some) {
        for (const auto particle : some) measure(particle);
    }
    void measure(const typename Plan::Particle& particle) {
        const auto load = [](const auto* action) { return *action; };
        sums.add(rule.measure_at_walls(plan, particle, plan.grid.locate(particle.position), load));
    }
};

/// Sums over all particles, and what walls take.
template <class Plan>
class SumFluxes {
public:
    using Block = FluxBlock<Plan>;
    using Rule = typename Block::Rule;

    SumFluxes(const Rule& rule, FluxPart& part) : rule_(rule), part_(part) {}

    template <VectorUnits units>
    void add_block(const Block& block) {
        for (int k = 0; k < Block::size; ++k) {
            const MomentumFluxSums sums = rule_.contribute(block[k]);
            const bool counts = !block.is_odd(k);
            int number = 0;
            for (const double value : sums.velocity) lanes_[number++][k] += counts ? value : 0.0;
            for (const double value : sums.kinetic_flux) lanes_[number++][k] += counts ? value : 0.0;
            for (const double value : sums.collisional_flux) lanes_[number++][k] += counts ? value : 0.0;
        }
    }
    template <class Flux>
    void add(const Flux& flux) {
        part_.add(rule_, flux);
    }
    /// After all blocks. Sums are exact in any order.
    void finish() {
        const std::span<double> sums = numbers_in(std::span(&part_.flux, 1));
        for (std::size_t number = 0; number < sums.size(); ++number)
            for (const double lane : lanes_[number]) sums[number] += lane;
    }

private:
    const Rule& rule_;
    FluxPart& part_;
    /// Each number of MomentumFluxSums, of each lane of the blocks.
    alignas(64) double lanes_[sizeof(MomentumFluxSums) / sizeof(double)][Block::size]{};
};

/// Sums over bins: in_flight numbers where a particle is in mid-flight, the others where its cell is.
template <class Plan>
class FluxesToBins {
public:
    using Block = FluxBlock<Plan>;
    using Rule = typename Block::Rule;

    FluxesToBins(const Plan& plan, const Rule& rule, const BinRule& bin_rule, PressureBinSums* bins)
        : plan_(plan), rule_(rule), bin_rule_(bin_rule), bins_(bins) {}

    template <VectorUnits units>
    void add_block(const Block& block) {
        for (int k = 0; k < Block::size; ++k) {
            InFlight in_flight;
            AtCentre at_centre;
            put(block[k], in_flight, at_centre);
            in_flight_.set(k, in_flight);
            at_centre_.set(k, at_centre);
        }
        in_flight_.template make_rows<units>();
        at_centre_.template make_rows<units>();
        for (int k = 0; k < Block::size; ++k) {
            if (block.is_odd(k)) continue;
            in_flight_.template add_to<units>(bins_[bin_rule_.bin(block[k].mid_flight_place)].value, k);
            at_centre_.template add_to<units>(
                bins_[bin_rule_.bin(block.cell_centre(plan_, rule_, k))].value + InFlight::count, k);
        }
    }
    template <class Flux>
    void add(const Flux& flux) {
        InFlight in_flight;
        AtCentre at_centre;
        put(flux, in_flight, at_centre);
        double* const to_flight = bins_[bin_rule_.bin(flux.mid_flight_place)].value;
        double* const to_centre = bins_[bin_rule_.bin(flux.cell_centre)].value + InFlight::count;
        for (int i = 0; i < InFlight::count; ++i) to_flight[i] += in_flight.value[i];
        for (int i = 0; i < AtCentre::count; ++i) to_centre[i] += at_centre.value[i];
    }

private:
    using InFlight = SumsOf<PressureBinSums::in_flight>;
    using AtCentre = SumsOf<PressureBinSums::count - PressureBinSums::in_flight>;

    template <class Flux>
    void put(const Flux& flux, InFlight& in_flight, AtCentre& at_centre) const {
        rule_.put_in_bin_of_flight(flux.mass(), flux.mid_flight_velocity, in_flight.value);
        rule_.put_collisional(flux.mass(), flux.change, flux.arm, at_centre.value);
    }

    const Plan& plan_;
    const Rule& rule_;
    const BinRule& bin_rule_;
    PressureBinSums* bins_;
    ContributionColumns<InFlight, Block::size> in_flight_;
    ContributionColumns<AtCentre, Block::size> at_centre_;
};

}  // namespace detail

template <class Plan>
void HostFlux<Plan>::add(const Plan& plan, const Rule& rule, Particles particles, VectorUnits units,
                         FluxPart& part) {
    detail::SumFluxes<Plan> sums(rule, part);
    detail::MeasureFluxes<Plan, detail::SumFluxes<Plan>>{plan, rule, particles, sums}.run(units);
    sums.finish();
}

template <class Plan>
void HostFlux<Plan>::add_to_bins(const Plan& plan, const Rule& rule, const BinRule& bin_rule,
                                 Particles particles, VectorUnits units, PressureBinSums* bins) {
    detail::FluxesToBins<Plan> sums(plan, rule, bin_rule, bins);
    detail::MeasureFluxes<Plan, detail::FluxesToBins<Plan>>{plan, rule, particles, sums}.run(units);
}

}  // namespace mpcflow
