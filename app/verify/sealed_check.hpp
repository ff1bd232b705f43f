#pragma once
/// Verifies the files that are written whole and sealed: run.h5 and checkpoints.

#include <cstdint>
#include <string>

#include "app/storage/directory.hpp"
#include "app/verify/findings.hpp"

namespace mpcflow::verify {

/// Seal, format, and all that can be read of it.
[[nodiscard]] FileFinding check_run_file(const storage::Directory& directory, const std::string& name);

/// What a checkpoint counts on in a file that grows.
struct Counted {
    std::string file{};
    FileKind kind = FileKind::unknown;
    std::int64_t rows = 0;
    std::uint64_t checksum = 0;
};

struct CheckpointFinding : FileFinding {
    bool can_be_used = false;    ///< by this program
    bool is_proved_bad = false;  ///< a restart passes it over
    std::vector<Counted> counted{};
    std::vector<std::string> notes{};
};

/// The same of a part of a checkpoint alone.
[[nodiscard]] FileFinding check_part(const storage::Directory& directory, const std::string& name);

/// The same of a checkpoint, with all of its parts, and whether its particles have its state hash.
[[nodiscard]] CheckpointFinding check_checkpoint(const storage::Directory& directory,
                                                 const std::string& name);

}  // namespace mpcflow::verify
