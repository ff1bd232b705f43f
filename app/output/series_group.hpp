#pragma once
/// The group `series`: rows of the time series as datasets, one a quantity. docs/output.md has the format.

#include <vector>

#include "app/hdf5/group.hpp"
#include "app/run/run_record.hpp"

namespace mpcflow {

/// Writes the group `series` into `root`. Throws FileError.
void write_series(const hdf5::Group& root, const std::vector<SeriesRow>& rows);

/// Reads what write_series() wrote. Throws FileError.
[[nodiscard]] std::vector<SeriesRow> read_series(const hdf5::Group& root);

}  // namespace mpcflow
