#pragma once
/// Failures to read or write files, as EnvironmentErrors that say which file, what was being done, and why it
/// failed.

#include <string>
#include <string_view>

#include "physics/errors.hpp"

namespace mpcflow {

/// A failure to write or read a file; `error_number` is errno where the cause is known, or 0.
struct FileError : EnvironmentError {
    FileError(const std::string& message, int errno_value)
        : EnvironmentError(message), error_number(errno_value) {}
    int error_number = 0;
};

/// A file could not be forced to the disk. The kernel may have dropped what it could not write, and says so
/// but once: nothing that was written to the file since it was last forced can be trusted, and trying again
/// proves nothing.
struct SyncError : FileError {
    using FileError::FileError;
};

/// True for the errno values that mean "no room": disk, quota or file-size limit.
[[nodiscard]] bool means_no_room(int error_number);

/// "disk full", "disk quota exceeded" ...: the reason in words, strerror for the rest.
[[nodiscard]] std::string describe_errno(int error_number);

/// Throws FileError "PATH: cannot WHAT: REASON".
[[noreturn]] void fail_file(const std::string& path, std::string_view what, int error_number);

}  // namespace mpcflow
