#pragma once
/// Options that several commands share: an input file, and what changes it.

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/command/commands.hpp"

namespace mpcflow {

/// Options that stand for a --set.
struct Shorthands {
    std::optional<std::string> device, threads, output;  ///< given and empty is an error of the input

    void append_to(std::vector<std::string>& overrides) const;
};

/// FILE.yaml and --set.
void add_input_options(CLI::App& command, InputOptions& input);

/// --device, --threads and --output.
void add_shorthands(CLI::App& command, Shorthands& shorthands);

}  // namespace mpcflow
