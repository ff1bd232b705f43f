#pragma once
/// The device solver for one law and one kind of particle: what is measured of a fluid on a device, and what
/// is copied. Its steps are in device_fluid.cuh.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/device_fields.cuh"
#include "gpu/device_fluid.cuh"
#include "gpu/device_laws.hpp"
#include "gpu/device_reporter.cuh"
#include "gpu/pinned_memory.cuh"
#include "physics/collision/laws.hpp"
#include "physics/particle_records.hpp"
#include "physics/snapshot.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

template <class Law, class Particle>
class DeviceSolver final : public MeasuringSolver<DeviceSolver<Law, Particle>> {
public:
    DeviceSolver(const Law& law, const System& system, const SolverOptions& options, int device)
        : fluid_(law, system, options, device), fields_(fluid_, options) {}

    [[nodiscard]] const System& system() const override { return fluid_.system(); }

    void run(std::int64_t count) override { fluid_.run(count); }

    [[nodiscard]] std::int64_t current_step() const override { return fluid_.step(); }
    [[nodiscard]] std::int64_t fast_steps() const override { return fluid_.fast_steps(); }

    [[nodiscard]] std::uint64_t state_hash() override { return reporter_.hash(fluid_.state()); }

    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) override {
        check_snapshot(fluid_.system(), snapshot);
        fluid_.restore(snapshot, fast_steps);
        fields_.begin_block();
    }

    void copy_particles(ParticleRecords& records) override {
        fluid_.order();
        download(fluid_.system().particle_count(), records);
    }

    void copy_selection(const Selection& selection, ParticleRecords& records) override {
        const SelectionRule rule(fluid_.system(), selection);
        download(reporter_.select(fluid_.state(), rule, fluid_.spare()), records);
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
        const StepPlan<Law> plan = fluid_.foresee();
        return reporter_.flux(fluid_.state(), fluid_.system(), plan, fluid_.actions());
    }
    [[nodiscard]] FieldSampler& result_of(const FieldsRule&) { return fields_; }

private:
    /// Copies what was collected for it in the fluid's spare memory.
    void download(std::int64_t count, ParticleRecords& records) const {
        const std::span<Particle> to = records.begin<Particle>(fluid_.step(), count, allocate_pinned_bytes);
        MPCFLOW_CUDA(cudaMemcpy(to.data(), fluid_.spare(), count * sizeof(Particle), cudaMemcpyDeviceToHost));
    }

    DeviceFluid<Law, Particle> fluid_;
    DeviceReporter reporter_;
    DeviceFields<Law, Particle> fields_;
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
