#include "input/key_index.hpp"

#include <algorithm>

#include "input/diagnostics.hpp"
#include "input/keys.hpp"
#include "input/nearest.hpp"

namespace mpcflow::input {
namespace {

/// Writes down the path of everything that it visits.
class PathCollector final : public KeyVisitor {
public:
    [[nodiscard]] std::vector<std::string> take() { return std::move(paths_); }

    [[nodiscard]] bool tells_of_all() const override { return true; }

    void enter_section(const Key& key) override { enter(key.name); }
    void leave_section() override { sections_.pop_back(); }
    bool enter_optional_section(const Key& key, bool) override {
        enter(key.name);
        return true;
    }
    bool enter_section_or_word(const Key& key, std::size_t&, std::span<const std::string_view>) override {
        enter(key.name);
        return true;
    }
    std::size_t enter_list(const Key& key, std::size_t) override {
        enter(key.name);
        return 1;
    }
    void enter_item(std::size_t index) override { enter(std::to_string(index)); }
    void leave_item() override { sections_.pop_back(); }
    void leave_list() override { sections_.pop_back(); }
    void flag(const Key& key, bool&) override { add(key.name); }
    void text(const Key& key, std::string&, std::size_t) override { add(key.name); }
    void real(const Key& key, double&, const RealRange&) override { add(key.name); }
    void real_if_given(const Key& key, double&, const RealRange&) override { add(key.name); }
    void reals(const Key& key, std::array<double, 3>&, const RealRange&) override { add(key.name); }
    void pair(const Key& key, std::array<double, 2>&, const RealRange&) override { add(key.name); }
    void real_or_reals(const Key& key, RealOrReals&, const RealRange&) override { add(key.name); }
    void whole(const Key& key, std::int64_t&, const IntegerRange&) override { add(key.name); }
    void integers(const Key& key, std::array<int, 3>&, const IntegerRange&) override { add(key.name); }
    void integer_or_auto(const Key& key, int&, const IntegerRange&) override { add(key.name); }
    void integers_or_auto(const Key& key, std::array<int, 3>&, const IntegerRange&) override {
        add(key.name);
    }
    void one_of(const Key& key, std::size_t&, std::span<const std::string_view>) override { add(key.name); }
    void some_of(const Key& key, std::span<const NamedFlag>) override { add(key.name); }
    void faces(const Key& key, AxisFaces&) override {
        enter(key.name);
        for (const char* const face : {"lower", "upper"}) {
            enter(face);
            for (const char* const name : {"kind", "velocity", "temperature"}) add(name);
            leave_section();
        }
        leave_section();
    }
    void device(const Key& key, DeviceChoice&) override { add(key.name); }

private:
    std::string add(std::string_view name) {
        return paths_.emplace_back(joined_path(sections_.empty() ? "" : sections_.back(), name));
    }
    void enter(std::string_view name) { sections_.push_back(add(name)); }

    std::vector<std::string> sections_;
    std::vector<std::string> paths_;
};

}  // namespace

const std::vector<std::string>& all_paths() {
    static const std::vector<std::string> paths = [] {
        PathCollector collector;
        Scenario scenario;
        visit_keys(collector, scenario);
        return collector.take();
    }();
    return paths;
}

std::string suggest_key(std::string_view name, std::string_view path, std::span<const std::string> siblings) {
    if (const std::string_view sibling = nearest(name, siblings); !sibling.empty())
        return joined_path(path, sibling);
    const std::string ending = "." + std::string(name);
    const auto& paths = all_paths();
    const auto found = std::find_if(paths.begin(), paths.end(), [&](const std::string& other) {
        return other == name || other.ends_with(ending);
    });
    return found == paths.end() ? std::string{} : *found;
}

}  // namespace mpcflow::input
