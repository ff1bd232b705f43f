#include "input/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mpcflow::input {
namespace {

bool contains_path(std::string_view outer, std::string_view inner) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
}

}  // namespace

std::size_t Diagnostics::add_source(std::string name, Lines lines) {
    sources_.push_back({std::move(name), lines});
    return sources_.size() - 1;
}

void Diagnostics::error(const Place& place, std::string_view path, std::string text) {
    if (is_full()) {
        ++not_kept_;
        return;
    }
    errors_.push_back({place, std::string(path), std::move(text)});
}

void Diagnostics::warning(const Place& place, std::string_view path, std::string text) {
    warnings_.push_back({place, std::string(path), std::move(text)});
}

bool Diagnostics::is_sound(std::string_view path) const {
    if (is_full()) return false;  // what was not kept may have been about it
    return std::none_of(errors_.begin(), errors_.end(), [&](const Message& message) {
        return contains_path(message.path, path) || contains_path(path, message.path);
    });
}

std::string Diagnostics::described(const Place& place, std::string_view path) const {
    const Source& source = sources_[place.source];
    std::string text = source.name;
    if (source.lines == Lines::numbered && place.line > 0)
        text += fmt::format(":{}:{}", place.line, place.column);
    if (!path.empty()) text += fmt::format(": {}", path);
    return text;
}

std::vector<std::string> Diagnostics::in_order(std::vector<Message> messages) const {
    std::stable_sort(messages.begin(), messages.end(),
                     [](const Message& a, const Message& b) { return a.place < b.place; });
    std::vector<std::string> lines;
    for (const Message& message : messages)
        lines.push_back(described(message.place, message.path) + ": " + message.text);
    return lines;
}

std::vector<std::string> Diagnostics::errors() const {
    std::vector<std::string> lines = in_order(errors_);
    if (not_kept_ > 0)
        lines.push_back(fmt::format("{}: and {} more errors", sources_.front().name, not_kept_));
    return lines;
}

std::vector<std::string> Diagnostics::warnings() const { return in_order(warnings_); }

std::string joined_path(std::string_view path, std::string_view name) {
    std::string joined(path);
    joined += joined.empty() ? "" : ".";
    joined += name;
    return joined;
}

}  // namespace mpcflow::input
