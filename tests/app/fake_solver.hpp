#pragma once
/// A solver for tests of the run loop: an ideal gas that streams through a periodic box, with
/// trajectories known in closed form.

#include <cmath>
#include <utility>

#include "physics/particle.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

class FakeSolver final : public Solver {
public:
    FakeSolver(const System& system, std::array<int, 3> bins) : system_(system), bins_(bins) { clear_block(); }

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
        flux.to_walls[5] = {1.0, 2.0, static_cast<double>(step_)};
        return flux;
    }
    [[nodiscard]] std::int64_t fast_steps() const override { return step_ / 2; }
    [[nodiscard]] std::uint64_t state_hash() override { return 0x1234U + static_cast<std::uint64_t>(step_); }
    void sample_fields() override {
        sampled_steps.push_back(step_);
        ++block_.samples;
        for (FieldSums& bin : block_.bins)
            bin.particles += 1.0;
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
    void copy_particles(ParticleSnapshot& snapshot) override {
        const auto count = static_cast<std::size_t>(system_.particle_count());
        snapshot.step = step_;
        snapshot.id.resize(count);
        for (std::size_t i = 0; i < count; ++i)
            snapshot.id[i] = static_cast<std::int64_t>(i);
        snapshot.position.resize(3 * count);
        snapshot.velocity.resize(3 * count);
        snapshot.image.assign(3 * count, 0);
        for (std::size_t i = 0; i < 3 * count; ++i) {
            const double length = system_.box.size[i % 3];
            snapshot.velocity[i] = 0.01 * static_cast<double>(i + 1);
            const double unwrapped =
                0.5 + snapshot.velocity[i] * system_.collision.time_step * static_cast<double>(step_);
            snapshot.image[i] = static_cast<std::int32_t>(std::floor(unwrapped / length));
            snapshot.position[i] = unwrapped - length * snapshot.image[i];
        }
    }
    void copy_selection(const Selection& selection, ParticleSnapshot& snapshot) override {
        ParticleSnapshot all;
        copy_particles(all);
        const SelectionRule rule(system_, selection);
        snapshot = {step_, {}, {}, {}, {}};
        for (std::size_t i = 0; i < all.id.size(); ++i) {
            const double* x = &all.position[3 * i];
            if (!rule.contains(ParticleDouble::make(i, {x[0], x[1], x[2]}, {})))
                continue;
            snapshot.id.push_back(all.id[i]);
            for (std::size_t at = 3 * i; at < 3 * i + 3; ++at) {
                snapshot.position.push_back(all.position[at]);
                snapshot.velocity.push_back(all.velocity[at]);
                snapshot.image.push_back(all.image[at]);
            }
        }
    }
    [[nodiscard]] std::string device_description() const override { return "fake"; }
    [[nodiscard]] int reorder_interval() const override { return 1; }
    [[nodiscard]] std::int64_t memory_bytes() const override { return 0; }
    [[nodiscard]] std::vector<std::string> take_notes() override { return std::exchange(notes, {}); }

    std::vector<std::string> notes;

    std::vector<std::int64_t> chunks;
    std::vector<std::int64_t> sampled_steps;

private:
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
