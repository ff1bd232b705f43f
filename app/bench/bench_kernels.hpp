#pragma once
/// `mpcflow bench kernels`: how fast this machine's GPU runs the algorithms under gpu/, and their rivals.

#include <string>

#include "app/machine/device.hpp"
#include "gpu/bench/kernel_bench.hpp"

namespace mpcflow {

/// All letters of bench_parts.
[[nodiscard]] std::string all_bench_parts();

struct BenchKernelsOptions {
    DeviceChoice device;  ///< a CUDA device, or automatic: the best one
    std::string parts = all_bench_parts();
    BenchSize size = BenchSize::full;
    bool json = false;
};

/// "a,c" -> "ac": letters of bench_parts, each once, in their order. Throws std::invalid_argument for others.
[[nodiscard]] std::string parse_bench_parts(const std::string& text);

/// A table for a terminal: title, note, columns with their units, rows; at most 120 columns wide where the
/// table allows it.
[[nodiscard]] std::string format_bench_table(const BenchTable& table);

/// Measures the parts and prints their tables, or JSON. Returns the exit status; throws EnvironmentError
/// without a CUDA device, std::runtime_error where a way gives a wrong result.
[[nodiscard]] int bench_kernels(const BenchKernelsOptions& options);

}  // namespace mpcflow
