#include "input/domain_checks.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "input/names.hpp"
#include "physics/domain/automatic_cut.hpp"

namespace mpcflow::input {
namespace {

/// The largest number of domains up to this one that the box can be cut into.
int possible_below(const System& system, int domains) {
    while (!automatic_cut(system, domains)) --domains;
    return domains;
}

}  // namespace

void check_domains(const Scenario& scenario, std::optional<int> ranks, const Node& root,
                   Diagnostics& diagnostics) {
    if (!diagnostics.is_sound("box") || !diagnostics.is_sound("boundaries") ||
        !diagnostics.is_sound("execution.domains"))
        return;
    const auto& size = scenario.system.box.size;
    const auto error = [&](const std::string& path, std::string message) {
        diagnostics.error(locate(root, path), path, std::move(message));
    };
    const auto& domains = scenario.execution.domains;
    if (!scenario.execution.has_domains()) {
        if (!ranks || automatic_cut(scenario.system, *ranks)) return;
        error("box.size",
              fmt::format("cannot be cut along cell planes into {} domains, one for each rank; start {} "
                          "ranks, or take a larger box",
                          *ranks, possible_below(scenario.system, *ranks)));
        return;
    }
    bool fits = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (domains[axis] <= size[axis]) continue;
        fits = false;
        error(fmt::format("execution.domains.{}", axis),
              fmt::format("{} domains are more than the {} cells of the box along {}", domains[axis],
                          size[axis], axis_names[axis]));
    }
    const std::int64_t count = std::int64_t{domains[0]} * domains[1] * domains[2];
    if (!fits || !ranks || count == *ranks) return;
    error("execution.domains",
          fmt::format(
              "[{}, {}, {}] are {} domains, one for each rank, and there {} {} rank{}; start {} (mpirun "
              "-n {}), or use auto",
              domains[0], domains[1], domains[2], count, *ranks == 1 ? "is" : "are", *ranks,
              *ranks == 1 ? "" : "s", count, count));
}

}  // namespace mpcflow::input
