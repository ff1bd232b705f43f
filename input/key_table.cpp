#include <fmt/format.h>

#include "input/diagnostics.hpp"
#include "input/keys.hpp"
#include "input/numbers.hpp"
#include "input/schema.hpp"

namespace mpcflow {
namespace {

using namespace input;

/// A row for every key that has a value, a heading row for none.
class TableWriter final : public KeyVisitor {
public:
    [[nodiscard]] std::string take() { return std::move(table_); }

    [[nodiscard]] bool tells_of_all() const override { return true; }

    void enter_section(const Key& key) override { enter(key.name); }
    void leave_section() override { sections_.pop_back(); }
    bool enter_optional_section(const Key& key, bool) override {
        enter(key.name);
        return true;
    }
    bool enter_section_or_word(const Key& key, std::size_t& index,
                               std::span<const std::string_view> words) override {
        row(key, allowed_words_or_map(words), std::string(words[index]));
        enter(key.name);
        return true;
    }
    std::size_t enter_list(const Key& key, std::size_t) override {
        enter(key.name);
        return 1;
    }
    void enter_item(std::size_t) override { enter("N"); }
    void leave_item() override { sections_.pop_back(); }
    void leave_list() override { sections_.pop_back(); }

    void flag(const Key& key, bool& value) override { row(key, allowed_flag(), value ? "true" : "false"); }
    void text(const Key& key, std::string& value, std::size_t longest) override {
        row(key, allowed_text(longest), value);
    }
    void real(const Key& key, double& value, const RealRange& range) override {
        row(key, allowed_real(range), shortest(value));
    }
    void real_if_given(const Key& key, double&, const RealRange& range) override {
        row(key, allowed_real(range), "");
    }
    void reals(const Key& key, std::array<double, 3>& values, const RealRange& range) override {
        row(key, allowed_reals(range),
            fmt::format("[{}, {}, {}]", shortest(values[0]), shortest(values[1]), shortest(values[2])));
    }
    void pair(const Key& key, std::array<double, 2>& values, const RealRange& range) override {
        row(key, allowed_pair(range), fmt::format("[{}, {}]", shortest(values[0]), shortest(values[1])));
    }
    void real_or_reals(const Key& key, RealOrReals& value, const RealRange& range) override {
        row(key, allowed_real_or_reals(range), shortest(value.values[0]));
    }
    void whole(const Key& key, std::int64_t& value, const IntegerRange& range) override {
        row(key, allowed_integer(range), std::to_string(value));
    }
    void integers(const Key& key, std::array<int, 3>& values, const IntegerRange& range) override {
        row(key, allowed_integers(range), fmt::format("[{}, {}, {}]", values[0], values[1], values[2]));
    }
    void integer_or_auto(const Key& key, int& value, const IntegerRange& range) override {
        row(key, allowed_integer_or_auto(range), value == 0 ? "auto" : std::to_string(value));
    }
    void integers_or_auto(const Key& key, std::array<int, 3>& values, const IntegerRange& range) override {
        row(key, allowed_integers_or_auto(range),
            values[0] == 0 ? "auto" : fmt::format("[{}, {}, {}]", values[0], values[1], values[2]));
    }
    void one_of(const Key& key, std::size_t& index, std::span<const std::string_view> names) override {
        row(key, allowed_names(names), std::string(names[index]));
    }
    void some_of(const Key& key, std::span<const NamedFlag> names) override {
        std::string chosen;
        for (const NamedFlag& named : names) {
            if (*named.value) {
                chosen += chosen.empty() ? "" : ", ";
                chosen += named.name;
            }
        }
        row(key, allowed_subset(names), "[" + chosen + "]");
    }
    void faces(const Key& key, AxisFaces& value) override {
        row(key, allowed_faces(), std::string(name_of(value.lower.kind)));
    }
    void device(const Key& key, DeviceChoice& value) override {
        row(key, allowed_device(), device_name(value));
    }

private:
    void enter(std::string_view name) {
        sections_.push_back(joined_path(sections_.empty() ? "" : sections_.back(), name));
    }
    void row(const Key& key, const std::string& allowed, const std::string& preset) {
        const std::string path = joined_path(sections_.empty() ? "" : sections_.back(), key.name);
        const std::string shown = key.presence == Presence::required ? "**required**"
                                  : preset.empty()                   ? "-"
                                                                     : "`" + preset + "`";
        table_ += fmt::format("| `{}` | {} | {} | {} |\n", path, allowed, shown, key.doc);
    }

    std::string table_ = "| key | allowed | default | meaning |\n|---|---|---|---|\n";
    std::vector<std::string> sections_;
};

}  // namespace

std::string key_table() {
    TableWriter writer;
    Scenario scenario;
    visit_keys(writer, scenario);
    return writer.take();
}

}  // namespace mpcflow
