#include "input/tree_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "input/key_index.hpp"
#include "input/nearest.hpp"
#include "input/numbers.hpp"
#include "input/text.hpp"

namespace mpcflow::input {

TreeReader::TreeReader(const Node& root, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    levels_.push_back({&root, root.place, "", false, {}});
}

void TreeReader::finish() { report_unknown(); }

std::string TreeReader::path_of(const Key& key) const { return joined_path(levels_.back().path, key.name); }

const Node* TreeReader::find(const Key& key, const std::string& allowed) {
    Level& level = levels_.back();
    level.known.emplace_back(key.name);
    const Node* node = level.node != nullptr ? level.node->find(key.name) : nullptr;
    if (node == nullptr && key.presence == Presence::required && !level.is_broken)
        diagnostics_.error(level.place, path_of(key), fmt::format("is missing; {} is needed", allowed));
    return node;
}

const Node* TreeReader::find_scalar(const Key& key, const std::string& allowed) {
    const Node* node = find(key, allowed);
    if (node != nullptr && node->kind != NodeKind::scalar) {
        wrong(*node, path_of(key), "is given", allowed);
        return nullptr;
    }
    return node;
}

void TreeReader::wrong(const Node& node, const std::string& path, std::string_view problem,
                       const std::string& allowed) {
    // Nothing is there because it was refused (an alias, say): that has been said.
    if (node.kind == NodeKind::null && !diagnostics_.is_sound(path)) return;
    diagnostics_.error(node.place, path, fmt::format("{} {}; {} is needed", shown(node), problem, allowed));
}

void TreeReader::enter(const Node* node, const std::string& path) {
    const bool is_section = node != nullptr && node->kind == NodeKind::map;
    if (node != nullptr && !is_section) wrong(*node, path, "is given", "a map of keys");
    // An item of a list has no name; what is missing in it is placed where it begins.
    const Place place = node == nullptr      ? levels_.back().place
                        : node->name.empty() ? node->place
                                             : node->name_place;
    levels_.push_back({is_section ? node : nullptr,
                       place,
                       path,
                       levels_.back().is_broken || (node != nullptr && !is_section),
                       {}});
}

void TreeReader::enter_section(const Key& key) {
    Level& level = levels_.back();
    level.known.emplace_back(key.name);
    enter(level.node != nullptr ? level.node->find(key.name) : nullptr, path_of(key));
}

bool TreeReader::enter_optional_section(const Key& key, bool exists) {
    Level& level = levels_.back();
    level.known.emplace_back(key.name);
    const Node* node = level.node != nullptr ? level.node->find(key.name) : nullptr;
    if (node != nullptr || exists) {
        enter(node, path_of(key));
        return true;
    }
    return false;
}

bool TreeReader::enter_section_or_word(const Key& key, std::size_t& index,
                                       std::span<const std::string_view> words) {
    const std::string allowed = allowed_words_or_map(words);
    const Node* node = find(key, allowed);
    if (node == nullptr) return false;
    if (node->kind == NodeKind::map) {
        enter(node, path_of(key));
        index = words.size();
        return true;
    }
    const bool is_word = node->kind == NodeKind::scalar;
    const auto found = is_word ? std::find(words.begin(), words.end(), node->text) : words.end();
    if (found != words.end()) index = static_cast<std::size_t>(found - words.begin());
    else wrong(*node, path_of(key), is_word ? "is not known" : "is given", allowed);
    return false;
}

void TreeReader::leave_section() {
    report_unknown();
    levels_.pop_back();
}

std::size_t TreeReader::enter_list(const Key& key, std::size_t size) {
    const std::string allowed = "a list of maps";
    const Node* node = find(key, allowed);
    if (node != nullptr && node->kind != NodeKind::sequence) {
        wrong(*node, path_of(key), "is given", allowed);
        node = nullptr;
    }
    lists_.push_back(node);
    levels_.push_back({nullptr, levels_.back().place, path_of(key), levels_.back().is_broken, {}});
    return node != nullptr ? node->children.size() : size;
}

void TreeReader::enter_item(std::size_t index) {
    const Node* list = lists_.back();
    enter(list != nullptr ? &list->children[index] : nullptr,
          joined_path(levels_.back().path, std::to_string(index)));
}

void TreeReader::leave_item() { leave_section(); }

void TreeReader::leave_list() {
    lists_.pop_back();
    levels_.pop_back();
}

void TreeReader::flag(const Key& key, bool& value) {
    const Node* node = find_scalar(key, allowed_flag());
    if (node == nullptr) return;
    if (node->quoting == Quoting::plain && (node->text == "true" || node->text == "false"))
        value = node->text == "true";
    else wrong(*node, path_of(key), "is not allowed", allowed_flag());
}

void TreeReader::text(const Key& key, std::string& value, std::size_t longest) {
    const std::string allowed = allowed_text(longest);
    const Node* node = find_scalar(key, allowed);
    if (node == nullptr) return;
    const bool one_line =
        node->text.find_first_of("\t\r\n") == std::string::npos && !find_text_fault(node->text);
    if (!one_line) wrong(*node, path_of(key), "has more than one line, or control characters", allowed);
    else if (count_characters(node->text) > longest)
        wrong(*node, path_of(key), fmt::format("has {} characters", count_characters(node->text)), allowed);
    else if (node->text.empty()) wrong(*node, path_of(key), "is empty", allowed);
    else value = node->text;
}

bool TreeReader::read_real(const Node& node, const std::string& path, double& value, const RealRange& range) {
    if (node.kind != NodeKind::scalar) {
        wrong(node, path, "is given", allowed_real(range));
        return false;
    }
    if (node.quoting == Quoting::quoted) {
        wrong(node, path, "is text, being in quotes", allowed_real(range));
        return false;
    }
    const ParsedNumber<double> number = parse_real(node.text);
    if (number.fault != NumberFault::none) {
        wrong(node, path, describe(number.fault), allowed_real(range));
        return false;
    }
    if (!range.contains(number.value)) {
        diagnostics_.error(node.place, path,
                           fmt::format("{} is out of range {}", shown(node), in_words(range)));
        return false;
    }
    value = number.value;
    return true;
}

bool TreeReader::read_integer(const Node& node, const std::string& path, std::int64_t& value,
                              const IntegerRange& range) {
    if (node.kind != NodeKind::scalar) {
        wrong(node, path, "is given", allowed_integer(range));
        return false;
    }
    if (node.quoting == Quoting::quoted) {
        wrong(node, path, "is text, being in quotes", allowed_integer(range));
        return false;
    }
    const ParsedNumber<std::int64_t> number = parse_integer(node.text);
    if (number.fault != NumberFault::none && number.fault != NumberFault::too_large) {
        wrong(node, path, describe(number.fault), allowed_integer(range));
        return false;
    }
    if (number.fault == NumberFault::too_large || !range.contains(number.value)) {
        diagnostics_.error(node.place, path,
                           fmt::format("{} is out of range {}", shown(node), in_words(range)));
        return false;
    }
    value = number.value;
    return true;
}

void TreeReader::real(const Key& key, double& value, const RealRange& range) {
    if (const Node* node = find(key, allowed_real(range))) (void)read_real(*node, path_of(key), value, range);
}

void TreeReader::whole(const Key& key, std::int64_t& value, const IntegerRange& range) {
    if (const Node* node = find(key, allowed_integer(range)))
        (void)read_integer(*node, path_of(key), value, range);
}

template <class Read>
void TreeReader::read_list(const Node* node, const Key& key, const std::string& allowed, std::size_t count,
                           Read read_item) {
    if (node == nullptr) return;
    if (node->kind != NodeKind::sequence) {
        wrong(*node, path_of(key), "is given", allowed);
        return;
    }
    if (node->children.size() != count) {
        Place place = node->place;
        for (const Node& child : node->children) {
            // An item that a --set has added is what is wrong.
            place = child.place.source > place.source ? child.place : place;
        }
        diagnostics_.error(
            place, path_of(key),
            fmt::format("a list of {} is given; {} is needed", node->children.size(), allowed));
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        read_item(node->children[i], joined_path(path_of(key), std::to_string(i)), i);
}

void TreeReader::reals(const Key& key, std::array<double, 3>& values, const RealRange& range) {
    const std::string allowed = allowed_reals(range);
    read_list(find(key, allowed), key, allowed, 3,
              [&](const Node& node, const std::string& path, std::size_t i) {
                  (void)read_real(node, path, values[i], range);
              });
}

void TreeReader::pair(const Key& key, std::array<double, 2>& values, const RealRange& range) {
    const std::string allowed = allowed_pair(range);
    read_list(find(key, allowed), key, allowed, 2,
              [&](const Node& node, const std::string& path, std::size_t i) {
                  (void)read_real(node, path, values[i], range);
              });
}

void TreeReader::real_or_reals(const Key& key, RealOrReals& value, const RealRange& range) {
    const std::string allowed = allowed_real_or_reals(range);
    const Node* node = find(key, allowed);
    if (node == nullptr) return;
    value.is_one = node->kind == NodeKind::scalar;
    if (value.is_one) {
        (void)read_real(*node, path_of(key), value.values[0], range);
        return;
    }
    read_list(node, key, allowed, 3, [&](const Node& item, const std::string& path, std::size_t i) {
        (void)read_real(item, path, value.values[i], range);
    });
}

void TreeReader::integers(const Key& key, std::array<int, 3>& values, const IntegerRange& range) {
    const std::string allowed = allowed_integers(range);
    read_integers(find(key, allowed), key, allowed, values, range);
}

void TreeReader::read_integers(const Node* node, const Key& key, const std::string& allowed,
                               std::array<int, 3>& values, const IntegerRange& range) {
    read_list(
        node, key, allowed, 3,
        [&](const Node& item, const std::string& path, std::size_t i) {
            std::int64_t value = 0;
            if (read_integer(item, path, value, range)) values[i] = static_cast<int>(value);
        });
}

void TreeReader::integers_or_auto(const Key& key, std::array<int, 3>& values, const IntegerRange& range) {
    const std::string allowed = allowed_integers_or_auto(range);
    const Node* node = find(key, allowed);
    if (node != nullptr && node->kind == NodeKind::scalar && node->text == "auto") values = {};
    else read_integers(node, key, allowed, values, range);
}

void TreeReader::integer_or_auto(const Key& key, int& value, const IntegerRange& range) {
    const Node* node = find_scalar(key, allowed_integer_or_auto(range));
    if (node == nullptr) return;
    if (node->text == "auto") {
        value = 0;
        return;
    }
    const ParsedNumber<std::int64_t> number = parse_integer(node->text);
    if (node->quoting == Quoting::quoted || number.fault != NumberFault::none ||
        !range.contains(number.value))
        wrong(*node, path_of(key), "is not allowed", allowed_integer_or_auto(range));
    else value = static_cast<int>(number.value);
}

void TreeReader::one_of(const Key& key, std::size_t& index, std::span<const std::string_view> names) {
    const Node* node = find_scalar(key, allowed_names(names));
    if (node == nullptr) return;
    const auto found = std::find(names.begin(), names.end(), node->text);
    if (found != names.end()) {
        index = static_cast<std::size_t>(found - names.begin());
    } else {
        const bool is_measured =
            key.name == std::string_view{"summation"} &&
            std::find(measured_only.begin(), measured_only.end(), node->text) != measured_only.end();
        wrong(*node, path_of(key),
              is_measured ? "is a way that only `mpcflow bench kernels` measures" : "is not known",
              allowed_names(names));
    }
}

void TreeReader::some_of(const Key& key, std::span<const NamedFlag> names) {
    const std::string allowed = allowed_subset(names);
    const Node* node = find(key, allowed);
    if (node == nullptr) return;
    if (node->kind != NodeKind::sequence) {
        wrong(*node, path_of(key), "is given", allowed);
        return;
    }
    if (node->children.empty()) {
        wrong(*node, path_of(key), "of nothing is given", allowed);
        return;
    }
    for (const NamedFlag& named : names) *named.value = false;
    for (std::size_t i = 0; i < node->children.size(); ++i) {
        const Node& item = node->children[i];
        const std::string path = joined_path(path_of(key), std::to_string(i));
        const auto found = std::find_if(names.begin(), names.end(), [&](const NamedFlag& named) {
            return item.kind == NodeKind::scalar && named.name == item.text;
        });
        if (found == names.end())
            wrong(item, path, item.kind == NodeKind::scalar ? "is not known" : "is given", allowed);
        else if (*found->value)
            diagnostics_.error(item.place, path, fmt::format("{} is given twice", shown(item)));
        else *found->value = true;
    }
}

void TreeReader::device(const Key& key, DeviceChoice& value) {
    const Node* node = find_scalar(key, allowed_device());
    if (node == nullptr) return;
    if (const auto device = parse_device(node->text)) value = *device;
    else wrong(*node, path_of(key), "is not known", allowed_device());
}

bool TreeReader::is_given(const Key& key, bool /*exists*/) {
    Level& level = levels_.back();
    const bool is_there = level.node != nullptr && level.node->find(key.name) != nullptr;
    if (!is_there) level.known.emplace_back(key.name);
    return is_there;
}

void TreeReader::without(const Key& key, const std::string& why) {
    if (const Node* node = find(key, "")) diagnostics_.error(node->name_place, path_of(key), why);
}

void TreeReader::report_unknown() {
    const Level& level = levels_.back();
    if (level.node == nullptr) return;
    for (const Node& node : level.node->children) {
        const bool is_known =
            std::find(level.known.begin(), level.known.end(), node.name) != level.known.end();
        if (is_known) continue;
        std::string message = "is not a key";
        if (!diagnostics_.is_full()) {  // wording them all would let a hostile file take its time
            const std::string meant = suggest_key(node.name, level.path, level.known);
            message += meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
            message += meant.empty() ? "; allowed " : " Allowed ";
            message += level.path.empty() ? "here are " : fmt::format("in {} are ", level.path);
            message += level.known.empty() ? "none" : fmt::format("{}", fmt::join(level.known, ", "));
        }
        diagnostics_.error(node.name_place, joined_path(level.path, printable(node.name)),
                           std::move(message));
    }
}

}  // namespace mpcflow::input
