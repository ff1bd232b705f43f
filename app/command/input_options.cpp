#include "app/command/input_options.hpp"

#include "input/text.hpp"

namespace mpcflow {

void Shorthands::append_to(std::vector<std::string>& overrides) const {
    if (device) overrides.push_back("execution.device=" + *device);
    if (threads) overrides.push_back("execution.threads=" + *threads);
    // Quoted, since a folder may be called 1 or null.
    if (output) overrides.push_back("output.directory=" + input::in_quotes(*output));
}

void add_input_options(CLI::App& command, InputOptions& input) {
    command.add_option("file", input.file, "The input file (YAML)")->required()->option_text("FILE.yaml");
    command.add_option("--set", input.overrides, "Change a key of the input, for example collision.angle=90")
        ->option_text("path=value ...")
        ->allow_extra_args(false);
}

void add_shorthands(CLI::App& command, Shorthands& shorthands) {
    command
        .add_option("--device", shorthands.device,
                    "What runs it: auto, cpu, cuda or cuda:N (execution.device)")
        ->option_text("DEVICE");
    command.add_option("--threads", shorthands.threads, "CPU threads (execution.threads)")->option_text("N");
    command.add_option("--output", shorthands.output, "Where results go (output.directory)")
        ->option_text("DIR");
}

}  // namespace mpcflow
