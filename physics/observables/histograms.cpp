#include "physics/observables/histograms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "physics/theory.hpp"

namespace mpcflow {

namespace {

int occupancy_bins(const Fluid& fluid, const HistogramsOutput& output) {
    const double chance = fluid.density + 8.0 * std::sqrt(fluid.density) + 8.0;
    return output.occupancy_bins > 0 ? output.occupancy_bins : static_cast<int>(std::ceil(chance)) + 1;
}

}  // namespace

void add_sample(Solver& solver, Histograms& histograms) {
    add_counts(histograms.occupancy, solver.measure<OccupancyBins>(histograms));
    add_counts(histograms.speed, solver.measure<SpeedBins>(histograms));
    ++histograms.samples;
}

HistogramsObservable::HistogramsObservable(const Fluid& fluid, const HistogramsOutput& output,
                                           std::int64_t equilibration)
    : Observable("histograms", {equilibration, output.every}),
      fluid_(fluid),
      histograms_(occupancy_bins(fluid, output), output.speed_bins, output.largest_speed) {}

void HistogramsObservable::measure(Solver& solver, std::int64_t) { add_sample(solver, histograms_); }

void HistogramsObservable::add_results(ObservableResults& results) const {
    std::vector<std::int64_t> particles(histograms_.occupancy.size());
    std::iota(particles.begin(), particles.end(), std::int64_t{0});
    const auto bins = static_cast<double>(histograms_.speed.size() - 1);
    std::vector<double> edges(histograms_.speed.size() + 1);
    for (std::size_t i = 0; i < edges.size(); ++i)
        edges[i] = histograms_.largest_speed * static_cast<double>(i) / bins;
    edges.back() = std::numeric_limits<double>::infinity();

    const auto add = [&](const char* name, auto numbers, const char* unit, const char* description) {
        results.arrays.push_back(named_list(name, std::move(numbers), unit, description));
    };
    add("occupancy/particles", std::move(particles), "1", "particles in a cell; the last: or more");
    add("occupancy/counts", histograms_.occupancy, "1",
        "whole collision cells that held so many, in all samples");
    add("occupancy/expected", theory::expected_occupancies(histograms_, fluid_.density), "1",
        "the same by the Poisson distribution of the mean density");
    results.attributes.push_back({"occupancy/mean", fluid_.density});
    add("speed/edges", std::move(edges), "(kT/m)^(1/2)", "edges of the bins of speed; the last is infinite");
    add("speed/counts", histograms_.speed, "1", "particles in each bin, in all samples");
    add("speed/expected", theory::expected_speeds(histograms_), "1",
        "the same by Maxwell's distribution at the wanted temperature");
}

std::vector<SamplingParameter> HistogramsObservable::parameters() const {
    return {{"occupancy_bins", static_cast<double>(histograms_.occupancy.size())},
            {"speed_bins", static_cast<double>(histograms_.speed.size() - 1)},
            {"largest_speed", histograms_.largest_speed}};
}

std::vector<NamedArray> HistogramsObservable::arrays() const {
    return {named_list("occupancy", histograms_.occupancy), named_list("speed", histograms_.speed)};
}

void HistogramsObservable::put_back(ObservableState& state) {
    const auto& occupancy = state.numbers<std::uint64_t>("occupancy", histograms_.occupancy.size());
    const auto& speed = state.numbers<std::uint64_t>("speed", histograms_.speed.size());
    constexpr std::uint64_t most_counted = std::uint64_t{1} << 53U;
    for (const auto* counts : {&occupancy, &speed})
        if (std::ranges::any_of(*counts, [](std::uint64_t count) { return count > most_counted; }))
            throw std::invalid_argument("output.histograms: a state with more counts than there can be");
    histograms_.occupancy = occupancy;
    histograms_.speed = speed;
    histograms_.samples = state.samples;
}

}  // namespace mpcflow
