#pragma once
/// The state hash of frames that hold all particles, worked out from the particles.

#include "app/output/growing_file.hpp"

namespace mpcflow::verify {

/// Reads a frame a chunk at a time. None where frames do not hold what the hash is made of: all particles,
/// with positions and velocities of no less than the precision of the run. For a file that read_frames()
/// reads. Throws FileError.
[[nodiscard]] RowReader::OfRow make_frame_hash(const hdf5::File& trajectory);

}  // namespace mpcflow::verify
