#include "input/differences.hpp"

#include <map>

#include "input/diagnostics.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow {
namespace {

using namespace input;

/// Values by their paths.
using Values = std::map<std::string, std::string>;

void collect(const Node& node, const std::string& path, Values& values) {
    if (node.kind == NodeKind::scalar) values[path] = node.text;
    else if (node.children.empty() && !path.empty())
        values[path] = node.kind == NodeKind::sequence ? "[]" : "{}";
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const Node& child = node.children[i];
        collect(child, joined_path(path, node.kind == NodeKind::map ? child.name : std::to_string(i)),
                values);
    }
}

Values values_of(std::string_view text) {
    Diagnostics ignored;
    const std::size_t source = ignored.add_source("input", Diagnostics::Lines::none);
    Values values;
    collect(parse_yaml(text, source, ignored), "", values);
    return values;
}

}  // namespace

std::vector<KeyDifference> find_differences(std::string_view before, std::string_view after) {
    const Values old_values = values_of(before);
    const Values new_values = values_of(after);
    // A list that is not there is an empty one: an input of before there was one differs by nothing.
    const auto look_up = [](const Values& values, const std::string& path) {
        const auto found = values.find(path);
        return found == values.end() || found->second == "[]" ? std::string() : found->second;
    };
    Values paths = old_values;
    paths.insert(new_values.begin(), new_values.end());
    std::vector<KeyDifference> differences;
    for (const auto& [path, value] : paths) {
        KeyDifference difference{path, look_up(old_values, path), look_up(new_values, path)};
        if (difference.before != difference.after) differences.push_back(std::move(difference));
    }
    return differences;
}

}  // namespace mpcflow
