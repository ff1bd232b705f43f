#pragma once
/// The directory that a run writes to.

#include <filesystem>
#include <string>

#include "app/storage/directory.hpp"

namespace mpcflow {

/// What to do with results that are there already.
enum class Existing {
    refuse,
    overwrite,
    keep  ///< the run goes on from one of their checkpoints
};

/// Throws EnvironmentError if `path` is no place to write results to: it holds some (and they are not
/// to be overwritten or kept), it or a part of it is a file, it is not writable. Changes nothing.
void check_output_directory(const std::string& path, Existing existing);

/// The longest leading part of a path that exists; "." if none does.
[[nodiscard]] std::filesystem::path existing_part(std::filesystem::path path);

/// A directory taken for one run: made if need be, earlier results removed if they are to be
/// overwritten, and locked, so that two runs never write to one place. It stays the run's own wherever it is
/// moved.
class OutputDirectory {
public:
    /// Throws EnvironmentError, also where another run is writing to the directory.
    OutputDirectory(const std::string& path, Existing existing);

    [[nodiscard]] const storage::Directory& files() const { return files_; }
    [[nodiscard]] const std::string& path() const { return files_.path(); }

private:
    storage::Directory files_;
};

}  // namespace mpcflow
