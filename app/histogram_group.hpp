#pragma once
/// /histograms of run.h5: counts of occupancies and speeds, with theory beside. docs/output.md has the format.

#include <cstdint>

#include "app/hdf5/group.hpp"
#include "app/run_record.hpp"

namespace mpcflow {

/// Histograms with the bins that are asked for, empty. By default there is an occupancy bin for all that chance
/// fills: eight standard deviations of the Poisson distribution above its mean.
[[nodiscard]] Histograms empty_histograms(const Fluid& fluid, const HistogramsOutput& output);

/// Writes the group `histograms` into `root`. Throws hdf5::FileError.
void write_histograms(const hdf5::Group& root, const RunRecord& record);

/// Bytes that the group takes, a little more than exact; 0 for histograms without bins.
[[nodiscard]] std::int64_t histogram_bytes(const Histograms& histograms);

}  // namespace mpcflow
