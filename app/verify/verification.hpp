#pragma once
/// Verifies the files of a run: each, and whether they belong together.

#include <string>

#include "app/storage/directory.hpp"
#include "app/verify/findings.hpp"

namespace mpcflow::verify {

/// What a user named: a directory, or one file in one.
struct Target {
    std::string path;  ///< as given
    storage::Directory directory;
    std::string file;  ///< empty: all
};

/// Throws EnvironmentError where there is no such thing, or it is neither a file nor a directory.
[[nodiscard]] Target open_target(const std::string& path);

/// Who has the directory: maybe a run, which then is not disturbed, or the one who asks (lock.hpp).
enum class Holder { anyone, caller };

/// Reads everything; changes nothing. Throws EnvironmentError where nothing here is of mpcflow.
[[nodiscard]] Findings verify(const Target& target, Holder holder);

}  // namespace mpcflow::verify
