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

class FakeSolver final : public MeasuringSolver<FakeSolver>, public FieldSampler {
public:
    FakeSolver(const System& system, std::array<int, 3> bins) : system_(system), bins_(bins) {
        clear_block();
    }

    [[nodiscard]] const System& system() const override { return system_; }
    void run(std::int64_t count) override {
        step_ += count;
        chunks.push_back(count);
    }
    [[nodiscard]] std::int64_t current_step() const override { return step_; }

    [[nodiscard]] Totals result_of(const TotalsRule&) const {
        Totals totals;
        totals.particles = system_.particle_count();
        totals.mass = static_cast<double>(totals.particles) * system_.fluid.mass;
        totals.kinetic_energy = 1.5 * static_cast<double>(totals.particles);
        return totals;
    }
    [[nodiscard]] static Extremes result_of(const ExtremesRule&) { return {3.5, 4, 17}; }
    [[nodiscard]] MomentumFlux result_of(const FluxRule&) const {
        MomentumFlux flux;
        flux.kinetic.fill(static_cast<double>(step_));
        flux.momentum = {12.0, 0.0, 6.0};
        flux.to_walls[5] = {1.0, 2.0, static_cast<double>(step_)};
        return flux;
    }
    [[nodiscard]] std::int64_t fast_steps() const override { return step_ / 2; }
    [[nodiscard]] std::uint64_t state_hash() override { return 0x1234U + static_cast<std::uint64_t>(step_); }
    [[nodiscard]] FieldSampler& result_of(const FieldsRule&) { return *this; }
    void sample() override {
        sampled_steps.push_back(step_);
        ++block_.samples;
        for (FieldSums& bin : block_.bins) bin.particles += 1.0;
    }
    [[nodiscard]] FieldBlock take() override {
        FieldBlock taken = block_;
        clear_block();
        return taken;
    }
    void put(const FieldBlock& block) override { block_ = block; }
    void restore(const ParticleSnapshot& snapshot, std::int64_t) override { step_ = snapshot.step; }
    [[nodiscard]] std::vector<std::uint64_t> result_of(const OccupancyBins& rule) const {
        return counts(rule.bins(), 0, static_cast<std::uint64_t>(step_));
    }
    [[nodiscard]] static std::vector<std::uint64_t> result_of(const SpeedBins& rule) {
        return counts(rule.bins(), rule.bins() - 1, 2);
    }
    [[nodiscard]] std::vector<std::uint64_t> result_of(const PairCentres& centres) const {
        const int bins = centres.rule().bins();
        return counts(bins, bins - 1, static_cast<std::uint64_t>(step_));
    }
    template <SumsWaves Rule>
    [[nodiscard]] std::vector<double> result_of(const Rule& rule) const {
        if (modes_at) return modes_at(step_);
        return rule.result(std::vector<typename Rule::Totals>(static_cast<std::size_t>(rule.parts())));
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
    [[nodiscard]] int reorder_interval() const override { return reorder; }
    [[nodiscard]] std::int64_t memory_bytes() const override { return 0; }
    [[nodiscard]] std::vector<std::string> take_notes() override { return std::exchange(notes, {}); }

    std::vector<std::string> notes;
    /// What rules of waves give, of a step; zeros if it is empty.
    std::function<std::vector<double>(std::int64_t step)> modes_at;

    std::vector<std::int64_t> chunks;
    std::vector<std::int64_t> sampled_steps;
    int reorder = 1;  ///< what it says of its interval

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
    static std::vector<std::uint64_t> counts(int bins, int bin, std::uint64_t count) {
        std::vector<std::uint64_t> counts(static_cast<std::size_t>(bins));
        counts[static_cast<std::size_t>(bin)] = count;
        return counts;
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
