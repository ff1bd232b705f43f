#include "app/sealed_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/disk_space.hpp"
#include "app/hdf5/error.hpp"

namespace mpcflow {

namespace {

struct Seal {
    std::uint64_t mark;
    std::uint64_t bytes;  ///< of the file before the seal
    std::uint64_t sum;    ///< of these
};

constexpr std::uint64_t seal_mark = 0x4c414553'46435031ULL;
constexpr std::size_t part_bytes = std::size_t{1} << 20;

/// A 64-bit checksum of a stream of bytes, in four lanes that a processor works on side by side. A step of a lane
/// is a bijection of its state for every word, so a change within one word always shows.
class Checksum {
public:
    /// Takes the next bytes; all parts but the last are multiples of 32.
    void add(const std::byte* bytes, std::size_t count) {
        for (std::size_t at = 0; at < count; at += block_bytes) {
            std::array<std::uint64_t, 4> words{};
            std::memcpy(words.data(), bytes + at, std::min(block_bytes, count - at));
            for (std::size_t i = 0; i < words.size(); ++i)
                lanes_[i] = std::rotl((lanes_[i] ^ words[i]) * 0xd6e8feb86659fd93ULL, 29);
        }
        total_ += count;
    }
    [[nodiscard]] std::uint64_t sum() const {
        std::uint64_t sum = total_;
        for (const std::uint64_t lane : lanes_)
            sum = std::rotl((sum ^ lane) * 0xd6e8feb86659fd93ULL, 31) ^ (lane >> 32U);
        return sum;
    }

private:
    static constexpr std::size_t block_bytes = 32;
    std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
    std::uint64_t total_ = 0;
};

/// An open file that closes itself.
class Descriptor {
public:
    Descriptor(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC)) {}
    ~Descriptor() {
        if (number_ >= 0)
            close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return number_; }

private:
    int number_;
};

/// Reads `count` bytes from `offset` on; false where there are fewer, or they cannot be read (errno then).
bool read_at(int descriptor, std::uint64_t offset, void* to, std::size_t count) {
    auto* bytes = static_cast<std::byte*>(to);
    errno = 0;
    while (count > 0) {
        const ssize_t got = pread(descriptor, bytes, count, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        offset += static_cast<std::uint64_t>(got);
        bytes += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

/// The checksum of the first `bytes` bytes; false as read_at().
bool sum_file(int descriptor, std::uint64_t bytes, std::uint64_t& sum) {
    std::vector<std::byte> part(part_bytes);
    Checksum checksum;
    for (std::uint64_t at = 0; at < bytes; at += part.size()) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), bytes - at));
        if (!read_at(descriptor, at, part.data(), count))
            return false;
        checksum.add(part.data(), count);
    }
    sum = checksum.sum();
    return true;
}

}  // namespace

void seal_file(const std::string& path) {
    const auto fail = [&] {
        throw hdf5::FileError(path + ": cannot write it: " + hdf5::describe_errno(errno), errno);
    };
    const Descriptor file(path, O_RDWR);
    struct stat status {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0)
        fail();
    Seal seal{seal_mark, static_cast<std::uint64_t>(status.st_size), 0};
    if (!sum_file(file.get(), seal.bytes, seal.sum))
        fail();
    std::array<std::byte, sizeof seal> bytes{};
    std::memcpy(bytes.data(), &seal, sizeof seal);
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t written = pwrite(file.get(), bytes.data() + done, bytes.size() - done,
                                       static_cast<off_t>(seal.bytes + done));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            fail();
        done += static_cast<std::size_t>(written);
    }
    sync_file(file.get(), path);
}

std::string find_damage(const std::string& path) {
    const Descriptor file(path, O_RDONLY);
    struct stat status {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0)
        return hdf5::describe_errno(errno);
    if (!S_ISREG(status.st_mode))
        return "not a file";
    Seal seal{};
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size < sizeof seal || !read_at(file.get(), size - sizeof seal, &seal, sizeof seal) || seal.mark != seal_mark ||
        seal.bytes != size - sizeof seal) {
        return "cut short, or not a checkpoint";
    }
    std::uint64_t sum = 0;
    if (!sum_file(file.get(), seal.bytes, sum))
        return "cannot be read: " + hdf5::describe_errno(errno);
    return sum == seal.sum ? "" : "damaged: its checksum is wrong";
}

}  // namespace mpcflow
