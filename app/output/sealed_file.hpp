#pragma once
/// An HDF5 file that is written once, sealed (storage/seal.hpp) and forced to the disk.

#include <cstdint>
#include <functional>
#include <string>

#include "app/hdf5/group.hpp"
#include "app/storage/directory.hpp"

namespace mpcflow {

/// How large a sealed file is, and the checksum that its seal has.
struct Sealed {
    std::int64_t bytes = 0;
    std::uint64_t checksum = 0;
};

/// Writes what write(root) puts into a new file of this name, for which room for about so many bytes is
/// reserved first. Throws FileError, and leaves none; SyncError where the disk does not take it.
Sealed write_sealed_file(const storage::Directory& directory, const std::string& name, std::int64_t bytes,
                         const std::function<void(const hdf5::Group& root)>& write);

}  // namespace mpcflow
