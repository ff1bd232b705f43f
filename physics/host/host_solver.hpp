#pragma once
/// The host solver: what is measured of a fluid on CPU threads. Its steps are in host_fluid.hpp.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "physics/collision/laws.hpp"
#include "physics/host/host_fields.hpp"
#include "physics/host/host_fluid.hpp"
#include "physics/host/host_laws.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/particle.hpp"
#include "physics/particle_records.hpp"
#include "physics/snapshot.hpp"
#include "physics/solver.hpp"
#include "physics/step.hpp"

namespace mpcflow {

template <class Law, class Particle>
class HostSolver final : public MeasuringSolver<HostSolver<Law, Particle>> {
public:
    HostSolver(const Law& law, const System& system, const SolverOptions& options)
        : system_(system), fluid_(law, system, options), fields_(fluid_, system, options) {}

    [[nodiscard]] static HostNeeds needs(const Law& law, const System& system, const SolverOptions& options) {
        HostNeeds needs = HostFluid<Law, Particle>::needs(law, system, options);
        needs.bytes += HostFields<Law, Particle>::bytes(system, options, needs.threads);
        return needs;
    }

    [[nodiscard]] const System& system() const override { return system_; }

    void run(std::int64_t count) override { fluid_.run(count); }

    [[nodiscard]] std::int64_t current_step() const override { return fluid_.step(); }

    [[nodiscard]] std::int64_t fast_steps() const override { return fluid_.fast_steps(); }

    [[nodiscard]] std::uint64_t state_hash() override {
        std::vector<std::uint64_t> parts(fluid_.threads(), 0);
        fluid_.for_all_particles([&](int thread, const Particle& p) { parts[thread] += particle_hash(p); });
        std::uint64_t hash = 0;
        for (const std::uint64_t part : parts) hash += part;
        return hash;
    }

    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) override {
        check_snapshot(system_, snapshot);
        static_cast<void>(fields_.take());
        fluid_.restore(snapshot.step, fast_steps,
                       [&](std::int64_t i) { return take_from_snapshot<Particle>(snapshot, i); });
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

    // Each kind of rules (physics/observables/rules.hpp).

    template <SumsParticles Rule>
    [[nodiscard]] typename Rule::Result result_of(const Rule& rule) {
        return rule.result(fluid_.sum(rule));
    }

    template <CountsParticles Rule>
    [[nodiscard]] typename Rule::Result result_of(const Rule& rule) {
        return count(
            rule.bins(),
            [&](auto& counts) {
                fluid_.for_all_particles(
                    [&](int thread, const Particle& p) { ++counts[thread][rule.bin_of_particle(p)]; });
            });
    }

    template <CountsCells Rule>
    [[nodiscard]] typename Rule::Result result_of(const Rule& rule) {
        return count(
            rule.bins(),
            [&](auto& counts) {
                fluid_.for_whole_cells(
                    [&](int thread, double particles) { ++counts[thread][rule.bin_of_cell(particles)]; });
            });
    }

    template <SumsWaves Rule>
    [[nodiscard]] typename Rule::Result result_of(const Rule& rule) {
        std::vector<std::vector<typename Rule::Totals>> parts(fluid_.threads());
        fluid_.for_each_thread([&](int thread, std::span<const Particle> particles) {
            std::vector<typename Rule::Totals> totals(rule.parts());
            while (!particles.empty()) {
                const auto some = particles.first(std::min<std::size_t>(Rule::most_added, particles.size()));
                for (int part = 0; part < rule.parts(); ++part) {
                    typename Rule::Sums sums;
                    for (const Particle& particle : some) rule.add(rule.part(part), particle, sums);
                    totals[part] += rule.split(sums);
                }
                particles = particles.subspan(some.size());
            }
            parts[thread] = std::move(totals);
        });
        for (int thread = 1; thread < fluid_.threads(); ++thread)
            for (int part = 0; part < rule.parts(); ++part) parts[0][part] += parts[thread][part];
        return rule.result(parts[0]);
    }

    [[nodiscard]] Extremes result_of(const ExtremesRule&) {
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

    [[nodiscard]] PairCentres::Result result_of(const PairCentres& centres) {
        return count(
            centres.rule().bins(),
            [&](auto& counts) {
                fluid_.for_all_particles([&](int thread, const Particle& p) {
                    centres.rule().for_centres_near(
                        p, centres.cells(), [&](int bin) { ++counts[thread][bin]; });
                });
            });
    }

    [[nodiscard]] MomentumFlux result_of(const FluxRule&) {
        struct alignas(128) Part {  // cache lines for each thread
            MomentumFluxSums flux;
            WallSums walls;
        };
        const MomentumFluxRule<Real> rule(system_, static_cast<double>(system_.particle_count()));
        std::vector<Part> parts(fluid_.threads());
        fluid_.for_all_fluxes(rule, [&](int thread, const ParticleFlux<Real>& flux) {
            parts[thread].flux += rule.contribute(flux);
            if (rule.has_walls()) rule.add_to_walls(flux, parts[thread].walls);
        });
        Part all;
        for (const Part& part : parts) {
            all.flux += part.flux;
            all.walls += part.walls;
        }
        return momentum_flux(all.flux, all.walls, system_);
    }

    [[nodiscard]] FieldSampler& result_of(const FieldsRule&) { return fields_; }

private:
    using Real = typename Law::Real;

    /// Calls count(bins for each thread), and adds them up.
    template <class Count>
    [[nodiscard]] std::vector<std::uint64_t> count(int bins, const Count& count) {
        std::vector<std::vector<std::uint64_t>> parts(fluid_.threads(), std::vector<std::uint64_t>(bins));
        count(parts);
        for (int thread = 1; thread < fluid_.threads(); ++thread)
            for (int bin = 0; bin < bins; ++bin) parts[0][bin] += parts[thread][bin];
        return std::move(parts[0]);
    }

    System system_;
    HostFluid<Law, Particle> fluid_;
    HostFields<Law, Particle> fields_;
};

template <class Line, class Real>
std::unique_ptr<Solver> make_host_solver_of(const System& system, const SolverOptions& options) {
    return visit_law_of_line<Line, Real>(
        system,
        [&]<class Law>(const Law& law) -> std::unique_ptr<Solver> {
            return std::make_unique<HostSolver<Law, ParticleOf<Real, Law::masses>>>(law, system, options);
        });
}

template <class Line, class Real>
HostNeeds host_solver_needs_of(const System& system, const SolverOptions& options) {
    return visit_law_of_line<Line, Real>(
        system,
        [&]<class Law>(const Law& law) {
            return HostSolver<Law, ParticleOf<Real, Law::masses>>::needs(law, system, options);
        });
}

}  // namespace mpcflow
