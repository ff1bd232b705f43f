#pragma once
/// trajectory.h5: frames of all particles or of a selection, in id order, as H5MD 1.1. docs/output.md has the
/// format.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "app/hdf5/error.hpp"
#include "app/output/growing_file.hpp"
#include "app/output/trajectory_check.hpp"
#include "app/run/frame_part.hpp"
#include "app/run/run_record.hpp"
#include "physics/particle_records.hpp"

namespace mpcflow {

inline constexpr const char* trajectory_file_name = "trajectory.h5";
inline constexpr std::int64_t trajectory_format_version = 2;

/// Whether space is reserved before a frame is written. `none` is for tests of what happens when the
/// file system fails all the same.
enum class SpaceCheck { reserve, none };

/// Writes frames one by one. After each the file is complete on its own: readable while the run goes on
/// and after the process is killed. A frame that does not fit on the disk is refused before the first
/// byte of it is written; if a write fails all the same, the file is left as the last frame left it and
/// never touched again.
class TrajectoryFile {
public:
    /// Creates the file, as trajectory.h5.tmp until its first frame is in it.
    TrajectoryFile(const storage::Directory& directory, const RunRecord& record,
                   SpaceCheck space_check = SpaceCheck::reserve);
    /// Opens the file, in which check_kept_file() found these frames, to go on after them, and drops later
    /// ones.
    TrajectoryFile(const storage::Directory& directory, const RunRecord& record, RowsBefore before,
                   JournalUse journal);
    ~TrajectoryFile();
    TrajectoryFile(const TrajectoryFile&) = delete;
    TrajectoryFile& operator=(const TrajectoryFile&) = delete;

    /// Appends a frame of these particles, which are in the order of their ids; it must leave `spare_bytes`
    /// of the disk free (for run.h5). Throws FileError saying what was lost and what is intact.
    void append(const ParticleRecords& records, std::uint64_t state_hash, std::int64_t spare_bytes = 0) {
        append(records, FramePart{state_hash, records.count()}, spare_bytes);
    }
    /// The same of a part of a frame; all parts come one after the other, and the last one completes it.
    void append(const ParticleRecords& records, const FramePart& part, std::int64_t spare_bytes);
    /// Waits until the frames are on the disk, and guards them from what comes. Throws SyncError.
    void sync();
    /// Writes all to the disk and closes. Throws FileError.
    void close();

    [[nodiscard]] std::int64_t frames() const { return frames_; }
    /// chained_checksum() of all frames.
    [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

private:
    struct Objects;

    void create(const RunRecord& record);
    void open_datasets();
    void close_datasets();
    void reserve_frame(std::int64_t particles, std::int64_t spare_bytes);
    void begin_frame(std::int64_t particles);
    void add_to_frame(const ParticleRecords& records);
    void end_frame(std::int64_t step, const FramePart& part);
    [[nodiscard]] FileError explain(const FileError& error, std::int64_t step) const;
    void abandon() noexcept;

    std::string path_;
    System system_;
    Precision precision_;
    TrajectoryOutput output_;
    SpaceCheck space_check_;
    std::int64_t frames_ = 0;
    std::int64_t last_step_ = -1;
    std::uint64_t checksum_ = 0;
    std::unique_ptr<Objects> objects_;  ///< none: closed or abandoned
};

}  // namespace mpcflow
