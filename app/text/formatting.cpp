#include "app/text/formatting.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace mpcflow {

namespace {

std::string scaled(double value, double base, const std::vector<std::string_view>& units) {
    std::size_t unit = 0;
    while (value >= 0.9995 * base && unit + 1 < units.size()) {
        value /= base;
        ++unit;
    }
    const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, digits, units[unit]);
}

/// Of digits alone.
std::optional<std::int64_t> parse_whole(std::string_view digits, std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '-' || value > most)
        return {};
    return value;
}

}  // namespace

std::string format_duration(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 0.0)));
    const std::int64_t days = whole / 86400;
    const std::int64_t hours = whole / 3600 % 24;
    const std::int64_t minutes = whole / 60 % 60;
    if (days > 0) return fmt::format("{} d {:02}:{:02}:{:02}", days, hours, minutes, whole % 60);
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
    return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::optional<std::int64_t> parse_duration(std::string_view text) {
    constexpr std::int64_t most = 1'000'000;
    std::int64_t days = 0;
    const std::size_t dash = text.find('-');
    if (dash != std::string_view::npos) {
        const auto whole = parse_whole(text.substr(0, dash), most);
        if (!whole) return {};
        days = *whole;
        text.remove_prefix(dash + 1);
    }
    // From the left: each further part makes those before it 60 times as long.
    std::int64_t seconds = 0;
    int parts = 0;
    while (true) {
        const std::size_t colon = text.find(':');
        const bool is_first = parts++ == 0;
        const auto whole = parse_whole(text.substr(0, colon), is_first ? most : 59);
        if (!whole) return {};
        seconds = 60 * seconds + *whole;
        if (colon == std::string_view::npos) break;
        text.remove_prefix(colon + 1);
    }
    if (parts > 3 || (dash != std::string_view::npos && parts != 3)) return {};
    return 86400 * days + seconds;
}

std::string format_rate(double per_second, const std::string& counted) {
    std::string number = scaled(per_second, 1e3, {"", "k", "M", "G", "T"});
    if (counted.empty()) return number + "/s";
    if (number.back() != ' ') number += ' ';
    return number + counted + "/s";
}

std::string format_bytes(double bytes) {
    return scaled(bytes, 1024.0, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

void show(std::FILE* stream, const std::string& text) {
    std::fputs(text.c_str(), stream);
    std::fflush(stream);
}

}  // namespace mpcflow
