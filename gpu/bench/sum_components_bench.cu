/// One to sixteen double sums a particle, in the main ways of summing.

#include <utility>

#include "gpu/bench/measure.hpp"
#include "gpu/bench/run_keys.cuh"
#include "gpu/bench/sum_kernels.cuh"

namespace mpcflow {

namespace bench {

namespace {

/// One row of the table: K sums in every way.
template <int K>
BenchRow measure_components(const Stopwatch& watch, const AgedKeys& keys, int cell_count) {
    const SumsBench<K> sums(watch, keys.cells, cell_count);
    return {static_cast<double>(K),
            {sums.template time<PeersWay>("peers"), sums.template time<MatchWay>("match"),
             sums.template time<SortedWay>("sorted"), sums.template time<TwoStageWay>("two_stage"),
             sums.template time<SolverWay<Summation::direct>>("direct"),
             sums.template time<SolverWay<Summation::cas>>("cas")}};
}

template <int... counts>
BenchTable measure_all(std::integer_sequence<int, counts...>, const Stopwatch& watch, const AgedKeys& keys,
                       int cell_count) {
    BenchTable table;
    table.name = "sums_by_components_age_" + std::to_string(keys.age);
    table.title = "One to sixteen double sums, " + std::to_string(keys.cells.size()) +
                  " particles, ten in a cell, " + std::to_string(keys.age) +
                  " steps since they were re-ordered: ms";
    table.items = keys.cells.size();
    table.x = {"components", ""};
    for (const char* way : {"peers", "match", "sorted", "two_stage", "direct", "cas"})
        table.columns.push_back({way, "ms"});
    (table.rows.push_back(measure_components<counts>(watch, keys, cell_count)), ...);
    return table;
}

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_sums_by_components(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const int edge = is_full ? 100 : 11;
    const Stopwatch watch(is_full ? 7 : 1);
    std::vector<BenchTable> tables;
    for (const AgedKeys& keys : keys_of_run(edge, {0, 20})) {
        tables.push_back(measure_all(std::integer_sequence<int, 1, 2, 3, 4, 6, 8, 9, 12, 16>{}, watch, keys,
                                     edge * edge * edge));
    }
    return tables;
}

}  // namespace mpcflow
