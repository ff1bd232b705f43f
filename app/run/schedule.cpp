#include "app/run/schedule.hpp"

#include <algorithm>

namespace mpcflow {

Schedule::Schedule(const RunLength& length, const Output& output,
                   const std::optional<CheckpointTimes>& checkpoint)
    : total_steps_(length.equilibration + length.steps),
      frame_every_(output.trajectory ? output.trajectory->every : 0),
      checkpoint_every_(checkpoint ? checkpoint->every : 0),
      checkpoint_seconds_(checkpoint ? 60.0 * checkpoint->minutes : 0.0) {}

std::int64_t Schedule::next_event(std::int64_t step) const {
    std::int64_t next = total_steps();
    for (const std::int64_t every : {frame_every_, checkpoint_every_})
        if (every > 0) next = std::min(next, (step / every + 1) * every);
    return next;
}

std::int64_t Schedule::frames() const { return frame_every_ > 0 ? total_steps() / frame_every_ + 1 : 0; }

void ChunkSize::learn(std::int64_t steps, double seconds) {
    // Chunks that an event cut short say little of longer ones: grow by a factor at a time.
    constexpr double most_growth = 4.0;
    const double fit = seconds > 0.0 ? static_cast<double>(steps) * target_seconds_ / seconds
                                     : most_growth * static_cast<double>(steps);
    const double most = most_growth * static_cast<double>(std::max(steps, steps_));
    steps_ = static_cast<std::int64_t>(std::clamp(fit, 1.0, most));
}

}  // namespace mpcflow
