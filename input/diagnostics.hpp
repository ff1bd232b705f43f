#pragma once
/// Collects what is wrong with an input, and where.

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace mpcflow::input {

/// A place in one of the sources of an input: the file, or the text of one `--set`.
struct Place {
    std::size_t source = 0;
    int line = 0;    ///< from 1; 0 where a source has no lines
    int column = 0;  ///< in characters, from 1

    friend bool operator==(const Place&, const Place&) = default;
    friend bool operator<(const Place& a, const Place& b) {
        return std::tie(a.source, a.line, a.column) < std::tie(b.source, b.line, b.column);
    }
};

/// Errors and warnings with their places.
class Diagnostics {
public:
    enum class Lines { numbered, none };

    /// Adds a source and returns its number. `name` begins every message about it.
    std::size_t add_source(std::string name, Lines lines);

    /// `path`: the key meant, or empty. `text`: what is wrong. Past `most_kept` errors are only counted.
    void error(const Place& place, std::string_view path, std::string text);
    void warning(const Place& place, std::string_view path, std::string text);

    [[nodiscard]] bool has_errors() const { return !errors_.empty(); }
    /// Whether errors are no longer kept, so that there is no use in wording them.
    [[nodiscard]] bool is_full() const { return errors_.size() >= most_kept; }
    /// Whether no error is about `path`, something in it, or something that it is in; false where
    /// errors are no longer kept.
    [[nodiscard]] bool is_sound(std::string_view path) const;

    /// "FILE:LINE:COL: path", with which messages about a place begin.
    [[nodiscard]] std::string described(const Place& place, std::string_view path) const;

    /// The messages in the order of their places, and how many more there are.
    [[nodiscard]] std::vector<std::string> errors() const;
    [[nodiscard]] std::vector<std::string> warnings() const;

    static constexpr std::size_t most_kept = 100;

private:
    struct Source {
        std::string name;
        Lines lines;
    };
    struct Message {
        Place place;
        std::string path;
        std::string text;
    };

    [[nodiscard]] std::vector<std::string> in_order(std::vector<Message> messages) const;

    std::vector<Source> sources_;
    std::vector<Message> errors_;
    std::vector<Message> warnings_;
    std::size_t not_kept_ = 0;
};

/// `path` followed by `name`: "collision" and "angle" give "collision.angle".
[[nodiscard]] std::string joined_path(std::string_view path, std::string_view name);

}  // namespace mpcflow::input
