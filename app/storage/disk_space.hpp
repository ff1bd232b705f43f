#pragma once
/// Room on the disk, asked for before it is needed. Failures are FileErrors that name the file.

#include <cstdint>
#include <string>

namespace mpcflow::storage {

/// Reserves `bytes` from `offset` on for the file behind `descriptor`, without changing its size, so
/// that a write there cannot meet a full disk. Where the file system cannot reserve, checks that the
/// space is free. Throws with errno's reason (ENOSPC, EDQUOT, EFBIG for a limit on file sizes).
void reserve_space(int descriptor, const std::string& path, std::int64_t offset, std::int64_t bytes);
/// Gives back what is reserved beyond the end of the file. It is only room that is lost where that fails.
void release_reserve(int descriptor) noexcept;
/// Bytes that a user may still write to the file system of `descriptor`; -1 if it does not say.
[[nodiscard]] std::int64_t free_bytes(int descriptor) noexcept;
/// Throws (ENOSPC) where less than `bytes` are free on the file system of `path`, whose file is open as
/// `descriptor`.
void keep_free(int descriptor, const std::string& path, std::int64_t bytes);

}  // namespace mpcflow::storage
