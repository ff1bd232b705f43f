#pragma once
/// An open file of the system, and whole reads and writes of it.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace mpcflow::storage {

/// Calls a function of the system until no signal interrupts it.
template <class Call>
[[nodiscard]] int uninterrupted(const Call& call) {
    int result = 0;
    do {
        result = call();
    } while (result < 0 && errno == EINTR);
    return result;
}

/// Owns a descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { drop(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    /// Closes the file, of which some file systems tell only then what they could not write. Returns errno,
    /// or 0.
    [[nodiscard]] int close() noexcept;
    /// Closes a file whose contents are of no use any more, or were only read.
    void drop() noexcept;

private:
    int number_ = -1;
};

/// Opens a regular file to read it, links followed: one that a user named. Throws FileError where there is
/// none, where it may not be read, and where the name is another thing's, a FIFO's or a device's: nothing
/// waits for these.
[[nodiscard]] Descriptor open_to_read(const std::string& path);

/// Throws FileError unless what is open is a regular file.
void require_regular(int descriptor, const std::string& path);

/// Writes all bytes at `offset`. Returns errno, or 0.
[[nodiscard]] int write_at(int descriptor, std::uint64_t offset, const void* bytes,
                           std::size_t count) noexcept;

/// How a read went: errno, or 0; and how many bytes there were.
struct ReadResult {
    int error_number = 0;
    std::size_t count = 0;
};
/// Reads as many bytes from `offset` on as there are, `count` at most.
[[nodiscard]] ReadResult read_at(int descriptor, std::uint64_t offset, void* bytes,
                                 std::size_t count) noexcept;

/// Bytes of the file. Throws FileError.
[[nodiscard]] std::uint64_t file_size(int descriptor, const std::string& path);

/// Makes the file this long. Returns errno, or 0.
[[nodiscard]] int resize_file(int descriptor, std::uint64_t bytes) noexcept;

/// Waits until the file is on the disk. Throws SyncError.
void sync_file(int descriptor, const std::string& path);

}  // namespace mpcflow::storage
