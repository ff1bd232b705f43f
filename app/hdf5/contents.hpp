#pragma once
/// One number for all that an HDF5 file says of itself.

#include <cstdint>
#include <string>

#include "app/hdf5/file.hpp"

namespace mpcflow::hdf5 {

/// The checksum of all groups, attributes and datasets of a file, but for the rows of those that grow and for the
/// attribute `name` of the group `group`, in which it is kept. docs/output.md says of which bytes. Throws FileError.
[[nodiscard]] std::uint64_t header_checksum(const File& file, const std::string& group, const std::string& name);

}  // namespace mpcflow::hdf5
