#include "app/text/formatting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
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
