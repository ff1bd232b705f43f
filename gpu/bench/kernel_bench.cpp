#include "gpu/bench/kernel_bench.hpp"

#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "gpu/bench/measure.hpp"
#include "gpu/device_solver.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {

/// The tables of several measurements, one after the other.
std::vector<BenchTable> measure_all(
    std::initializer_list<std::vector<BenchTable> (*)(const KernelBenchOptions&)> measurements,
    const KernelBenchOptions& options) {
    std::vector<BenchTable> tables;
    for (const auto measure : measurements)
        for (BenchTable& table : measure(options)) tables.push_back(std::move(table));
    return tables;
}

}  // namespace

std::vector<BenchTable> measure_bench_part(char letter, const KernelBenchOptions& options) {
    const DeviceList list = list_devices();
    if (options.device < 0 || options.device >= static_cast<int>(list.devices.size())) {
        throw EnvironmentError("there is no CUDA device " + std::to_string(options.device) +
                               (list.reason.empty() ? "" : ": " + list.reason));
    }
    switch (letter) {
        case 'a': return measure_all({measure_sums_by_age, measure_sum_causes}, options);
        case 'b': return measure_sums_by_atomics(options);
        case 'c': return measure_sums_by_components(options);
        case 'd': return measure_peers(options);
        case 'e': return measure_all({measure_filters, measure_selections}, options);
        case 'f':
            return measure_all({measure_reductions, measure_histograms, measure_warp_primitives,
                                measure_segmented_scans, measure_votes, measure_work_queue},
                               options);
        case 'g': return measure_launches(options);
        default: throw std::invalid_argument(std::string("no part ") + letter);
    }
}

}  // namespace mpcflow
