#pragma once
/// A seal at the end of a file: 24 bytes that tell whether a single bit of the file is not what was written.
///
/// HDF5's checksums cover the numbers of a file, but neither its structure nor its texts; the seal covers
/// every byte. It lies beyond the end that an HDF5 file knows of itself, where readers do not look: three
/// little-endian words, a mark, the bytes of the file before the seal, and their checksum.

#include <cstdint>
#include <string>

namespace mpcflow::storage {

/// The words of a seal.
struct Seal {
    std::uint64_t mark = 0;
    std::uint64_t bytes = 0;  ///< of the file before the seal
    std::uint64_t sum = 0;    ///< of these

    bool operator==(const Seal&) const = default;
};

/// Adds the seal to the end of an open file, and returns it. Throws FileError.
Seal seal_file(int descriptor, const std::string& path);

/// The seal at the end of a file in which find_damage() finds none. Throws FileError.
[[nodiscard]] Seal read_seal(int descriptor, const std::string& path);

/// What find_damage() says where bytes are not those that were sealed.
inline constexpr const char* broken_seal = "damaged: its checksum is wrong";

/// Why an open file is not as it was when it was sealed ("cut short", "damaged" ...); empty where it is.
/// Throws FileError where the file cannot be read, which says nothing of what is in it.
[[nodiscard]] std::string find_damage(int descriptor, const std::string& path);

}  // namespace mpcflow::storage
