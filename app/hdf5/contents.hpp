#pragma once
/// Going through all that is in an HDF5 file.

#include <cstdint>
#include <string>

#include "app/hdf5/file.hpp"

namespace mpcflow::hdf5 {

/// The checksum of all groups, attributes and datasets of a file, but for the rows of those that grow and for
/// the attribute `name` of the group `group`, in which it is kept. docs/output.md says of which bytes. Throws
/// FileError.
[[nodiscard]] std::uint64_t header_checksum(const File& file, const std::string& group,
                                            const std::string& name);

/// Reads every index, attribute and number of a file, one dataset after the other as a whole: which proves
/// HDF5's own checksums, and that other tools can read it. Throws FileError naming the first that cannot be
/// read.
void read_everything(const File& file);

}  // namespace mpcflow::hdf5
