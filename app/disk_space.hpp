#pragma once
/// Files and the space for them, in POSIX terms. Failures are hdf5::FileErrors that name the file.

#include <cstdint>
#include <string>

namespace mpcflow {

/// Whether a write has to be on the disk itself when it returns, or may wait in the page cache (which
/// outlives the process, but not a power failure).
enum class Durability { page_cache, disk };

/// Reserves `bytes` from `offset` on for the file behind `descriptor`, without changing its size, so
/// that a write there cannot meet a full disk. Where the file system cannot reserve, checks that the
/// space is free. Throws with errno's reason (ENOSPC, EDQUOT, EFBIG for a limit on file sizes).
void reserve_space(int descriptor, const std::string& path, std::int64_t offset, std::int64_t bytes);
/// Gives back what is reserved beyond the end of the file.
void release_reserve(int descriptor) noexcept;
/// Bytes that a user may still write to the file system of `descriptor`; -1 if it does not say.
[[nodiscard]] std::int64_t free_bytes(int descriptor) noexcept;
/// Throws (ENOSPC) where less than `bytes` are free on the file system of `path`, whose file is open as `descriptor`.
void keep_free(int descriptor, const std::string& path, std::int64_t bytes);
/// Empties the file.
void discard_contents(int descriptor) noexcept;
/// Waits until the file is on the disk.
void sync_file(int descriptor, const std::string& path);
/// Renames a file over another of the same directory; with Durability::disk waits for the directory too.
void rename_file(const std::string& from, const std::string& to, Durability durability);

}  // namespace mpcflow
