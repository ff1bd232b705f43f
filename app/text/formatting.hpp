#pragma once
/// Numbers with units as people read them.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace mpcflow {

/// "0:07", "12:34", "1:02:03", "2 d 03:04:05".
[[nodiscard]] std::string format_duration(double seconds);
/// The seconds of "3:55:00", "55:00" or "1-12:00:00": [[days-]hours:]minutes:seconds, as batch systems write
/// them, and of "300", which are seconds. None if it is no such time.
[[nodiscard]] std::optional<std::int64_t> parse_duration(std::string_view text);
/// "850 k/s", "36.2 M/s"; with a name of what is counted "20.1 G particle updates/s".
[[nodiscard]] std::string format_rate(double per_second, const std::string& counted = "");
/// "512 B", "3.4 MiB".
[[nodiscard]] std::string format_bytes(double bytes);

/// Writes text to a stream and flushes it. A stream that nobody reads any more is no error: a run must
/// not end because its log did.
void show(std::FILE* stream, const std::string& text);

}  // namespace mpcflow
