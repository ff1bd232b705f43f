#pragma once
/// The device solver for one law and one kind of particle: what is measured of a fluid on a device, and what
/// is copied. Its steps are those of the fluid.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device_fields.cuh"
#include "gpu/device_reporter.cuh"
#include "gpu/pinned_memory.cuh"
#include "physics/domain/bring_particles.hpp"
#include "physics/domain/particle_transport.hpp"
#include "physics/particle_records.hpp"
#include "physics/particle_source.hpp"
#include "physics/snapshot.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// `Fluid` is a DeviceFluid, or a DeviceDomain: then all domains must call the functions of their solvers
/// alike, but for those that say what they are. What is measured is of the whole box, in each of them; copies
/// of particles domain 0 alone gets, and restore() takes its snapshot.
template <class Fluid>
class DeviceSolver final : public MeasuringSolver<DeviceSolver<Fluid>> {
public:
    /// `of_fluid`: what the fluid is made of.
    template <class... OfFluid>
    explicit DeviceSolver(const SolverOptions& options, OfFluid&&... of_fluid)
        : fluid_(std::forward<OfFluid>(of_fluid)...),
          reporter_(reporter_of(fluid_)),
          fields_(fluid_, options) {}

    [[nodiscard]] const System& system() const override { return fluid_.system(); }

    void run(std::int64_t count) override { fluid_.run(count); }

    [[nodiscard]] std::int64_t current_step() const override { return fluid_.step(); }
    [[nodiscard]] std::int64_t fast_steps() const override { return fluid_.fast_steps(); }

    [[nodiscard]] std::uint64_t state_hash() override { return reporter_.hash(fluid_.state()); }

    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) override {
        if constexpr (Fluid::is_domain) {
            if (fluid_.exchange().number() != 0) {
                NoParticles none;
                return restore_domain(none, snapshot.step, fast_steps);
            }
            check_snapshot(fluid_.system(), snapshot);
            SnapshotSource all(snapshot);
            restore_domain(all, snapshot.step, fast_steps);
        } else {
            check_snapshot(fluid_.system(), snapshot);
            fluid_.restore(snapshot, fast_steps);
            fields_.begin_block();
        }
    }

    void restore_from(ParticleSource& particles, std::int64_t step, std::int64_t fast_steps) override {
        if constexpr (Fluid::is_domain) restore_domain(particles, step, fast_steps);
        else Solver::restore_from(particles, step, fast_steps);
    }

    void copy_own(ParticleRecords& records) override {
        if constexpr (Fluid::is_domain) {
            fluid_.gather_own();
            download(fluid_.particle_count(), records);
        } else {
            copy_particles(records);
        }
    }

    void copy_particles(ParticleRecords& records) override {
        if constexpr (Fluid::is_domain) {
            fluid_.gather_own();
            const std::vector<Particle> own = fluid_.copy_spare(fluid_.particle_count());
            const bool takes = fluid_.exchange().number() == 0;
            const std::span<Particle> all =
                records.begin<Particle>(fluid_.step(), takes ? fluid_.system().particle_count() : 0);
            gather_particles<Particle>(fluid_.exchange(), {std::span<const Particle>(own)},
                                       [&](const Particle& p) { all[p.id()] = p; });
        } else {
            fluid_.order();
            download(fluid_.system().particle_count(), records);
        }
    }

    void copy_selection(const Selection& selection, ParticleRecords& records) override {
        const SelectionRule rule(fluid_.system(), selection);
        const std::int64_t count = reporter_.select(fluid_.state(), rule, fluid_.spare());
        if constexpr (Fluid::is_domain) {
            const std::vector<Particle> own = fluid_.copy_spare(count);
            std::vector<Particle> all;
            gather_particles<Particle>(fluid_.exchange(), {std::span<const Particle>(own)},
                                       [&](const Particle& p) { all.push_back(p); });
            std::ranges::copy(all, records.begin<Particle>(fluid_.step(), std::ssize(all)).begin());
        } else {
            download(count, records);
        }
    }

    [[nodiscard]] std::string device_description() const override { return fluid_.description(); }
    [[nodiscard]] int reorder_interval() const override { return fluid_.choice().reorder(); }
    [[nodiscard]] Summation summation() const override { return fluid_.choice().summation(); }
    [[nodiscard]] bool is_settled() const override { return fluid_.choice().is_settled(); }
    [[nodiscard]] std::vector<std::string> take_notes() override { return fluid_.take_notes(); }
    [[nodiscard]] std::int64_t memory_bytes() const override {
        return fluid_.memory_bytes() + fields_.memory_bytes();
    }

    template <class Rule>
    [[nodiscard]] typename Rule::Result result_of(const Rule& rule) {
        return reporter_.measure(fluid_.state(), rule);
    }
    [[nodiscard]] MomentumFlux result_of(const FluxRule&) {
        const auto plan = fluid_.foresee();
        using Plan = typename FluxOf<Fluid>::Plan;
        return reporter_.flux(fluid_.state(), fluid_.system(), Plan(plan, fluid_.actions()), plan.setting());
    }
    [[nodiscard]] FieldSampler& result_of(const FieldsRule&) { return fields_; }

private:
    using Particle = typename Fluid::Record;

    [[nodiscard]] static DeviceReporter reporter_of(const Fluid& fluid) {
        if constexpr (Fluid::is_domain) return DeviceReporter(fluid.exchange());
        else return {};
    }

    /// Each domain brings the particles of its source; the steps are those that domain 0 gives.
    void restore_domain(ParticleSource& source, std::int64_t step, std::int64_t fast_steps) {
        Exchange& exchange = fluid_.exchange();
        const std::int64_t said[] = {step, fast_steps};
        const auto heard =
            values_of<std::int64_t>(exchange.share(message_of(std::span<const std::int64_t>(said))).front());
        std::vector<Particle> own;
        fluid_.go_to(heard[0]);
        bring_particles<Particle>(
            exchange, fluid_.system(), source, [&](const Particle& p) { return fluid_.owner(p); },
            [&](const Particle& p) { own.push_back(p); });
        fluid_.restore(heard[1], own);
        fields_.begin_block();
    }

    /// Copies what was collected for it in the fluid's spare memory.
    void download(std::int64_t count, ParticleRecords& records) const {
        const std::span<Particle> to = records.begin<Particle>(fluid_.step(), count, allocate_pinned_bytes);
        MPCFLOW_CUDA(cudaMemcpy(to.data(), fluid_.spare(), count * sizeof(Particle), cudaMemcpyDeviceToHost));
    }

    Fluid fluid_;
    DeviceReporter reporter_;
    DeviceFields<Fluid> fields_;
};

}  // namespace mpcflow
