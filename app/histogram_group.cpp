#include "app/histogram_group.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "physics/theory.hpp"

namespace mpcflow {

namespace {

using hdf5::Group;

template <class Number>
void write_list(const Group& group, const std::string& name, const std::vector<Number>& numbers,
                const hdf5::Meaning& meaning) {
    group
        .create_dataset(name, {hdf5::number_type<Number>(), {numbers.size()}, hdf5::Growth::fixed, {}, meaning})
        .write(numbers);
}

void write_occupancy(const Group& group, const Histograms& histograms, double density) {
    std::vector<std::int64_t> particles(histograms.occupancy.size());
    std::iota(particles.begin(), particles.end(), std::int64_t{0});
    write_list(group, "particles", particles, {"particles in a cell; the last: or more", "1"});
    write_list(group, "counts", histograms.occupancy, {"whole collision cells that held so many, in all samples", "1"});
    write_list(group, "expected", theory::expected_occupancies(histograms, density),
               {"the same by the Poisson distribution of the mean density", "1"});
    group.write_attribute("mean", density);
}

void write_speed(const Group& group, const Histograms& histograms) {
    const auto bins = static_cast<double>(histograms.speed.size() - 1);
    std::vector<double> edges(histograms.speed.size() + 1);
    for (std::size_t i = 0; i < edges.size(); ++i)
        edges[i] = histograms.largest_speed * static_cast<double>(i) / bins;
    edges.back() = std::numeric_limits<double>::infinity();
    write_list(group, "edges", edges, {"edges of the bins of speed; the last is infinite", "(kT/m)^(1/2)"});
    write_list(group, "counts", histograms.speed, {"particles in each bin, in all samples", "1"});
    write_list(group, "expected", theory::expected_speeds(histograms),
               {"the same by Maxwell's distribution at the wanted temperature", "1"});
}

}  // namespace

Histograms empty_histograms(const Fluid& fluid, const HistogramsOutput& output) {
    const double chance = fluid.density + 8.0 * std::sqrt(fluid.density) + 8.0;
    const int occupancy_bins = output.occupancy_bins > 0 ? output.occupancy_bins : static_cast<int>(std::ceil(chance)) + 1;
    return {occupancy_bins, output.speed_bins, output.largest_speed};
}

void write_histograms(const Group& root, const RunRecord& record) {
    const HistogramsOutput& output = *record.scenario.output.histograms;
    const Histograms& histograms = record.histograms;
    const Group group = root.create_group("histograms");
    group.write_attribute("every", output.every);
    group.write_attribute("samples", histograms.samples);
    group.write_attribute("first_step", record.histogram_steps.first);
    group.write_attribute("last_step", record.histogram_steps.last);
    write_occupancy(group.create_group("occupancy"), histograms, record.scenario.system.fluid.density);
    write_speed(group.create_group("speed"), histograms);
}

std::int64_t histogram_bytes(const Histograms& histograms) {
    const auto bins = static_cast<std::int64_t>(histograms.occupancy.size() + histograms.speed.size());
    constexpr std::int64_t metadata = 16 << 10;
    return bins == 0 ? 0 : metadata + 3 * 8 * bins;
}

}  // namespace mpcflow
