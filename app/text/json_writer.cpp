#include "app/text/json_writer.hpp"

#include <cmath>

#include <fmt/format.h>

#include "input/text.hpp"

namespace mpcflow {

void JsonWriter::begin_value() {
    if (is_after_key_) {
        is_after_key_ = false;
        return;
    }
    if (has_items_.empty()) return;
    if (has_items_.back()) text_ += ',';
    has_items_.back() = true;
    text_ += '\n';
    text_.append(2 * has_items_.size(), ' ');
}

JsonWriter& JsonWriter::open(char bracket) {
    begin_value();
    text_ += bracket;
    has_items_.push_back(false);
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    const bool had_items = has_items_.back();
    has_items_.pop_back();
    if (had_items) {
        text_ += '\n';
        text_.append(2 * has_items_.size(), ' ');
    }
    text_ += bracket;
    return *this;
}

JsonWriter& JsonWriter::begin_object() { return open('{'); }
JsonWriter& JsonWriter::end_object() { return close('}'); }
JsonWriter& JsonWriter::begin_array() { return open('['); }
JsonWriter& JsonWriter::end_array() { return close(']'); }

JsonWriter& JsonWriter::key(std::string_view name) {
    value(name);
    text_ += ": ";
    is_after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    begin_value();
    text_ += '"';
    for (std::size_t at = 0; at < text.size();) {
        const input::Character character = input::character_at(text, at);
        switch (character.code) {
            case '"': text_ += "\\\""; break;
            case '\\': text_ += "\\\\"; break;
            case '\n': text_ += "\\n"; break;
            case '\t': text_ += "\\t"; break;
            case '\r': text_ += "\\r"; break;
            default:
                if (!character.is_valid) text_ += "\\ufffd";  // JSON is UTF-8
                else if (input::is_control(character.code))
                    text_ += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character.code));
                else text_ += text.substr(at, character.length);
        }
        at += character.length;
    }
    text_ += '"';
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    begin_value();
    text_ += std::isfinite(number) ? fmt::format("{}", number) : "null";
    return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
    begin_value();
    text_ += fmt::format("{}", number);
    return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
    begin_value();
    text_ += fmt::format("{}", number);
    return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
    begin_value();
    text_ += flag ? "true" : "false";
    return *this;
}

}  // namespace mpcflow
