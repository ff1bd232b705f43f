#pragma once
/// What a device solver reports of its particles and cells: launches and results.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/histogram_kernels.cuh"
#include "gpu/mode_kernels.cuh"
#include "gpu/observable_kernels.cuh"
#include "gpu/pair_kernels.cuh"
#include "gpu/selection_kernels.cuh"
#include "physics/observables/extremes.hpp"
#include "physics/observables/mode_rule.hpp"
#include "physics/observables/totals.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// The state of a solver on its device, to be read.
template <class Particle>
struct DeviceState {
    std::int64_t particle_count;
    const Particle* particles;
    CellGrid<typename Particle::Real> grid;  ///< of the next collision
    CellCounts cells;
    unsigned resident_blocks;  ///< as many as the card has room for at a time

    /// Blocks for kernels that stride over items: all that fit on the card, no more than there is work for.
    [[nodiscard]] unsigned blocks_for(std::int64_t items) const {
        return std::max(1U, std::min(block_count(items), resident_blocks));
    }
    [[nodiscard]] unsigned particle_blocks() const { return blocks_for(particle_count); }
    [[nodiscard]] unsigned cell_blocks() const { return blocks_for(cells.count); }
};

/// Holds the places on the device that results come from.
class DeviceReporter {
public:
    template <class Particle>
    [[nodiscard]] TotalsSums totals(const DeviceState<Particle>& state, const TotalsRule& rule) {
        totals_.clear();
        sum_totals<<<state.particle_blocks(), block_size>>>(rule, state.particle_count, state.particles,
                                                            totals_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        return totals_.first();
    }

    template <class Particle>
    [[nodiscard]] std::uint64_t hash(const DeviceState<Particle>& state) {
        counter_.clear();
        sum_hashes<<<state.particle_blocks(), block_size>>>(state.particle_count, state.particles,
                                                            counter_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        return counter_.first();
    }

    template <class Particle>
    [[nodiscard]] Extremes extremes(const DeviceState<Particle>& state) {
        const ExtremesSoFar none;
        const ExtremesBits start{0, none.minimum, none.maximum};
        extremes_.upload(&start, 1);
        find_fastest<<<state.particle_blocks(), block_size>>>(state.particle_count, state.particles,
                                                              extremes_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        find_occupancy_extremes<<<state.cell_blocks(), block_size>>>(state.grid, state.cells,
                                                                     extremes_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        const ExtremesBits found = extremes_.first();
        return ExtremesSoFar{std::bit_cast<double>(found.speed_squared), found.minimum, found.maximum}
            .extremes();
    }

    template <class Particle>
    void sample_histograms(const DeviceState<Particle>& state, const Fluid& fluid,
                           Histograms& histograms) const {
        count_into(
            histograms.speed,
            [&](int bins, std::size_t bytes, unsigned long long* counts) {
                count_speeds<<<state.particle_blocks(), block_size, bytes>>>(
                    SpeedBins(fluid, histograms), bins, state.particle_count, state.particles, counts);
            });
        count_into(histograms.occupancy, [&](int bins, std::size_t bytes, unsigned long long* counts) {
            count_occupancies<<<state.cell_blocks(), block_size, bytes>>>(
                state.grid, OccupancyBins(histograms), bins, state.cells, counts);
        });
        ++histograms.samples;
    }

    template <class Particle>
    void pairs(const DeviceState<Particle>& state, const PairCentres& centres,
               std::vector<std::uint64_t>& counts) const {
        if (centres.centres().empty()) return;
        const DeviceArray<PairCentre> list = uploaded(centres.centres());
        const DeviceArray<std::int32_t> first = uploaded(centres.first());
        count_into(counts, [&](int bins, std::size_t bytes, unsigned long long* sums) {
            count_pairs<<<state.particle_blocks(), block_size, bytes>>>(
                centres.rule(), {list.data(), first.data()}, bins, state.particle_count, state.particles,
                sums);
        });
    }

    /// The totals of all parts of the rule.
    template <class Particle>
    [[nodiscard]] std::vector<ModeTotals> modes(const DeviceState<Particle>& state, const ModeRule& rule) {
        std::vector<ModeTotals> totals(rule.parts());
        if (totals.empty()) return totals;
        if (mode_totals_.size() != rule.parts()) mode_totals_ = DeviceArray<ModeTotals>(rule.parts());
        mode_totals_.clear();
        sum_modes<<<mode_blocks(state.particle_count, rule.parts(), state.resident_blocks), block_size>>>(
            rule, state.particle_count, state.particles, mode_totals_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        mode_totals_.download(totals.data(), 0, mode_totals_.size());
        return totals;
    }

    /// Writes the particles of a selection, in any order, to `found`, which has room for all; returns how
    /// many.
    template <class Particle>
    [[nodiscard]] std::int64_t select(const DeviceState<Particle>& state, const SelectionRule& rule,
                                      const DeviceArray<Particle>& found) {
        counter_.clear();
        collect_selected<<<state.particle_blocks(), block_size>>>(rule, state.particle_count, state.particles,
                                                                  found.data(), counter_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        return static_cast<std::int64_t>(counter_.first());
    }

private:
    template <class T>
    [[nodiscard]] static DeviceArray<T> uploaded(const std::vector<T>& values) {
        DeviceArray<T> array(static_cast<std::int64_t>(values.size()));
        array.upload(values.data(), array.size());
        return array;
    }

    /// Calls launch(bins, bytes of shared memory, counts on the device), and adds the counts to `sums`.
    template <class Launch>
    static void count_into(std::vector<std::uint64_t>& sums, const Launch& launch) {
        const DeviceArray<unsigned long long> counts(static_cast<std::int64_t>(sums.size()));
        counts.clear();
        launch(static_cast<int>(sums.size()), sums.size() * sizeof(std::uint32_t), counts.data());
        MPCFLOW_CUDA(cudaGetLastError());
        std::vector<unsigned long long> found(sums.size());
        counts.download(found.data(), 0, counts.size());
        for (std::size_t bin = 0; bin < sums.size(); ++bin) sums[bin] += found[bin];
    }

    DeviceArray<TotalsSums> totals_{1};
    DeviceArray<ModeTotals> mode_totals_;
    DeviceArray<ExtremesBits> extremes_{1};
    DeviceArray<unsigned long long> counter_{1};
};

}  // namespace mpcflow
