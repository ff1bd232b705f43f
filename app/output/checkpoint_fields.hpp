#pragma once
/// The fields so far in a checkpoint: its group /fields.

#include "app/hdf5/group.hpp"
#include "app/output/checkpoint_file.hpp"

namespace mpcflow {

/// Writes the blocks of `results` (which has fields), those that are not full yet, and what counts windows.
void write_fields(const hdf5::Group& root, const SampledBlock& open_block, const ResultsSoFar& results);
/// Reads them; throws EnvironmentError where shapes do not fit.
void read_fields(const hdf5::Group& root, Checkpoint& checkpoint);

}  // namespace mpcflow
