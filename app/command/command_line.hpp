#pragma once
/// The command line.

namespace mpcflow {

/// Parses the arguments, of which the first is the program's name, and runs the subcommand that they name.
/// Returns the exit status; every error has been printed to stderr by then.
[[nodiscard]] int run_command_line(int count, const char* const* arguments);

}  // namespace mpcflow
