#pragma once
/// A seal at the end of a file: 24 bytes that tell whether a single bit of the file is not what was written.
///
/// HDF5's checksums cover the numbers of a file, but neither its structure nor its texts; the seal covers
/// every byte. It lies beyond the end that an HDF5 file knows of itself, where readers do not look: three
/// little-endian words, a mark, the bytes of the file before the seal, and their checksum.

#include <string>

namespace mpcflow::storage {

/// Adds the seal to the end of an open file. Throws FileError.
void seal_file(int descriptor, const std::string& path);

/// What find_damage() says where bytes are not those that were sealed.
inline constexpr const char* broken_seal = "damaged: its checksum is wrong";

/// Why an open file is not as it was when it was sealed ("cut short", "damaged" ...); empty where it is.
/// Throws FileError where the file cannot be read, which says nothing of what is in it.
[[nodiscard]] std::string find_damage(int descriptor, const std::string& path);

}  // namespace mpcflow::storage
