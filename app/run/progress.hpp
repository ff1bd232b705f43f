#pragma once
/// Telling the user how far a run is: one live line on a terminal, plain lines in a log.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace mpcflow {

struct ProgressState {
    std::int64_t step = 0;
    std::int64_t total_steps = 0;
    std::optional<double> seconds_left;
    double updates_per_second = 0.0;    ///< particles x steps per second
    std::optional<double> temperature;  ///< kT
    std::optional<double> drift;        ///< |P| / (N m v_th), v_th = sqrt(kT/m), where momentum is conserved
};

/// The live line, of at most `width` columns: fields that do not fit are left out from the right.
[[nodiscard]] std::string format_progress_line(const ProgressState& state, int width);
/// The line for a log.
[[nodiscard]] std::string format_log_line(const ProgressState& state);

/// Where progress goes.
enum class ProgressStyle {
    silent,
    live_line,  ///< redrawn in place
    log_lines   ///< a line at each tenth of the run and every ten seconds
};

/// The style for `stream`: a live line if it is a terminal that can redraw.
[[nodiscard]] ProgressStyle progress_style(std::FILE* stream);

/// Shows a run's state on a stream, no more often than is of use.
class ProgressDisplay {
public:
    using Clock = std::chrono::steady_clock;

    ProgressDisplay(std::FILE* stream, ProgressStyle style) : stream_(stream), style_(style) {}
    ~ProgressDisplay() { clear(); }
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    [[nodiscard]] bool is_silent() const { return style_ == ProgressStyle::silent; }
    /// Shows `state` if it is time to, at time `now`.
    void update(const ProgressState& state, Clock::time_point now);
    /// Shows a line that stays, above the live line.
    void note(const std::string& text);
    /// Removes the live line, so that other output starts on a clean one.
    void clear();

private:
    [[nodiscard]] bool is_time(const ProgressState& state, Clock::time_point now) const;

    std::FILE* stream_;
    ProgressStyle style_;
    std::optional<Clock::time_point> last_shown_;
    std::int64_t last_tenth_ = 0;
    bool line_is_shown_ = false;
};

}  // namespace mpcflow
