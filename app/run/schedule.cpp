#include "app/run/schedule.hpp"

#include <algorithm>

namespace mpcflow {

Schedule::Schedule(const RunLength& length, const Output& output,
                   const std::optional<CheckpointTimes>& checkpoint)
    : equilibration_(length.equilibration),
      steps_(length.steps),
      series_every_(output.series ? output.series->every : 0),
      frame_every_(output.trajectory ? output.trajectory->every : 0),
      field_every_(output.fields ? output.fields->every : 0),
      checkpoint_every_(checkpoint ? checkpoint->every : 0),
      checkpoint_seconds_(checkpoint ? 60.0 * checkpoint->minutes : 0.0) {}

std::int64_t Schedule::next_event(std::int64_t step) const {
    std::int64_t next = total_steps();
    const auto consider = [&](std::int64_t origin, std::int64_t every) {
        if (every <= 0) return;
        const std::int64_t since = std::max<std::int64_t>(step - origin, 0);
        next = std::min(next, origin + (since / every + 1) * every);
    };
    consider(0, series_every_);
    consider(0, frame_every_);
    consider(0, checkpoint_every_);
    consider(equilibration_, field_every_);
    return next;
}

std::int64_t Schedule::series_rows() const {
    return series_every_ > 0 ? total_steps() / series_every_ + 1 : 0;
}

std::int64_t Schedule::frames() const { return frame_every_ > 0 ? total_steps() / frame_every_ + 1 : 0; }

std::int64_t Schedule::field_samples() const { return field_every_ > 0 ? steps_ / field_every_ : 0; }

void ChunkSize::learn(std::int64_t steps, double seconds) {
    // Chunks that an event cut short say little of longer ones: grow by a factor at a time.
    constexpr double most_growth = 4.0;
    const double fit = seconds > 0.0 ? static_cast<double>(steps) * target_seconds_ / seconds
                                     : most_growth * static_cast<double>(steps);
    const double most = most_growth * static_cast<double>(std::max(steps, steps_));
    steps_ = static_cast<std::int64_t>(std::clamp(fit, 1.0, most));
}

}  // namespace mpcflow
