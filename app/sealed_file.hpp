#pragma once
/// A seal at the end of a file: 24 bytes that tell whether a single bit of the file is not what was written.
///
/// HDF5's checksums cover the numbers of a file, but neither its structure nor its texts; the seal covers every byte.
/// It lies beyond the end that an HDF5 file knows of itself, where readers do not look.

#include <string>

namespace mpcflow {

/// Adds the seal to a file that is closed, and waits until all is on the disk. Throws hdf5::FileError.
void seal_file(const std::string& path);

/// Why the file is not as it was when it was sealed ("cut short", "damaged" ...); empty where it is.
[[nodiscard]] std::string find_damage(const std::string& path);

}  // namespace mpcflow
