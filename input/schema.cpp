#include "input/schema.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "input/keys.hpp"
#include "input/numbers.hpp"
#include "input/text.hpp"

namespace mpcflow {
namespace {

using namespace input;

/// A JSON value as indented text, put together from its parts; the few forms that a schema needs.
class JsonObject {
public:
    JsonObject& add(std::string_view name, std::string value) {
        members_.emplace_back(name, std::move(value));
        return *this;
    }
    [[nodiscard]] bool is_empty() const { return members_.empty(); }

    [[nodiscard]] std::string text() const {
        std::string result = "{";
        for (const auto& [name, value] : members_) {
            result += result.size() == 1 ? "\n" : ",\n";
            result += "  " + in_quotes(name) + ": " + indented(value);
        }
        return result + (members_.empty() ? "}" : "\n}");
    }

private:
    static std::string indented(const std::string& value) {
        std::string result;
        for (const char c : value) {
            result += c;
            if (c == '\n') result += "  ";
        }
        return result;
    }

    std::vector<std::pair<std::string, std::string>> members_;
};

std::string json_list(const std::vector<std::string>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string json_bool(bool value) { return value ? "true" : "false"; }

class SchemaBuilder final : public KeyVisitor {
public:
    SchemaBuilder() { levels_.emplace_back(); }

    [[nodiscard]] std::string take() {
        JsonObject root;
        root.add("$schema", in_quotes("https://json-schema.org/draft/2020-12/schema"));
        root.add("title", in_quotes("mpcflow input"));
        describe_section(root, levels_.back());
        return root.text() + "\n";
    }

    [[nodiscard]] bool tells_of_all() const override { return true; }

    void enter_section(const Key& key) override { enter(key); }
    void leave_section() override {
        const Level level = leave();
        JsonObject section;
        section.add("description", in_quotes(level.doc));
        if (level.words.empty()) {
            describe_section(section, level);
        } else {
            JsonObject map;
            describe_section(map, level);
            section.add("anyOf", json_list({level.words, map.text()})).add("default", level.preset);
        }
        levels_.back().properties.add(level.name, section.text());
    }
    bool enter_optional_section(const Key& key, bool) override {
        enter(key);
        return true;
    }
    bool enter_section_or_word(const Key& key, std::size_t& index,
                               std::span<const std::string_view> names) override {
        enter(key);
        levels_.back().words = words(names).text();
        levels_.back().preset = in_quotes(names[index]);
        return true;
    }
    std::size_t enter_list(const Key& key, std::size_t) override {
        enter(key);
        return 1;
    }
    void enter_item(std::size_t) override { levels_.emplace_back(); }
    void leave_item() override {
        const Level level = leave();
        JsonObject item;
        describe_section(item, level);
        levels_.back().item = item.text();
    }
    void leave_list() override {
        const Level level = leave();
        JsonObject list;
        list.add("description", in_quotes(level.doc))
            .add("type", in_quotes("array"))
            .add("items", level.item);
        list.add("default", "[]");
        levels_.back().properties.add(level.name, list.text());
    }

    void flag(const Key& key, bool& value) override {
        add(key, JsonObject().add("type", in_quotes("boolean")), json_bool(value));
    }
    void text(const Key& key, std::string& value, std::size_t longest) override {
        JsonObject schema;
        schema.add("type", in_quotes("string"))
            .add("minLength", "1")
            .add("maxLength", std::to_string(longest));
        add(key, schema, value.empty() ? "" : in_quotes(value));
    }
    void real(const Key& key, double& value, const RealRange& range) override {
        add(key, number(range), shortest(value));
    }
    void real_if_given(const Key& key, double&, const RealRange& range) override {
        add(key, number(range), "");
    }
    void reals(const Key& key, std::array<double, 3>& values, const RealRange& range) override {
        add(key, triple(number(range)),
            json_list({shortest(values[0]), shortest(values[1]), shortest(values[2])}));
    }
    void pair(const Key& key, std::array<double, 2>& values, const RealRange& range) override {
        add(key, list_of(number(range), 2), json_list({shortest(values[0]), shortest(values[1])}));
    }
    void real_or_reals(const Key& key, RealOrReals& value, const RealRange& range) override {
        JsonObject schema;
        schema.add("anyOf", json_list({number(range).text(), triple(number(range)).text()}));
        add(key, schema, shortest(value.values[0]));
    }
    void whole(const Key& key, std::int64_t& value, const IntegerRange& range) override {
        add(key, integer_schema(range), std::to_string(value));
    }
    void integers(const Key& key, std::array<int, 3>& values, const IntegerRange& range) override {
        add(key, triple(integer_schema(range)),
            json_list({std::to_string(values[0]), std::to_string(values[1]), std::to_string(values[2])}));
    }
    void integer_or_auto(const Key& key, int& value, const IntegerRange& range) override {
        JsonObject schema;
        schema.add("anyOf", json_list({"{\"const\": \"auto\"}", integer_schema(range).text()}));
        add(key, schema, value == 0 ? in_quotes("auto") : std::to_string(value));
    }
    void integers_or_auto(const Key& key, std::array<int, 3>& values, const IntegerRange& range) override {
        JsonObject schema;
        schema.add("anyOf", json_list({"{\"const\": \"auto\"}", triple(integer_schema(range)).text()}));
        const std::string preset =
            json_list({std::to_string(values[0]), std::to_string(values[1]), std::to_string(values[2])});
        add(key, schema, values[0] == 0 ? in_quotes("auto") : preset);
    }
    void one_of(const Key& key, std::size_t& index, std::span<const std::string_view> names) override {
        add(key, words(names), in_quotes(names[index]));
    }
    void some_of(const Key& key, std::span<const NamedFlag> names) override {
        std::vector<std::string_view> all;
        std::vector<std::string> chosen;
        for (const NamedFlag& named : names) {
            all.push_back(named.name);
            if (*named.value) chosen.push_back(in_quotes(named.name));
        }
        JsonObject schema;
        schema.add("type", in_quotes("array")).add("items", words(all).text());
        schema.add("minItems", "1").add("uniqueItems", "true");
        add(key, schema, json_list(chosen));
    }
    void faces(const Key& key, AxisFaces& value) override {
        const std::string kind = words(face_names()).text();
        JsonObject of_face;
        of_face.add("kind", kind).add("velocity", triple(number(face_velocity_range)).text());
        of_face.add("temperature", number(face_temperature_range).text());
        JsonObject face;
        face.add("type", in_quotes("object")).add("additionalProperties", "false");
        face.add("properties", of_face.text()).add("required", json_list({in_quotes("kind")}));
        const std::string either = JsonObject().add("anyOf", json_list({kind, face.text()})).text();
        JsonObject map;
        map.add("type", in_quotes("object")).add("additionalProperties", "false");
        map.add("properties", JsonObject().add("lower", either).add("upper", either).text());
        JsonObject shear;
        shear.add("kind", words(std::array{sheared_kind}).text());
        shear.add("shear_rate", number(shear_rate_range).text()).add("along", words(axis_words).text());
        JsonObject sheared;
        sheared.add("type", in_quotes("object")).add("additionalProperties", "false");
        sheared.add("properties", shear.text());
        sheared.add("required", json_list({in_quotes("kind"), in_quotes("shear_rate"), in_quotes("along")}));
        add(key, JsonObject().add("anyOf", json_list({kind, map.text(), sheared.text()})),
            in_quotes(name_of(value.lower.kind)));
    }
    void device(const Key& key, DeviceChoice& value) override {
        JsonObject schema;
        schema.add("type", in_quotes("string"));
        schema.add("pattern", in_quotes("^(auto|cpu|cuda(:([0-9]|[1-5][0-9]|6[0-3]))?)$"));
        static_assert(largest_device_index == 63, "the pattern above says 63");
        add(key, schema, in_quotes(device_name(value)));
    }

private:
    struct Level {
        std::string name;
        std::string doc;
        JsonObject properties;
        std::vector<std::string> required;
        std::string item;    ///< of a list: the schema of its items
        std::string words;   ///< of a section: the schema of what may stand in its place
        std::string preset;  ///< and its default
    };

    void require(const Key& key) {
        if (key.presence == Presence::required) levels_.back().required.push_back(in_quotes(key.name));
    }
    void enter(const Key& key) {
        require(key);
        levels_.push_back({key.name, key.doc, {}, {}, {}, {}, {}});
    }
    [[nodiscard]] Level leave() {
        Level level = std::move(levels_.back());
        levels_.pop_back();
        return level;
    }
    static void describe_section(JsonObject& section, const Level& level) {
        section.add("type", in_quotes("object")).add("additionalProperties", "false");
        section.add("properties", level.properties.text());
        if (!level.required.empty()) section.add("required", json_list(level.required));
    }

    /// A key that must be given has no default; an empty `preset` is none either.
    void add(const Key& key, JsonObject schema, std::string preset) {
        require(key);
        schema.add("description", in_quotes(key.doc));
        if (key.presence == Presence::optional && !preset.empty()) schema.add("default", std::move(preset));
        levels_.back().properties.add(key.name, schema.text());
    }

    static JsonObject number(const RealRange& range) {
        JsonObject schema;
        schema.add("type", in_quotes("number"));
        schema.add(range.lower_bound == Bound::closed ? "minimum" : "exclusiveMinimum",
                   shortest(range.lower));
        schema.add(range.upper_bound == Bound::closed ? "maximum" : "exclusiveMaximum",
                   shortest(range.upper));
        return schema;
    }
    static JsonObject integer_schema(const IntegerRange& range) {
        JsonObject schema;
        schema.add("type", in_quotes("integer"));
        schema.add("minimum", std::to_string(range.lower)).add("maximum", std::to_string(range.upper));
        return schema;
    }
    static JsonObject list_of(const JsonObject& item, int count) {
        JsonObject schema;
        schema.add("type", in_quotes("array")).add("items", item.text());
        schema.add("minItems", std::to_string(count)).add("maxItems", std::to_string(count));
        return schema;
    }
    static JsonObject triple(const JsonObject& item) { return list_of(item, 3); }
    static JsonObject words(std::span<const std::string_view> names) {
        std::vector<std::string> list;
        for (const std::string_view name : names) list.push_back(in_quotes(name));
        return JsonObject().add("enum", json_list(list));
    }

    std::vector<Level> levels_;
};

}  // namespace

std::string json_schema() {
    SchemaBuilder builder;
    Scenario scenario;
    visit_keys(builder, scenario);
    return builder.take();
}

}  // namespace mpcflow
