#pragma once
/// checkpoint.h5: the state of a run and of its results. docs/output.md has the format.

#include <string>

#include "app/checkpoint.hpp"
#include "app/run_record.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

inline constexpr const char* checkpoint_file_name = "checkpoint.h5";
inline constexpr const char* previous_checkpoint_name = "checkpoint.previous.h5";
inline constexpr const char* checkpoint_file_format = "mpcflow checkpoint";
inline constexpr std::int64_t checkpoint_format_version = 3;

/// A checkpoint that is no good: cut short, damaged, or no checkpoint at all. The message names the file.
struct BadCheckpoint : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};

/// The results of a run that are in memory alone.
struct ResultsSoFar {
    const RunRecord& record;
    const FieldStatistics* fields;  ///< null: none are wanted
    const SampledBlock& open_window;  ///< of the fields
    std::int64_t windows;
    std::int64_t frames;
};

/// Writes a checkpoint into a folder as checkpoint.h5; the one that was there becomes the previous one, whose place
/// it takes. It is written aside, put on the disk, sealed (sealed_file.hpp) and renamed: whenever the program is
/// killed, one whole checkpoint is there if one was. Throws hdf5::FileError, and leaves all as it was.
void write_checkpoint_file(const std::string& folder, const SolverState& state, const ResultsSoFar& results);

/// Reads a checkpoint. Throws BadCheckpoint where it is no good, and EnvironmentError where it is whole but in
/// another format than this program's.
[[nodiscard]] Checkpoint read_checkpoint_file(const std::string& path);

/// Bytes of a checkpoint of so many particles without results, a little more than exact.
[[nodiscard]] std::int64_t checkpoint_bytes(std::int64_t particles, Precision precision);

}  // namespace mpcflow
