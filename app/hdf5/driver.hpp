#pragma once
/// HDF5's file driver of this program: it reads and writes through a DiskFile, so that HDF5 never opens a
/// path.

#include <memory>

#include <hdf5.h>

#include "app/hdf5/disk_file.hpp"

namespace mpcflow::hdf5 {

/// Makes the file created or opened with this file access list be the one that lies in `file`.
void use_driver(hid_t file_access_list, const std::shared_ptr<DiskFile>& file);

}  // namespace mpcflow::hdf5
