#include "app/run/progress.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/text/formatting.hpp"
#include "input/text.hpp"

namespace mpcflow {

namespace {

using namespace std::chrono_literals;

constexpr auto redraw_interval = 200ms;
constexpr auto log_interval = 10s;
constexpr auto shortest_log_interval = 1s;

double percent(const ProgressState& state) {
    if (state.total_steps <= 0) return 100.0;
    return 100.0 * static_cast<double>(state.step) / static_cast<double>(state.total_steps);
}

int terminal_width(std::FILE* stream) {
    winsize size{};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

}  // namespace

std::string format_progress_line(const ProgressState& state, int width) {
    const auto columns = static_cast<std::size_t>(std::max(width, 0));
    std::vector<std::string> fields{fmt::format("{:.1f} %", percent(state))};
    if (state.seconds_left) fields.push_back(format_duration(*state.seconds_left) + " left");
    fields.push_back(format_rate(state.updates_per_second));
    if (state.temperature) fields.push_back(fmt::format("T {:.4f}", *state.temperature));
    if (state.drift) fields.push_back(fmt::format("drift {:.1e}", *state.drift));
    // Steps say what percent do: the first that a narrow terminal goes without.
    const std::string all =
        fmt::format("step {}/{}  {}", state.step, state.total_steps, fmt::join(fields, "  "));
    if (all.size() <= columns) return all;
    while (!fields.empty() && fmt::to_string(fmt::join(fields, "  ")).size() > columns) fields.pop_back();
    return fmt::to_string(fmt::join(fields, "  "));
}

std::string format_log_line(const ProgressState& state) {
    std::string line = fmt::format("step {} of {} ({:.0f} %)", state.step, state.total_steps, percent(state));
    if (state.seconds_left) line += fmt::format(", {} left", format_duration(*state.seconds_left));
    line += fmt::format(", {}", format_rate(state.updates_per_second, "particle updates"));
    if (state.temperature) line += fmt::format(", temperature {:.4f}", *state.temperature);
    if (state.drift) line += fmt::format(", momentum drift {:.1e}", *state.drift);
    return line;
}

ProgressStyle progress_style(std::FILE* stream) {
    const char* term = std::getenv("TERM");
    const bool can_redraw =
        isatty(fileno(stream)) != 0 && (term == nullptr || std::string_view(term) != "dumb");
    return can_redraw ? ProgressStyle::live_line : ProgressStyle::log_lines;
}

bool ProgressDisplay::is_time(const ProgressState& state, Clock::time_point now) const {
    if (style_ == ProgressStyle::silent) return false;
    if (!last_shown_) return style_ == ProgressStyle::live_line;
    const auto since = now - *last_shown_;
    if (style_ == ProgressStyle::live_line) return since >= redraw_interval;
    const bool is_at_end = state.step == state.total_steps;
    const bool is_new_tenth = static_cast<std::int64_t>(percent(state) / 10.0) > last_tenth_;
    return is_at_end || since >= log_interval || (is_new_tenth && since >= shortest_log_interval);
}

void ProgressDisplay::update(const ProgressState& state, Clock::time_point now) {
    const bool shows = is_time(state, now);
    // A log has nothing to say at the very start.
    if (shows || !last_shown_) last_shown_ = now;
    if (!shows) return;
    last_tenth_ = static_cast<std::int64_t>(percent(state) / 10.0);
    if (style_ == ProgressStyle::live_line) {
        // One column stays free: some terminals wrap when the last one is filled.
        show(stream_, fmt::format("\r{}\x1b[K", format_progress_line(state, terminal_width(stream_) - 1)));
        line_is_shown_ = true;
    } else {
        show(stream_, format_log_line(state) + "\n");
    }
}

void ProgressDisplay::note(const std::string& text) {
    if (is_silent()) return;
    clear();
    show(stream_, input::printable(text, std::string::npos) + "\n");
}

void ProgressDisplay::clear() {
    if (!line_is_shown_) return;
    show(stream_, "\r\x1b[K");
    line_is_shown_ = false;
}

}  // namespace mpcflow
