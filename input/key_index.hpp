#pragma once
/// The paths of all keys, for suggestions and tests.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpcflow::input {

/// Every path that can be given, sections and values, in the order of the declaration; items of lists
/// have index 0.
[[nodiscard]] const std::vector<std::string>& all_paths();

/// What a key that is not known in section `path`, where `siblings` are, was meant to be: a sibling
/// spelt alike, else a key of that very name in another section (its path); else empty.
[[nodiscard]] std::string suggest_key(std::string_view name, std::string_view path,
                                      std::span<const std::string> siblings);

}  // namespace mpcflow::input
