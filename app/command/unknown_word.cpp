#include "app/command/unknown_word.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "input/nearest.hpp"
#include "input/text.hpp"

namespace mpcflow {

namespace {

std::string unknown_word(const char* what, const char* mark, const std::string& word,
                         const std::vector<std::string>& known) {
    const std::string_view meant = input::nearest(word, known);
    const std::string hint =
        meant.empty() ? fmt::format("there are {}{}", mark, fmt::join(known, fmt::format(", {}", mark)))
                      : fmt::format("did you mean {}{}?", mark, meant);
    return fmt::format("no {} is called {}{}; {}", what, mark, input::printable(word), hint);
}

}  // namespace

std::string find_unknown_word(CLI::App& program, const std::vector<std::string>& arguments) {
    CLI::App* command = &program;
    for (const std::string& argument : arguments) {
        const bool takes_command = !command->get_subcommands({}).empty();
        if (argument.starts_with("--") && argument.size() > 2) {
            const std::string name = argument.substr(0, argument.find('='));
            if (command->get_option_no_throw(name) != nullptr) continue;
            std::vector<std::string> known;
            for (const CLI::Option* option :
                 command->get_options([](const CLI::Option* any) { return any->nonpositional(); }))
                known.push_back(option->get_lnames().at(0));
            return unknown_word("option", "--", name.substr(2), known);
        }
        if (!takes_command || argument.starts_with("-")) continue;
        std::vector<std::string> known;
        for (const CLI::App* each : command->get_subcommands({})) known.push_back(each->get_name());
        if (std::find(known.begin(), known.end(), argument) == known.end())
            return unknown_word("command", "", argument, known);
        command = command->get_subcommand(argument);
    }
    return {};
}

}  // namespace mpcflow
