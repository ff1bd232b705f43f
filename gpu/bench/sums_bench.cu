/// Nine double sums a particle: every way of summing, as the order of the particles ages.

#include "gpu/bench/measure.hpp"
#include "gpu/bench/run_keys.cuh"
#include "gpu/bench/sum_kernels.cuh"

namespace mpcflow {

namespace bench {

namespace {

constexpr int components = 9;

/// How many different cells there are, added up over all warps, and over all blocks, and runs of equal cells
/// over all blocks.
struct DistinctCells {
    unsigned long long in_warps;
    unsigned long long runs_in_blocks;
    unsigned long long in_blocks;
};

__global__ void __launch_bounds__(block_size)
    count_distinct_cells(std::int64_t count, const std::int32_t* __restrict__ cells, DistinctCells* totals) {
    __shared__ std::int32_t of_block[block_size];
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    const int thread = static_cast<int>(threadIdx.x);
    const bool is_valid = i < count;
    const std::int32_t cell = is_valid ? cells[i] : -1;
    of_block[thread] = cell;
    __syncthreads();
    bool seen_in_warp = false;
    bool seen_in_block = false;
    for (int other = 0; other < thread; ++other) {
        const bool is_same = of_block[other] == cell;
        seen_in_block = seen_in_block || is_same;
        seen_in_warp = seen_in_warp || (is_same && other / 32 == thread / 32);
    }
    const bool begins_run = thread == 0 || of_block[thread - 1] != cell;
    const unsigned in_warp = warp::popc(__ballot_sync(warp::full_mask, is_valid && !seen_in_warp));
    const unsigned runs = warp::popc(__ballot_sync(warp::full_mask, is_valid && begins_run));
    const unsigned in_block = warp::popc(__ballot_sync(warp::full_mask, is_valid && !seen_in_block));
    if (thread % 32 == 0) {
        atomicAdd(&totals->in_warps, static_cast<unsigned long long>(in_warp));
        atomicAdd(&totals->runs_in_blocks, static_cast<unsigned long long>(runs));
        atomicAdd(&totals->in_blocks, static_cast<unsigned long long>(in_block));
    }
}

DistinctCells count_distinct(const DeviceArray<std::int32_t>& cells) {
    const DeviceArray<DistinctCells> totals(1);
    totals.clear();
    count_distinct_cells<<<block_count(cells.size()), block_size>>>(cells.size(), cells.data(), totals.data());
    MPCFLOW_CUDA(cudaGetLastError());
    DistinctCells result{};
    totals.download(&result, 0, 1);
    return result;
}

/// Calls action(name, SumWay) for every way.
template <class Action>
void for_each_way(const Action& action) {
    action("loop", SumWay<Way::loop>{});
    action("peers", SumWay<Way::peers>{});
    action("match", SumWay<Way::match>{});
    action("unstaged", SumWay<Way::unstaged>{});
    action("direct", SumWay<Way::direct>{});
    action("cas", SumWay<Way::cas>{});
}

/// Atomics of all particles together.
double atomics_of(AtomicsFor atomics_for, std::int64_t particles, const DistinctCells& distinct) {
    switch (atomics_for) {
        case AtomicsFor::each_particle: return components * static_cast<double>(particles);
        case AtomicsFor::each_leader: return components * static_cast<double>(distinct.in_warps);
    }
    throw std::logic_error("atomics_of: unknown way");
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
    DistinctCells distinct;
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
        AgeMeasurement at{keys.age, keys.cells.size(), count_distinct(keys.cells), {}};
        const SumsBench<components> sums(watch, keys.cells, edge * edge * edge);
        for_each_way([&](const char* name, auto way) {
            using SumWay = decltype(way);
            at.ways.push_back({name, sums.template time<SumWay>(name),
                               atomics_of(SumWay::atomics_for, at.particles, at.distinct)});
        });
        result.push_back(std::move(at));
    }
    return result;
}

/// A table of one value a way and age.
template <class Value>
BenchTable table_by_age(const std::vector<AgeMeasurement>& measured, const std::string& unit, const Value& value) {
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
    BenchTable times = table_by_age(measured, "ms", [](const AgeMeasurement&, const Measurement& way) { return way.milliseconds; });
    times.name = "sums_by_age";
    times.title = what_is_summed(measured) + ": ms against steps since they were re-ordered";
    times.note = "Cells of an SRD run (130 degrees, h = 0.1) under each step's own grid shift; what is added is made in registers.";
    times.columns.insert(times.columns.begin(), {"distinct", "cells a warp"});
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const double warps = static_cast<double>((measured[i].particles + 31) / 32);
        times.rows[i].values.insert(times.rows[i].values.begin(), static_cast<double>(measured[i].distinct.in_warps) / warps);
    }
    return {times};
}

std::vector<BenchTable> measure_sums_by_atomics(const KernelBenchOptions& options) {
    using namespace bench;
    const auto measured = measure_ways(options);
    BenchTable atomics = table_by_age(measured, "1/particle", [](const AgeMeasurement& at, const Measurement& way) {
        return way.atomics / static_cast<double>(at.particles);
    });
    atomics.name = "atomics_by_age";
    atomics.title = what_is_summed(measured) + ": atomics a particle";
    atomics.note = "Additions that memory carries out, one for each component; of cas the swaps that succeed.";
    BenchTable times = table_by_age(measured, "ms", [](const AgeMeasurement&, const Measurement& way) { return way.milliseconds; });
    times.name = "atomics_time_by_age";
    times.title = what_is_summed(measured) + ": ms, measured beside these atomics";
    return {atomics, times};
}

}  // namespace mpcflow
