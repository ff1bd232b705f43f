#pragma once
/// Verifies the files that are written whole and sealed: run.h5 and checkpoints.

#include <cstdint>
#include <string>

#include "app/storage/directory.hpp"
#include "app/verify/findings.hpp"

namespace mpcflow::verify {

/// Seal, format, and all that can be read of it.
[[nodiscard]] FileFinding check_run_file(const storage::Directory& directory, const std::string& name);

/// What a checkpoint counts on in the files that grow.
struct CheckpointFinding {
    FileFinding file;
    bool can_be_used = false;   ///< by this program
    bool is_proved_bad = false;  ///< a restart passes it over
    std::int64_t frames = 0;
    std::uint64_t frames_checksum = 0;
    std::int64_t windows = 0;
    std::uint64_t windows_checksum = 0;
};

/// The same, and whether its particles have its state hash.
[[nodiscard]] CheckpointFinding check_checkpoint(const storage::Directory& directory, const std::string& name);

}  // namespace mpcflow::verify
