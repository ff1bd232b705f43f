#pragma once
/// Reads input files.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/error.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

/// Reads the input file `file` (YAML, at most 4 MiB; or a pipe that has a writer), changed by `overrides`:
/// `path=value` each, as given with --set, applied in their order and checked like the file. `ranks`:
/// how many processes will run it, where that is known. Throws InputError with all that is wrong.
[[nodiscard]] Scenario read_scenario(const std::filesystem::path& file,
                                     const std::vector<std::string>& overrides = {},
                                     std::optional<int> ranks = {});

/// The same for the text of a file; `name` stands for the file in messages and in the default of
/// output.directory.
[[nodiscard]] Scenario parse_scenario(std::string_view text, const std::string& name,
                                      const std::vector<std::string>& overrides = {},
                                      std::optional<int> ranks = {});

}  // namespace mpcflow
