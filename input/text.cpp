#include "input/text.hpp"

#include <fmt/format.h>

namespace mpcflow::input {
namespace {

constexpr bool is_continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

/// Length in bytes of the UTF-8 sequence at `at`; 0 where there is none (overlong forms, surrogates
/// and code points past U+10FFFF are none).
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : static_cast<unsigned char>(0);
    };
    const unsigned char first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        return is_continuation(byte(1)) ? 2 : 0;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        const bool shortest = first != 0xE0 || byte(1) >= 0xA0;
        const bool surrogate = first == 0xED && byte(1) >= 0xA0;
        return shortest && !surrogate && is_continuation(byte(1)) && is_continuation(byte(2)) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const bool shortest = first != 0xF0 || byte(1) >= 0x90;
        const bool in_unicode = first != 0xF4 || byte(1) < 0x90;
        return shortest && in_unicode && is_continuation(byte(1)) && is_continuation(byte(2)) &&
                       is_continuation(byte(3))
                   ? 4
                   : 0;
    }
    return 0;
}

}  // namespace

std::optional<TextFault> find_text_fault(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == 0) {
            return TextFault{at, "a NUL byte; an input is UTF-8 text"};
        }
        if (byte == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')) {
            return TextFault{at, "a carriage return that ends no line"};
        }
        // Control characters have no place in YAML; and yaml-cpp takes 0x04 for the end of the file.
        if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
            return TextFault{at, fmt::format("the control character 0x{:02X}; an input is UTF-8 text", byte)};
        }
        const std::size_t length = sequence_length(text, at);
        if (length == 0) {
            return TextFault{at, fmt::format("the byte 0x{:02X} is not UTF-8; an input is UTF-8 text", byte)};
        }
        at += length;
    }
    return std::nullopt;
}

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) {
        count += is_continuation(static_cast<unsigned char>(c)) ? 0 : 1;
    }
    return count;
}

std::string printable(std::string_view text, std::size_t longest) {
    std::string shown;
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) {
        if (count == longest) {
            return shown + "...";
        }
        const auto byte = static_cast<unsigned char>(text[at]);
        const std::size_t length = sequence_length(text, at);
        if (length == 0 || byte < 0x20 || byte == 0x7F) {
            shown += fmt::format("\\x{:02X}", byte);
            at += 1;
        } else {
            shown += text.substr(at, length);
            at += length;
        }
    }
    return shown;
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            result += fmt::format("\\u{:04x}", byte);
        } else {
            result += c;
        }
    }
    return result + '"';
}

LineColumn line_and_column(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    LineColumn place;
    std::size_t line_begin = 0;
    for (std::size_t at = 0; at < before.size(); ++at) {
        if (before[at] == '\n') {
            ++place.line;
            line_begin = at + 1;
        }
    }
    place.column = static_cast<int>(count_characters(before.substr(line_begin))) + 1;
    return place;
}

}  // namespace mpcflow::input
