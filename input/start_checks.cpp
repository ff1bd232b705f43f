#include "input/start_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace mpcflow::input {

void check_start(Scenario& scenario, const Node& root, Diagnostics& diagnostics) {
    const auto error = [&](const std::string& path, std::string message) {
        diagnostics.error(locate(root, path), path, std::move(message));
    };
    const Node* const node = root.find("start");
    if (node == nullptr || !diagnostics.is_sound("start")) return;
    if (node->kind == NodeKind::map) {
        std::vector<std::string> given;
        for (const char* const key : {"lattice", "from", "arrays"})
            if (node->find(key) != nullptr) given.emplace_back(key);
        if (given.empty()) error("start", "says nothing; one of lattice, from and arrays is needed");
        if (given.size() > 1)
            error("start", fmt::format("has {}; one of them is needed", fmt::join(given, " and ")));
        if (node->find("frame") != nullptr && node->find("from") == nullptr)
            error("start.frame", "is that of a trajectory, which start.from names; leave it out");
    }
    if (scenario.system.first_places == FirstPlaces::lattice && !scenario.system.surfaces.list.empty())
        error("start",
              "a lattice knows of no surfaces, and would put particles into the solid; start at "
              "random, or leave the surfaces out");
    Start& start = scenario.start;
    if (!start.has_file()) return;
    const std::string path = start.from.empty() ? "start.arrays" : "start.from";
    start.place = diagnostics.described(locate(root, path), path);
}

}  // namespace mpcflow::input
