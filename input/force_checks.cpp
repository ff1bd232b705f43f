#include "input/force_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "input/check_base.hpp"
#include "input/names.hpp"

namespace mpcflow::input {
namespace {

constexpr std::array<std::string_view, 4> shapes{"uniform", "gravity", "sine", "opposed_blocks"};

class ForceChecker : private CheckBase {
public:
    ForceChecker(const System& system, const Node& root, Diagnostics& diagnostics)
        : CheckBase(system, root, diagnostics) {}

    void check_items() {
        const Node* list = root_.find("forces");
        if (list == nullptr || list->kind != NodeKind::sequence) return;
        int beside = 0;
        for (std::size_t i = 0; i < list->children.size(); ++i) {
            const std::string path = fmt::format("forces.{}", i);
            const Node& item = list->children[i];
            if (item.kind != NodeKind::map || !diagnostics_.is_sound(path)) continue;
            const auto named = std::count_if(shapes.begin(), shapes.end(),
                                             [&](auto shape) { return item.find(shape) != nullptr; });
            if (named != 1) {
                error(path, fmt::format(
                                "{} of uniform, gravity, sine and opposed_blocks; one is needed, and an item "
                                "for each force",
                                named == 0 ? "has none" : "has several"));
                continue;
            }
            const bool is_steady = item.find("from") == nullptr && item.find("until") == nullptr &&
                                   item.find("period") == nullptr;
            beside += is_steady && item.find("uniform") != nullptr ? 0 : 1;
        }
        if (beside > ForceList::most) {
            error("forces", fmt::format("{} forces that are not uniform and steady; at most {} are possible",
                                        beside, ForceList::most));
        }
    }

    void check(const Force& force) {
        if (force.until > 0 && force.until <= force.from) {
            error("forces",
                  fmt::format("a force would act from step {} until {}, which is never; until is above from, "
                              "or 0",
                              force.from, force.until));
        }
        if (force.period == 1)
            error("forces",
                  "a force cannot swing to and fro in a period of 1 step; at least 2 are needed, or 0");
        if (!force.is_wave()) return;
        const int edge = system_.box.size[static_cast<std::size_t>(force.along)];
        if (2 * force.waves > edge) {
            error("forces",
                  fmt::format("{} waves do not fit in the {} cells along {}; a wave has two cells at least",
                              force.waves, edge, axis_names[static_cast<std::size_t>(force.along)]));
        }
        const int normal = system_.sheared_axis();
        if (normal >= 0 &&
            system_.boundaries.faces[static_cast<std::size_t>(normal)].shear.along == force.along) {
            error("forces",
                  fmt::format("a force that changes along {} would break off at the sheared faces, whose "
                              "images move along it; take another axis",
                              axis_names[static_cast<std::size_t>(force.along)]));
        }
    }

    void check_fall() {
        double strongest = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            double sum = std::abs(system_.force[axis]) / system_.fluid.mass;
            for (int i = 0; i < system_.forces.size(); ++i) {
                const Force& force = system_.forces[i];
                sum += std::abs(force.amplitude[axis]) /
                       (force.shape == ForceShape::gravity ? 1.0 : system_.fluid.mass);
            }
            strongest = std::max(strongest, sum);
        }
        const double h = system_.collision.time_step;
        const double fall = 0.5 * h * h * strongest;
        const double edge = *std::min_element(system_.box.size.begin(), system_.box.size.end());
        if (fall > edge) {
            error(
                "forces",
                fmt::format("a particle would fall {:.3g} cells in a time step, more than the shortest edge "
                            "of the box ({:.3g})",
                            fall, edge));
        }
    }

private:
};

}  // namespace

void check_forces(const System& system, const Node& root, Diagnostics& diagnostics) {
    ForceChecker checker(system, root, diagnostics);
    checker.check_items();
    if (!diagnostics.is_sound("forces") || !diagnostics.is_sound("box")) return;
    for (int i = 0; i < system.forces.size(); ++i) checker.check(system.forces[i]);
    if (diagnostics.is_sound("fluid.mass") && diagnostics.is_sound("fluid.species") &&
        diagnostics.is_sound("collision.time_step"))
        checker.check_fall();
}

}  // namespace mpcflow::input
