#pragma once
/// How errors are told, and the exit status that each has.

#include <functional>
#include <string>

namespace mpcflow {

/// Prints the lines of an error to stderr, each once, after the program's name.
void print_error(const char* kind, const std::string& text);

/// Tells that memory is short, and takes none for it. Returns the exit status.
int report_lack_of_memory();

/// Runs a subcommand; turns what it throws into a message and an exit status.
[[nodiscard]] int run_guarded(const std::function<int()>& command);

}  // namespace mpcflow
