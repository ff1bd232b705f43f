#include "input/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace mpcflow::input {
namespace {

constexpr bool is_continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

/// Length in bytes of the UTF-8 sequence at `at`; 0 where there is none (overlong forms, surrogates
/// and code points past U+10FFFF are none).
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i])
                                    : static_cast<unsigned char>(0);
    };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return is_continuation(byte(1)) ? 2 : 0;
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

char32_t decode(std::string_view sequence) {
    const auto bits = [&](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(sequence[i]));
    };
    switch (sequence.size()) {
        case 2: return (bits(0) & 0x1FU) << 6U | (bits(1) & 0x3FU);
        case 3: return (bits(0) & 0x0FU) << 12U | (bits(1) & 0x3FU) << 6U | (bits(2) & 0x3FU);
        case 4:
            return (bits(0) & 0x07U) << 18U | (bits(1) & 0x3FU) << 12U | (bits(2) & 0x3FU) << 6U |
                   (bits(3) & 0x3FU);
        default: return bits(0);
    }
}

/// As a control character or a byte that is not UTF-8 is shown.
std::string escaped(const Character& character) {
    const auto code = static_cast<std::uint32_t>(character.code);
    return code < 0x80 || !character.is_valid ? fmt::format("\\x{:02X}", code)
                                              : fmt::format("\\u{:04X}", code);
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return {1, static_cast<unsigned char>(text[at]), false};
    return {length, decode(text.substr(at, length)), true};
}

bool is_control(char32_t code) {
    const bool is_of_ascii = code < 0x20 || code == 0x7F;
    const bool is_of_iso_6429 = code >= 0x80 && code <= 0x9F;
    const bool separates_lines = code == 0x2028 || code == 0x2029;
    const bool turns_direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                                 (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return is_of_ascii || is_of_iso_6429 || separates_lines || turns_direction;
}

std::optional<TextFault> find_text_fault(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == 0) return TextFault{at, "a NUL byte; an input is UTF-8 text"};
        if (byte == '\r' && (at + 1 == text.size() || text[at + 1] != '\n'))
            return TextFault{at, "a carriage return that ends no line"};
        const Character character = character_at(text, at);
        if (!character.is_valid)
            return TextFault{at, fmt::format("the byte 0x{:02X} is not UTF-8; an input is UTF-8 text", byte)};
        // Control characters have no place in YAML; and yaml-cpp takes 0x04 for the end of the file.
        if (is_control(character.code) && byte != '\t' && byte != '\n' && byte != '\r') {
            const auto code = static_cast<std::uint32_t>(character.code);
            return TextFault{
                at, code < 0x80
                        ? fmt::format("the control character 0x{:02X}; an input is UTF-8 text", code)
                        : fmt::format("the control character U+{:04X}, which has no place in an input; "
                                      "remove it",
                                      code)};
        }
        at += character.length;
    }
    return std::nullopt;
}

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) count += is_continuation(static_cast<unsigned char>(c)) ? 0 : 1;
    return count;
}

std::string printable(std::string_view text, std::size_t longest) {
    std::string shown;
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) {
        if (count == longest) return shown + "...";
        const Character character = character_at(text, at);
        if (!character.is_valid || is_control(character.code)) shown += escaped(character);
        else shown += text.substr(at, character.length);
        at += character.length;
    }
    return shown;
}

std::string printable_lines(std::string_view text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\n\t", at), text.size());
        shown += printable(text.substr(at, end - at), std::string_view::npos);
        if (end < text.size()) shown += text[end];
        at = end + 1;
    }
    return shown;
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const Character character = character_at(text, at);
        if (character.code == '"' || character.code == '\\') {
            result += '\\';
            result += text[at];
        } else if (character.is_valid && is_control(character.code)) {
            result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character.code));
        } else {
            result += text.substr(at, character.length);
        }
        at += character.length;
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
