#pragma once
/// The measurements behind measure_bench_part, each in files of its own, so that they compile side by side.

#include <vector>

#include "gpu/bench/kernel_bench.hpp"

namespace mpcflow {

[[nodiscard]] std::vector<BenchTable> measure_sums_by_age(const KernelBenchOptions& options);         // a
[[nodiscard]] std::vector<BenchTable> measure_sum_causes(const KernelBenchOptions& options);          // a
[[nodiscard]] std::vector<BenchTable> measure_sums_by_atomics(const KernelBenchOptions& options);     // b
[[nodiscard]] std::vector<BenchTable> measure_sums_by_components(const KernelBenchOptions& options);  // c
[[nodiscard]] std::vector<BenchTable> measure_peers(const KernelBenchOptions& options);               // d
[[nodiscard]] std::vector<BenchTable> measure_filters(const KernelBenchOptions& options);             // e
[[nodiscard]] std::vector<BenchTable> measure_selections(const KernelBenchOptions& options);          // e
[[nodiscard]] std::vector<BenchTable> measure_launches(const KernelBenchOptions& options);            // g

// Of part f, in this order.
[[nodiscard]] std::vector<BenchTable> measure_reductions(const KernelBenchOptions& options);
[[nodiscard]] std::vector<BenchTable> measure_histograms(const KernelBenchOptions& options);
[[nodiscard]] std::vector<BenchTable> measure_warp_primitives(const KernelBenchOptions& options);
[[nodiscard]] std::vector<BenchTable> measure_segmented_scans(const KernelBenchOptions& options);
[[nodiscard]] std::vector<BenchTable> measure_votes(const KernelBenchOptions& options);
[[nodiscard]] std::vector<BenchTable> measure_work_queue(const KernelBenchOptions& options);

}  // namespace mpcflow
