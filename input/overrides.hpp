#pragma once
/// `--set path=value`: changes of the tree before it is read, so that they are checked alike.

#include <string>
#include <string_view>
#include <vector>

#include "input/yaml_tree.hpp"

namespace mpcflow::input {

/// Writes out a shorthand at `path` if it is one, so that a `--set` can reach into it.
using ExpandShorthand = void (*)(std::string_view path, Node& node);

/// Puts each `path=value` of `overrides` into `root` in their order; sections that do not exist are
/// made, items of lists are named by their index. What is wrong with one goes to `diagnostics`.
void apply_overrides(const std::vector<std::string>& overrides, ExpandShorthand expand, Node& root,
                     Diagnostics& diagnostics);

}  // namespace mpcflow::input
