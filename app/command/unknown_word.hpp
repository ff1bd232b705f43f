#pragma once
/// Misspelt commands and options.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mpcflow {

/// Says what the first command or option is that there is none of, and the nearest one; nothing where all are
/// known.
[[nodiscard]] std::string find_unknown_word(CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace mpcflow
