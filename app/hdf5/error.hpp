#pragma once
/// HDF5 failures as FileErrors that say which file, what was being done, and why it failed.

#include <string>
#include <string_view>

#include <hdf5.h>

#include "app/storage/file_error.hpp"

namespace mpcflow::hdf5 {

/// Readies the library for this process and this thread, before any other call: its own error printing off,
/// no clean-up at exit (which would write to files that were given up), no file locks (so that a reader can
/// look at a file while the run writes it). Every wrapper that opens a file calls it.
void initialise_library();

using mpcflow::describe_errno;
using mpcflow::FileError;
using mpcflow::means_no_room;
using mpcflow::SyncError;

/// Throws FileError "FILE: cannot WHAT: REASON", the reason taken from HDF5's error stack.
[[noreturn]] void fail(const std::string& file, std::string_view what);

/// Passes on an identifier or status; a negative one is a failure to do `what` with `file`.
template <typename Result>
Result check(Result result, const std::string& file, std::string_view what) {
    if (result < 0) fail(file, what);
    return result;
}

}  // namespace mpcflow::hdf5
