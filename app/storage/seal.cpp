#include "app/storage/seal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/storage/checksum.hpp"
#include "app/storage/descriptor.hpp"
#include "app/storage/file_error.hpp"

namespace mpcflow::storage {

namespace {

constexpr std::uint64_t seal_mark = 0x4c41455346435032ULL;
constexpr std::size_t part_bytes = std::size_t{1} << 20;

/// Throws FileError unless all `count` bytes are there.
void read_all(int descriptor, const std::string& path, std::uint64_t offset, void* bytes, std::size_t count) {
    const ReadResult result = read_at(descriptor, offset, bytes, count);
    if (result.error_number != 0) fail_file(path, "read it", result.error_number);
    if (result.count < count)
        throw FileError(path + ": cannot read it: it became shorter in the meantime", 0);
}

/// The checksum of the first `bytes` bytes.
std::uint64_t sum_file(int descriptor, const std::string& path, std::uint64_t bytes) {
    std::vector<std::byte> part(static_cast<std::size_t>(std::min<std::uint64_t>(part_bytes, bytes)));
    Checksum checksum;
    for (std::uint64_t at = 0; at < bytes; at += part.size()) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), bytes - at));
        read_all(descriptor, path, at, part.data(), count);
        checksum.add(part.data(), count);
    }
    return checksum.sum();
}

}  // namespace

Seal seal_file(int descriptor, const std::string& path) {
    Seal seal{seal_mark, file_size(descriptor, path), 0};
    seal.sum = sum_file(descriptor, path, seal.bytes);
    if (const int error_number = write_at(descriptor, seal.bytes, &seal, sizeof seal); error_number != 0)
        fail_file(path, "write it", error_number);
    return seal;
}

Seal read_seal(int descriptor, const std::string& path) {
    const std::uint64_t size = file_size(descriptor, path);
    Seal seal;
    if (size < sizeof seal) throw FileError(path + ": cut short", 0);
    read_all(descriptor, path, size - sizeof seal, &seal, sizeof seal);
    return seal;
}

std::string find_damage(int descriptor, const std::string& path) {
    const std::uint64_t size = file_size(descriptor, path);
    if (size < sizeof(Seal)) return "cut short";
    const Seal seal = read_seal(descriptor, path);
    if (seal.mark != seal_mark || seal.bytes != size - sizeof seal)
        return "cut short, or not a file that mpcflow sealed";
    return sum_file(descriptor, path, seal.bytes) == seal.sum ? "" : broken_seal;
}

}  // namespace mpcflow::storage
