#pragma once
/// What a run yields, written while it goes on.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/output/permits.hpp"
#include "app/output/records_pool.hpp"
#include "app/output/result_writer.hpp"
#include "app/output/writer_thread.hpp"
#include "app/run/observables.hpp"
#include "app/run/run_loop.hpp"

namespace mpcflow {

/// What may be on its way to the disk at a time.
struct InFlight {
    int copies = 1;               ///< of the particles
    std::int64_t work_bytes = 0;  ///< of observables' work
};

/// Where several processes have the particles none of them is to hold all: a frame comes to the writer in
/// parts of so many ids, which take 64 MiB in double precision.
inline constexpr std::int64_t ids_of_frame_part = 1 << 20;

using SaveOthers = std::function<PartsOfOthers(ParticleRecords& own)>;

/// Seconds from one replacement of run.h5 to the next, by what the last one took: the thread that writes is
/// at it for 2 % of the run at most, and the run works out what its observables have so far for 0.5 %. But at
/// least once a minute, so that one slow moment does not hold back the next for long.
[[nodiscard]] double update_interval(double update_seconds, double results_seconds);

/// Hands all that the run loop yields to a ResultWriter that works on a thread of its own, in the order of
/// the run. What is written is as of the step at which it was handed over. What fails there is thrown here,
/// at the next call.
class BackgroundWriter final : public RunOutputs {
public:
    /// The observables have been restored. `save_others`: as the function; none where there are no others.
    BackgroundWriter(ResultWriter& results, const Scenario& scenario, Observables observables, InFlight most,
                     SaveOthers save_others = {});

    /// Writes the checkpoint that a run starts with, before all other files. Throws FileError.
    void save_start(SolverState state);
    /// ResultWriter::begin().
    void begin();

    [[nodiscard]] std::shared_ptr<ParticleRecords> take_records() override;
    void add_frame(std::shared_ptr<ParticleRecords> particles, const FramePart& part) override;
    [[nodiscard]] std::int64_t most_ids_at_once() const override {
        return save_others_ ? ids_of_frame_part : 0;
    }
    void add_work(Work work, std::int64_t step) override;
    void add_note(const std::string& note, Summation summation, int reorder_interval) override;
    [[nodiscard]] std::vector<std::string> take_notes() override;
    [[nodiscard]] Selection frame_selection() const override;
    [[nodiscard]] const Observables& observables() const override { return observables_; }
    void add_checkpoint(SolverState state) override;
    [[nodiscard]] std::optional<PartsOfOthers> save_others(ParticleRecords& own) override;
    [[nodiscard]] bool begins_with_checkpoint() const override { return results_.begins_with_checkpoint(); }
    [[nodiscard]] bool ends_with_checkpoint() const override { return ends_with_checkpoint_; }
    void between_chunks(std::int64_t step, std::int64_t fast_steps) override;
    [[nodiscard]] WritingEnd finish_writing() override;

    /// ResultWriter::finish(), when all else is written.
    void finish(const RunLoopResult& result, RunStatus status, const std::string& message,
                std::uint64_t state_hash);
    /// ResultWriter::finish_failed(), when all is written that can be.
    void finish_failed(const std::string& message) noexcept;

private:
    using Clock = std::chrono::steady_clock;

    /// What the thread has to tell.
    struct Told {
        std::vector<std::string> notes;
        std::string checkpoint_failure;
        double update_seconds = 0.0;
        bool is_updating = false;
    };

    [[nodiscard]] std::string describe_remedy(const std::string& failure) const;
    void post(WriterThread::Task task);
    void do_and_wait(WriterThread::Task task);
    [[nodiscard]] ResultWriter::Observed observed() const;
    /// What observables take of run.h5 if the run ends at this step.
    [[nodiscard]] std::int64_t observable_bytes(std::int64_t step) const;

    ResultWriter& results_;
    std::string folder_;
    TrajectoryOutput trajectory_;
    Observables observables_;
    SaveOthers save_others_;
    bool ends_with_checkpoint_;
    Summation summation_ = Summation::automatic;
    int reorder_interval_ = 0;
    Clock::time_point last_update_;
    double results_seconds_ = 0.0;  ///< that the last results of observables took
    double wait_seconds_ = 0.0;
    std::mutex mutex_;
    Told told_;
    RecordsPool pool_;
    Permits work_permits_;
    WriterThread thread_;  ///< last: it ends before what its tasks use
};

}  // namespace mpcflow
