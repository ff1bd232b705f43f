#pragma once
/// The measurements of `mpcflow bench kernels`, seen from outside: plain C++, also in a build without CUDA.
///
/// Each part times one kind of algorithm against its rivals on the same data, made from fixed seeds. The
/// result of every rival is checked against a reference of its own, so that a wrong one is an error, not a
/// number.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpcflow {

enum class BenchSize {
    small,  ///< seconds, also under a sanitizer: shows that all is right, not how fast it is
    full    ///< what docs/kernels.md shows
};

/// Where and how large.
struct KernelBenchOptions {
    int device = 0;
    BenchSize size = BenchSize::full;
};

struct BenchColumn {
    std::string name;  ///< the way, or the quantity
    std::string unit;
};

struct BenchRow {
    double x = 0.0;
    std::vector<double> values;  ///< one for each column; NaN where a way does not apply
};

/// What was measured against one quantity.
struct BenchTable {
    std::string name;        ///< for programs, unique among all tables
    std::string title;       ///< what was measured, on what
    std::string note;        ///< what a reader must know to use the numbers; may be empty
    std::int64_t items = 0;  ///< particles, keys or elements that each measurement works on
    BenchColumn x;
    std::vector<BenchColumn> columns;
    std::vector<BenchRow> rows;
};

/// A part of the benchmark, by its letter.
struct BenchPart {
    char letter;
    std::string_view title;
};

inline constexpr std::array bench_parts{
    BenchPart{'a', "sums of cells: time against the age of the particles' order"},
    BenchPart{'b', "sums of cells: time against the atomics issued"},
    BenchPart{'c', "sums of cells: one to sixteen components"},
    BenchPart{'d', "finding peers and counting unique keys"},
    BenchPart{'e', "filtering by a predicate"},
    BenchPart{'f', "reductions, maxima, histograms, sorts, scans, votes, work queue"},
    BenchPart{'g', "sizes of blocks and grids"},
};

/// Measures one part. Throws EnvironmentError without the device or enough memory on it, std::runtime_error
/// where a way gives a wrong result, std::invalid_argument where there is no such part.
[[nodiscard]] std::vector<BenchTable> measure_bench_part(char letter, const KernelBenchOptions& options);

/// "13.0, driver 13.0": the CUDA version that the program was built with, and the newest that the driver
/// knows.
[[nodiscard]] std::string cuda_versions();

}  // namespace mpcflow
