#pragma once
/// At which steps of a run what is to be done.

#include <cstdint>
#include <optional>

#include "input/scenario.hpp"

namespace mpcflow {

/// The steps of a run, its frames and its checkpoints. Frames count from step 0, which has one. Observables
/// have times of their own (physics/observables/sample_times.hpp).
class Schedule {
public:
    Schedule(const RunLength& length, const Output& output,
             const std::optional<CheckpointTimes>& checkpoint = {});

    [[nodiscard]] std::int64_t total_steps() const { return total_steps_; }
    [[nodiscard]] bool frame_due(std::int64_t step) const { return due(step, frame_every_); }
    [[nodiscard]] bool checkpoint_due(std::int64_t step) const { return due(step, checkpoint_every_); }
    /// Seconds between checkpoints; 0: none by time.
    [[nodiscard]] double checkpoint_seconds() const { return checkpoint_seconds_; }
    /// The next step after `step` at which something is due, or the run ends.
    [[nodiscard]] std::int64_t next_event(std::int64_t step) const;

    /// How many there will be in all.
    [[nodiscard]] std::int64_t frames() const;

private:
    static bool due(std::int64_t step, std::int64_t every) { return every > 0 && step % every == 0; }

    std::int64_t total_steps_;
    std::int64_t frame_every_;  ///< 0 here and below: never
    std::int64_t checkpoint_every_;
    double checkpoint_seconds_;
};

/// How many steps to give the solver in one go, so that it comes back about `target_seconds` later:
/// signals and the progress line wait no longer than that.
class ChunkSize {
public:
    explicit ChunkSize(double target_seconds) : target_seconds_(target_seconds) {}

    [[nodiscard]] std::int64_t steps() const { return steps_; }
    /// Learns from a chunk of `steps` that took `seconds`.
    void learn(std::int64_t steps, double seconds);

private:
    double target_seconds_;
    std::int64_t steps_ = 1;
};

}  // namespace mpcflow
