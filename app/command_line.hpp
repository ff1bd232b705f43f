#pragma once
/// The command line.

#include <string>
#include <vector>

namespace mpcflow {

/// Parses the arguments (without the program's name) and runs the subcommand that they name. Returns the
/// exit status; every error has been printed to stderr by then.
[[nodiscard]] int run_command_line(const std::vector<std::string>& arguments);

}  // namespace mpcflow
