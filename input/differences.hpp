#pragma once
/// What two inputs say differently, key by key.

#include <string>
#include <string_view>
#include <vector>

namespace mpcflow {

/// A key whose value differs; what one of the inputs does not have is empty there.
struct KeyDifference {
    std::string path;  ///< "collision.angle"; items of lists by their index, "box.size.0"
    std::string before;
    std::string after;
};

/// Compares two inputs as to_yaml() writes them, all defaults filled in: values are compared as text. In the
/// order of the paths. A list of nothing is as good as none. Text that is not YAML counts as an empty
/// input.
[[nodiscard]] std::vector<KeyDifference> find_differences(std::string_view before, std::string_view after);

}  // namespace mpcflow
