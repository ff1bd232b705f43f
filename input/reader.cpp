#include "input/reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

#include <cerrno>
#include <system_error>

#include "input/checks.hpp"
#include "input/diagnostics.hpp"
#include "input/domain_checks.hpp"
#include "input/keys.hpp"
#include "input/overrides.hpp"
#include "input/start_checks.hpp"
#include "input/surface_checks.hpp"
#include "input/text.hpp"
#include "input/tree_reader.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what) {
    throw InputError({name + ": " + what});
}

/// What cannot be an input: reading a device might do something, and never end.
void check_kind(const struct stat& status, const std::string& name) {
    if (S_ISDIR(status.st_mode)) fail(name, "is a directory; the input is a YAML file");
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) fail(name, "is not a regular file");
    if (S_ISREG(status.st_mode) && status.st_size > static_cast<off_t>(input::longest_text))
        fail(name, fmt::format("is {} bytes long; at most {} are read", status.st_size, input::longest_text));
}

/// A file that is open for reading, and closed in the end.
class OpenFile {
public:
    OpenFile(const std::filesystem::path& file, const std::string& name) : name_(name) {
        struct stat status {};
        if (stat(file.c_str(), &status) != 0) fail_to_read();
        check_kind(status, name);
        // A pipe that nobody has opened for writing would hold us here.
        descriptor_ = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (descriptor_ < 0) fail_to_read();
    }
    ~OpenFile() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] struct stat status() const {
        struct stat status {};
        if (fstat(descriptor_, &status) != 0) fail_to_read();
        return status;
    }

    /// Up to `size` bytes, at least one unless the file has ended. Waits for who writes to a pipe, if there
    /// is one.
    [[nodiscard]] std::size_t read_some(char* to, std::size_t size) const {
        for (;;) {
            const ssize_t count = read(descriptor_, to, size);
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno == EAGAIN) {
                pollfd waiting{descriptor_, POLLIN, 0};
                poll(&waiting, 1, -1);
            } else if (errno != EINTR) {
                fail_to_read();
            }
        }
    }

private:
    [[noreturn]] void fail_to_read() const {
        fail(name_, "cannot be read: " + std::generic_category().message(errno));
    }

    std::string name_;
    int descriptor_ = -1;
};

std::string read_text(const std::filesystem::path& path, const std::string& name) {
    const OpenFile file(path, name);
    // Another file may have come to its place.
    const struct stat status = file.status();
    check_kind(status, name);
    // One byte more than allowed, should the file have grown since, or not say how long it is.
    std::string text(input::longest_text + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const std::size_t count = file.read_some(text.data() + size, text.size() - size);
        if (count == 0) break;
        size += count;
    }
    if (size > input::longest_text) {
        fail(name,
             fmt::format("is more than {} bytes long, which is the most that is read", input::longest_text));
    }
    if (size == 0 && S_ISFIFO(status.st_mode))
        fail(name, "is a pipe to which nobody writes; give a YAML file, or begin to write first");
    text.resize(size);
    return text;
}

/// `boundaries.z: no_slip` is short for both faces, and `lower: no_slip` for `lower: {kind: no_slip}`. A key
/// of `start` takes the place of a word.
void expand_shorthand(std::string_view path, input::Node& node) {
    if (path == "start") {
        node.kind = input::NodeKind::map;
        node.text.clear();
    }
    constexpr std::string_view section = "boundaries.";
    if (!path.starts_with(section)) return;
    const std::string_view axis = path.substr(section.size(), 1);
    const std::string_view side = path.substr(std::min(path.size(), section.size() + 1));
    const bool is_face = side == ".lower" || side == ".upper";
    if ((axis != "x" && axis != "y" && axis != "z") || !(side.empty() || is_face)) return;
    input::Node word = node;
    node.kind = input::NodeKind::map;
    node.text.clear();
    const auto add = [&](const char* name) {
        word.name = name;
        word.name_place = node.place;
        node.children.push_back(word);
    };
    if (is_face) {
        add("kind");
    } else {
        add("lower");
        add("upper");
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
                        const std::vector<std::string>& overrides, std::optional<int> ranks) {
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
            diagnostics.error(
                root.place, "",
                input::shown(root) + " is given; the input is a map of keys such as box and run");
        }
    }
    if (!is_map) throw InputError(diagnostics.errors());
    input::apply_overrides(overrides, expand_shorthand, root, diagnostics);

    Scenario scenario;
    input::TreeReader reader(root, diagnostics);
    input::visit_keys(reader, scenario);
    reader.finish();
    input::check_surfaces(scenario.system, root, diagnostics);
    input::check_scenario(scenario, root, diagnostics);
    input::check_start(scenario, root, diagnostics);
    input::check_domains(scenario, ranks, root, diagnostics);
    if (diagnostics.has_errors()) throw InputError(diagnostics.errors());
    if (scenario.output.directory.empty()) scenario.output.directory = default_directory(name);
    scenario.warnings = diagnostics.warnings();
    scenario.overrides = overrides;
    scenario.source_name = name;
    scenario.source_text = text;
    return scenario;
}

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                       std::optional<int> ranks) {
    const std::string name = file.string();
    return parse_scenario(read_text(file, input::printable(name, 4096)), name, overrides, ranks);
}

}  // namespace mpcflow
