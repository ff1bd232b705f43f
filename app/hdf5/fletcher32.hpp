#pragma once
/// The checksum that HDF5's Fletcher-32 filter adds to a chunk.

#include <cstddef>
#include <cstdint>

namespace mpcflow::hdf5 {

/// Of an even number of bytes, bit for bit as HDF5 has it (H5_checksum_fletcher32), several times faster.
[[nodiscard]] std::uint32_t fletcher32(const std::byte* bytes, std::size_t count);

}  // namespace mpcflow::hdf5
