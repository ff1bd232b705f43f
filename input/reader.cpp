#include "input/reader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "input/checks.hpp"
#include "input/diagnostics.hpp"
#include "input/keys.hpp"
#include "input/overrides.hpp"
#include "input/text.hpp"
#include "input/tree_reader.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what) {
    throw InputError({name + ": " + what});
}

std::string read_text(const std::filesystem::path& file, const std::string& name) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (error) {
        fail(name, "cannot be read: " + error.message());
    }
    if (std::filesystem::is_directory(status)) {
        fail(name, "is a directory; the input is a YAML file");
    }
    // A pipe or a device might block or never end.
    if (!std::filesystem::is_regular_file(status)) {
        fail(name, "is not a regular file");
    }
    const auto size = std::filesystem::file_size(file, error);
    if (!error && size > input::longest_text) {
        fail(name, fmt::format("is {} bytes long; at most {} are read", size, input::longest_text));
    }
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        fail(name, "cannot be read: " + std::generic_category().message(errno));
    }
    // One byte more than allowed, should the file have grown since.
    std::string text(input::longest_text + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad()) {
        fail(name, "cannot be read: " + std::generic_category().message(errno));
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

/// `boundaries.z: no_slip` is short for both faces.
void expand_shorthand(std::string_view path, input::Node& node) {
    if (path != "boundaries.x" && path != "boundaries.y" && path != "boundaries.z") {
        return;
    }
    input::Node face = node;
    node.kind = input::NodeKind::map;
    node.text.clear();
    for (const char* name : {"lower", "upper"}) {
        face.name = name;
        face.name_place = node.place;
        node.children.push_back(face);
    }
}

/// out/<name of the file without its ending>, and out/run for a name that has none or would lead
/// elsewhere.
std::string default_directory(const std::string& name) {
    const std::string stem = std::filesystem::path(name).stem().string();
    const bool usable = !stem.empty() && stem != "." && stem != ".." && !input::find_text_fault(stem) &&
                        stem.find_first_of("\t\r\n") == std::string::npos;
    return "out/" + (usable ? stem : "run");
}

}  // namespace

Scenario parse_scenario(std::string_view text, const std::string& name,
                        const std::vector<std::string>& overrides) {
    input::Diagnostics diagnostics;
    const std::size_t file =
        diagnostics.add_source(input::printable(name, 4096), input::Diagnostics::Lines::numbered);
    input::Node root = input::parse_yaml(text, file, diagnostics);
    // What is not YAML, or no map, says nothing of keys.
    const bool is_map = root.kind == input::NodeKind::map;
    if (!is_map && !diagnostics.has_errors()) {
        if (root.kind == input::NodeKind::null) {
            diagnostics.error({file, 0, 0}, "", "is empty; the input is a map of keys such as box and run");
        } else {
            diagnostics.error(root.place, "",
                              input::shown(root) + " is given; the input is a map of keys such as box and run");
        }
    }
    if (!is_map) {
        throw InputError(diagnostics.errors());
    }
    input::apply_overrides(overrides, expand_shorthand, root, diagnostics);

    Scenario scenario;
    input::TreeReader reader(root, diagnostics);
    input::visit_keys(reader, scenario);
    reader.finish();
    input::check_scenario(scenario, root, diagnostics);
    if (diagnostics.has_errors()) {
        throw InputError(diagnostics.errors());
    }
    if (scenario.output.directory.empty()) {
        scenario.output.directory = default_directory(name);
    }
    scenario.warnings = diagnostics.warnings();
    scenario.overrides = overrides;
    scenario.source_name = name;
    scenario.source_text = text;
    return scenario;
}

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    const std::string name = file.string();
    return parse_scenario(read_text(file, input::printable(name, 4096)), name, overrides);
}

}  // namespace mpcflow
