#pragma once
/// The result files of a run in progress.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/checkpoint.hpp"
#include "app/disk_space.hpp"
#include "app/output_directory.hpp"
#include "app/run_loop.hpp"
#include "app/run_record.hpp"
#include "app/trajectory_file.hpp"

namespace mpcflow {

/// One line of the summary: a file and what is in it.
struct WrittenFile {
    std::string path;
    std::string contents;
};

/// Keeps run.h5, trajectory.h5 and checkpoints up to date. run.h5 is replaced whole every few seconds (less often
/// where that takes long); a frame is in trajectory.h5 at once.
class ResultWriter final : public RunOutputs {
public:
    /// Results of a run that begins, or that goes on from a checkpoint, whose trajectory.h5 is in the directory if it
    /// has frames, and from which the observables have been restored. Writes nothing yet.
    ResultWriter(const OutputDirectory& directory, RunRecord record, Observables observables,
                 std::optional<Checkpoint> checkpoint = {});
    /// Writes the first run.h5, of status "running", and begins trajectory.h5, or drops its frames of after the
    /// checkpoint. Throws hdf5::FileError.
    void begin();

    void add_series_row(const SeriesRow& row) override;
    void add_frame(const std::shared_ptr<ParticleRecords>& particles, std::uint64_t state_hash) override;
    void add_field_block(SampledBlock block) override;
    [[nodiscard]] SampledBlock open_field_block() override { return std::move(open_block_); }
    [[nodiscard]] std::int64_t field_block_samples() const override;
    void add_note(const std::string& note, Summation summation, int reorder_interval) override;
    [[nodiscard]] Selection frame_selection() const override;
    [[nodiscard]] const Observables& observables() const override { return observables_; }
    void add_checkpoint(const SolverState& state) override;
    [[nodiscard]] bool ends_with_checkpoint() const override;
    void between_chunks(std::int64_t step, std::int64_t fast_steps) override;

    /// Closes all with the run's outcome. Throws hdf5::FileError.
    void finish(const RunLoopResult& result, RunStatus status, const std::string& message,
                std::uint64_t state_hash);
    /// The same after a failure, as far as it goes; never throws.
    void finish_failed(const std::string& message) noexcept;

    /// What is on the disk.
    [[nodiscard]] std::vector<WrittenFile> written_files() const;

private:
    using Clock = std::chrono::steady_clock;

    void take_up(Checkpoint checkpoint);
    void update_record(std::int64_t step);
    [[nodiscard]] double wall_time() const;
    void write(Durability durability);

    std::string folder_;
    std::string run_path_;
    std::string trajectory_path_;
    std::string xdmf_path_;
    RunRecord record_;
    Observables observables_;
    std::optional<FieldStatistics> fields_;
    std::unique_ptr<TrajectoryFile> trajectory_;
    SampledBlock open_block_;
    std::int64_t first_frames_ = 0;   ///< frames that the trajectory begins with
    std::int64_t first_step_ = 0;     ///< steps done before
    double earlier_seconds_ = 0.0;    ///< wall time before the restart
    std::int64_t step_ = 0;
    bool averages_are_stale_ = false;
    bool xdmf_is_written_ = false;
    Clock::time_point start_;
    Clock::time_point last_write_;
    double write_seconds_ = 0.0;
};

}  // namespace mpcflow
