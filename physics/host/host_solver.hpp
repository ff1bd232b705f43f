#pragma once
/// The host solver: what is measured of a fluid on CPU threads. Its steps are in host_fluid.hpp.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "physics/domain/bring_particles.hpp"
#include "physics/domain/particle_transport.hpp"
#include "physics/host/host_fields.hpp"
#include "physics/host/host_fluid.hpp"
#include "physics/host/host_particles.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/particle.hpp"
#include "physics/particle_records.hpp"
#include "physics/particle_source.hpp"
#include "physics/snapshot.hpp"
#include "physics/solver.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// Of the whole box, or of a domain, with a Border: then all domains must call the functions of their solvers
/// alike, but for those that say what they are. What is measured is of the whole box, in each of them; copies
/// of particles domain 0 alone gets, and restore() takes its snapshot.
template <class Law, class Particle, class Border = NoBorder<typename Law::Real>>
class HostSolver final : public MeasuringSolver<HostSolver<Law, Particle, Border>> {
public:
    HostSolver(const Law& law, const System& system, const SolverOptions& options, Border border = {})
        : system_(system),
          fluid_(law, system, options, std::move(border)),
          fields_(fluid_, system, options) {}

    [[nodiscard]] static HostNeeds needs(const System& system, const SolverOptions& options,
                                         const Border& border = {}) {
        HostNeeds needs = HostFluid<Law, Particle, Border>::needs(system, options, border);
        needs.bytes += HostFields<Law, Particle, Border>::bytes(system, options, needs.threads);
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
        fluid_.add_up_domains(std::span(&hash, 1));
        return hash;
    }

    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) override {
        if constexpr (Border::is_open) {
            if (fluid_.border().number() == 0) {
                check_snapshot(system_, snapshot);
                SnapshotSource all(snapshot);
                return restore_domain(all, snapshot.step, fast_steps);
            }
            NoParticles none;
            return restore_domain(none, snapshot.step, fast_steps);
        }
        check_snapshot(system_, snapshot);
        static_cast<void>(fields_.take());
        fluid_.restore(snapshot.step, fast_steps,
                       [&](std::int64_t i) { return take_from_snapshot<Particle>(snapshot, i); });
    }

    void restore_from(ParticleSource& particles, std::int64_t step, std::int64_t fast_steps) override {
        if constexpr (Border::is_open) restore_domain(particles, step, fast_steps);
        else Solver::restore_from(particles, step, fast_steps);
    }

    void copy_own(ParticleRecords& records) override {
        const std::span<Particle> to = records.begin<Particle>(fluid_.step(), fluid_.particle_count());
        fluid_.for_each_thread([&](int, const auto& particles) {
            std::int64_t i = particles.first();
            for (const Particle particle : particles) to[i++] = particle;
        });
    }

    void copy_particles(ParticleRecords& records) override {
        if constexpr (Border::is_open) {
            const bool takes = fluid_.border().number() == 0;
            const std::span<Particle> all =
                records.begin<Particle>(fluid_.step(), takes ? system_.particle_count() : 0);
            std::vector<ParticleRange<Particle>> own(fluid_.threads());
            fluid_.for_each_thread([&](int thread, const auto& particles) { own[thread] = particles; });
            gather_particles<Particle>(fluid_.border().exchange(), own,
                                       [&](const Particle& p) { all[p.id()] = p; });
            return;
        }
        const std::span<Particle> to = records.begin<Particle>(fluid_.step(), fluid_.particle_count());
        fluid_.for_all_particles([&](int, const Particle& p) { to[p.id()] = p; });
    }

    void copy_selection(const Selection& selection, ParticleRecords& records) override {
        const SelectionRule rule(system_, selection);
        std::vector<std::vector<Particle>> parts(fluid_.threads());
        fluid_.for_all_particles([&](int thread, const Particle& p) {
            if (rule.contains(p)) parts[thread].push_back(p);
        });
        if constexpr (Border::is_open) {
            std::vector<Particle> all;
            const std::vector<std::span<const Particle>> own(parts.begin(), parts.end());
            gather_particles<Particle>(fluid_.border().exchange(), own,
                                       [&](const Particle& p) { all.push_back(p); });
            std::ranges::copy(all, records.begin<Particle>(fluid_.step(), std::ssize(all)).begin());
            return;
        }
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
        typename Rule::Sums sums = fluid_.sum(rule);
        fluid_.add_up_domains(numbers_in(std::span(&sums, 1)));
        return rule.result(sums);
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
        fluid_.for_each_thread([&](int thread, auto particles) {
            std::vector<typename Rule::Totals> totals(rule.parts());
            while (particles.size() > 0) {
                const auto some = particles.take_first(Rule::most_added);
                for (int part = 0; part < rule.parts(); ++part) {
                    typename Rule::Sums sums;
                    for (const Particle particle : some) rule.add(rule.part(part), particle, sums);
                    totals[part] += rule.split(sums);
                }
            }
            parts[thread] = std::move(totals);
        });
        for (int thread = 1; thread < fluid_.threads(); ++thread)
            for (int part = 0; part < rule.parts(); ++part) parts[0][part] += parts[thread][part];
        fluid_.add_up_domains(numbers_in(std::span(parts[0])));
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
        if constexpr (Border::is_open)
            for (const Message& theirs : fluid_.border().exchange().share(message_of(std::span(&all, 1))))
                all.add(values_of<ExtremesSoFar>(theirs).at(0));
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
        const MomentumFluxRule<Real> any_step(system_, static_cast<double>(system_.particle_count()));
        FluxPart all{{}, {}, std::vector<SurfaceSums>(system_.surfaces.list.size())};
        std::vector<FluxPart> parts(fluid_.threads(), all);
        fluid_.for_flux(any_step, [&](int thread, const auto& plan, const auto& rule, auto particles) {
            Flux::add(plan, rule, particles, fluid_.vectors(), parts[thread]);
        });
        for (const FluxPart& part : parts) all += part;
        fluid_.add_up_domains(numbers_in(std::span(&all.flux, 1)));
        if (any_step.has_walls()) fluid_.add_up_domains(numbers_in(std::span(&all.walls, 1)));
        if (!all.surfaces.empty()) fluid_.add_up_domains(numbers_in(std::span(all.surfaces)));
        return momentum_flux(all.flux, all.walls, all.surfaces, system_);
    }

    [[nodiscard]] FieldSampler& result_of(const FieldsRule&) { return fields_; }

private:
    using Real = typename Law::Real;
    using Flux = typename HostFluid<Law, Particle, Border>::Flux;

    /// Calls count(bins for each thread), and adds them up.
    template <class Count>
    [[nodiscard]] std::vector<std::uint64_t> count(int bins, const Count& count) {
        std::vector<std::vector<std::uint64_t>> parts(fluid_.threads(), std::vector<std::uint64_t>(bins));
        count(parts);
        for (int thread = 1; thread < fluid_.threads(); ++thread)
            for (int bin = 0; bin < bins; ++bin) parts[0][bin] += parts[thread][bin];
        fluid_.add_up_domains(std::span(parts[0]));
        return std::move(parts[0]);
    }

    /// Each domain sends the particles of its source to those that own them; steps are the word of domain 0.
    /// Throws std::invalid_argument, in all domains alike, where they are not those of the system.
    void restore_domain(ParticleSource& source, std::int64_t step, std::int64_t fast_steps) {
        static_cast<void>(fields_.take());
        Exchange& exchange = fluid_.border().exchange();
        const std::int64_t said[] = {step, fast_steps};
        const auto heard =
            values_of<std::int64_t>(exchange.share(message_of(std::span<const std::int64_t>(said))).front());
        fluid_.restore_domain(heard[0], heard[1], [&](const auto& take) {
            bring_particles<Particle>(
                exchange, system_, source, [&](const Particle& p) { return fluid_.owner(p); }, take);
        });
    }

    System system_;
    HostFluid<Law, Particle, Border> fluid_;
    HostFields<Law, Particle, Border> fields_;
};

}  // namespace mpcflow
