#pragma once
/// checkpoint.h5: the state of a run and of its results. docs/output.md has the format.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/output/observable_group.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/run_record.hpp"
#include "app/storage/directory.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

inline constexpr const char* checkpoint_file_name = "checkpoint.h5";
inline constexpr const char* previous_checkpoint_name = "checkpoint.previous.h5";
inline constexpr const char* checkpoint_file_format = "mpcflow checkpoint";
inline constexpr std::int64_t checkpoint_format_version = 5;
inline constexpr std::int64_t checkpoint_in_parts_version = 6;  ///< names the files that have its particles
inline constexpr std::int64_t first_sealed_checkpoint_format = 4;  ///< those before have no id, either

/// A checkpoint that is proved to be no good: its seal says that it is not what was written, or that it is
/// whole but no checkpoint. The message names the file.
struct BadCheckpoint : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};

/// What a file that grows held when a checkpoint was written.
struct RowsSoFar {
    std::int64_t rows = 0;
    std::uint64_t checksum = 0;  ///< chained_checksum() of them
};

/// The results of a run that are in memory alone.
struct ResultsSoFar {
    const RunRecord& record;
    const ObservableStates& observables;
    RowsSoFar windows;
    RowsSoFar frames;
};

/// Writes a checkpoint into a directory as checkpoint.h5; the one that was there becomes the previous one,
/// whose place it takes. It is written aside, sealed (storage/seal.hpp), put on the disk and renamed:
/// whenever the program is killed, one whole checkpoint is there if one was. Where others have written parts,
/// this process's part is written, too, and all are named (checkpoint_parts.hpp). Throws FileError, and the
/// newest of before stays, under one of the two names; SyncError where the disk does not take what it is
/// given.
void write_checkpoint_file(const storage::Directory& directory, const SolverState& state,
                           const ResultsSoFar& results);

/// Reads a checkpoint that is open, and goes through all of its particles, a piece at a time. Throws
/// BadCheckpoint where it, or a part of it, is proved to be no good, and EnvironmentError where it cannot be
/// read, or is whole but not what this program writes.
[[nodiscard]] Checkpoint read_checkpoint_file(storage::Descriptor file, const std::string& path);
/// The same of one that somebody else has verified: nothing is read of its particles.
[[nodiscard]] Checkpoint read_checkpoint_contents(storage::Descriptor file, const std::string& path);

/// The id of the run that wrote a checkpoint or run.h5: an empty one where these had none yet, none where the
/// file is damaged or is neither. Throws FileError where it cannot be read.
[[nodiscard]] std::optional<std::string> find_run_id(const storage::Directory& directory,
                                                     const std::string& name);

/// Bytes of a checkpoint of so many particles without results, a little more than exact.
[[nodiscard]] std::int64_t checkpoint_bytes(std::int64_t particles, Precision precision, Masses masses);

}  // namespace mpcflow
