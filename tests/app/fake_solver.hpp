#pragma once
/// A solver for tests of the run loop: an ideal gas that streams through a periodic box, with
/// trajectories known in closed form.

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "physics/particle_records.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

class FakeSolver final : public Solver {
public:
    FakeSolver(const System& system, std::array<int, 3> bins) : system_(system), bins_(bins) {
        clear_block();
    }

    void run(std::int64_t count) override {
        step_ += count;
        chunks.push_back(count);
    }
    [[nodiscard]] std::int64_t current_step() const override { return step_; }

    [[nodiscard]] Totals totals() override {
        Totals totals;
        totals.particles = system_.particle_count();
        totals.mass = static_cast<double>(totals.particles) * system_.fluid.mass;
        totals.kinetic_energy = 1.5 * static_cast<double>(totals.particles);
        return totals;
    }
    [[nodiscard]] Extremes extremes() override { return {3.5, 4, 17}; }
    [[nodiscard]] MomentumFlux momentum_flux() override {
        MomentumFlux flux;
        flux.kinetic.fill(static_cast<double>(step_));
        flux.momentum = {12.0, 0.0, 6.0};
        flux.to_walls[5] = {1.0, 2.0, static_cast<double>(step_)};
        return flux;
    }
    [[nodiscard]] std::int64_t fast_steps() const override { return step_ / 2; }
    [[nodiscard]] std::uint64_t state_hash() override { return 0x1234U + static_cast<std::uint64_t>(step_); }
    void sample_fields() override {
        sampled_steps.push_back(step_);
        ++block_.samples;
        for (FieldSums& bin : block_.bins) bin.particles += 1.0;
    }
    [[nodiscard]] FieldBlock take_field_block() override {
        FieldBlock taken = block_;
        clear_block();
        return taken;
    }
    void put_field_block(const FieldBlock& block) override { block_ = block; }
    void restore(const ParticleSnapshot& snapshot, std::int64_t) override { step_ = snapshot.step; }
    void sample_histograms(Histograms& histograms) override {
        ++histograms.samples;
        histograms.occupancy.front() += static_cast<std::uint64_t>(step_);
        histograms.speed.back() += 2;
    }
    void count_pairs(const PairCentres&, std::vector<std::uint64_t>& counts) override {
        counts.back() += static_cast<std::uint64_t>(step_);
    }
    [[nodiscard]] std::vector<double> velocity_modes(const WaveNumbers& waves) override {
        return modes_at ? modes_at(step_) : std::vector<double>(static_cast<std::size_t>(6 * waves.count()));
    }
    using Solver::copy_particles;
    using Solver::copy_selection;
    void copy_particles(ParticleRecords& records) override {
        copy_all(records.begin<ParticleDouble>(step_, system_.particle_count()));
    }
    void copy_selection(const Selection& selection, ParticleRecords& records) override {
        std::vector<ParticleDouble> found(static_cast<std::size_t>(system_.particle_count()));
        copy_all(found);
        const SelectionRule rule(system_, selection);
        std::erase_if(found, [&](const ParticleDouble& particle) { return !rule.contains(particle); });
        const auto to = records.begin<ParticleDouble>(step_, static_cast<std::int64_t>(found.size()));
        // In any order, says Solver.
        std::copy(found.rbegin(), found.rend(), to.begin());
    }
    [[nodiscard]] std::string device_description() const override { return "fake"; }
    [[nodiscard]] int reorder_interval() const override { return 1; }
    [[nodiscard]] std::int64_t memory_bytes() const override { return 0; }
    [[nodiscard]] std::vector<std::string> take_notes() override { return std::exchange(notes, {}); }

    std::vector<std::string> notes;
    /// What velocity_modes() gives, of a step; zeros if it is empty.
    std::function<std::vector<double>(std::int64_t step)> modes_at;

    std::vector<std::int64_t> chunks;
    std::vector<std::int64_t> sampled_steps;

private:
    void copy_all(std::span<ParticleDouble> to) const {
        for (std::size_t id = 0; id < to.size(); ++id) {
            to[id] = ParticleDouble::make(id, {}, {});
            for (int axis = 0; axis < 3; ++axis) {
                const double length = system_.box.size[static_cast<std::size_t>(axis)];
                to[id].velocity[axis] =
                    0.01 * static_cast<double>(3 * id + static_cast<std::size_t>(axis) + 1);
                const double unwrapped =
                    0.5 + to[id].velocity[axis] * system_.collision.time_step * static_cast<double>(step_);
                to[id].add_image(axis, static_cast<int>(std::floor(unwrapped / length)));
                to[id].position[axis] = unwrapped - length * to[id].image(axis);
            }
        }
    }
    void clear_block() {
        block_.samples = 0;
        block_.bins.assign(static_cast<std::size_t>(bins_[0] * bins_[1] * bins_[2]), FieldSums{});
    }

    System system_;
    std::array<int, 3> bins_;
    std::int64_t step_ = 0;
    FieldBlock block_;
};

}  // namespace mpcflow
