#include "physics/observables/radial_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "physics/observables/block_errors.hpp"
#include "physics/observables/merge_neighbours.hpp"

namespace mpcflow {

namespace {

constexpr double pi = 3.141592653589793;
/// When so many are full, neighbours are merged in pairs.
constexpr std::size_t most_blocks = 64;
/// No run is so long.
constexpr std::int64_t most_block_samples = std::int64_t{1} << 53;

bool are_countable(const std::vector<std::uint64_t>& counts) {
    return std::ranges::all_of(
        counts, [](std::uint64_t count) { return count <= std::uint64_t{most_block_samples}; });
}

}  // namespace

RadialDistributionObservable::RadialDistributionObservable(const System& system,
                                                           const RadialDistributionOutput& output,
                                                           std::int64_t equilibration)
    : Observable("radial_distribution", {equilibration, output.every}),
      system_(system),
      bins_{output.range, output.bins},
      rule_(system, bins_),
      every_nth_id_((system.particle_count() + output.centres - 1) / output.centres) {}

std::int64_t RadialDistributionObservable::bytes(std::int64_t last_step) const {
    const std::int64_t blocks = std::min<std::int64_t>(times().count(last_step), most_blocks);
    return 8 * std::max<std::int64_t>(blocks * (bins_.bins + 2) + 1, std::int64_t{5} * bins_.bins);
}

void RadialDistributionObservable::begin_block() {
    if (blocks_.size() == most_blocks) {
        merge_neighbours(blocks_, [](Block& to, const Block& from) {
            to.samples += from.samples;
            to.centres += from.centres;
            add_counts(to.pairs, from.pairs);
        });
        block_samples_ *= 2;
    }
    blocks_.emplace_back().pairs.resize(static_cast<std::size_t>(bins_.bins));
}

void RadialDistributionObservable::measure(Solver& solver, std::int64_t step) {
    if (blocks_.empty() || blocks_.back().samples == block_samples_) begin_block();
    solver.copy_selection({std::nullopt, every_nth_id_}, records_);
    const ShearedFaces<double> faces(system_, 2 * static_cast<std::uint64_t>(step));
    const ChosenCentres chosen = choose_centres(rule_, records_, faces, system_.surfaces.map.get());
    add_counts(blocks_.back().pairs, solver.measure(PairCentres(rule_, chosen.centres)));
    blocks_.back().centres += chosen.particle_count;
    ++blocks_.back().samples;
}

void RadialDistributionObservable::add_results(ObservableResults& results) const {
    const auto bins = static_cast<std::size_t>(bins_.bins);
    std::uint64_t centres = 0;
    std::vector<std::uint64_t> pairs(bins);
    for (const Block& block : blocks_) {
        centres += block.centres;
        for (std::size_t bin = 0; bin < bins; ++bin) pairs[bin] += block.pairs[bin];
    }
    const double others = static_cast<double>(system_.particle_count() - 1) / system_.fluid_volume();
    const double width = bins_.range / bins_.bins;
    std::vector<double> radius, g, error, deviations;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const auto k = static_cast<double>(bin);
        radius.push_back((k + 0.5) * width);
        // (4/3) pi [(k + 1)^3 - k^3] of a width cubed.
        const double expected_each =
            others * 4.0 / 3.0 * pi * (3.0 * k * (k + 1.0) + 1.0) * width * width * width;
        const double per_centre = static_cast<double>(pairs[bin]) / static_cast<double>(centres);
        deviations.clear();
        for (const Block& block : blocks_)
            deviations.push_back(static_cast<double>(block.pairs[bin]) -
                                 per_centre * static_cast<double>(block.centres));
        g.push_back(per_centre / expected_each);
        error.push_back(std::sqrt(variance_of_sum(deviations)) / static_cast<double>(centres) /
                        expected_each);
    }
    results.attributes.push_back({"range", bins_.range});
    results.attributes.push_back({"centres", static_cast<std::int64_t>(centres)});
    results.attributes.push_back({"every_nth_id", every_nth_id_});
    results.arrays.push_back(named_list("radius", std::move(radius), "a", "middles of the bins"));
    results.arrays.push_back(
        named_list("pairs", std::move(pairs), "1", "pairs of a centre and another particle, in all samples"));
    results.arrays.push_back(
        named_list("g", std::move(g), "1", "pairs relative to those of independent particles"));
    results.arrays.push_back(named_list("g_error", std::move(error), "1", "standard error of g by blocking"));
    results.axes = {"radius"};
}

std::vector<SamplingParameter> RadialDistributionObservable::parameters() const {
    return {{"range", bins_.range},
            {"bins", static_cast<double>(bins_.bins)},
            {"every_nth_id", static_cast<double>(every_nth_id_)}};
}

std::vector<NamedArray> RadialDistributionObservable::arrays() const {
    std::vector<std::int64_t> samples;
    std::vector<std::uint64_t> centres, pairs;
    for (const Block& block : blocks_) {
        samples.push_back(block.samples);
        centres.push_back(block.centres);
        pairs.insert(pairs.end(), block.pairs.begin(), block.pairs.end());
    }
    return {named_list("block_samples", std::vector<std::int64_t>{block_samples_}),
            named_list("samples", std::move(samples)), named_list("centres", std::move(centres)),
            named_list("pairs", std::move(pairs))};
}

void RadialDistributionObservable::put_back(ObservableState& state) {
    const auto bins = static_cast<std::size_t>(bins_.bins);
    const std::int64_t block_samples = state.numbers<std::int64_t>("block_samples", 1)[0];
    const auto& samples = state.numbers<std::int64_t>("samples");
    const auto& centres = state.numbers<std::uint64_t>("centres", samples.size());
    const auto& pairs = state.numbers<std::uint64_t>("pairs", samples.size() * bins);
    const auto is_possible = [&](std::int64_t count) { return count >= 1 && count <= block_samples; };
    if (block_samples < 1 || block_samples > most_block_samples || samples.size() > most_blocks ||
        !std::ranges::all_of(samples, is_possible) || !are_countable(centres) || !are_countable(pairs)) {
        throw std::invalid_argument(
            "output.radial_distribution: a state with more blocks or counts than there can be");
    }
    block_samples_ = block_samples;
    blocks_.clear();
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto begin = pairs.begin() + static_cast<std::ptrdiff_t>(i * bins);
        blocks_.push_back({samples[i], centres[i], {begin, begin + static_cast<std::ptrdiff_t>(bins)}});
    }
}

}  // namespace mpcflow
