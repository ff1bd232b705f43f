/// Nine double sums a particle: every way of summing, as the order of the particles ages.

#include "gpu/bench/measure.hpp"
#include "gpu/bench/run_keys.cuh"
#include "gpu/bench/sum_kernels.cuh"

namespace mpcflow {

namespace bench {

namespace {

constexpr int components = 9;

/// Calls action(name, SumWay) for every way.
template <class Action>
void for_each_way(const Action& action) {
    action("loop", LoopWay{});
    action("peers", PeersWay{});
    action("hash", HashWay{});
    action("match", MatchWay{});
    action("unstaged", UnstagedWay{});
    action("sorted", SortedWay{});
    action("segmented", SegmentedWay{});
    action("two_stage", TwoStageWay{});
    action("two_float", TwoFloatWay{});
    action("direct", SolverWay<Summation::direct>{});
    action("cas", SolverWay<Summation::cas>{});
}

/// One way on keys of one age.
struct Measurement {
    std::string way;
    double milliseconds;
    double atomics;  ///< of all particles together
};

struct AgeMeasurement {
    int age;
    std::int64_t particles;
    double distinct_in_warp;  ///< cells, on average
    std::vector<Measurement> ways;
};

std::vector<AgeMeasurement> measure_ways(const KernelBenchOptions& options) {
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const int edge = is_full ? 100 : 11;
    const Stopwatch watch(is_full ? 7 : 1);
    const std::vector<int> ages = is_full ? std::vector{0, 1, 2, 5, 10, 20, 50, 100, 200} : std::vector{0, 3};
    std::vector<AgeMeasurement> result;
    for (const AgedKeys& keys : keys_of_run(edge, ages)) {
        const SumsBench<components> sums(watch, keys.cells, edge * edge * edge);
        const std::int64_t warps = (keys.cells.size() + 31) / 32;
        // A leader, and so `components` atomics, for each distinct cell of a warp.
        const double distinct = sums.atomics<PeersWay>() / (components * static_cast<double>(warps));
        AgeMeasurement at{keys.age, keys.cells.size(), distinct, {}};
        for_each_way([&](const char* name, auto way) {
            using Way = decltype(way);
            at.ways.push_back({name, sums.template time<Way>(name), sums.template atomics<Way>()});
        });
        result.push_back(std::move(at));
    }
    return result;
}

/// A table of one value a way and age.
template <class Value>
BenchTable table_by_age(const std::vector<AgeMeasurement>& measured, const std::string& unit,
                        const Value& value) {
    BenchTable table;
    table.items = measured.front().particles;
    table.x = {"age", "steps"};
    for (const Measurement& way : measured.front().ways) table.columns.push_back({way.way, unit});
    for (const AgeMeasurement& at : measured) {
        BenchRow row{static_cast<double>(at.age), {}};
        for (const Measurement& way : at.ways) row.values.push_back(value(at, way));
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string what_is_summed(const std::vector<AgeMeasurement>& measured) {
    return std::to_string(components) + " double sums, " + std::to_string(measured.front().particles) +
           " particles, ten in a cell";
}

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_sums_by_age(const KernelBenchOptions& options) {
    using namespace bench;
    const auto measured = measure_ways(options);
    BenchTable times = table_by_age(
        measured, "ms", [](const AgeMeasurement&, const Measurement& way) { return way.milliseconds; });
    times.name = "sums_by_age";
    times.title = what_is_summed(measured) + ": ms against steps since they were re-ordered";
    times.note =
        "Cells of an SRD run (130 degrees, h = 0.1) under each step's own grid shift; what is added is made "
        "in "
        "registers.";
    times.columns.insert(times.columns.begin(), {"distinct", "in a warp"});
    for (std::size_t i = 0; i < measured.size(); ++i)
        times.rows[i].values.insert(times.rows[i].values.begin(), measured[i].distinct_in_warp);
    return {times};
}

std::vector<BenchTable> measure_sums_by_atomics(const KernelBenchOptions& options) {
    using namespace bench;
    const auto measured = measure_ways(options);
    BenchTable atomics =
        table_by_age(measured, "1/particle", [](const AgeMeasurement& at, const Measurement& way) {
            return way.atomics / static_cast<double>(at.particles);
        });
    atomics.name = "atomics_by_age";
    atomics.title = what_is_summed(measured) + ": atomics a particle";
    atomics.note =
        "Additions that memory carries out, one for each component; of cas the swaps that succeed.";
    BenchTable times = table_by_age(
        measured, "ms", [](const AgeMeasurement&, const Measurement& way) { return way.milliseconds; });
    times.name = "atomics_time_by_age";
    times.title = what_is_summed(measured) + ": ms, measured beside these atomics";
    return {atomics, times};
}

}  // namespace mpcflow
