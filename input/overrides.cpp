#include "input/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "input/text.hpp"

namespace mpcflow::input {
namespace {

bool is_index(std::string_view segment) {
    return std::all_of(
        segment.begin(), segment.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The segments of a path; empty if it is not names and indices with dots between.
std::vector<std::string_view> split_path(std::string_view path) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    };
    constexpr std::size_t longest_path = 200;
    std::vector<std::string_view> segments;
    if (path.size() > longest_path) return segments;
    for (;;) {
        const std::size_t dot = path.find('.');
        const std::string_view segment = path.substr(0, dot);
        if (segment.empty() || !std::all_of(segment.begin(), segment.end(), allowed) ||
            segments.size() == deepest_node)
            return {};
        segments.push_back(segment);
        if (dot == std::string_view::npos) return segments;
        path.remove_prefix(dot + 1);
    }
}

/// Everywhere in a value, what is wrong is placed at the override.
void place_all(Node& node, const Place& place) {
    node.place = place;
    node.name_place = place;
    for (Node& child : node.children) place_all(child, place);
}

/// One step down a path.
class Descent {
public:
    Descent(const Place& place, ExpandShorthand expand, Diagnostics& diagnostics)
        : place_(place), expand_(expand), diagnostics_(diagnostics) {}

    /// The part of `node` that `segment` names, made where it does not exist; null after an error.
    /// `path` is that of `node`, and becomes that of the part.
    Node* step(Node& node, std::string_view segment, std::string& path) {
        if (node.kind == NodeKind::scalar) expand_(path, node);
        const bool is_new = node.kind == NodeKind::null && node.place == place_;
        if (is_new) node.kind = is_index(segment) ? NodeKind::sequence : NodeKind::map;
        Node* part = nullptr;
        if (node.kind == NodeKind::map) part = entry(node, segment);
        else if (node.kind == NodeKind::sequence) part = item(node, segment, path);
        else
            diagnostics_.error(place_, path, fmt::format("is {}, which has no \"{}\"", shown(node), segment));
        path = joined_path(path, segment);
        return part;
    }

private:
    Node* entry(Node& node, std::string_view name) {
        if (Node* found = node.find(name)) return found;
        Node& made = add(node);
        made.name = name;
        made.name_place = place_;
        return &made;
    }

    Node* item(Node& node, std::string_view segment, std::string_view path) {
        std::size_t index = 0;
        const auto [end, status] = std::from_chars(segment.data(), segment.data() + segment.size(), index);
        const std::size_t size = node.children.size();
        if (end != segment.data() + segment.size() || status != std::errc{} || index > size) {
            diagnostics_.error(
                place_, path,
                fmt::format("is a list of {}; \"{}\" is none of its indices 0 ... {}", size, segment, size));
            return nullptr;
        }
        return index < size ? &node.children[index] : &add(node);
    }

    Node& add(Node& node) {
        Node& made = node.children.emplace_back();
        made.place = place_;
        return made;
    }

    Place place_;
    ExpandShorthand expand_;
    Diagnostics& diagnostics_;
};

void apply(std::string_view text, ExpandShorthand expand, Node& root, Diagnostics& diagnostics) {
    const std::size_t source =
        diagnostics.add_source("--set " + printable(text, 120), Diagnostics::Lines::none);
    const Place place{source, 0, 0};
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        diagnostics.error(place, "", "there is no \"=\"; write --set path=value");
        return;
    }
    const std::vector<std::string_view> segments = split_path(text.substr(0, equals));
    if (segments.empty()) {
        diagnostics.error(place, "", "the part before \"=\" is not a path such as collision.angle");
        return;
    }
    Diagnostics value_diagnostics;
    Node value = parse_yaml(text.substr(equals + 1),
                            value_diagnostics.add_source("", Diagnostics::Lines::none), value_diagnostics);
    if (value_diagnostics.has_errors()) {
        for (std::string& message : value_diagnostics.errors())
            diagnostics.error(place, text.substr(0, equals), message.substr(2));  // without the empty source
        return;
    }
    place_all(value, place);
    Descent descent(place, expand, diagnostics);
    Node* node = &root;
    std::string path;
    for (const std::string_view segment : segments) {
        node = descent.step(*node, segment, path);
        if (node == nullptr) return;
    }
    // An override replaces the value; the key stays where it is.
    value.name = std::move(node->name);
    value.name_place = value.kind == NodeKind::map ? place : node->name_place;
    *node = std::move(value);
}

}  // namespace

void apply_overrides(const std::vector<std::string>& overrides, ExpandShorthand expand, Node& root,
                     Diagnostics& diagnostics) {
    for (const std::string& text : overrides) apply(text, expand, root, diagnostics);
}

}  // namespace mpcflow::input
