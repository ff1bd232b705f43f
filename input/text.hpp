#pragma once
/// Text from outside: is it what we accept, and how is it shown in a message?

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mpcflow::input {

/// A byte of a text that cannot stand in an input.
struct TextFault {
    std::size_t offset = 0;  ///< from the beginning of the text, in bytes
    std::string what;
};

/// The character of UTF-8 text that begins at a byte.
struct Character {
    std::size_t length = 1;  ///< in bytes
    char32_t code = 0;
    bool is_valid = false;  ///< otherwise it is one byte that is not UTF-8, and `code` is that byte
};
[[nodiscard]] Character character_at(std::string_view text, std::size_t at);

/// Whether a terminal may do something else with it than show it: the control characters of ASCII and of ISO
/// 6429 (U+0080 to U+009F), the separators of lines and paragraphs, and what turns the direction of text.
[[nodiscard]] bool is_control(char32_t code);

/// The first fault of `text` as an input file: a NUL or another control character (tab and line end
/// excepted), a carriage return that ends no line, bytes that are not UTF-8. Empty where there is none.
[[nodiscard]] std::optional<TextFault> find_text_fault(std::string_view text);

/// Number of characters (code points) of UTF-8 text.
[[nodiscard]] std::size_t count_characters(std::string_view text);

/// `text` on one line of at most `longest` characters: control characters escaped, the rest cut ("...").
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 60);

/// `text` with its lines and tabs as they are, all other control characters escaped.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// `text` between double quotes, escaped as both JSON and YAML read it.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Line and column of a byte, both from 1; columns count characters.
struct LineColumn {
    int line = 1;
    int column = 1;
};
[[nodiscard]] LineColumn line_and_column(std::string_view text, std::size_t offset);

}  // namespace mpcflow::input
