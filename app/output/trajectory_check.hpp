#pragma once
/// The checksums of trajectory.h5. docs/output.md has the format.

#include <cstdint>
#include <vector>

#include "app/output/growing_file.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

/// What a frame is made of. Checksums are those of the numbers as they are in the file; of what is not there
/// is none.
struct FrameParts {
    std::int64_t step = 0;
    double time = 0.0;
    std::uint64_t state_hash = 0;
    std::int64_t particles = 0;
    std::uint64_t edges = 0;
    std::vector<std::uint64_t> values;  ///< of position, velocity, image, id, in this order
};

/// The checksum of frame `index`; the same in every run of an input.
[[nodiscard]] std::uint64_t frame_checksum(std::int64_t index, const FrameParts& parts);

/// The group of the particles, which are all, those of a region or a selection.
[[nodiscard]] hdf5::Group open_particles(const hdf5::Group& root);

/// The checksum of what a trajectory says of itself.
[[nodiscard]] std::uint64_t trajectory_header_checksum(const hdf5::File& file);

/// Reads the frames of a trajectory that mpcflow wrote. Throws FileError.
[[nodiscard]] RowReader read_frames(const hdf5::File& file);

/// Drops the frames from `frames` on. Throws FileError.
void drop_frames(hdf5::File& file, std::int64_t frames);

/// Throws FileError unless the frames are of these particles and quantities, as read_frames() has found them
/// whole.
void require_frames_of(const hdf5::File& file, const System& system, Precision precision,
                       const TrajectoryOutput& wanted);

}  // namespace mpcflow
