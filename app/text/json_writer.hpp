#pragma once
/// Writes JSON, for --json outputs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpcflow {

/// Builds a JSON text piece by piece; inside an object every value follows its key. Numbers are the
/// shortest that read back the same; numbers that are not finite become null.
class JsonWriter {
public:
    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& key(std::string_view name);
    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(double number);
    JsonWriter& value(std::int64_t number);
    JsonWriter& value(std::uint64_t number);
    JsonWriter& value(int number) { return value(std::int64_t{number}); }
    JsonWriter& value(bool flag);

    template <typename T>
    JsonWriter& member(std::string_view name, const T& member_value) {
        return key(name).value(member_value);
    }

    /// The text; every object and array must be ended.
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void begin_value();
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);

    std::string text_;
    std::vector<bool> has_items_;  ///< of each open object or array
    bool is_after_key_ = false;
};

}  // namespace mpcflow
