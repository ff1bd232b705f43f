#pragma once
/// The result files of a run in progress.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/output/output_directory.hpp"
#include "app/output/trajectory_file.hpp"
#include "app/output/window_file.hpp"
#include "app/output/xdmf_file.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/run_loop.hpp"
#include "app/run/run_record.hpp"

namespace mpcflow {

/// One line of the summary: a file and what is in it.
struct WrittenFile {
    std::string path;
    std::string contents;
};

/// How a run ended.
struct RunEnd {
    RunStatus status = RunStatus::completed;
    std::string message;
    std::uint64_t state_hash = 0;
};

/// The files of a run: run.h5, which is replaced whole, trajectory.h5, to which frames are added, and
/// checkpoints. All calls but the first, of the constructor, come from one thread (BackgroundWriter's), as
/// HDF5 needs it.
class ResultWriter {
public:
    using Observed = std::vector<Later<ObservableResults>>;

    /// Results of a run that begins, or that goes on from a checkpoint, whose trajectory.h5 is in the
    /// directory if it has frames. Writes nothing yet.
    ResultWriter(const OutputDirectory& directory, RunRecord record,
                 const std::optional<Checkpoint>& checkpoint = {});
    [[nodiscard]] bool ends_with_checkpoint() const;
    /// Whether the checkpoint that the run goes on from tells of what begin() has moved aside.
    [[nodiscard]] bool begins_with_checkpoint() const { return begins_with_checkpoint_; }

    /// Writes the first run.h5, of status "running", and begins trajectory.h5, or drops its frames of after
    /// the checkpoint. What it is to add to is verified first, number by number; what is damaged is moved
    /// aside, and a remark says so. Throws FileError, as all that write do.
    void begin(const Observed& observed);
    /// What begin() has to tell the user.
    [[nodiscard]] std::vector<std::string> take_remarks() { return std::move(remarks_); }

    /// Adds a frame, or a part of one, of these particles, which are in the order of their ids, and leaves
    /// room for what observables will take of run.h5.
    void add_frame(const ParticleRecords& particles, const FramePart& part, std::int64_t observable_bytes);
    /// The same with a window of fields.h5.
    void add_row(const ObservableRow& row, std::int64_t observable_bytes);
    void add_note(const std::string& note);
    /// A note of the solver, and the way of summing and re-order interval that are in force now.
    void add_note(const std::string& note, Summation summation, int reorder_interval);
    void add_checkpoint(const SolverState& state);
    /// Replaces run.h5.
    void update(std::int64_t step, std::int64_t fast_steps, const Observed& observed);

    /// Closes all with the run's outcome.
    void finish(const RunLoopResult& result, const RunEnd& end, const Observed& observed);
    /// The same after a failure, as far as it goes; never throws.
    void finish_failed(const std::string& message, const Observed& observed) noexcept;

    /// What is on the disk.
    [[nodiscard]] std::vector<WrittenFile> written_files() const;

private:
    using Clock = std::chrono::steady_clock;

    void take_up(const Checkpoint& checkpoint);
    void open_windows(const KeptFile& kept);
    /// Whether a file that was verified is damaged; it is moved aside then.
    [[nodiscard]] bool is_moved_aside(const std::string& name, const std::string& what, RowsBefore before,
                                      const KeptFile& kept);
    [[nodiscard]] std::int64_t last_run_file_bytes(std::int64_t observable_bytes) const;
    void write_xdmf();
    [[nodiscard]] double wall_time() const;
    void write(const Observed& observed, storage::Durability durability);

    const storage::Directory& directory_;
    RunRecord record_;
    std::unique_ptr<TrajectoryFile> trajectory_;
    std::unique_ptr<WindowFile> windows_;
    std::unique_ptr<WindowXdmf> window_xdmf_;
    RowsBefore first_frames_;   ///< frames that the trajectory begins with
    RowsBefore first_windows_;  ///< windows that fields.h5 begins with
    std::vector<std::string> remarks_;
    bool begins_with_checkpoint_ = false;
    bool has_parts_;                ///< of checkpoints, in the directory
    double earlier_seconds_ = 0.0;  ///< wall time before the restart
    std::int64_t step_ = 0;
    std::string contents_;  ///< of run.h5, in words
    bool xdmf_is_written_ = false;
    Clock::time_point start_;
};

}  // namespace mpcflow
