#pragma once
/// What is measured of particles and cells on a device: launches and results.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/device_flux.cuh"
#include "gpu/device_state.cuh"
#include "gpu/histogram_kernels.cuh"
#include "gpu/mode_kernels.cuh"
#include "gpu/observable_kernels.cuh"
#include "gpu/pair_kernels.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/selection_kernels.cuh"
#include "physics/domain/exchange.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/observables/rules.hpp"
#include "physics/observables/sums.hpp"

namespace mpcflow {

/// Measures by the rules of each kind (physics/observables/rules.hpp). Holds the memory on the device that
/// results are fetched from.
class DeviceReporter {
public:
    DeviceReporter() = default;
    /// Of a domain: what is measured is of all domains, which call all functions but select() alike.
    explicit DeviceReporter(Exchange& domains) : domains_(&domains) {}

    template <SumsParticles Rule, class Particle, class Grid>
    [[nodiscard]] typename Rule::Sums sum(const DeviceState<Particle, Grid>& state, const Rule& rule) {
        auto* const sums = cleared<typename Rule::Sums>(1);
        sum_particles<<<state.particle_blocks(), block_size>>>(rule, state.particle_count, state.particles,
                                                               sums);
        return of_all(fetched(sums, 1)).front();
    }

    template <class Particle, class Grid>
    [[nodiscard]] std::uint64_t hash(const DeviceState<Particle, Grid>& state) {
        auto* const hash = cleared<unsigned long long>(1);
        sum_hashes<<<state.particle_blocks(), block_size>>>(state.particle_count, state.particles, hash);
        std::uint64_t sum = fetched(hash, 1).front();
        if (domains_ != nullptr) domains_->add_up(std::span(&sum, 1));
        return sum;
    }

    template <SumsParticles Rule, class Particle, class Grid>
    [[nodiscard]] typename Rule::Result measure(const DeviceState<Particle, Grid>& state, const Rule& rule) {
        return rule.result(sum(state, rule));
    }

    template <CountsParticles Rule, class Particle, class Grid>
    [[nodiscard]] typename Rule::Result measure(const DeviceState<Particle, Grid>& state, const Rule& rule) {
        return count(
            rule.bins(),
            [&](std::size_t bytes, unsigned long long* counts) {
                count_particles<<<state.particle_blocks(), block_size, bytes>>>(
                    rule, rule.bins(), state.particle_count, state.particles, counts);
            });
    }

    template <CountsCells Rule, class Particle, class Grid>
    [[nodiscard]] typename Rule::Result measure(const DeviceState<Particle, Grid>& state, const Rule& rule) {
        return count(
            rule.bins(),
            [&](std::size_t bytes, unsigned long long* counts) {
                count_cells<<<state.cell_blocks(), block_size, bytes>>>(state.grid, state.surfaces, rule,
                                                                        rule.bins(), state.cells, counts);
            });
    }

    template <SumsWaves Rule, class Particle, class Grid>
    [[nodiscard]] typename Rule::Result measure(const DeviceState<Particle, Grid>& state, const Rule& rule) {
        if (rule.parts() == 0) return {};
        auto* const totals = cleared<typename Rule::Totals>(rule.parts());
        sum_waves<<<mode_blocks(state.particle_count, rule.parts(), state.resident_blocks()), block_size>>>(
            rule, state.particle_count, state.particles, totals);
        return rule.result(of_all(fetched(totals, rule.parts())));
    }

    template <class Particle, class Grid>
    [[nodiscard]] Extremes measure(const DeviceState<Particle, Grid>& state, const ExtremesRule&) {
        const ExtremesSoFar none;
        const ExtremesBits start{0, none.minimum, none.maximum};
        auto* const extremes = cleared<ExtremesBits>(1);
        MPCFLOW_CUDA(cudaMemcpy(extremes, &start, sizeof start, cudaMemcpyHostToDevice));
        find_fastest<<<state.particle_blocks(), block_size>>>(state.particle_count, state.particles,
                                                              extremes);
        MPCFLOW_CUDA(cudaGetLastError());
        find_occupancy_extremes<<<state.cell_blocks(), block_size>>>(state.grid, state.surfaces, state.cells,
                                                                     extremes);
        const ExtremesBits found = fetched(extremes, 1).front();
        ExtremesSoFar all{std::bit_cast<double>(found.speed_squared), found.minimum, found.maximum};
        if (domains_ != nullptr)
            for (const Message& theirs : domains_->share(message_of(std::span(&all, 1))))
                all.add(values_of<ExtremesSoFar>(theirs).at(0));
        return all.extremes();
    }

    template <class Particle, class Grid>
    [[nodiscard]] PairCentres::Result measure(const DeviceState<Particle, Grid>& state,
                                              const PairCentres& centres) {
        const int bins = centres.rule().bins();
        if (centres.centres().empty()) return PairCentres::Result(bins);
        const DeviceArray<PairCentre> list = uploaded(centres.centres());
        const DeviceArray<std::int32_t> first = uploaded(centres.first());
        return count(bins, [&](std::size_t bytes, unsigned long long* counts) {
            count_pairs<<<state.particle_blocks(), block_size, bytes>>>(
                centres.rule(), {list.data(), first.data()}, bins, state.particle_count, state.particles,
                counts);
        });
    }

    /// `plan` is that of the step to come, of a system in `setting`.
    template <class Particle, class Grid, class Plan>
    [[nodiscard]] MomentumFlux flux(const DeviceState<Particle, Grid>& state, const System& system,
                                    const Plan& plan, Setting setting) {
        MomentumFluxRule<typename Plan::Real> rule(system, static_cast<double>(system.particle_count()));
        rule.set_surfaces(plan.streaming.surfaces());
        const DeviceArray<SurfaceSums> surfaces(std::ssize(system.surfaces.list));
        surfaces.clear();
        auto* const result = cleared<MomentumFluxResult>(1);
        DeviceFlux<Plan>::sum(state, plan, setting, rule.at_step(system, plan.step), result, surfaces.data());
        const MomentumFluxResult found = of_all(fetched(result, 1)).front();
        std::vector<SurfaceSums> taken(system.surfaces.list.size());
        surfaces.download(taken.data(), 0, surfaces.size());
        if (!taken.empty()) taken = of_all(std::move(taken));
        return momentum_flux(found.flux, found.walls, taken, system);
    }

    /// Writes the particles of a selection, in any order, to `found`, which has room for all; returns how
    /// many.
    template <class Particle, class Grid>
    [[nodiscard]] std::int64_t select(const DeviceState<Particle, Grid>& state, const SelectionRule& rule,
                                      Particle* found) {
        auto* const number = cleared<unsigned long long>(1);
        collect_selected<<<state.particle_blocks(), block_size>>>(rule, state.particle_count, state.particles,
                                                                  found, number);
        return static_cast<std::int64_t>(fetched(number, 1).front());
    }

private:
    template <class T>
    [[nodiscard]] static DeviceArray<T> uploaded(const std::vector<T>& values) {
        DeviceArray<T> array(static_cast<std::int64_t>(values.size()));
        array.upload(values.data(), array.size());
        return array;
    }

    /// Room for results of a kernel, all zero. It holds until the next call.
    template <class T>
    [[nodiscard]] T* cleared(std::size_t count) {
        const auto bytes = static_cast<std::int64_t>(count * sizeof(T));
        if (results_.size() < bytes) results_ = DeviceArray<char>(bytes);
        MPCFLOW_CUDA(cudaMemset(results_.data(), 0, bytes));
        return reinterpret_cast<T*>(results_.data());
    }
    /// What the kernel that was just launched has put there; waits for it.
    template <class T>
    [[nodiscard]] static std::vector<T> fetched(const T* results, std::size_t count) {
        MPCFLOW_CUDA(cudaGetLastError());
        std::vector<T> values(count);
        MPCFLOW_CUDA(cudaMemcpy(values.data(), results, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

    /// Calls launch(bytes of shared memory, counts on the device).
    template <class Launch>
    [[nodiscard]] std::vector<std::uint64_t> count(int bins, const Launch& launch) {
        auto* const counts = cleared<unsigned long long>(bins);
        launch(bins * sizeof(std::uint32_t), counts);
        const std::vector<unsigned long long> found = fetched(counts, bins);
        std::vector<std::uint64_t> sums(found.begin(), found.end());
        if (domains_ != nullptr) domains_->add_up(std::span(sums));
        return sums;
    }

    /// Sums of this device's particles or cells -> those of all domains.
    template <class Sums>
    [[nodiscard]] std::vector<Sums> of_all(std::vector<Sums> sums) const {
        if (domains_ != nullptr) domains_->add_up(numbers_in(std::span(sums)));
        return sums;
    }

    Exchange* domains_ = nullptr;

    DeviceArray<char> results_;
};

}  // namespace mpcflow
