#pragma once
/// run.h5: the input, the machine and the observables. docs/output.md has the format.

#include <cstdint>
#include <string>

#include "app/hdf5/file.hpp"
#include "app/run/run_record.hpp"
#include "app/storage/directory.hpp"

namespace mpcflow {

inline constexpr const char* run_file_name = "run.h5";
inline constexpr const char* run_file_format = "mpcflow run";
inline constexpr std::int64_t run_file_format_version = 2;

/// Replaces the run.h5 of a directory by a sealed file of `record` in one go: it is written beside it, as
/// run.h5.tmp, and renamed, so that a reader sees the old file or the new, whole, whenever the program is
/// killed. Throws FileError; then the old file stands and run.h5.tmp is gone.
void write_run_file(const storage::Directory& directory, const RunRecord& record,
                    storage::Durability durability);

/// Sets status and message in a run file that is there, in place, with no need for space on the disk;
/// for when it cannot be replaced. Does what it can and never throws.
void mark_run_file(const storage::Directory& directory, RunStatus status,
                   const std::string& message) noexcept;

/// Opens a run.h5 after it was checked that its seal is whole, which one of format 1 does not have. Throws
/// FileError.
[[nodiscard]] hdf5::File open_run_file(storage::Descriptor file, const std::string& path);

/// Whether it is of format 1, which had neither seal nor id.
[[nodiscard]] bool is_unsealed_format(const hdf5::Group& root);

/// Bytes of it without texts and observables, a little more than exact.
inline constexpr std::int64_t run_file_bytes = 128 << 10;

/// Bytes of the texts of the input.
[[nodiscard]] std::int64_t text_bytes(const RunRecord& record);

}  // namespace mpcflow
