#include "input/writer.hpp"

#include <string_view>
#include <vector>

#include "input/keys.hpp"
#include "input/numbers.hpp"
#include "input/text.hpp"

namespace mpcflow {
namespace {

using namespace input;

/// Block style for sections, flow style for lists of values.
class YamlWriter final : public KeyVisitor {
public:
    [[nodiscard]] std::string take() { return std::move(text_); }

    void enter_section(const Key& key) override {
        begin_line(key.name);
        text_ += ":\n";
        ++depth_;
    }
    void leave_section() override { --depth_; }
    bool enter_optional_section(const Key& key, bool exists) override {
        if (exists) enter_section(key);
        return exists;
    }
    /// The default is as if the key were not there: inputs of before there was one go on.
    bool enter_section_or_word(const Key& key, std::size_t& index,
                               std::span<const std::string_view> words) override {
        if (index == words.size()) enter_section(key);
        else if (index > 0) line(key, words[index]);
        return index == words.size();
    }
    std::size_t enter_list(const Key& key, std::size_t size) override {
        if (size == 0) {
            line(key, "[]");
        } else {
            begin_line(key.name);
            text_ += ":\n";
        }
        ++depth_;
        return size;
    }
    void enter_item(std::size_t) override {
        item_begins_ = true;
        ++depth_;
    }
    void leave_item() override { --depth_; }
    void leave_list() override { --depth_; }

    void flag(const Key& key, bool& value) override { line(key, value ? "true" : "false"); }
    void text(const Key& key, std::string& value, std::size_t) override {
        if (!value.empty()) line(key, in_quotes(value));
    }
    void real(const Key& key, double& value, const RealRange&) override { line(key, shortest_real(value)); }
    void real_if_given(const Key& key, double& value, const RealRange&) override {
        if (value != 0.0) line(key, shortest_real(value));
    }
    void reals(const Key& key, std::array<double, 3>& values, const RealRange&) override {
        line(key, triple(values));
    }
    void pair(const Key& key, std::array<double, 2>& values, const RealRange&) override {
        line(key, "[" + shortest_real(values[0]) + ", " + shortest_real(values[1]) + "]");
    }
    void real_or_reals(const Key& key, RealOrReals& value, const RealRange&) override {
        line(key, value.is_one ? shortest_real(value.values[0]) : triple(value.values));
    }
    void whole(const Key& key, std::int64_t& value, const IntegerRange&) override {
        line(key, std::to_string(value));
    }
    void integers(const Key& key, std::array<int, 3>& values, const IntegerRange&) override {
        line(key, "[" + std::to_string(values[0]) + ", " + std::to_string(values[1]) + ", " +
                      std::to_string(values[2]) + "]");
    }
    void integers_or_auto(const Key& key, std::array<int, 3>& values, const IntegerRange& range) override {
        if (values[0] == 0) line(key, "auto");
        else integers(key, values, range);
    }
    void integer_or_auto(const Key& key, int& value, const IntegerRange&) override {
        line(key, value == 0 ? "auto" : std::to_string(value));
    }
    void one_of(const Key& key, std::size_t& index, std::span<const std::string_view> names) override {
        line(key, names[index]);
    }
    void some_of(const Key& key, std::span<const NamedFlag> names) override {
        std::string list;
        for (const NamedFlag& named : names) {
            if (*named.value) {
                list += list.empty() ? "" : ", ";
                list += named.name;
            }
        }
        line(key, "[" + list + "]");
    }
    void faces(const Key& key, AxisFaces& value) override {
        if (value.is_sheared()) {
            line(key, "{kind: " + std::string(sheared_kind) +
                          ", shear_rate: " + shortest_real(value.shear.rate) + ", along: " +
                          std::string(axis_words[static_cast<std::size_t>(value.shear.along)]) + "}");
            return;
        }
        const std::string lower = face_text(value.lower);
        const std::string upper = face_text(value.upper);
        const bool is_word = lower == upper && lower.front() != '{';
        line(key, is_word ? lower : "{lower: " + lower + ", upper: " + upper + "}");
    }
    void device(const Key& key, DeviceChoice& value) override { line(key, device_name(value)); }

private:
    static std::string triple(const std::array<double, 3>& values) {
        return "[" + shortest_real(values[0]) + ", " + shortest_real(values[1]) + ", " +
               shortest_real(values[2]) + "]";
    }
    /// A kind alone where that is all.
    static std::string face_text(const Face& face) {
        std::string text(name_of(face.kind));
        if (!face.is_moving() && face.temperature == 0.0) return text;
        text = "{kind: " + text;
        if (face.is_moving()) text += ", velocity: " + triple(face.velocity);
        if (face.temperature != 0.0) text += ", temperature: " + shortest_real(face.temperature);
        return text + "}";
    }
    void begin_line(std::string_view name) {
        text_.append(2 * depth_, ' ');
        if (item_begins_) {
            text_.replace(text_.size() - 2, 2, "- ");
            item_begins_ = false;
        }
        text_ += name;
    }
    void line(const Key& key, std::string_view value) {
        begin_line(key.name);
        text_ += ": ";
        text_ += value;
        text_ += '\n';
    }

    std::string text_;
    std::size_t depth_ = 0;
    bool item_begins_ = false;
};

}  // namespace

std::string to_yaml(const Scenario& scenario) {
    YamlWriter writer;
    Scenario copy = scenario;
    visit_keys(writer, copy);
    return writer.take();
}

}  // namespace mpcflow
