#pragma once
/// HDF5 failures as EnvironmentErrors that say which file, what was being done, and why it failed.

#include <string>
#include <string_view>

#include <hdf5.h>

#include "physics/errors.hpp"

namespace mpcflow::hdf5 {

/// Readies the library for this process and this thread, before any other call: its own error printing off, no
/// clean-up at exit (which would write to files that were given up), no file locks (so that a reader
/// can look at a file while the run writes it). Every wrapper that opens a file calls it.
void initialise_library();

/// A failure to write or read a file; `error_number` is errno where the cause is known, or 0.
struct FileError : EnvironmentError {
    FileError(const std::string& message, int errno_value)
        : EnvironmentError(message), error_number(errno_value) {}
    int error_number = 0;
};

/// True for the errno values that mean "no room": disk, quota or file-size limit.
[[nodiscard]] bool means_no_room(int error_number);

/// "disk full", "disk quota exceeded" ...: the reason in words, strerror for the rest.
[[nodiscard]] std::string describe_errno(int error_number);

/// Throws FileError "FILE: cannot WHAT: REASON", the reason taken from HDF5's error stack.
[[noreturn]] void fail(const std::string& file, std::string_view what);

/// Passes on an identifier or status; a negative one is a failure to do `what` with `file`.
template <typename Result>
Result check(Result result, const std::string& file, std::string_view what) {
    if (result < 0)
        fail(file, what);
    return result;
}

}  // namespace mpcflow::hdf5
