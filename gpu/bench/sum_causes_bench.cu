/// What of the gain is due to peers, what to atomics that the card has, and what to the order of the
/// particles: nine double sums a particle, with each of them and without, and at other densities.

#include <string>
#include <utility>
#include <vector>

#include "gpu/bench/measure.hpp"
#include "gpu/bench/run_keys.cuh"
#include "gpu/bench/sum_kernels.cuh"

namespace mpcflow {

namespace bench {

namespace {

constexpr int components = 9;

/// Cells along the edge of a cube that has room for no more than so many particles.
int edge_of(double particles, double density) {
    int edge = 3;
    while (density * (edge + 1) * (edge + 1) * (edge + 1) <= particles) ++edge;
    return edge;
}

BenchTable measure_causes(const KernelBenchOptions& options, const Stopwatch& watch) {
    const bool is_full = options.size == BenchSize::full;
    const int edge = is_full ? 100 : 11;
    BenchTable table;
    table.name = "sums_by_cause";
    table.x = {"age", "steps"};
    for (const char* way :
         {"direct", "direct_2f", "cas", "peers", "two_float", "peers_cas", "westphal", "westphal_cas"})
        table.columns.push_back({way, "ms"});
    for (const AgedKeys& keys : keys_of_run(edge, is_full ? std::vector{0, 20, 200} : std::vector{0, 3})) {
        const SumsBench<components> sums(watch, keys.cells, edge * edge * edge);
        table.items = keys.cells.size();
        table.rows.push_back(
            {static_cast<double>(keys.age),
             {sums.time<SolverWay<Summation::direct>>("direct"), sums.time<DirectTwoFloatWay>("direct_2f"),
              sums.time<SolverWay<Summation::cas>>("cas"), sums.time<PeersWay>("peers"),
              sums.time<TwoFloatWay>("two_float"), sums.time<PeersCasWay>("peers_cas"),
              sums.time<WestphalWay>("westphal"), sums.time<WestphalCasWay>("westphal_cas")}});
    }
    table.title = "Nine double sums, " + std::to_string(table.items) +
                  " particles, ten in a cell: peers and atomics, each with and without the other: ms";
    table.note =
        "direct, direct_2f, cas: each particle by itself, with the card's additions of doubles, two floats a "
        "sum, "
        "compare-and-swap. peers, two_float, peers_cas: the same among peers, staged. westphal: the loop "
        "over "
        "distinct cells, and each leader by itself.";
    return table;
}

enum class Order { renewed, never };

BenchTable measure_densities(const KernelBenchOptions& options, const Stopwatch& watch, Order order) {
    const bool is_full = options.size == BenchSize::full;
    const double particles = is_full ? 1e7 : 2e4;
    BenchTable table;
    table.name = order == Order::renewed ? "sums_by_density" : "sums_by_density_unordered";
    table.title = std::string("Nine double sums, some ") + (is_full ? "10 M" : "20,000") +
                  " particles that were " + (order == Order::renewed ? "just" : "never") +
                  " put in order, by their density: ms";
    table.note = "distinct: cells in a warp.";
    table.x = {"density", "1/cell"};
    table.columns = {{"distinct", "in a warp"}};
    for (const char* way : {"match", "peers", "loop", "unstaged", "direct", "cas"})
        table.columns.push_back({way, "ms"});
    const std::vector<double> densities =
        is_full ? std::vector{1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0} : std::vector{2.0, 10.0};
    for (const double density : densities) {
        const int edge = edge_of(particles, density);
        const AgedKeys keys = order == Order::renewed ? std::move(keys_of_run(edge, {0}, density).front())
                                                      : keys_without_order(edge, density);
        const SumsBench<components> sums(watch, keys.cells, edge * edge * edge);
        table.items = keys.cells.size();
        const double warps = static_cast<double>((keys.cells.size() + 31) / 32);
        table.rows.push_back(
            {density,
             {sums.atomics<PeersWay>() / (components * warps), sums.time<MatchWay>("match"),
              sums.time<PeersWay>("peers"), sums.time<LoopWay>("loop"), sums.time<UnstagedWay>("unstaged"),
              sums.time<SolverWay<Summation::direct>>("direct"),
              sums.time<SolverWay<Summation::cas>>("cas")}});
    }
    return table;
}

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_sum_causes(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const Stopwatch watch(options.size == BenchSize::full ? 7 : 1);
    return {measure_causes(options, watch), measure_densities(options, watch, Order::renewed),
            measure_densities(options, watch, Order::never)};
}

}  // namespace mpcflow
