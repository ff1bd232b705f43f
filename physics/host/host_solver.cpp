/// The host solver: what is measured of a fluid on CPU threads. Its steps are in host_fluid.hpp.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "physics/collision/laws.hpp"
#include "physics/errors.hpp"
#include "physics/host/host_fluid.hpp"
#include "physics/observables/extremes.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/histogram_bins.hpp"
#include "physics/observables/mode_rule.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/observables/pair_centres.hpp"
#include "physics/observables/totals.hpp"
#include "physics/particle.hpp"
#include "physics/particle_records.hpp"
#include "physics/snapshot.hpp"
#include "physics/solver.hpp"
#include "physics/step.hpp"

namespace mpcflow {

namespace {

template <class Law, class Particle>
class HostSolver final : public Solver {
public:
    HostSolver(const Law& law, const System& system, const SolverOptions& options)
        : system_(system),
          fluid_(law, system, options),
          totals_rule_(system),
          bin_rule_(system, options.bins),
          flux_rule_(system, static_cast<double>(system.particle_count())),
          bin_flux_rule_(system, most_in_flux_sums * bin_rule_.occupancy_limit()),
          pressure_(options.pressure),
          block_(make_field_block(bin_rule_.bin_count(), pressure_)),
          bin_sums_(bin_rule_.bin_count() * fluid_.threads()),
          pressure_sums_(pressure_ == PressureFields::sampled ? bin_sums_.size() : 0) {}

    [[nodiscard]] static HostNeeds needs(const Law& law, const System& system, const SolverOptions& options) {
        HostNeeds needs = HostFluid<Law, Particle>::needs(law, system, options);
        const bool has_pressure = options.pressure == PressureFields::sampled;
        const std::size_t bytes_of_sums = sizeof(BinSums) + (has_pressure ? sizeof(PressureBinSums) : 0);
        needs.bytes +=
            BinRule(system, options.bins).bin_count() *
            (bytes_of_bin(options.pressure) + needs.threads * static_cast<std::int64_t>(bytes_of_sums));
        return needs;
    }

    void run(std::int64_t count) override { fluid_.run(count); }

    [[nodiscard]] std::int64_t current_step() const override { return fluid_.step(); }

    [[nodiscard]] std::int64_t fast_steps() const override { return fluid_.fast_steps(); }

    [[nodiscard]] Totals totals() override { return totals_rule_.totals(fluid_.sum_totals(totals_rule_)); }

    [[nodiscard]] Extremes extremes() override {
        struct alignas(128) Part {  // a cache line for each thread
            ExtremesSoFar extremes;
        };
        std::vector<Part> parts(fluid_.threads());
        fluid_.for_all_particles([&](int thread, const Particle& p) {
            parts[thread].extremes.add_speed_squared(speed_squared(p));
        });
        fluid_.for_whole_cells([&](int thread, double count) { parts[thread].extremes.add_cell(count); });
        ExtremesSoFar all;
        for (const Part& part : parts) all.add(part.extremes);
        return all.extremes();
    }

    [[nodiscard]] std::uint64_t state_hash() override {
        std::vector<std::uint64_t> parts(fluid_.threads(), 0);
        fluid_.for_all_particles([&](int thread, const Particle& p) { parts[thread] += particle_hash(p); });
        std::uint64_t hash = 0;
        for (const std::uint64_t part : parts) hash += part;
        return hash;
    }

    void sample_fields() override {
        const std::int64_t bins = bin_rule_.bin_count();
        if (bins == 0) throw std::logic_error("sample_fields: no bins were asked for");
        check_one_species(system_, "sample_fields");
        std::fill(bin_sums_.begin(), bin_sums_.end(), BinSums{});
        fluid_.for_all_particles([&](int thread, const Particle& p) {
            BinSums& bin = bin_sums_[thread * bins + bin_rule_.bin(p.position)];
            const BinSums part = bin_rule_.contribute(p);
            for (int i = 0; i < BinSums::count; ++i) bin.value[i] += part.value[i];
        });
        for (std::int64_t b = 0; b < bins; ++b) {
            BinSums sum;
            for (int thread = 0; thread < fluid_.threads(); ++thread)
                for (int i = 0; i < BinSums::count; ++i)
                    sum.value[i] += bin_sums_[thread * bins + b].value[i];
            if (sum.value[0] > bin_rule_.occupancy_limit()) fluid_.add_faults(fault_bin);
            BinRule::fold(sum, system_.fluid.mass, block_.bins[b]);
        }
        if (pressure_ == PressureFields::sampled) sample_pressure();
        ++block_.samples;
        fluid_.check();
    }

    [[nodiscard]] FieldBlock take_field_block() override {
        return std::exchange(block_, make_field_block(bin_rule_.bin_count(), pressure_));
    }

    [[nodiscard]] MomentumFlux momentum_flux() override {
        check_one_species(system_, "momentum_flux");
        struct alignas(128) Part {  // cache lines for each thread
            MomentumFluxSums flux;
            WallSums walls;
        };
        std::vector<Part> parts(fluid_.threads());
        fluid_.for_all_fluxes(flux_rule_, [&](int thread, const ParticleFlux<Real>& flux) {
            parts[thread].flux += flux_rule_.contribute(flux);
            if (flux_rule_.has_walls()) flux_rule_.add_to_walls(flux, parts[thread].walls);
        });
        Part all;
        for (const Part& part : parts) {
            all.flux += part.flux;
            all.walls += part.walls;
        }
        return mpcflow::momentum_flux(all.flux, all.walls, system_);
    }

    void put_field_block(const FieldBlock& block) override {
        check_bins(block, bin_rule_.bin_count(), pressure_);
        block_ = block;
    }

    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) override {
        check_snapshot(system_, snapshot);
        static_cast<void>(take_field_block());
        fluid_.restore(snapshot.step, fast_steps,
                       [&](std::int64_t i) { return take_from_snapshot<Particle>(snapshot, i); });
    }

    void sample_histograms(Histograms& histograms) override {
        const SpeedBins speed_bins(system_.fluid, histograms);
        count_into(histograms.speed, [&](std::vector<std::vector<std::uint64_t>>& counts) {
            fluid_.for_all_particles(
                [&](int thread, const Particle& p) { ++counts[thread][speed_bins.bin(p)]; });
        });
        const OccupancyBins occupancy_bins(histograms);
        count_into(histograms.occupancy, [&](std::vector<std::vector<std::uint64_t>>& counts) {
            fluid_.for_whole_cells(
                [&](int thread, double count) { ++counts[thread][occupancy_bins.bin(count)]; });
        });
        ++histograms.samples;
    }

    void count_pairs(const PairCentres& centres, std::vector<std::uint64_t>& counts) override {
        count_into(
            counts,
            [&](std::vector<std::vector<std::uint64_t>>& parts) {
                fluid_.for_all_particles([&](int thread, const Particle& p) {
                    centres.rule().for_centres_near(
                        p, centres.cells(), [&](int bin) { ++parts[thread][bin]; });
                });
            });
    }

    [[nodiscard]] std::vector<double> velocity_modes(const WaveNumbers& waves) override {
        const ModeRule rule(system_, waves);
        std::vector<std::vector<ModeTotals>> parts(fluid_.threads());
        fluid_.for_each_thread([&](int thread, std::span<const Particle> particles) {
            std::vector<ModeTotals> totals(rule.parts());
            while (!particles.empty()) {
                const auto some =
                    particles.first(std::min<std::size_t>(ModeRule::most_added, particles.size()));
                for (int part = 0; part < rule.parts(); ++part) {
                    ModeSums sums;
                    for (const Particle& particle : some) rule.add(rule.part(part), particle, sums);
                    totals[part] += rule.split(sums);
                }
                particles = particles.subspan(some.size());
            }
            parts[thread] = std::move(totals);
        });
        for (int thread = 1; thread < fluid_.threads(); ++thread)
            for (int part = 0; part < rule.parts(); ++part) parts[0][part] += parts[thread][part];
        return rule.modes(parts[0]);
    }

    void copy_particles(ParticleRecords& records) override {
        const std::span<Particle> to = records.begin<Particle>(fluid_.step(), fluid_.particle_count());
        fluid_.for_all_particles([&](int, const Particle& p) { to[p.id()] = p; });
    }

    void copy_selection(const Selection& selection, ParticleRecords& records) override {
        const SelectionRule rule(system_, selection);
        std::vector<std::vector<Particle>> parts(fluid_.threads());
        fluid_.for_all_particles([&](int thread, const Particle& p) {
            if (rule.contains(p)) parts[thread].push_back(p);
        });
        std::int64_t count = 0;
        for (const std::vector<Particle>& part : parts) count += static_cast<std::int64_t>(part.size());
        auto to = records.begin<Particle>(fluid_.step(), count).begin();
        for (const std::vector<Particle>& part : parts) to = std::copy(part.begin(), part.end(), to);
    }

    [[nodiscard]] std::string device_description() const override {
        return "CPU, " + std::to_string(fluid_.threads()) + (fluid_.threads() == 1 ? " thread" : " threads");
    }
    [[nodiscard]] int reorder_interval() const override { return fluid_.reorder_interval(); }
    [[nodiscard]] std::int64_t memory_bytes() const override { return fluid_.memory_bytes(); }

private:
    using Real = typename Law::Real;

    /// Adds one sample of the flux to the current block.
    void sample_pressure() {
        const std::int64_t bins = bin_rule_.bin_count();
        std::fill(pressure_sums_.begin(), pressure_sums_.end(), PressureBinSums{});
        fluid_.for_all_fluxes(bin_flux_rule_, [&](int thread, const ParticleFlux<Real>& flux) {
            PressureBinSums* const sums = &pressure_sums_[thread * bins];
            double added[PressureBinSums::count];
            bin_flux_rule_.put_in_bin_of_flight(flux, added);
            bin_flux_rule_.put_collisional(flux, added + PressureBinSums::in_flight);
            double* const in_flight = sums[bin_rule_.bin(flux.mid_flight_place)].value;
            double* const at_centre = sums[bin_rule_.bin(flux.cell_centre)].value;
            for (int i = 0; i < PressureBinSums::in_flight; ++i) in_flight[i] += added[i];
            for (int i = PressureBinSums::in_flight; i < PressureBinSums::count; ++i)
                at_centre[i] += added[i];
        });
        for (std::int64_t b = 0; b < bins; ++b) {
            PressureBinSums sum;
            for (int thread = 0; thread < fluid_.threads(); ++thread)
                for (int i = 0; i < PressureBinSums::count; ++i)
                    sum.value[i] += pressure_sums_[thread * bins + b].value[i];
            fold_pressure(sum, system_.fluid.mass, system_.collision.time_step, block_.pressure[b]);
        }
    }

    /// Calls count(bins for each thread), and adds them to `sums`.
    template <class Count>
    void count_into(std::vector<std::uint64_t>& sums, const Count& count) {
        std::vector<std::vector<std::uint64_t>> parts(fluid_.threads(),
                                                      std::vector<std::uint64_t>(sums.size()));
        count(parts);
        for (const std::vector<std::uint64_t>& part : parts)
            for (std::size_t bin = 0; bin < sums.size(); ++bin) sums[bin] += part[bin];
    }

    System system_;
    HostFluid<Law, Particle> fluid_;
    TotalsRule totals_rule_;
    BinRule bin_rule_;
    MomentumFluxRule<Real> flux_rule_;
    MomentumFluxRule<Real> bin_flux_rule_;
    PressureFields pressure_;
    FieldBlock block_;
    std::vector<BinSums> bin_sums_;
    std::vector<PressureBinSums> pressure_sums_;
};

/// Calls visitor(law, type identity of the host solver) for the law, masses and precision asked for.
template <class Visitor>
auto visit_solver(const System& system, const SolverOptions& options, const Visitor& visitor) {
    const auto in_arithmetic = [&]<class Real>() {
        return visit_law<Real>(system, [&]<class Law>(const Law& law) {
            return visitor(law, std::type_identity<HostSolver<Law, ParticleOf<Real, Law::masses>>>{});
        });
    };
    return options.precision == Precision::mixed ? in_arithmetic.template operator()<float>()
                                                 : in_arithmetic.template operator()<double>();
}

}  // namespace

HostNeeds host_solver_needs(const System& system, const SolverOptions& options) {
    return visit_solver(
        system, options,
        [&]<class Made>(const auto& law, std::type_identity<Made>) {
            return Made::needs(law, system, options);
        });
}

std::unique_ptr<Solver> make_host_solver(const System& system, const SolverOptions& options) {
    try {
        return visit_solver(
            system, options,
            [&]<class Made>(const auto& law, std::type_identity<Made>) {
                return std::unique_ptr<Solver>(std::make_unique<Made>(law, system, options));
            });
    } catch (const std::bad_alloc&) {
        throw EnvironmentError(
            "not enough memory for " + std::to_string(system.particle_count()) +
            " particles; use a smaller box.size, a lower fluid.density or precision: mixed");
    }
}

}  // namespace mpcflow
